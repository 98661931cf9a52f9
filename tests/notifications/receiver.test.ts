import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { ConfigurationError, SellerClient } from 'marketplace-seller-sdk';
import { HandlerTimeoutError, createReceiver, fetchHandler, memoryStore } from 'marketplace-seller-sdk/notifications';
import type {
  QueuedNotification,
  HandlingFailure,
  NotificationStore,
  ReceiverOptions,
} from 'marketplace-seller-sdk/notifications';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { about, deliver, patient, post } from '../support/deliveries.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';

/** A receiver that records the questions it has handled. */
function recording(options: Partial<ReceiverOptions> = {}) {
  const handled: number[] = [];
  const receiver = createReceiver({
    on: { questions: ({ question_id }) => void handled.push(question_id) },
    retry: { baseMs: 1 },
    logger: silentLogger,
    ...patient,
    ...options,
  });
  return { receiver, handled };
}

const silent = () => {};
const silentLogger = { debug: silent, info: silent, warn: silent, error: silent };

afterEach(() => {
  vi.useRealTimers();
});

describe('a receiver', () => {
  test('the response is 200 before the handler has finished', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { receiver } = recording({ on: { questions: () => promise } });
    expect(await deliver(receiver, about(1))).toBe(200);
    const idle = receiver.idle().then(() => 'handled');
    expect(await Promise.race([idle, turnOfTheLoop('running')])).toBe('running');
    resolve('done');
    expect(await idle).toBe('handled');
  });

  test('the handler runs once, however often a notification is delivered', async () => {
    const { receiver, handled } = recording();
    const again = about(1, { attempts: 2, received: '2026-11-20T10:09:00.000Z' });
    expect(await Promise.all([deliver(receiver, about(1)), deliver(receiver, again)])).toEqual([200, 200]);
    await receiver.idle();
    expect(await deliver(receiver, again)).toBe(200);
    await receiver.idle();
    expect(handled).toEqual([1]);
  });

  test('notifications without an id are distinguished by their content', async () => {
    const { receiver, handled } = recording();
    const bare = about(1, { _id: undefined });
    const later = about(1, { _id: undefined, sent: '2026-11-20T10:00:01.000Z' });
    for (const body of [bare, bare, later, later]) await deliver(receiver, body);
    await receiver.idle();
    expect(handled).toEqual([1, 1]);
  });

  test('two notifications with the same id and different content are both handled', async () => {
    const { receiver, handled } = recording();
    await deliver(receiver, about(1, { _id: 'same' }));
    await deliver(receiver, about(2, { _id: 'same' }));
    await receiver.idle();
    expect(handled).toEqual([1, 2]);
  });

  test('a notification is handled again after `deduplicationMs`', async () => {
    vi.useFakeTimers();
    const { receiver, handled } = recording({ deduplicationMs: 60_000 });
    await deliver(receiver, about(1));
    await receiver.idle();
    vi.setSystemTime(Date.now() + 60_001);
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(handled).toEqual([1, 1]);
  });

  test('other topics go to `fallback`, and are dropped without it', async () => {
    const topics: string[] = [];
    const order = about(1, { topic: 'orders_v2', resource: '/orders/1' });
    const { receiver } = recording({ fallback: ({ topic }) => void topics.push(topic) });
    expect(await deliver(receiver, order)).toBe(200);
    await receiver.idle();
    expect(topics).toEqual(['orders_v2']);
    const store = memoryStore();
    const add = vi.spyOn(store, 'add');
    const { receiver: withoutFallback } = recording({ store });
    expect(await deliver(withoutFallback, order)).toBe(200);
    expect(add).not.toHaveBeenCalled();
    expect(await deliver(withoutFallback, about(1))).toBe(200);
    expect(add).toHaveBeenCalledOnce();
    await withoutFallback.idle();
  });

  test('`concurrency` limits the handlers that run at once', async () => {
    let running = 0;
    let most = 0;
    const full = Promise.withResolvers<undefined>();
    const { receiver } = recording({
      concurrency: 3,
      on: {
        questions: async () => {
          most = Math.max(most, ++running);
          if (running === 3) full.resolve(undefined);
          await full.promise;
          await turnOfTheLoop();
          running -= 1;
        },
      },
    });
    await Promise.all(Array.from({ length: 20 }, (_, index) => deliver(receiver, about(index))));
    await receiver.idle();
    expect(most).toBe(3);
  });

  test('a store that fails to keep a notification gives 503', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const handled: number[] = [];
    const { receiver } = recording({
      store: memoryStore({ maxWaiting: 1 }),
      on: { questions: ({ question_id }) => promise.then(() => handled.push(question_id)) },
    });
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(await deliver(receiver, about(2))).toBe(503);
    resolve(undefined);
    await receiver.idle();
    expect(handled).toEqual([1]);
    expect(await deliver(receiver, about(2))).toBe(200);
    await receiver.idle();
    expect(handled).toEqual([1, 2]);
  });

  test('a store that hangs gives 503', async () => {
    const store: NotificationStore = Object.assign(memoryStore(), { add: () => new Promise<never>(() => {}) });
    const { receiver } = recording({ store, acceptTimeoutMs: 5 });
    expect(await deliver(receiver, about(1))).toBe(503);
  });

  test('a closed receiver gives 503 and finishes its running handlers', async () => {
    const { receiver, handled } = recording();
    await deliver(receiver, about(1));
    await receiver.close();
    expect(await deliver(receiver, about(2))).toBe(503);
    expect(handled).toEqual([1]);
    await receiver.idle();
    expect(handled).toEqual([1]);
  });
});

