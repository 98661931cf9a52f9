import type { LimiterAttempt, Limiter } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf, networkFault, receiving, stubbed, wireQuestion } from '../support/stubs.ts';

// A limiter of the user is asked before each attempt and told of its end, and gets back each place, whatever ends a call.

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ok = (): Response => Response.json(wireQuestion);
const slow = (seconds: number): Response =>
  Response.json({}, { status: 429, headers: { 'retry-after': String(seconds) } });
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('acquire() is called before each attempt, and release() with its result', async () => {
  const seen: unknown[] = [];
  const { sellerClient } = stubbed([slow(1), networkFault('ECONNRESET'), ok()], {
    accessToken: 'APP_USR-1-010101-abc-77',
    limiter: {
      acquire: ({ endpoint, attempt, host, user, group, isWrite }) =>
        void seen.push(['enter', endpoint.name, attempt, host, user, group, isWrite]),
      release: ({ attempt, status, host, retryAfterMs }) =>
        void seen.push(['leave', attempt, host, status, retryAfterMs]),
    },
  });
  await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }).withResponse());
  const enter = (attempt: number) => ['enter', 'questions.get', attempt, 'api.test', '77', 'questions', false];
  expect(seen).toEqual([
    enter(1),
    ['leave', 1, 'api.test', 429, 1000],
    enter(2),
    ['leave', 2, 'api.test', undefined, undefined],
    enter(3),
    ['leave', 3, 'api.test', 200, undefined],
  ]);
});

test('an acquire() that rejects fails the call unsent, with its reason', async () => {
  const reason = { msBeforeNext: 5000 };
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- limiters reject with plain results
  const { sellerClient, sent } = stubbed([ok()], { limiter: { acquire: () => Promise.reject(reason) } });
  const error = await errorOf(sellerClient.questions.answer({ question_id: 1, text: 'Yes.' }));
  expect(error).toMatchObject({ name: 'ConnectionError', cause: reason, attempts: 0 });
  expect(sent).toHaveLength(0);
});

test('an abort ends a hanging acquire() through its signal', async () => {
  let reason: unknown;
  const acquire = ({ signal }: LimiterAttempt): Promise<void> => {
    signal.addEventListener('abort', () => void (reason = signal.reason));
    return new Promise(() => {});
  };
  const { sellerClient } = stubbed([ok()], { limiter: { acquire } });
  const controller = new AbortController();
  const call = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
  controller.abort();
  expect(await call).toMatchObject({ name: 'AbortError' });
  expect(reason).toMatchObject({ name: 'AbortError' });
});

test('a release() that throws does not fail the call', async () => {
  const release = (): never => {
    throw new Error('not my day');
  };
  const { sellerClient } = stubbed([ok()], { limiter: { acquire: () => {}, release } });
  await expect(sellerClient.questions.get({ question_id: 1 })).resolves.toMatchObject({ id: 1 });
});

test('a pause gives the places back, also where it begins while acquire() makes a call wait', async () => {
  const startedAt = performance.now();
  const sentAt: number[] = [];
  const opened = Promise.withResolvers<undefined>();
  let held = 0;
  const limiter = {
    // The second call waits in it, while the first one gets its 429.
    acquire: async (): Promise<void> => {
      if (++held === 2) await opened.promise;
    },
    release: (): void => void (held -= 1),
  };
  const step = (): Response => (sentAt.push(performance.now() - startedAt) === 1 ? slow(5) : ok());
  const { sellerClient } = stubbed([step], { limiter });
  const calls = [1, 2].map((question_id) => sellerClient.questions.get({ question_id }));
  await vi.advanceTimersByTimeAsync(100);
  opened.resolve(undefined);
  await vi.advanceTimersByTimeAsync(1000);
  expect(held).toBe(0);
  await advanceUntilSettled(Promise.all(calls));
  expect(sentAt).toHaveLength(3);
  expect(sentAt[1]).toBeGreaterThanOrEqual(5000);
});

/** A limiter that counts the places that are taken. It ignores the signal, as a simple limiter does. */
function countingLimiter(acquireMs: number): Limiter & { taken: number } {
  return {
    taken: 0,
    async acquire() {
      await after(acquireMs);
      this.taken += 1;
    },
    release() {
      this.taken -= 1;
    },
  };
}

test('each place comes back after an abort at any moment, in the limiter, in the queue or in flight', async () => {
  const plans = fc.record({
    abortsAt: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 }),
    acquireMs: fc.integer({ min: 0, max: 20 }),
    concurrency: fc.constantFrom(1, 2, undefined),
  });
  await fc.assert(
    fc.asyncProperty(plans, async ({ abortsAt, acquireMs, concurrency }) => {
      const limiter = countingLimiter(acquireMs);
      const { sellerClient } = stubbed([() => after(10).then(ok)], { limiter, concurrency, maxRetries: 0 });
      const calls = abortsAt.map((ms, index) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), ms);
        const call = sellerClient.questions.get({ question_id: index + 1 }, { signal: controller.signal });
        return call.catch(() => undefined);
      });
      await vi.advanceTimersByTimeAsync(1000);
      await advanceUntilSettled(Promise.all(calls));
      await vi.advanceTimersByTimeAsync(5000);
      expect(limiter.taken).toBe(0);
      // The client's own places are free as well.
      await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
      expect(limiter.taken).toBe(0);
    }),
    { numRuns: 60 },
  );
});

const sources: Readonly<Record<string, () => unknown>> = {
  'is synchronous': () => ({ done: true, value: undefined }),
  throws: () => {
    throw new Error('no');
  },
  rejects: () => Promise.reject(new Error('no')),
  'never settles': () => new Promise(() => undefined),
};

test.each(Object.entries(sources))('a file whose return() %s, of a lost upload, keeps no place', async (_, close) => {
  const next = () => Promise.resolve({ done: false, value: new Uint8Array(10) });
  const file = { [Symbol.asyncIterator]: () => ({ next, return: close }) } as unknown as AsyncIterable<Uint8Array>;
  const fetch = receiving(async (request) => {
    if (request.method === 'GET') return ok();
    // The service gives up in the middle of the file.
    await request.body?.getReader().read();
    throw networkFault('ECONNRESET');
  });
  const { sellerClient } = stubbed([], { fetch, concurrency: 1 });
  const upload = sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 1000 });
  await advanceUntilSettled(errorOf(upload));
  const call = sellerClient.questions.get({ question_id: 42 }, { deadlineMs: 20_000 });
  expect(await advanceUntilSettled(call)).toMatchObject({ id: 42 });
});
