import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RateLimitError, TimeoutError } from 'marketplace-seller-sdk';
import { createRandom } from '../../src/testing/random.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import { waitLogger } from '../support/waits.ts';
import type { LoggedWait } from '../support/waits.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ok = (): Response => Response.json(wireQuestion);
const throttled = (headers: Record<string, string> = {}): Response =>
  Response.json({ error: 'too_many_requests' }, { status: 429, headers });
const idOf = (request: Request): number => Number(request.url.split('/').at(-1));
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A `fetch` that responds to some questions and never to the others, except that it ends with its signal. */
function hanging(isHealthy: (id: number) => boolean): (request: Request) => Promise<Response> {
  return (request) => {
    if (isHealthy(idOf(request))) return Promise.resolve(ok());
    return new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
    });
  };
}

describe('calls that hang hold no other call back', () => {
  test.each([8, 32, 100])('%i hung calls delay a healthy one by less than a second', async (count) => {
    const waits: LoggedWait[] = [];
    const { sellerClient } = stubbed([hanging((id) => id === 1)], {
      maxRetries: 0,
      logger: waitLogger((wait) => waits.push(wait)),
    });
    const hung = Array.from({ length: count }, (_, index) =>
      errorOf(sellerClient.questions.get({ question_id: index + 2 })),
    );
    const started = performance.now();
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    expect(performance.now() - started).toBeLessThan(1000);
    // A call that waits for longer than a moment reports it.
    expect(waits.some(({ reason }) => reason === 'rate limit')).toBe(count > 8);
    await advanceUntilSettled(Promise.all(hung));
  });

  test('a deadline bounds the wait in the queue', async () => {
    const { sellerClient } = stubbed([hanging(() => false)], { maxRetries: 0, concurrency: 2, timeoutMs: 60_000 });
    const hung = [2, 3].map((question_id) => errorOf(sellerClient.questions.get({ question_id })));
    const started = performance.now();
    const error = await advanceUntilSettled(
      errorOf(sellerClient.questions.get({ question_id: 1 }, { deadlineMs: 500 })),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    expect(performance.now() - started).toBe(500);
    await advanceUntilSettled(Promise.all(hung));
  });
});

describe('a service that sheds load at random is not taken for one that enforces a limit', () => {
  test.each([{}, { 'retry-after': '0' }])(
    'one 429 in a hundred costs less than half of the throughput (%j)',
    async (headers) => {
      const run = async (shedding: boolean): Promise<number> => {
        let turn = 0;
        // With unlucky delays, one run in some hundreds takes a little longer.
        vi.spyOn(Math, 'random').mockImplementation(createRandom(1));
        const { sellerClient } = stubbed(
          [
            async () => {
              turn += 1;
              const isShed = shedding && turn % 100 === 77;
              await after(5);
              return isShed ? throttled(headers) : ok();
            },
          ],
          { maxRetries: 5 },
        );
        const started = performance.now();
        let next = 0;
        const worker = async (): Promise<void> => {
          while (next < 400) await sellerClient.questions.get({ question_id: (next += 1) });
        };
        await advanceUntilSettled(Promise.all(Array.from({ length: 8 }, worker)));
        return performance.now() - started;
      };
      expect(await run(true)).toBeLessThan(2 * (await run(false)));
    },
  );
});

describe('a Retry-After is respected by all calls', () => {
  test('what is left of it is told in whole milliseconds, rounded up', async () => {
    const { sellerClient } = stubbed([throttled({ 'retry-after': '60' })], { maxRetryDelayMs: 5000 });
    await errorOf(sellerClient.questions.get({ question_id: 1 }));
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 10_000.25);
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error).toMatchObject({ attempts: 0, retryAfterMs: 50_000 });
  });

  test('beyond the cap, later calls fail at once until it is over', async () => {
    const { sellerClient, sent } = stubbed([throttled({ 'retry-after': '60' }), ok()], { maxRetryDelayMs: 5000 });
    expect(await errorOf(sellerClient.questions.get({ question_id: 1 }))).toBeInstanceOf(RateLimitError);
    await vi.advanceTimersByTimeAsync(10_000);
    const errors = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        errorOf<RateLimitError>(sellerClient.questions.get({ question_id: index + 1 })),
      ),
    );
    expect(sent).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(RateLimitError);
    expect(errors[0]).toMatchObject({ status: 429, attempts: 0, retryAfterMs: 50_000 });
    expect(errors[0]!.message).toBe(
      'GET /questions/{question_id} was not sent: after a 429 the service asked to wait, for 50 s more',
    );
    await vi.advanceTimersByTimeAsync(46_000);
    await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
    expect(sent).toHaveLength(2);
  });

  test('calls that already wait for their turn fail as well', async () => {
    const { sellerClient, sent } = stubbed([() => after(100).then(() => throttled({ 'retry-after': '60' }))], {
      maxRetryDelayMs: 5000,
      concurrency: 1,
    });
    const calls = [1, 2, 3].map((question_id) => errorOf(sellerClient.questions.get({ question_id })));
    const errors = await advanceUntilSettled(Promise.all(calls));
    expect(errors.every((error) => error instanceof RateLimitError)).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test.each([429, 503])('of no seconds, it still leaves a random pause before the retry of a %i', async (status) => {
    for (const seconds of ['0', '0.01', 'Thu, 01 Jan 1970 00:00:00 GMT']) {
      const delays = [];
      for (let turn = 0; turn < 20; turn += 1) {
        const response = Response.json({}, { status, headers: { 'retry-after': seconds } });
        const { sellerClient } = stubbed([response, ok()]);
        const started = performance.now();
        await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
        delays.push(performance.now() - started);
      }
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(250);
      expect(Math.max(...delays)).toBeLessThan(1100);
      expect(new Set(delays).size).toBeGreaterThan(2);
    }
  });
});