test.each<[string, Partial<ReceiverOptions>, string]>([
  ['was not stored', { queue: { add: () => Promise.reject(new Error('full')) } }, 'Not accepted now'],
  ['was not handled', { store: memoryStore(), acknowledge: 'handled', retry: { attempts: 1 } }, 'Not handled now'],
])('a notification that %s is to be delivered again in half a minute', async (_, options, reason) => {
  const receiver = createReceiver({
    onFailure: () => {},
    on: { questions: () => Promise.reject(new Error('no')) },
    ...options,
  });
  const response = await fetchHandler(receiver)(post(about(1)));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
  expect(await response.text()).toBe(`${reason}; deliver it again`);
  await receiver.close();
});

describe('accept()', () => {
  test('a notification that is not accepted is acknowledged and not stored', async () => {
    const asked: number[] = [];
    const store = memoryStore();
    const { receiver, handled } = recording({
      store,
      accept: ({ user_id, question_id }) => {
        asked.push(question_id ?? 0);
        return Promise.resolve(user_id === 7);
      },
    });
    expect(await deliver(receiver, about(1, { user_id: 8 }))).toBe(200);
    expect(await store.claim({ workerId: 'test', limit: 1, leaseMs: 1, coalesce: false })).toEqual({ leases: [] });
    expect(await deliver(receiver, about(2))).toBe(200);
    await receiver.idle();
    expect(handled).toEqual([2]);
    expect(asked).toEqual([1, 2]);
  });

  test('an accept() that fails or hangs gives 503', async () => {
    const { receiver: failing } = recording({ accept: () => Promise.reject(new Error('away')) });
    expect(await deliver(failing, about(1))).toBe(503);
    const { receiver: hanging } = recording({ accept: () => new Promise(() => {}), acceptTimeoutMs: 5 });
    expect(await deliver(hanging, about(1))).toBe(503);
  });
});

