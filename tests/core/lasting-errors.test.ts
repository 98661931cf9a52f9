import * as main from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { endpoints } from '../../src/endpoints.js';
import { listEndpoints } from '../../src/endpoints.js';
import { classOfStatus } from '../../src/core/errors/response-errors.js';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

const errorWith = (status: number, body: object = {}): Promise<main.ApiError> => {
  const { sellerClient } = stubbed([Response.json(body, { status })], { maxRetries: 0 });
  return errorOf<main.ApiError>(sellerClient.questions.get({ question_id: 1 }));
};

describe('isLasting: waiting does not help', () => {
  test.each([400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 501, 505])('after a %i', async (status) => {
    expect((await errorWith(status)).isLasting).toBe(true);
  });

  test.each([301, 401, 402, 403, 404, 408, 409, 418, 423, 425, 429, 500, 502, 503, 504, 507, 599])(
    'but it may after a %i',
    async (status) => {
      expect((await errorWith(status)).isLasting).toBe(false);
    },
  );

  /** The documented errors that pass although their status does not. */
  const passing = [
    'AskLimitError',
    'MessageNotFoundError',
    'MessageNotReadyError',
    'NoQuestionsError',
    'DriverNotFoundError',
  ];
  const documented = [...new Set(listEndpoints(endpoints).flatMap(({ errors }) => errors))];
  const lasting = [400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 501, 505];
  const rows = documented.map(({ error, status, didNothing, message }) => ({
    message,
    error,
    status,
    didNothing,
    expected:
      !didNothing &&
      !passing.includes(error.kind) &&
      (lasting.includes(status) || ([403, 404].includes(status) && error !== classOfStatus(status))),
  }));

  test.each(rows)('$error.kind ($message): $expected', ({ error, status, didNothing, expected }) => {
    const details = { status, didNothing, headers: new Headers(), body: undefined, causes: [] };
    expect(new error('failed', details).isLasting).toBe(expected);
  });

  const moved = documented.flatMap((each) => (each.otherStatuses ?? []).map((other) => ({ ...each, other })));

  test.each(moved)('$error.kind with $other is as with $status', ({ error, status, other }) => {
    const of = (status: number, documentedStatus?: number): object => {
      const details = { status, documentedStatus, headers: new Headers(), body: undefined, causes: [] };
      const { isLasting, isNotFound } = new error('failed', details);
      return { isLasting, isNotFound };
    };
    expect(of(other, status)).toEqual(of(status));
  });

  test.each([400, 403])('a used-up cap opens again, also where the service reports it with %i', async (status) => {
    const { sellerClient } = stubbed([Response.json({ code: 'limit_exceeded' }, { status })], { maxRetries: 0 });
    const error = await errorOf(sellerClient.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' }));
    expect(error).toMatchObject({ name: 'CapExhaustedError', status, isLasting: true });
  });

  test('as the class says, where no response decides', async () => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET')], { maxRetries: 0 });
    const text = 'x'.repeat(3000);
    expect((await errorOf(sellerClient.questions.answer({ question_id: 1, text }))).isLasting).toBe(true);
    expect((await errorOf(sellerClient.questions.get({ question_id: 1 }))).isLasting).toBe(false);
    expect((await errorOf(sellerClient.questions.answer({ question_id: 1, text: 'Yes' }))).isLasting).toBe(false);
    expect(new main.ConfigurationError('wrong').isLasting).toBe(true);
    expect(new main.TimeoutError('late').isLasting).toBe(false);
  });

  test('is not printed', async () => {
    expect(Object.keys(await errorWith(400))).not.toContain('isLasting');
  });
});

describe('isNotFound: the service says that the resource does not exist', () => {
  const rows = listEndpoints(endpoints).flatMap(({ name, errors }) => errors.map((each) => ({ name, ...each })));

  test.each(rows)('$name: $error.kind ($message)', ({ error, status, didNothing }) => {
    const details = { status, didNothing, headers: new Headers(), body: undefined, causes: [] };
    const notFound = status === 404 || ['MessageNotFoundError', 'AttachmentNotFoundError'].includes(error.kind);
    expect(new error('failed', details).isNotFound).toBe(notFound);
  });

  test('is not printed', async () => {
    expect(Object.keys(await errorWith(404))).not.toContain('isNotFound');
    expect((await errorWith(404)).isNotFound).toBe(true);
    expect((await errorWith(410)).isNotFound).toBe(false);
  });
});

test('a 401 says that the request had no token', async () => {
  const { sellerClient } = stubbed([Response.json({ message: 'unauthorized' }, { status: 401 })], {
    accessToken: undefined,
  });
  const read = (options?: object): Promise<main.SellerError> =>
    errorOf(sellerClient.questions.get({ question_id: 1 }, options));
  expect((await read()).message).toContain('The request had no token: give the client or the call an `accessToken`');
  expect((await read({ accessToken: 'token-2' })).message).not.toContain('had no token');
  expect((await read({ headers: { authorization: 'Basic eA==' } })).message).not.toContain('had no token');
});

test('an input that is no object is blamed, and not the options', async () => {
  const { sellerClient, sent } = stubbed([Response.json({})]);
  for (const input of [1, 'MLA1', true, [], [1], Symbol('x'), 1n]) {
    for (const options of ['text', 42, ['text']]) {
      const error = await errorOf(sellerClient.questions.answer(input as never, options as never));
      expect(error).toMatchObject({ name: 'InvalidInputError' });
      expect(error.message).not.toContain('the options');
    }
  }
  const wrong = await errorOf(sellerClient.questions.get({ question_id: 1 }, 'text' as never));
  expect(wrong.message).toContain('the options');
  expect(sent).toHaveLength(0);
});
