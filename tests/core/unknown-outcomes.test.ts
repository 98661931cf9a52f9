import { OutcomeUnknownError, ServerError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { ClientOptions, RateLimitError, RequestAbortedError, SellerClient } from 'marketplace-seller-sdk';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { createMarketplace } from '../support/marketplace.ts';
import type { TestMarketplace } from '../support/marketplace.ts';
import { errorOf, networkFault, stubbed, untilWindowEnds, wireQuestion, receiving } from '../support/stubs.ts';
import type { Step } from '../support/stubs.ts';

const setUp = (options: Partial<ClientOptions> = {}): TestMarketplace =>
  createMarketplace({ maxRetries: 3, ...options });

/** Makes calls without waiting for the seconds of their read-backs. */
async function inFakeTime<T>(call: () => PromiseLike<T>): Promise<T> {
  vi.useFakeTimers();
  try {
    return await advanceUntilSettled(call());
  } finally {
    vi.useRealTimers();
  }
}

const { answer, ask, delete: remove, blacklist } = endpoints.questions;

describe('a write whose response was lost', () => {
  test('confirm() tells that the write was carried out', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ reset: 'after', endpoint: answer });
    const error = await errorOf<OutcomeUnknownError>(
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }),
    );
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({
      done: true,
      output: { answer: { text: 'Yes, there is.' } },
    });
  });

  test('confirm() tells that the write was not carried out', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ reset: 'before', endpoint: answer });
    const error = await errorOf<OutcomeUnknownError>(
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }),
    );
    expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({ done: false });
  });

  test.each([500, 502, 503, 504])(
    'a write that fails with %i is a ServerError with outcomeUnknown and confirm()',
    async (status) => {
      const { marketplace, sellerClient, question_id } = setUp();
      marketplace.faults.inject({ status, after: true, endpoint: answer });
      const error = await errorOf<ServerError>(sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }));
      expect(error).toBeInstanceOf(ServerError);
      expect(error).toMatchObject({ status, outcomeUnknown: true, attempts: 1 });
      expect(error.message).toContain('confirm()');
      expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done: true });
    },
  );

  /** What RFC 9110 and its registry define as a rejection, and the redirects of a wrong `baseUrl`. */
  const nothingDone = [
    ...[301, 302, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418],
    ...[422, 423, 424, 425, 426, 428, 429, 431, 451, 501],
  ];
  const statuses = Array.from({ length: 300 }, (_, index) => 300 + index);

  test('a write that gets 300 to 599 was carried out or not, as the status says', async () => {
    const rows = [];
    for (const status of statuses) {
      const { sellerClient, sent } = stubbed([() => new Response(null, { status })], { maxRetries: 0 });
      const error = await errorOf<ServerError>(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' }));
      const isSaid = error.message.includes('may have been carried out');
      rows.push([status, error.status, error.outcomeUnknown, isSaid, sent.length]);
    }
    const isUnknown = (status: number): boolean => !nothingDone.includes(status);
    expect(rows).toEqual(statuses.map((status) => [status, status, isUnknown(status), isUnknown(status), 1]));
  });

  test('a read that gets 300 to 599 has no unknown outcome', async () => {
    const unknown = [];
    for (const status of statuses) {
      const { sellerClient } = stubbed([() => new Response(null, { status })], { maxRetries: 0 });
      const error = await errorOf<ServerError>(sellerClient.questions.get({ question_id: 1 }));
      if (error.status !== status || error.outcomeUnknown) unknown.push(status);
    }
    expect(unknown).toEqual([]);
  });

  test.each([300, 303, 304, 408, 421, 499])(
    "a write that gets %i is read back with unknownOutcome: 'confirm', and not sent again if it was carried out",
    async (status) => {
      const steps = [new Response(null, { status }), Response.json({ ...wireQuestion, answer: { text: 'Yes.' } })];
      const { sellerClient, sent } = stubbed(steps, { unknownOutcome: 'confirm' });
      await sellerClient.questions.answer({ question_id: 42, text: 'Yes.' });
      expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
    },
  );

  test('a 429 means that nothing was carried out', async () => {
    const { marketplace, sellerClient, question_id } = setUp({ maxRetries: 0 });
    marketplace.faults.inject({ status: 429, headers: { 'retry-after': '1' }, endpoint: answer });
    const error = await errorOf<RateLimitError>(sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }));
    expect(error).toMatchObject({ status: 429, retryAfterMs: 1000 });
    expect(error).not.toHaveProperty('outcomeUnknown', true);
  });

  test('an aborted write says whether its outcome is unknown', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ stall: 'headers', endpoint: answer });
    const controller = new AbortController();
    const call = sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    const error = await errorOf<RequestAbortedError>(call);
    expect(error).toMatchObject({ name: 'AbortError', outcomeUnknown: true, attempts: 1 });
    expect(error.message).toContain('may or may not have been carried out');
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done: true });
  });

  test('a write ended by its deadline has an unknown outcome, with the TimeoutError as its cause', async () => {
    const { marketplace, sellerClient, question_id } = setUp({ deadlineMs: 30 });
    marketplace.faults.inject({ stall: true, endpoint: answer });
    const error = await errorOf<OutcomeUnknownError>(
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }),
    );
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done: true });
  });

  test('confirm() gives unknown for an endpoint that cannot be read back', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ reset: 'after', endpoint: endpoints.questions.hide });
    const error = await errorOf<OutcomeUnknownError>(sellerClient.questions.hide({ question_id }));
    expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({
      unknown: 'there is no way to read back what this endpoint does',
    });
  });

  test('confirm() gives unknown while reading back fails', async () => {
    const { marketplace, sellerClient, question_id } = setUp({ maxRetries: 0 });
    marketplace.faults.inject({ reset: 'after', endpoint: answer });
    marketplace.faults.inject({ status: 500, endpoint: endpoints.questions.get, times: 9 });
    const error = await errorOf<OutcomeUnknownError>(
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }),
    );
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({
      unknown: expect.stringContaining('reading back failed') as string,
    });
  });

  test('confirm() looks again until confirmWindowMs has passed', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ delayMs: 150, endpoint: answer });
    const call = sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }, { timeoutMs: 30 });
    const error = await errorOf<OutcomeUnknownError>(call);
    expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({ done: false });
    marketplace.faults.clear();
  });

  test('confirm() can be aborted', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ reset: 'before', endpoint: answer });
    const error = await errorOf<OutcomeUnknownError>(
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }),
    );
    const confirming = error.confirm({ signal: AbortSignal.timeout(30), confirmWindowMs: 60_000 });
    expect(await errorOf(confirming)).toMatchObject({ name: 'AbortError' });
  });

  test('confirm() of an error that the user created gives unknown', async () => {
    expect(await new OutcomeUnknownError('made by hand').confirm({ confirmWindowMs: 0 })).toMatchObject({
      unknown: expect.any(String) as string,
    });
    expect(new OutcomeUnknownError('made by hand').toCurl()).toBeUndefined();
  });
});