describe('the context of a handler', () => {
  test('the client of the user is in the context, in its own type', async () => {
    const clients = {
      7: { name: 'seven', questions: new SellerClient({ baseUrl: 'https://api.example.com' }).questions },
    };
    const names: string[] = [];
    const receiver = createReceiver({
      clientFor: () => clients[7],
      on: { questions: (_, { client }) => void names.push(client.name) },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(names).toEqual(['seven']);
  });
});

describe('close()', () => {
  test('a delivery whose body is still arriving gets 503 at once', async () => {
    const { receiver, handled } = recording();
    const body = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) });
    const response = fetchHandler(receiver)(post('', { body, duplex: 'half' } as RequestInit));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await receiver.close();
    expect((await response).status).toBe(503);
    expect(handled).toEqual([]);
  });

  test('running handlers may end within `graceMs`', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const handled: number[] = [];
    const { receiver } = recording({
      on: { questions: ({ question_id }) => promise.then(() => void handled.push(question_id)) },
    });
    await deliver(receiver, about(1));
    const closing = receiver.close({ graceMs: 5_000 });
    expect(receiver.close()).toBe(closing);
    resolve(undefined);
    await closing;
    expect(handled).toEqual([1]);
  });

  test('after `graceMs` the signals are aborted, and the next process starts again at the same attempt', async () => {
    const open = memoryStore();
    const attempts: number[] = [];
    const failures: unknown[] = [];
    let reason: unknown;
    const options = { store: open, onFailure: (failure: unknown) => failures.push(failure) };
    const { receiver } = recording({
      ...options,
      on: {
        questions: (_, { signal, attempt }) =>
          new Promise((__, reject) => {
            attempts.push(attempt);
            signal.addEventListener('abort', () => {
              reason = signal.reason;
              reject(new Error('stopped'));
            });
          }),
      },
    });
    await deliver(receiver, about(1));
    await expect.poll(() => attempts.length).toBe(1);
    await receiver.close({ graceMs: 10 });
    expect(reason).toMatchObject({ message: 'The receiver is closing' });
    const { receiver: next } = recording({ ...options, on: { questions: (_, { attempt }) => attempts.push(attempt) } });
    await next.idle();
    expect(attempts).toEqual([1, 1]);
    expect(failures).toEqual([]);
  });

  test('a handler that ignores its signal does not hold the process up', async () => {
    vi.useFakeTimers();
    const { receiver } = recording({ on: { questions: () => new Promise(() => {}) } });
    await deliver(receiver, about(1));
    const closing = receiver.close({ graceMs: 1_000 });
    await vi.advanceTimersByTimeAsync(3_000);
    await closing;
  });
});

describe('with acknowledge: handled', () => {
  test('the response is 200 after the handler, 503 when it failed, and 200 when a later delivery succeeded', async () => {
    let failing = true;
    const { receiver, handled } = recording({
      acknowledge: 'handled',
      retry: { baseMs: 60_000 },
      on: {
        questions: ({ question_id }) => {
          if (failing) throw new Error('not now');
          handled.push(question_id);
        },
      },
    });
    expect(await deliver(receiver, about(1))).toBe(503);
    failing = false;
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(handled).toEqual([1]);
    await receiver.close();
  });

  test('simultaneous deliveries wait for the same run of the handler', async () => {
    const { receiver, handled } = recording({ acknowledge: 'handled', concurrency: 1 });
    const bodies = [about(1), about(1), about(2), about(1, { _id: 'later', sent: '2026-11-20T10:01:00Z' })];
    const statuses = await Promise.all(bodies.map((body) => deliver(receiver, body)));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(handled.sort()).toEqual([1, 1, 2]);
    await receiver.close();
  });

  test('a delivery waits for a slot instead of failing, and `concurrency` holds', async () => {
    let running = 0;
    let most = 0;
    const full = Promise.withResolvers<undefined>();
    const { receiver } = recording({
      acknowledge: 'handled',
      concurrency: 2,
      on: {
        questions: async () => {
          most = Math.max(most, ++running);
          if (running === 2) full.resolve(undefined);
          await full.promise;
          await turnOfTheLoop();
          running -= 1;
        },
      },
    });
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, id) => deliver(receiver, about(id))));
    expect(statuses).toEqual(Array(20).fill(200));
    expect(most).toBe(2);
    await receiver.close();
  });

  test('a dead letter that is only in memory is not acknowledged until it is handled', async () => {
    const options: Partial<ReceiverOptions> = { acknowledge: 'handled', retry: { attempts: 1 } };
    const fail = () => {
      throw new Error('no');
    };
    const { receiver } = recording({ ...options, on: { questions: fail } });
    expect(await deliver(receiver, about(1))).toBe(503);
    expect(await deliver(receiver, about(1))).toBe(503);
    const { receiver: durable } = recording({
      ...options,
      store: Object.assign(memoryStore(), { durable: true }),
      on: { questions: fail },
    });
    expect(await deliver(durable, about(1))).toBe(503);
    expect(await deliver(durable, about(1))).toBe(200);
  });

  test('an entry that another process is handling is acknowledged once it is handled there', async () => {
    const store = memoryStore();
    const { receiver: other } = recording({ queue: { add: (entry) => store.add(entry) } });
    await deliver(other, about(1));
    const claim = { workerId: 'other', limit: 1, leaseMs: 60_000, coalesce: false };
    const [lease] = (await store.claim(claim)).leases;
    const { receiver, handled } = recording({ store, acknowledge: 'handled', pollMs: 5 });
    const response = deliver(receiver, about(1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.settle({ ...lease!, done: [lease!.entry.key], deduplicationMs: 60_000 });
    expect(await response).toBe(200);
    expect(handled).toEqual([]);
    await receiver.close();
  });
});

