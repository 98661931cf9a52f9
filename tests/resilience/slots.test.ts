import { SellerClient } from 'marketplace-seller-sdk';
import type { Limiter } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed, wireQuestion, receiving } from '../support/stubs.ts';

const ok = (): Response => Response.json(wireQuestion);
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A limiter with some slots, which counts those that are taken. */
function countingLimiter(acquireMs: number): Limiter & { taken: number; permitted: number } {
  return {
    taken: 0,
    permitted: 0,
    async acquire() {
      // It ignores the signal, as a simple limiter does.
      await after(acquireMs);
      this.taken += 1;
      this.permitted += 1;
    },
    release() {
      this.taken -= 1;
    },
  };
}

describe('each slot of a limiter comes back', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('after an abort at any moment, in the limiter, in the queue or in flight', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 20 }),
        fc.constantFrom(1, 2, undefined),
        async (abortsAt, acquireMs, concurrency) => {
          const limiter = countingLimiter(acquireMs);
          const { sellerClient } = stubbed([() => after(10).then(ok)], { limiter, concurrency, maxRetries: 0 });
          const calls = abortsAt.map((ms, index) => {
            const controller = new AbortController();
            setTimeout(() => controller.abort(), ms);
            return sellerClient.questions
              .get({ question_id: index + 1 }, { signal: controller.signal })
              .catch(() => undefined);
          });
          await vi.advanceTimersByTimeAsync(1000);
          await advanceUntilSettled(Promise.all(calls));
          await vi.advanceTimersByTimeAsync(5000);
          expect(limiter.taken).toBe(0);
          // The client's own slots are free as well.
          await advanceUntilSettled(sellerClient.questions.get({ question_id: 1 }));
          expect(limiter.taken).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('a source that cannot be closed does not block the client', () => {
  const chunk = new Uint8Array(10);
  const sources: Record<string, () => AsyncIterable<Uint8Array>> = {
    'whose return() is synchronous': () => iterable({ return: () => ({ done: true, value: undefined }) }),
    'whose return() throws': () =>
      iterable({
        return: () => {
          throw new Error('no');
        },
      }),
    'whose return() rejects': () => iterable({ return: () => Promise.reject(new Error('no')) }),
    'whose return() never settles': () => iterable({ return: () => new Promise(() => undefined) }),
  };

  function iterable(rest: object): AsyncIterable<Uint8Array> {
    const next = (): Promise<IteratorResult<Uint8Array>> => Promise.resolve({ done: false, value: chunk });
    return { [Symbol.asyncIterator]: () => ({ next, ...rest }) as AsyncIterator<Uint8Array> };
  }

  test.each(Object.keys(sources))('%s', async (name) => {
    const fetch = receiving(async (request) => {
      if (request.method === 'GET') return ok();
      // The service gives up in the middle of the file.
      await request.body?.getReader().read();
      throw new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
    });
    const baseUrl = 'https://api.test';
    const sellerClient = new SellerClient({ baseUrl, accessToken: 'token-1', fetch, concurrency: 1 });
    const file = sources[name]!();
    await errorOf(sellerClient.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf', size: 1000 }));
    expect(await sellerClient.questions.get({ question_id: 42 }, { deadlineMs: 1000 })).toMatchObject({ id: 42 });
  });
});