describe('the message of an unknown outcome says', () => {
  const broken = (status: number) => (): Response =>
    new Response(new ReadableStream({ pull: () => Promise.reject(new TypeError('terminated')) }), { status });
  const answered = (client: SellerClient): PromiseLike<unknown> =>
    client.questions.answer({ question_id: 42, text: 'Yes' });
  const hidden = (client: SellerClient): PromiseLike<unknown> => client.questions.hide({ question_id: 42 });

  test.each<readonly [string, typeof answered, Step, number | undefined, string]>([
    [
      'that confirm() reads it back',
      answered,
      networkFault('ECONNRESET'),
      undefined,
      'POST /answers was sent and its response was lost (POST /answers got no response: fetch failed (ECONNRESET)): ' +
        'it may or may not have been carried out. Do not retry it without checking; confirm() reads it back.',
    ],
    [
      'to read back where there is no confirm()',
      hidden,
      networkFault('ECONNRESET'),
      undefined,
      'POST /my/questions/hidden was sent and its response was lost (POST /my/questions/hidden got no response: ' +
        'fetch failed (ECONNRESET)): it may or may not have been carried out. Do not retry it without checking; ' +
        'read back before you retry it.',
    ],
    [
      'the status of a response whose body was lost',
      answered,
      broken(201),
      201,
      'POST /answers was sent and its response was lost (POST /answers got no response: terminated): the service ' +
        'responded 201 before the response body was lost, so it was most likely carried out. Do not retry it without ' +
        'checking; confirm() reads it back.',
    ],
  ])('%s', async (_, write, step, status, message) => {
    const { sellerClient } = stubbed([step], { maxRetries: 0 });
    const error = await errorOf<OutcomeUnknownError>(write(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ status, attempts: 1, cause: { name: 'ConnectionError', attempts: 1 } });
    expect(error.message).toBe(message);
  });

  test.each([
    ['confirm() reads it back', answered],
    ['read back before you retry it', hidden],
    [
      'confirm() reads it back',
      (client: SellerClient) => client.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hello' }),
    ],
  ])('after a 5xx, what to do: %s', async (advice, write) => {
    const { sellerClient } = stubbed([Response.json({ message: 'no' }, { status: 500 })], { maxRetries: 0 });
    const error = await errorOf(write(sellerClient));
    expect(error.message).toMatch(/: no\. The write may have been carried out anyway: /);
    expect(error.message.endsWith(`anyway: ${advice}`)).toBe(true);
  });

  test('nothing of it where the service rejected the write and the body was lost', async () => {
    const { sellerClient } = stubbed([broken(409)], { maxRetries: 0 });
    expect(await errorOf(answered(sellerClient))).toMatchObject({ name: 'ConflictError', status: 409 });
  });
});

