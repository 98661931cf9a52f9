import { BadRequestError, ConflictError, documentedError, ServerError } from 'marketplace-seller-sdk';
import type { ApiError, DocumentedError, Download, Endpoint } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { errorOf, stubbed } from '../support/stubs.ts';

class WrongColourError extends BadRequestError {
  static override readonly kind: string = 'WrongColourError';
}

const found = { status: 400, error: WrongColourError } as const;
const byCode = documentedError({ ...found, code: 'wrong_colour', message: 'No such colour' });
const byMessage = documentedError({ ...found, message: 'No such COLOUR', otherStatuses: [418] });
const byStatusCode = (status: number, code: string): DocumentedError =>
  documentedError({ ...found, status, code, message: 'No such colour' });

function endpointWith(errors: readonly DocumentedError[], rest: Pick<Endpoint, 'errorInBody'> = {}): Endpoint<object> {
  const anything = z.looseObject({});
  const own = {
    name: 'own',
    method: 'POST',
    path: '/own',
    input: anything,
    output: anything,
    retry: 'unsafe',
  } as const;
  return { ...own, errors, ...rest };
}

async function nameOf(documented: DocumentedError, status: number, body: unknown): Promise<string> {
  const { sellerClient } = stubbed([Response.json(body, { status })], { maxRetries: 0 });
  return (await errorOf(sellerClient.call(endpointWith([documented]), {}))).name;
}

const padded = (length: number): string => `${' '.repeat(length - 14)}no such colour`;

describe('a documented error is', () => {
  test.each<[string, DocumentedError, number, unknown]>([
    ['a code in any case', byCode, 400, { error: 'WRONG_Colour' }],
    ['a message in any case', byMessage, 400, { message: 'there is No Such Colour, sorry' }],
    ['a message under another status of it', byMessage, 418, { message: 'no such colour' }],
    ['the code of a cause', byMessage, 400, { message: 'no', cause: [{ code: 'a' }, { code: 'no such colour' }] }],
    ['the message of a cause', byMessage, 400, { message: 'no', cause: [{ message: 'no such colour' }] }],
    ['a message up to 500 characters', byMessage, 400, { message: 'no', cause: [{ message: padded(500) }] }],
    ['one of twenty causes', byMessage, 400, { cause: [...Array<string>(19).fill('no'), 'no such colour'] }],
  ])('%s', async (_, documented, status, body) => {
    expect(await nameOf(documented, status, body)).toBe('WrongColourError');
  });

  test.each<[string, DocumentedError, number, unknown]>([
    ['another code with its message', byCode, 400, { error: 'wrong_size', message: 'No such colour' }],
    ['its code under another status', byCode, 418, { error: 'wrong_colour' }],
    ['another message', byMessage, 400, { message: 'no such size', cause: [{ code: 'a', message: 'b' }] }],
    ['another message under another status of it', byMessage, 418, { message: 'no such size' }],
    ['a message beyond 500 characters', byMessage, 400, { message: 'no', cause: [{ message: padded(501) }] }],
    ['a code beyond 500 characters', byMessage, 400, { message: 'no', cause: [{ code: padded(501) }] }],
    ['the cause after twenty', byMessage, 400, { cause: [...Array<string>(20).fill('no'), 'no such colour'] }],
  ])('not %s', async (_, documented, status, body) => {
    expect(await nameOf(documented, status, body)).not.toBe('WrongColourError');
  });

  test.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [409, 'conflict'],
    [500, 'internal_server_error'],
  ])('told apart by its message where its code only repeats the status %i', async (status, code) => {
    const documented = byStatusCode(status, code);
    expect(await nameOf(documented, status, { error: code, message: 'no such colour' })).toBe('WrongColourError');
    expect(await nameOf(documented, status, { error: code, message: 'no such size' })).not.toBe('WrongColourError');
  });

  test('told apart by its message where it has no class of its own', async () => {
    const busy = documentedError({ status: 409, code: 'busy', message: 'Try again', didNothing: true });
    expect(busy.error).toBe(ConflictError);
    for (const [message, sent] of [
      ['try again soon', 2],
      ['it is closed', 1],
    ] as const) {
      const calls = stubbed([Response.json({ error: 'busy', message }, { status: 409 })], { maxRetries: 1 });
      await errorOf(calls.sellerClient.call(endpointWith([busy]), {}));
      expect(calls.sent).toHaveLength(sent);
    }
  });
});

