import { RateLimitError, SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../src/testing/random.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { asAsked, errorOf, wireQuestion, receiving } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const ok = (): Response => Response.json(wireQuestion);
const slow = (headers: Record<string, string> = {}): Response =>
  Response.json({ error: 'too_many_requests' }, { status: 429, headers });
const tokenOf = (request: Request): string => request.headers.get('authorization')!.replace('Bearer ', '');
const seed = (value: number): void => void vi.spyOn(Math, 'random').mockImplementation(createRandom(value));

/** A client of a service that responds after a latency, and what it was sent. */
function serviceOf(respond: (request: Request) => Response, latencyMs = 20) {
  const sent: { token: string; at: number }[] = [];
  const fetch = receiving(async (request) => {
    sent.push({ token: tokenOf(request), at: performance.now() });
    const response = respond(request);
    await after(latencyMs);
    return asAsked(request, response);
  });
  const sellerClient = new SellerClient({ baseUrl: 'https://api.test', accessToken: 'token-0', fetch });
  return { sellerClient, sent };
}

const ids = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
/** Reads questions at once, and returns how many of them were read, and how long each call took. */
async function readAtOnce(client: SellerClient, count: number, tokens = ['token-0']) {
  const startedAt = performance.now();
  const took: number[] = [];
  const clients = tokens.map((accessToken) => client.withOptions({ accessToken }));
  const results = await Promise.allSettled(
    ids(count).map(async (question_id) => {
      try {
        await clients[question_id % clients.length]!.questions.get({ question_id });
      } finally {
        took.push(performance.now() - startedAt);
      }
    }),
  );
  return { took, results, succeeded: results.filter(({ status }) => status === 'fulfilled').length };
}
const sellers = (count: number): string[] => ids(count).map((id) => `token-${id}`);

describe('twenty sellers of an application with ten calls per second', () => {
  const cases = ids(2).flatMap((seedValue) =>
    [5, 50, 300].flatMap((latencyMs) => [true, false].map((retryAfter) => ({ seedValue, latencyMs, retryAfter }))),
  );

  test.each(cases)(
    'make sixty calls at once (seed $seedValue, $latencyMs ms, Retry-After: $retryAfter)',
    async ({ seedValue, latencyMs, retryAfter }) => {
      seed(seedValue);
      const marketplace = new FakeMarketplace({ limit: { perSecond: 10, retryAfter } });
      const item = { item_id: 'MLA100', seller_id: marketplace.addUser().user_id };
      marketplace.addItem(item);
      let count = 0;
      const fetch = receiving(async (request) => {
        count += 1;
        const response = await marketplace.fetch(request);
        await after(latencyMs);
        return response;
      });
      const application = new SellerClient({ baseUrl: marketplace.baseUrl, fetch });
      const clients = ids(20).map(() =>
        application.withOptions({ accessToken: marketplace.tokenFor(marketplace.addUser()) }),
      );
      const calls = ids(60).map((each) => clients[each % 20]!.questions.search({ item: 'MLA100' }).first());
      const results = await advanceUntilSettled(Promise.allSettled(calls));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(60);
      expect(count).toBeLessThanOrEqual(100);
    },
  );
});

describe('the sellers of an application', () => {
  test('take turns, so that one with many calls does not delay the others', async () => {
    let [second, count] = [-1, 0];
    const { sellerClient, sent } = serviceOf(() => {
      const now = Math.floor(performance.now() / 1000);
      if (now !== second) [second, count] = [now, 0];
      return ++count > 10 ? slow() : ok();
    });
    const flood = readAtOnce(sellerClient, 200, ['flood']);
    await vi.advanceTimersByTimeAsync(2500);
    const { took, succeeded } = await advanceUntilSettled(readAtOnce(sellerClient, 5, sellers(5)));
    expect(succeeded).toBe(5);
    expect(Math.max(...took)).toBeLessThan(3000);
    expect(sent.filter(({ token }) => token === 'flood').length).toBeLessThan(100);
    await advanceUntilSettled(flood);
  });

  test.each([1, 2, 5])(
    'are not slowed down by %i others that the service throttles by token',
    async (throttledCount) => {
      seed(7);
      const throttled = new Set(sellers(throttledCount));
      const { sellerClient } = serviceOf((request) => (throttled.has(tokenOf(request)) ? slow() : ok()));
      const bad = readAtOnce(sellerClient, 20 * throttledCount, [...throttled]);
      await vi.advanceTimersByTimeAsync(100);
      const { took, succeeded } = await advanceUntilSettled(readAtOnce(sellerClient, 50, ['a', 'b', 'c', 'd', 'e']));
      expect(succeeded).toBe(50);
      expect(Math.max(...took)).toBeLessThan(2500);
      expect((await advanceUntilSettled(bad)).succeeded).toBe(0);
      // What is known by now costs nothing.
      const again = readAtOnce(sellerClient, 20 * throttledCount, [...throttled]);
      await vi.advanceTimersByTimeAsync(100);
      const second = await advanceUntilSettled(readAtOnce(sellerClient, 50, ['a', 'b', 'c', 'd', 'e']));
      expect(Math.max(...second.took)).toBeLessThan(1000);
      await advanceUntilSettled(again);
    },
  );
});

describe('a used-up quota ends', () => {
  test.each([{}, { 'retry-after': '1' }].flatMap((headers) => [1, 20].map((tokens) => ({ headers, tokens }))))(
    'twenty reads fail within four seconds ($headers, $tokens tokens)',
    async ({ headers, tokens }) => {
      for (const value of ids(3)) {
        seed(value);
        const { sellerClient, sent } = serviceOf(() => slow(headers));
        const { took, results } = await advanceUntilSettled(readAtOnce(sellerClient, 20, sellers(tokens)));
        for (const result of results) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(RateLimitError);
        expect(Math.min(...took)).toBeGreaterThan(1000);
        expect(Math.max(...took)).toBeLessThan(4000);
        expect(sent.length).toBeLessThan(20);
        // The next ones take as long, and not longer.
        const next = await advanceUntilSettled(readAtOnce(sellerClient, 20, sellers(tokens)));
        expect(Math.max(...next.took)).toBeLessThan(6000);
      }
    },
  );

  test.each([500, 1000].flatMap((everyMs) => [{}, { 'retry-after': '1' }].map((headers) => ({ everyMs, headers }))))(
    'and while calls succeed, one every $everyMs ms, waiting goes on ($headers)',
    async ({ everyMs, headers }) => {
      for (const value of [1, 2]) {
        seed(value);
        let last = -Infinity;
        const { sellerClient } = serviceOf(() => {
          const isFree = performance.now() - last >= everyMs;
          if (isFree) last = performance.now();
          return isFree ? ok() : slow(headers);
        });
        const { succeeded, took } = await advanceUntilSettled(readAtOnce(sellerClient, 20));
        expect(succeeded).toBe(20);
        expect(Math.max(...took)).toBeGreaterThan(19 * everyMs);
      }
    },
  );

  test('a deadline bounds the wait', async () => {
    const { sellerClient } = serviceOf(() => slow({ 'retry-after': '20' }));
    const startedAt = performance.now();
    const calls = ids(20).map((question_id) =>
      errorOf(sellerClient.questions.get({ question_id }, { deadlineMs: 500 })),
    );
    await advanceUntilSettled(Promise.all(calls));
    expect(performance.now() - startedAt).toBeLessThanOrEqual(525);
  });

  test('the error says why the call was not sent', async () => {
    seed(1);
    const { sellerClient } = serviceOf(() => slow());
    const { results } = await advanceUntilSettled(readAtOnce(sellerClient, 20));
    expect((results.at(-1) as PromiseRejectedResult).reason).toMatchObject({
      status: 429,
      attempts: 0,
      message:
        'GET /questions/{question_id} was not sent: the service has responded with a 429 to all calls for as long as its retries would take',
    });
  });
});

describe('a service that responds 429 at random', () => {
  test.each([
    { share: 0.01, latencyMs: 50 },
    { share: 0.03, latencyMs: 5 },
  ])('costs at most half of the throughput ($share, $latencyMs ms)', async ({ share, latencyMs }) => {
    // With two retries, one of these calls may get three 429s by chance.
    const options = { maxRetries: 5 };
    const run = async (value: number, shed: number): Promise<number> => {
      seed(value);
      const random = createRandom(1000 + value);
      const { sellerClient } = serviceOf(() => (random() < shed ? slow() : ok()), latencyMs);
      const startedAt = performance.now();
      let next = 0;
      const worker = async (): Promise<void> => {
        while (next < 300) await sellerClient.questions.get({ question_id: (next += 1) }, options);
      };
      await advanceUntilSettled(Promise.all(Array.from({ length: 8 }, worker)));
      return performance.now() - startedAt;
    };
    // A single run may be slow by chance: there the first 429s come in a row.
    let durationMs = 0;
    for (const value of ids(3)) durationMs += await run(value, share);
    expect(durationMs / 3).toBeLessThan(2 * (await run(1, 0)));
  });
});