describe("unknownOutcome: 'confirm'", () => {
  const confirming = (options: Partial<ClientOptions> = {}): ReturnType<typeof setUp> =>
    setUp({ unknownOutcome: 'confirm', ...options });

  test('a write that was carried out is delivered although its response was lost', async () => {
    const { marketplace, sellerClient, question_id } = confirming();
    marketplace.faults.inject({ reset: 'after', endpoint: answer });
    const { data, response } = await sellerClient.questions
      .answer({ question_id, text: 'Yes, there is.' })
      .withResponse();
    expect(data).toMatchObject({ id: question_id, answer: { text: 'Yes, there is.' } });
    expect(response).toMatchObject({ attempts: 1, status: 200 });
  });

  test('a write that was proved not carried out is sent again', async () => {
    const { marketplace, sellerClient, question_id } = confirming({ maxRetryDelayMs: 1 });
    marketplace.faults.inject({ reset: 'before', endpoint: answer, times: 2 });
    const { response } = await inFakeTime(() =>
      sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }).withResponse(),
    );
    expect(response.attempts).toBe(3);
  });

  test('without retries left the error says that the write was not carried out', async () => {
    const { marketplace, sellerClient, question_id } = confirming({ maxRetries: 0 });
    marketplace.faults.inject({ reset: 'before', endpoint: answer });
    const error = await inFakeTime(() =>
      errorOf(sellerClient.questions.answer({ question_id, text: 'Yes, there is.' })),
    );
    expect(error).toMatchObject({ name: 'ConnectionError' });
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  });

  test('a second attempt that fails with "already answered" finds the first one carried out', async () => {
    const { sellerClient, question_id, marketplace } = confirming({ timeoutMs: 100, maxRetryDelayMs: 1 });
    let first: Request | undefined;
    const slowFirst = sellerClient.withOptions({
      fetch: receiving(async (request) => {
        if (request.method !== 'POST') return marketplace.fetch(request);
        if (first) {
          // The first one arrives only now, just before the second.
          await marketplace.fetch(first);
          return marketplace.fetch(request);
        }
        first = new Request(request.url, { method: 'POST', headers: request.headers, body: await request.text() });
        return new Promise<Response>(() => {});
      }),
    });
    const found = await inFakeTime(() => slowFirst.questions.answer({ question_id, text: 'Yes, there is.' }));
    expect(found).toMatchObject({ answer: { text: 'Yes, there is.' } });
  });

  test('a write that cannot be read back is not retried', async () => {
    const { marketplace, sellerClient, question_id } = confirming();
    marketplace.faults.inject({ reset: 'after', endpoint: endpoints.questions.hide });
    expect(await errorOf(sellerClient.questions.hide({ question_id }))).toBeInstanceOf(OutcomeUnknownError);
  });

  test('a deadline ends the reading back, and the outcome stays unknown', async () => {
    const { marketplace, sellerClient, question_id } = confirming({ deadlineMs: 100 });
    marketplace.faults.inject({ reset: 'before', endpoint: answer });
    const error = await errorOf(sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
  });

  test('a deletion and a change of the blacklist are carried out once', async () => {
    const { marketplace, sellerClient, question_id, seller_id, buyer_id } = confirming();
    marketplace.faults.inject({ reset: 'after', endpoint: blacklist.add });
    await sellerClient.questions.blacklist.add({ seller_id, user_id: buyer_id });
    expect(await sellerClient.questions.blacklist.list({ seller_id }).toArray()).toHaveLength(1);
    marketplace.faults.inject({ status: 502, endpoint: blacklist.remove });
    await inFakeTime(() => sellerClient.questions.blacklist.remove({ seller_id, user_id: buyer_id }));
    expect(await sellerClient.questions.blacklist.list({ seller_id }).toArray()).toHaveLength(0);
    marketplace.faults.inject({ truncate: true, endpoint: remove });
    expect(await sellerClient.questions.delete({ question_id })).toEqual([]);
  });

  test('a deadline after the proof that it was not carried out is no unknown outcome', async () => {
    vi.useFakeTimers();
    try {
      const lost = Response.json({}, { status: 503, headers: { 'retry-after': '7' } });
      const open = untilWindowEnds(Response.json(wireQuestion));
      const { sellerClient, sent } = stubbed([lost, ...open, () => new Promise(() => undefined)], {
        unknownOutcome: 'confirm',
        concurrency: 1,
      });
      const call = errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }, { deadlineMs: 11_000 }));
      await vi.advanceTimersByTimeAsync(9500);
      // It takes the only place, so the deadline ends the write in the queue.
      const other = errorOf(sellerClient.questions.get({ question_id: 1 }, { timeoutMs: 9000, maxRetries: 0 }));
      expect(await advanceUntilSettled(call)).toMatchObject({ name: 'TimeoutError', attempts: 1 });
      expect(sent).toHaveLength(1 + open.length + 1);
      await advanceUntilSettled(other);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a question is asked once', async () => {
    const { marketplace, item_id, buyer_id, seller_id } = confirming();
    const buyerClient = marketplace.clientFor({ user_id: buyer_id }, { unknownOutcome: 'confirm' });
    marketplace.faults.inject({ reset: 'after', endpoint: ask });
    const asked = await buyerClient.questions.ask({ item_id, text: 'Does it come in red?' });
    expect(asked).toMatchObject({ text: 'Does it come in red?' });
    const all = await marketplace.clientFor({ user_id: seller_id }).questions.search({ item: item_id }).toArray();
    expect(all.filter(({ text }) => text === 'Does it come in red?')).toHaveLength(1);
  });
});