test('the texts of a response are prepared once, however many errors are documented', async () => {
  const prepared = vi.spyOn(String.prototype, 'replaceAll');
  onTestFinished(() => prepared.mockRestore());
  const { sellerClient } = stubbed([Response.json({ error: 'one', message: 'another' }, { status: 400 })]);
  const errors = endpoints.messages.send.errors.filter(({ status }) => status === 400);
  await errorOf(sellerClient.call(endpointWith([...errors, ...errors]), {}));
  expect(errors.length).toBeGreaterThan(3);
  // The typographic apostrophe is replaced in each text.
  expect(prepared.mock.calls.filter(([from]) => from === '’')).toHaveLength(2);
});

describe('an error in the body of a success has the status', () => {
  test.each<[string, DocumentedError[], { status?: number; text: string }, number, string]>([
    ['that it states', [byMessage], { status: 409, text: 'no such colour' }, 409, 'ConflictError'],
    ['of the documented error', [byCode, byMessage], { text: 'no such colour' }, 400, 'WrongColourError'],
    ['of the response', [byMessage], { text: 'no such size' }, 200, 'ApiError'],
    ['of the response, without documented errors', [], { text: 'no' }, 200, 'ApiError'],
  ])('%s', async (_, documented, inBody, status, name) => {
    const { sellerClient } = stubbed([Response.json({ errors: [] })], { maxRetries: 0 });
    const errorInBody = (): ReturnType<NonNullable<Endpoint['errorInBody']>> => ({
      code: undefined,
      causes: [],
      ...inBody,
    });
    const error = await errorOf<ApiError>(sellerClient.call(endpointWith(documented, { errorInBody }), {}));
    expect(error).toMatchObject({ status, name });
  });
});

test('an error response is not read like the body of a success', async () => {
  const errorInBody = vi.fn();
  const { sellerClient } = stubbed([Response.json({}, { status: 400 })], { maxRetries: 0 });
  expect(await errorOf(sellerClient.call(endpointWith([], { errorInBody }), {}))).toMatchObject({ status: 400 });
  expect(errorInBody).not.toHaveBeenCalled();
});

describe('errorInBody', () => {
  const found: NonNullable<Endpoint['errorInBody']> = (body) => {
    if (!('errors' in (body as object))) return undefined;
    return { status: 429, code: undefined, text: 'slow down', causes: [] };
  };

  test.each([
    ['a body that is not JSON', new Response('<html>'), 'UnexpectedResponseError'],
    ['a body that is too long', new Response(`{"errors": "${'a'.repeat(200)}"}`), 'UnexpectedResponseError'],
    ['no body, for which it throws', new Response(null, { status: 204 }), 'UnexpectedResponseError'],
    ['an error', Response.json({ errors: [] }), 'RateLimitError'],
  ])('is only called with JSON, and its own faults count as no error: %s', async (_, response, name) => {
    const { sellerClient } = stubbed([response], { maxRetries: 0, maxResponseBytes: 100 });
    const error = await errorOf(sellerClient.call(endpointWith([], { errorInBody: found }), {}));
    expect(error.name).toBe(name);
    if (name !== 'RateLimitError') expect(error.message).toContain('the write was most likely carried out');
  });

  test('is not called for a download, which is not read', async () => {
    const errorInBody = vi.fn(found);
    const { sellerClient } = stubbed([new Response('text')]);
    const download = {
      ...endpointWith([], { errorInBody }),
      method: 'GET',
      retry: 'safe',
      responseBody: 'stream',
    } as const;
    const file = (await sellerClient.call<object, unknown>(download, {})) as Download;
    expect(new TextDecoder().decode(await file.arrayBuffer())).toBe('text');
    expect(errorInBody).not.toHaveBeenCalled();
  });

  test('tells the limiters which status it found', async () => {
    const release = vi.fn();
    const { sellerClient } = stubbed([Response.json({ errors: [] })], {
      maxRetries: 0,
      limiter: { acquire: async () => undefined, release },
    });
    await errorOf(sellerClient.call(endpointWith([], { errorInBody: found }), {}));
    expect(release).toHaveBeenCalledWith(expect.objectContaining({ status: 429 }));
  });
});

test('a status class takes every status of its range', async () => {
  for (const status of [500, 555, 599]) {
    const { sellerClient } = stubbed([new Response(null, { status })], { maxRetries: 0 });
    expect(await errorOf(sellerClient.call(endpointWith([]), {}))).toBeInstanceOf(ServerError);
  }
});