describe('the notifications of one resource', () => {
  const at = (second: number) => about(1, { _id: `s${second}`, sent: `2026-11-20T10:00:0${second}.000Z` });

  /** A receiver whose first handler waits until all deliveries have arrived. */
  function waiting(options: Partial<ReceiverOptions> = {}) {
    const handled: { sent: string; coalescedCount: number }[] = [];
    const { promise: arrived, resolve: open } = Promise.withResolvers<undefined>();
    const { receiver } = recording({
      ...options,
      on: {
        questions: async ({ sent }, { coalescedCount }) => {
          await arrived;
          handled.push({ sent: String(sent).slice(18, 19), coalescedCount });
        },
      },
    });
    return { receiver, handled, open };
  }

  test('the notifications of a resource are handled one at a time in the order they were sent', async () => {
    const { receiver, handled, open } = waiting();
    for (const second of [1, 4, 2, 5, 3]) await deliver(receiver, at(second));
    open(undefined);
    await receiver.idle();
    expect(handled.map(({ sent }) => sent)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('`coalesce` keeps only the newest notification', async () => {
    const { receiver, handled, open } = waiting({ coalesce: true });
    for (const second of [1, 4, 2, 5, 3]) await deliver(receiver, at(second));
    open(undefined);
    await receiver.idle();
    expect(handled).toEqual([
      { sent: '1', coalescedCount: 0 },
      { sent: '5', coalescedCount: 3 },
    ]);
    for (const second of [1, 2, 3, 4, 5]) await deliver(receiver, at(second));
    await receiver.idle();
    expect(handled).toHaveLength(2);
  });

  test('later notifications of a resource wait for a failed one; other resources continue', async () => {
    vi.useFakeTimers();
    let failures = 2;
    const order: string[] = [];
    const { receiver } = recording({
      concurrency: 1,
      retry: { baseMs: 5 },
      on: {
        questions: ({ id }) => {
          if (id === 's1' && failures-- > 0) throw new Error('not yet');
          order.push(String(id));
        },
      },
    });
    for (const body of [at(1), at(2), about(2)]) await deliver(receiver, body);
    await advanceUntilSettled(receiver.idle());
    expect(order).toEqual(['event-2', 's1', 's2']);
  });
});

describe('a handler that fails', () => {
  test('a handler that fails is retried with growing delays until it succeeds', async () => {
    vi.useFakeTimers();
    const times: number[] = [];
    const { receiver } = recording({
      retry: { baseMs: 1_000, attempts: 5 },
      on: {
        questions: (_, { attempt }) => {
          times.push(Date.now());
          if (attempt < 4) throw new Error('not yet');
        },
      },
    });
    await deliver(receiver, about(1));
    const idle = receiver.idle();
    await vi.advanceTimersByTimeAsync(10_000);
    await idle;
    const waits = times.slice(1).map((time, index) => time - times[index]!);
    expect(waits).toHaveLength(3);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index - 2);
      expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index + 2);
    }
  });

  test('the retry waits as long as the Retry-After of the error', async () => {
    vi.useFakeTimers();
    const times: number[] = [];
    const { receiver } = recording({
      on: {
        questions: (_, { attempt }) => {
          times.push(Date.now());
          if (attempt === 1) throw Object.assign(new Error('slow down'), { retryAfterMs: 7_000 });
        },
      },
    });
    await deliver(receiver, about(1));
    const idle = receiver.idle();
    await vi.advanceTimersByTimeAsync(8_000);
    await idle;
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(7_000);
  });

  test('a notification that keeps failing becomes a dead letter, which can be read, redriven and removed', async () => {
    const failures: HandlingFailure[] = [];
    let failing = true;
    const { receiver, handled } = recording({
      retry: { attempts: 3, baseMs: 1 },
      onFailure: (failure) => {
        failures.push(failure);
        throw new Error('the observer fails too');
      },
      on: {
        questions: ({ question_id }) => {
          if (failing) throw new TypeError('no answer for this');
          handled.push(question_id);
        },
      },
    });
    for (const id of [1, 2]) {
      await deliver(receiver, about(id));
      await receiver.idle();
    }
    expect(failures.filter(({ dead }) => dead)).toHaveLength(2);
    expect(failures).toHaveLength(6);
    const letters = await receiver.deadLetters.list();
    expect(letters).toMatchObject([
      { attempts: 3, failure: 'TypeError: no answer for this', entry: { notification: { question_id: 1 } } },
      { attempts: 3, entry: { notification: { question_id: 2 } } },
    ]);
    expect(await receiver.deadLetters.list({ limit: 1 })).toHaveLength(1);
    expect(await deliver(receiver, about(1))).toBe(200);

    failing = false;
    expect(await receiver.deadLetters.replay(letters[0]!.entry.key)).toBe(true);
    await receiver.idle();
    expect(handled).toEqual([1]);
    expect(await receiver.deadLetters.remove(letters[1]!.entry.key)).toBe(true);
    expect(await receiver.deadLetters.remove(letters[1]!.entry.key)).toBe(false);
    expect(await receiver.deadLetters.replay('unknown')).toBe(false);
    for (const change of ['replay', 'remove'] as const)
      await expect(receiver.deadLetters[change](undefined as never)).rejects.toThrow('`key` must be a string');
    expect(await receiver.deadLetters.list()).toEqual([]);
  });

  test('a handler that takes too long has failed, and its signal is aborted', async () => {
    let stopped: unknown;
    const failures: HandlingFailure[] = [];
    const { receiver } = recording({
      handlerTimeoutMs: 5,
      retry: { attempts: 1 },
      onFailure: (failure) => failures.push(failure),
      on: {
        questions: (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener('abort', () => {
              stopped = signal.reason;
            });
          }),
      },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(stopped).toBeInstanceOf(HandlerTimeoutError);
    expect(failures).toMatchObject([{ error: { name: 'HandlerTimeoutError' }, dead: true }]);
  });

  test('the error of a dead letter is shortened', async () => {
    const { receiver } = recording({
      retry: { attempts: 1 },
      on: { questions: () => Promise.reject(new Error('x'.repeat(5_000))) },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect((await receiver.deadLetters.list())[0]?.failure).toHaveLength(301);
  });

  test('a handler may throw any value', async () => {
    const { receiver } = recording({
      retry: { attempts: 1 },
      on: {
        questions: () => {
          // oxlint-disable-next-line typescript/only-throw-error -- the test needs a value that is not an error
          throw 'words';
        },
      },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(await receiver.deadLetters.list()).toMatchObject([{ failure: 'a thrown string' }]);
  });
});

describe('a notification that crashes the process each time', () => {
  test('a notification that was leased too often becomes a dead letter', async () => {
    const store = memoryStore();
    const { receiver, handled } = recording({ store, retry: { attempts: 2 } });
    const { receiver: other } = recording({ queue: { add: (entry) => store.add(entry) } });
    await deliver(other, about(1));
    // Three processes lease it and end.
    for (const workerId of ['first', 'second', 'third']) {
      await store.claim({ workerId, limit: 1, leaseMs: 1, coalesce: false, alone: true });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await receiver.idle();
    expect(handled).toEqual([]);
    expect((await receiver.deadLetters.list())[0]?.failure).toContain('process ended');
  });
});

describe('a store that fails', () => {
  test('a store that keeps failing to settle has the notification handled again', async () => {
    vi.useFakeTimers();
    const store = memoryStore();
    vi.spyOn(store, 'settle').mockRejectedValue(new Error('away'));
    vi.spyOn(store, 'renew').mockRejectedValue(new Error('away'));
    const { receiver, handled } = recording({ store, leaseMs: 4_000 });
    await deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(handled.length).toBeGreaterThanOrEqual(2);
    vi.restoreAllMocks();
    const idle = receiver.idle();
    await vi.advanceTimersByTimeAsync(12_000);
    await idle;
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(await receiver.deadLetters.list()).toEqual([]);
  });

  test('a store that fails is called again, and nothing is lost', async () => {
    const errors: string[] = [];
    const store = memoryStore();
    const claim = store.claim.bind(store);
    const settle = store.settle.bind(store);
    vi.spyOn(store, 'claim').mockRejectedValueOnce(new Error('away')).mockImplementation(claim);
    vi.spyOn(store, 'settle').mockRejectedValueOnce(new Error('away')).mockImplementation(settle);
    const { receiver, handled } = recording({
      store,
      pollMs: 1,
      logger: { debug: silent, info: silent, warn: silent, error: (message) => void errors.push(message) },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(handled).toEqual([1]);
    expect(errors).toHaveLength(2);
  });

  test('a lost lease aborts the signal of the handler', async () => {
    const store = memoryStore();
    vi.spyOn(store, 'renew').mockImplementation((leases) => Promise.resolve(leases.map(({ groupId }) => groupId)));
    let reason: unknown;
    const { receiver } = recording({
      store,
      leaseMs: 6,
      on: {
        questions: (_, { signal }) =>
          new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => {
              reason = signal.reason;
              resolve();
            });
          }),
      },
    });
    await deliver(receiver, about(1));
    await receiver.idle();
    expect(reason).toMatchObject({ message: 'Another process has taken over' });
  });
});

describe('a queue in place of a store', () => {
  test('the queue gets the notification before the response, and its worker handles it', async () => {
    const queued: QueuedNotification[] = [];
    const { receiver, handled } = recording({ queue: { add: async (entry) => queued.push(entry) } });
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(handled).toEqual([]);
    for (const entry of JSON.parse(JSON.stringify(queued)) as QueuedNotification[]) await receiver.handle(entry);
    expect(handled).toEqual([1]);
    expect(queued[0]?.key).toMatch(/^[0-9a-f]{32}$/);
  });

  test('a queue that rejects gives 503', async () => {
    const { receiver } = recording({ queue: { add: () => Promise.reject(new Error('down')) } });
    expect(await deliver(receiver, about(1))).toBe(503);
  });
});

test.each([
  [{}, /set `on`, `fallback`, or both/],
  [{ on: { questions: () => {}, orders: () => {} } }, /has no topic `orders`: name it in `topics`/],
  [{ fallback: () => {}, concurency: 3 }, /no option `concurency`/],
  [{ fallback: () => {}, concurrency: 0 }, /`concurrency` must be a whole number above 0/],
  [{ fallback: () => {}, concurrency: 0.5 }, /`concurrency` must be a whole number/],
  [{ fallback: () => {}, concurrency: Infinity }, /`concurrency` must be a whole number/],
  [{ fallback: () => {}, maxBodyBytes: 10.5 }, /`maxBodyBytes` must be a whole number/],
  [{ fallback: () => {}, leaseMs: 2 ** 31 }, /`leaseMs` must be a number above 0 and at most 2147483647/],
  [{ fallback: () => {}, retry: { capMs: Infinity } }, /`retry.capMs` must be/],
  [{ fallback: () => {}, pollMs: '10' }, /`pollMs` must be a number/],
  [{ fallback: () => {}, accept: true }, /`accept` must be a function/],
  [{ on: { questions: undefined } }, /set `on`, `fallback`, or both/],
  [{ fallback: () => {}, retry: { attempts: -1 } }, /`retry.attempts` must be/],
  [{ fallback: () => {}, retry: { tries: 1 } }, /no option `retry.tries`/],
  [{ fallback: () => {}, acknowledge: 'later' }, /'accepted' or 'handled'/],
  [{ fallback: () => {}, store: memoryStore(), queue: { add: async () => {} } }, /not both/],
  [{ fallback: () => {}, queue: { add: async () => {} }, acknowledge: 'handled' }, /needs a store/],
])('a wrong option of a receiver is a ConfigurationError: %#', (options, message) => {
  expect(() => createReceiver(options as ReceiverOptions)).toThrow(ConfigurationError);
  expect(() => createReceiver(options as ReceiverOptions)).toThrow(message);
});

test('a wrong option of the memory store is a ConfigurationError', () => {
  expect(() => memoryStore({ maxWaiting: 0 })).toThrow(ConfigurationError);
});
