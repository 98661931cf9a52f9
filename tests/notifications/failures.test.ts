import { NotFoundError, SellerClient } from 'marketplace-seller-sdk';
import {
  DropNotificationError,
  UnrecoverableError,
  bullmqProcessor,
  createReceiver,
  memoryStore,
} from 'marketplace-seller-sdk/notifications';
import type { HandlingFailure, QueuedNotification, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { silent, silentLogger } from '../support/silent.ts';

loadClientFirst();
afterEach(() => {
  vi.useRealTimers();
});

/** A receiver whose handler fails with an error, and the failures it reports. */
function failing(error: unknown, options: Partial<ReceiverOptions> = {}) {
  const failures: HandlingFailure[] = [];
  let runs = 0;
  const receiver = createReceiver({
    retry: { baseMs: 1, attempts: 3 },
    onFailure: (failure) => failures.push(failure),
    on: {
      questions: () => {
        runs += 1;
        throw error;
      },
    },
    ...options,
  });
  return { receiver, failures, runs: () => runs };
}

describe('an error that ends the attempts', () => {
  test('an UnrecoverableError makes a dead letter at once', async () => {
    const { receiver, failures, runs } = failing(new UnrecoverableError('this will never work'));
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(runs()).toBe(1);
    expect(failures).toMatchObject([{ dead: true, attempt: 1 }]);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
  });

  test('a DropNotificationError forgets the notification, without a failure', async () => {
    const { receiver, failures, runs } = failing(new DropNotificationError('not ours'));
    await deliver(receiver, about(1));
    await receiver.idle();
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(runs()).toBe(1);
    expect(failures).toEqual([]);
    expect(await receiver.deadLetters.list()).toEqual([]);
  });

  test('a user without a client is dropped before the handler runs', async () => {
    const handled: number[] = [];
    const receiver = createReceiver({
      clientFor: () => undefined,
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    expect(await deliver(receiver, about(1))).toBe(200);
    await receiver.idle();
    expect(handled).toEqual([]);
    expect(await receiver.deadLetters.list()).toEqual([]);
  });

  test('a question that does not exist is read four times in a minute and holds no slot in between', async () => {
    vi.useFakeTimers();
    const marketplace = new FakeMarketplace({ now: '2026-11-20T12:00:00Z' });
    const user = marketplace.addUser({ user_id: 7 });
    let reads = 0;
    const fetch = (request: Request): Promise<Response> => {
      reads += 1;
      return marketplace.fetch(request);
    };
    const failures: HandlingFailure[] = [];
    let running = 0;
    const receiver = createReceiver({
      clientFor: () => marketplace.clientFor(user, { fetch }),
      onFailure: (failure) => failures.push(failure),
      on: {
        questions: async (_, { read }) => {
          running += 1;
          try {
            await read();
          } finally {
            running -= 1;
          }
        },
      },
    });
    await deliver(receiver, about(999));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([reads, running]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(60_000);
    await receiver.idle();
    expect(reads).toBe(4);
    expect(failures.map(({ dead }) => dead)).toEqual([false, false, false, true]);
    expect(failures[3]?.error).toBeInstanceOf(NotFoundError);
  });

  test.each([
    [
      [500, 404, 200],
      [false, false],
    ],
    [
      [404, 500, 404, 200],
      [false, false, false],
    ],
    [
      [404, 404, 200],
      [false, false],
    ],
    [
      [404, 404, 404, 404, 200],
      [false, false, false, true],
    ],
    [
      [404, 404, 404, 500, 404, 404, 200],
      [false, false, false, false, false, true],
    ],
    [
      [400, 400, 200],
      [false, true],
    ],
    [
      [400, 500, 400, 400, 200],
      [false, false, false, true],
    ],
  ])(
    'of the responses %j to read(), a permanent one right after a permanent one is final, a 404 after a minute',
    async (statuses, dead) => {
      vi.useFakeTimers();
      const left = [...statuses];
      const fetch = async () => {
        const status = left.shift()!;
        return Response.json(status === 200 ? { id: 1 } : { error: 'no', status }, { status });
      };
      const failures: HandlingFailure[] = [];
      const receiver = createReceiver({
        clientFor: () => new SellerClient({ baseUrl: 'https://api.test', accessToken: 't', maxRetries: 0, fetch }),
        onFailure: (failure) => failures.push(failure),
        on: { questions: (_, { read }) => read() },
      });
      await deliver(receiver, about(1));
      await vi.advanceTimersByTimeAsync(100_000);
      expect(failures.map((failure) => failure.dead)).toEqual(dead);
      expect(await receiver.deadLetters.list()).toHaveLength(dead.at(-1) === true ? 1 : 0);
      await receiver.close();
    },
  );

  test.each([500, 1_000, 2_000, 4_000, 19_000, 59_000])(
    'a question that can be read %i ms after its notification is handled, with a store and with BullMQ',
    async (readableMs) => {
      vi.useFakeTimers();
      const readableAt = Date.now() + readableMs;
      const fetch = async () =>
        Date.now() < readableAt
          ? Response.json({ error: 'no', status: 404 }, { status: 404 })
          : Response.json({ id: 1 });
      const client = new SellerClient({ baseUrl: 'https://api.test', accessToken: 't', maxRetries: 0, fetch });
      const handled: string[] = [];
      const options = (by: string): ReceiverOptions => ({
        clientFor: () => client,
        onFailure: silent,
        on: { questions: async (_, { read }) => void handled.push(`${by} ${(await read()).id}`) },
      });
      const receiver = createReceiver(options('store'));
      await deliver(receiver, about(1));
      const added: QueuedNotification[] = [];
      const queued = createReceiver({ ...options('queue'), queue: { add: async (entry) => void added.push(entry) } });
      await deliver(queued, about(1));
      const job = { data: added[0]!, attemptsMade: 0, opts: {} as { backoff?: { delay: number } }, extendLock: async () => 1, updateData: silent, moveToDelayed: silent }; // prettier-ignore
      while (!handled.includes('queue 1')) {
        await bullmqProcessor(queued)(job as never).catch(() => undefined);
        job.attemptsMade += 1;
        await vi.advanceTimersByTimeAsync(job.opts.backoff?.delay ?? 0);
        if (job.attemptsMade > 4) break;
      }
      await vi.advanceTimersByTimeAsync(61_000);
      expect(handled.toSorted()).toEqual(['queue 1', 'store 1']);
      expect(job.attemptsMade).toBeLessThanOrEqual(4);
      await receiver.close();
    },
  );

  test('a dead letter that is replayed may get a 404 once more', async () => {
    vi.useFakeTimers();
    const missing = new NotFoundError('missing', { status: 404, headers: new Headers(), body: {}, causes: [] });
    const failures: HandlingFailure[] = [];
    const receiver = createReceiver({
      clientFor: () => ({ questions: { get: () => Promise.reject(missing) } }) as never,
      onFailure: (failure) => failures.push(failure),
      on: { questions: (_, { read }) => read() },
    });
    await deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(61_000);
    await receiver.deadLetters.replay(failures[0]!.entry.key);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(failures.map(({ attempt, dead }) => [attempt, dead])).toEqual([
      [1, false],
      [2, false],
      [3, false],
      [4, true],
      [1, false],
      [2, true],
    ]);
    await receiver.close();
  });

  test('a queue is told with an UnrecoverableError not to retry, and nothing of a dropped notification', async () => {
    const { receiver } = failing(new DropNotificationError('not ours'), { queue: { add: async () => {} } });
    const { receiver: other } = failing(new UnrecoverableError('never'), { queue: { add: async () => {} } });
    const { receiver: passing } = failing(new Error('not now'), { queue: { add: async () => {} } });
    const store = memoryStore();
    await deliver(createReceiver({ queue: { add: (entry) => store.add(entry) }, on: { questions: silent } }), about(1));
    const [lease] = (await store.claim({ workerId: 'a', limit: 1, leaseMs: 1_000, coalesce: false })).leases;
    await receiver.handle(lease!.entry);
    await expect(other.handle(lease!.entry)).rejects.toThrow(UnrecoverableError);
    await expect(passing.handle(lease!.entry, { attempt: 50 })).rejects.toThrow('not now');
  });

  test('a Retry-After is followed up to `capMs`', async () => {
    vi.useFakeTimers();
    const error = Object.assign(new Error('slow down'), { retryAfterMs: 24 * 3_600_000 });
    const { receiver, runs } = failing(error, { retry: { attempts: 2, capMs: 60_000 } });
    await deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(61_000);
    await receiver.idle();
    expect(runs()).toBe(2);
  });
});

describe('reports of failures', () => {
  test('a line without an error has no further argument, so that `console` prints none', async () => {
    const info = vi.fn<() => void>();
    const { receiver } = failing(new Error('no'), { logger: { ...silentLogger, info } });
    expect(await deliver(receiver, '{')).toBe(400);
    expect(info.mock.calls).toEqual([[expect.stringContaining('A delivery was rejected with 400')]]);
  });

  test('without a logger and onFailure, failures are printed with console.error', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const { receiver } = failing(new Error('no'), { onFailure: undefined, retry: { attempts: 2, baseMs: 1 } });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(print.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringMatching(/failed at attempt 1; it will be retried: Error: no$/),
      expect.stringMatching(/failed at attempt 2; it is a dead letter now: Error: no$/),
    ]);
  });

  test('with onFailure, failures of handlers are not printed', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const { receiver, failures } = failing(new Error('no'));
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(print).not.toHaveBeenCalled();
    expect(failures).toHaveLength(3);
  });

  test.each([
    ['throws', () => { throw new Error('the observer fails'); }], // prettier-ignore
    ['rejects', () => Promise.reject(new Error('the observer fails'))],
  ])('an onFailure that %s has no effect on the group', async (_, onFailure) => {
    const { receiver, runs } = failing(new Error('no'), { onFailure, logger: silentLogger });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(runs()).toBe(3);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
  });

  test('a logger that throws has no effect on the group', async () => {
    const broken = () => {
      throw new Error('the logger fails');
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const { receiver, runs } = failing(new Error('no'), { logger });
    expect(await deliver(receiver, '{')).toBe(400);
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(runs()).toBe(3);
  });

  test('a log line escapes what a stranger wrote', async () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const logger = { debug: write, info: write, warn: write, error: write };
    const fallback = () => {
      throw new Error('no\nERROR forged line');
    };
    const receiver = createReceiver({ fallback, logger, retry: { attempts: 1 } });
    await deliver(receiver, about(1, { topic: 'a\n\u001b[31mERROR\u2028 everything is lost', resource: 'x' }));
    await receiver.idle();
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u2028]/);
  });

  test('a rejected delivery is not an error', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(silent);
    const receiver = createReceiver({ on: { questions: silent } });
    expect(await deliver(receiver, '{')).toBe(400);
    expect(print).not.toHaveBeenCalled();
  });
});
