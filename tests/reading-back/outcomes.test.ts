import { OutcomeUnknownError } from 'marketplace-seller-sdk';
import type { ServerError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mayHaveSucceeded } from '../../src/core/recover/failure.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, networkFault, stubbed, wireQuestion } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

// Whether the outcome of a write is unknown, by how it ended, and what its error says.

const answer = (client: SellerClient, signal?: AbortSignal): PromiseLike<unknown> =>
  client.questions.answer({ question_id: 42, text: 'Yes' }, { signal });
const hide = (client: SellerClient): PromiseLike<unknown> => client.questions.hide({ question_id: 42 });
const option = (client: SellerClient): PromiseLike<unknown> =>
  client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' });
const found = Response.json({ ...wireQuestion, status: 'ANSWERED', answer: { text: 'Yes' } });
const never = ({ method }: Request): Response | Promise<Response> =>
  method === 'GET' ? found.clone() : new Promise<Response>(() => undefined);

describe('by its status', () => {
  /** What RFC 9110 and its registry define as a rejection, and the redirects of a wrong `baseUrl`. */
  const nothingDone = [
    ...[301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418],
    ...[422, 423, 424, 425, 426, 428, 429, 431, 451, 501],
  ];

  test.each([
    ['write', answer],
    ['read', (client: SellerClient) => client.questions.get({ question_id: 1 })],
  ] as const)('a %s that gets 300 to 599', async (what, call) => {
    const statuses = Array.from({ length: 300 }, (_, index) => 300 + index);
    const rows = [];
    for (const status of statuses) {
      const { sellerClient, sent } = stubbed([() => new Response(null, { status })], { maxRetries: 0 });
      const error = await errorOf<ServerError>(call(sellerClient));
      const isSaid = error.message.includes('may have been carried out');
      rows.push([status, error.status, error.outcomeUnknown, isSaid, sent.length]);
    }
    const isUnknown = (status: number): boolean => what === 'write' && !nothingDone.includes(status);
    expect(rows).toEqual(statuses.map((status) => [status, status, isUnknown(status), isUnknown(status), 1]));
  });

  test('an error inside of a success rejects it, whatever status it states', () => {
    const failure = { kind: 'errorResponse', status: 500 } as const;
    expect(mayHaveSucceeded('unsafe', failure)).toBe(true);
    expect(mayHaveSucceeded('unsafe', { ...failure, isRejected: true })).toBe(false);
  });
});

describe('without a response', () => {
  test('an aborted write says so, and can be confirmed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const controller = new AbortController();
    const { sellerClient } = stubbed([never]);
    const failed = errorOf<OutcomeUnknownError>(answer(sellerClient, controller.signal));
    await vi.advanceTimersByTimeAsync(20);
    controller.abort();
    const error = await failed;
    expect(error).toMatchObject({ name: 'AbortError', outcomeUnknown: true, attempts: 1 });
    expect(error.message).toContain('may or may not have been carried out');
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).toMatchObject({ done: true });
  });

  test('a write ended by its deadline has the TimeoutError as its cause, and can be confirmed', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { sellerClient } = stubbed([never], { deadlineMs: 20_000 });
    const error = await advanceUntilSettled(errorOf<OutcomeUnknownError>(answer(sellerClient)));
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', cause: { name: 'TimeoutError' } });
    expect(await advanceUntilSettled(error.confirm({ confirmWindowMs: 0 }))).toMatchObject({ done: true });
  });

  test('confirm() of an error that the user created gives unknown', async () => {
    const made = new OutcomeUnknownError('made by hand');
    expect(await made.confirm()).toMatchObject({ unknown: expect.any(String) as string });
    expect(made.toCurl()).toBeUndefined();
  });
});

describe('the message says', () => {
  const broken = (status: number) => (): Response =>
    new Response(new ReadableStream({ pull: () => Promise.reject(new TypeError('terminated')) }), { status });
  const unsure = 'it may or may not have been carried out. Do not retry it without checking;';

  test.each<readonly [string, typeof answer, Step, number | undefined, string]>([
    [
      'that confirm() reads it back',
      answer,
      networkFault('ECONNRESET'),
      undefined,
      'POST /answers was sent and its response was lost (POST /answers got no response: fetch failed (ECONNRESET)): ' +
        `${unsure} confirm() reads it back.`,
    ],
    [
      'to read back where there is no confirm()',
      hide,
      networkFault('ECONNRESET'),
      undefined,
      'POST /my/questions/hidden was sent and its response was lost (POST /my/questions/hidden got no response: ' +
        `fetch failed (ECONNRESET)): ${unsure} read back before you retry it.`,
    ],
    [
      'the status of a response whose body was lost',
      answer,
      broken(201),
      201,
      'POST /answers was sent and its response was lost (POST /answers got no response: terminated): the service ' +
        'responded 201 before the response body was lost, so it was most likely carried out. Do not retry it without ' +
        'checking; confirm() reads it back.',
    ],
  ])('%s', async (_, write, step, status, message) => {
    const error = await errorOf<OutcomeUnknownError>(write(stubbed([step], { maxRetries: 0 }).sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ status, attempts: 1, cause: { name: 'ConnectionError', attempts: 1 } });
    expect(error.message).toBe(message);
  });

  test.each([
    ['confirm() reads it back', answer],
    ['read back before you retry it', hide],
    ['confirm() reads it back', option],
  ])('after a 5xx, what to do: %s', async (advice, write) => {
    const { sellerClient } = stubbed([Response.json({ message: 'no' }, { status: 500 })], { maxRetries: 0 });
    const { message } = await errorOf(write(sellerClient));
    expect(message).toContain(': no. The write may have been carried out anyway: ');
    expect(message.endsWith(`anyway: ${advice}`)).toBe(true);
  });

  test('nothing of it where the service rejected the write and the body was lost', async () => {
    const { sellerClient } = stubbed([broken(409)], { maxRetries: 0 });
    expect(await errorOf(answer(sellerClient))).toMatchObject({ name: 'ConflictError', status: 409 });
  });
});