test('two identical entries give unknown', async () => {
  const now = new Date().toISOString();
  const twin = (id: number): object => ({ id, text: 'Is there stock?', date_created: now });
  const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json({ questions: [twin(1), twin(2)] })], {});
  const error = await errorOf<OutcomeUnknownError>(
    sellerClient.questions.ask({ item_id: 'MLA1', text: 'Is there stock?' }),
  );
  expect(await error.confirm({ confirmWindowMs: 0 })).toEqual({
    unknown: '2 entries look like the one that was written',
  });
});

describe('a write that gets a 503 with Retry-After, after a gateway has passed it on', () => {
  const passedOn = (endpoint: typeof answer | typeof ask): Parameters<FakeMarketplace['faults']['inject']>[0] => ({
    status: 503,
    headers: { 'retry-after': '0' },
    after: true,
    endpoint,
  });

  test('is not sent again, and confirm() tells that it was carried out', async () => {
    const { marketplace, sellerClient, question_id } = setUp();
    marketplace.faults.inject({ ...passedOn(answer), times: 9 });
    const error = await errorOf<ServerError>(sellerClient.questions.answer({ question_id, text: 'Yes, there is.' }));
    expect(error).toMatchObject({ status: 503, attempts: 1, outcomeUnknown: true, retryAfterMs: 0 });
    expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done: true });
  });

  test("is delivered once with unknownOutcome: 'confirm'", async () => {
    const { marketplace, buyerClient, item_id, seller_id } = setUp({ unknownOutcome: 'confirm' });
    marketplace.faults.inject(passedOn(ask));
    const asked = await buyerClient.questions.ask({ item_id, text: 'Does it come in red?' });
    expect(asked).toMatchObject({ text: 'Does it come in red?' });
    const all = await marketplace.clientFor({ user_id: seller_id }).questions.search({ item: item_id }).toArray();
    expect(all.filter(({ text }) => text === 'Does it come in red?')).toHaveLength(1);
  });

  test.each<readonly [number, Record<string, string>]>([
    [503, { 'retry-after': '0' }],
    [503, {}],
    [500, { 'retry-after': '0' }],
  ])('after %i %j it is sent once', async (status, headers) => {
    const failing = (): Response => Response.json({}, { status, headers });
    const { sellerClient, sent } = stubbed([failing], { maxRetryDelayMs: 1 });
    const error = await errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
    expect(error).toMatchObject({ status, outcomeUnknown: true });
    expect(sent).toHaveLength(1);
  });

  test('a write that was proved undone is sent again after the Retry-After', async () => {
    vi.useFakeTimers();
    try {
      const failing = Response.json({}, { status: 503, headers: { 'retry-after': '7' } });
      const answered = Response.json({ ...wireQuestion, answer: { text: 'Yes' } });
      const open = untilWindowEnds(Response.json(wireQuestion));
      const { sellerClient, sent } = stubbed([failing, ...open, answered], {
        unknownOutcome: 'confirm',
      });
      const startedAt = performance.now();
      await advanceUntilSettled(sellerClient.questions.answer({ question_id: 42, text: 'Yes' }));
      expect(sent.map(({ method }) => method)).toEqual(['POST', ...open.map(() => 'GET'), 'POST']);
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(7000);
    } finally {
      vi.useRealTimers();
    }
  });
});
