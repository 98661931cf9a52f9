import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { ConfigurationError, SellerClient } from 'marketplace-seller-sdk';
import { HandlerTimeoutError, createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { HandlingFailure, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { about, deliver, post } from '../support/deliveries.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

/** An inbox that records the questions it has handled. */
function recording(options: Partial<InboxOptions> = {}) {
  const handled: number[] = [];
  const inbox = createInbox({
    on: { questions: ({ question_id }) => void handled.push(question_id) },
    retry: { firstDelayMs: 1 },
    logger: silentLogger,
    ...options,
  });
  return { inbox, handled };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an inbox', () => {
  test('the response is 200 before the handler has finished', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { inbox } = recording({ on: { questions: () => promise } });
    expect(await deliver(inbox, about(1))).toBe(200);
    const idle = untilEnded(inbox).then(() => 'handled');
    expect(await Promise.race([idle, turnOfTheLoop('running')])).toBe('running');
    resolve('done');
    expect(await idle).toBe('handled');
  });

  test('the handler runs once, however often a notification is delivered', async () => {
    const { inbox, handled } = recording();
    const again = about(1, { attempts: 2, received: '2026-11-20T10:09:00.000Z' });
    expect(await Promise.all([deliver(inbox, about(1)), deliver(inbox, again)])).toEqual([200, 200]);
    await untilEnded(inbox);
    expect(await deliver(inbox, again)).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
  });

  test('notifications without an id are distinguished by their content', async () => {
    const { inbox, handled } = recording();
    const bare = about(1, { _id: undefined });
    const later = about(1, { _id: undefined, sent: '2026-11-20T10:00:01.000Z' });
    for (const body of [bare, bare, later, later]) await deliver(inbox, body);
    await untilEnded(inbox);
    expect(handled).toEqual([1, 1]);
  });

  test('two notifications with the same id and different content are both handled', async () => {
    const { inbox, handled } = recording();
    await deliver(inbox, about(1, { _id: 'same' }));
    await deliver(inbox, about(2, { _id: 'same' }));
    await untilEnded(inbox);
    expect(handled).toEqual([1, 2]);
  });

  test('a notification is handled again a day after it was handled', async () => {
    vi.useFakeTimers();
    const { inbox, handled } = recording();
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    vi.setSystemTime(Date.now() + 86_400_001);
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(handled).toEqual([1, 1]);
  });

  test('other topics go to `fallback`, and are dropped without it', async () => {
    const topics: string[] = [];
    const order = about(1, { topic: 'orders_v2', resource: '/orders/1' });
    const { inbox } = recording({ fallback: ({ topic }) => void topics.push(topic) });
    expect(await deliver(inbox, order)).toBe(200);
    await untilEnded(inbox);
    expect(topics).toEqual(['orders_v2']);
    const store = memoryStore();
    const add = vi.spyOn(store, 'add');
    const { inbox: withoutFallback } = recording({ store });
    expect(await deliver(withoutFallback, order)).toBe(200);
    expect(add).not.toHaveBeenCalled();
    expect(await deliver(withoutFallback, about(1))).toBe(200);
    expect(add).toHaveBeenCalledOnce();
    await untilEnded(withoutFallback);
  });

  test('more than `maxWaiting` of a seller and topic gives 503, and half a minute to wait', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const handled: number[] = [];
    const { inbox } = recording({
      maxWaiting: 1,
      on: { questions: ({ question_id }) => promise.then(() => handled.push(question_id)) },
    });
    expect(await deliver(inbox, about(1))).toBe(200);
    const response = await fetchHandler(inbox)(post(about(2)));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await response.text()).toBe('Not accepted now; deliver it again');
    expect(await deliver(inbox, about(3, { user_id: 8 }))).toBe(200);
    resolve(undefined);
    await untilEnded(inbox);
    expect(handled).toEqual([1, 3]);
    expect(await deliver(inbox, about(2))).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([1, 3, 2]);
  });

  test('a store that hangs gives 503', async () => {
    const store: Store = Object.assign(memoryStore(), { add: () => new Promise<never>(() => {}) });
    const { inbox } = recording({ store });
    expect(await deliver(inbox, about(1))).toBe(503);
  });

  test('a closed inbox gives 503 and finishes its running handlers', async () => {
    const { inbox, handled } = recording();
    await deliver(inbox, about(1));
    await inbox.close();
    expect(await deliver(inbox, about(2))).toBe(503);
    expect(handled).toEqual([1]);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
  });
});

describe('accept()', () => {
  test('a notification that is not accepted is acknowledged and not stored', async () => {
    const asked: number[] = [];
    const store = memoryStore();
    const { inbox, handled } = recording({
      store,
      accept: ({ user_id, question_id }) => {
        asked.push(question_id ?? 0);
        return Promise.resolve(user_id === 7);
      },
    });
    expect(await deliver(inbox, about(1, { user_id: 8 }))).toBe(200);
    expect(await inbox.stats()).toMatchObject({ waiting: 0 });
    expect(await deliver(inbox, about(2))).toBe(200);
    await untilEnded(inbox);
    expect(handled).toEqual([2]);
    expect(asked).toEqual([1, 2]);
  });

  test('an accept() that fails or hangs gives 503', async () => {
    const { inbox: failing } = recording({ accept: () => Promise.reject(new Error('away')) });
    expect(await deliver(failing, about(1))).toBe(503);
    const { inbox: hanging } = recording({ accept: () => new Promise(() => {}) });
    expect(await deliver(hanging, about(1))).toBe(503);
  });
});

describe('the context of a handler', () => {
  test('the client of the user is in the context, in its own type', async () => {
    const clients = {
      7: { name: 'seven', questions: new SellerClient({ baseUrl: 'https://api.example.com' }).questions },
    };
    const names: string[] = [];
    const inbox = createInbox({
      clientFor: () => clients[7],
      on: { questions: (_, { client }) => void names.push(client.name) },
    });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(names).toEqual(['seven']);
  });
});

describe('close()', () => {
  test('a delivery whose body is still arriving gets 503 at once', async () => {
    const { inbox, handled } = recording();
    const body = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new TextEncoder().encode('{')) });
    const response = fetchHandler(inbox)(post('', { body, duplex: 'half' } as RequestInit));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await inbox.close();
    expect((await response).status).toBe(503);
    expect(handled).toEqual([]);
  });

  test('running handlers may end within `graceMs`', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const handled: number[] = [];
    const { inbox } = recording({
      on: { questions: ({ question_id }) => promise.then(() => void handled.push(question_id)) },
    });
    await deliver(inbox, about(1));
    const closing = inbox.close({ graceMs: 60_000 });
    const again = inbox.close();
    resolve(undefined);
    await Promise.all([closing, again]);
    expect(handled).toEqual([1]);
  });

  test('after `graceMs` the signals are aborted, and the next process starts again at the same attempt', async () => {
    const open = memoryStore();
    const attempts: number[] = [];
    const failures: unknown[] = [];
    let reason: unknown;
    const options = { store: open, onFailure: (failure: unknown) => failures.push(failure) };
    const { inbox } = recording({
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
    await deliver(inbox, about(1));
    await expect.poll(() => attempts.length).toBe(1);
    // real: the handler ends only then.
    await inbox.close({ graceMs: 10 });
    expect(reason).toMatchObject({ message: 'The inbox is closing' });
    const { inbox: next } = recording({ ...options, on: { questions: (_, { attempt }) => attempts.push(attempt) } });
    await untilEnded(next);
    expect(attempts).toEqual([1, 1]);
    expect(failures).toEqual([]);
  });
});

describe('the notifications of one resource', () => {
  const at = (second: number) => about(1, { _id: `s${second}`, sent: `2026-11-20T10:00:0${second}.000Z` });

  /** An inbox whose first handler waits until all deliveries have arrived. */
  function waiting(options: Partial<InboxOptions> = {}) {
    const handled: string[] = [];
    const { promise: arrived, resolve: open } = Promise.withResolvers<undefined>();
    const { inbox } = recording({
      ...options,
      on: {
        questions: async ({ sent }) => {
          await arrived;
          handled.push(String(sent).slice(18, 19));
        },
      },
    });
    return { inbox, handled, open };
  }

  test('the notifications of a resource are handled one at a time in the order they were sent', async () => {
    const { inbox, handled, open } = waiting();
    for (const second of [1, 4, 2, 5, 3]) await deliver(inbox, at(second));
    open(undefined);
    await untilEnded(inbox);
    expect(handled).toEqual(['1', '2', '3', '4', '5']);
  });

  test('later notifications of a resource wait for a failed one; other resources continue', async () => {
    vi.useFakeTimers();
    let failures = 2;
    const order: string[] = [];
    const { inbox } = recording({
      concurrency: 1,
      retry: { firstDelayMs: 5 },
      on: {
        questions: ({ id }) => {
          if (id === 's1' && failures-- > 0) throw new Error('not yet');
          order.push(String(id));
        },
      },
    });
    for (const body of [at(1), at(2), about(2)]) await deliver(inbox, body);
    await advanceUntilSettled(untilEnded(inbox));
    expect(order).toEqual(['event-2', 's1', 's2']);
  });
});

describe('a handler that fails', () => {
  test('a handler that fails is retried with growing delays until it succeeds', async () => {
    vi.useFakeTimers();
    const times: number[] = [];
    const { inbox } = recording({
      retry: { firstDelayMs: 1_000, maxRetries: 4 },
      on: {
        questions: (_, { attempt }) => {
          times.push(Date.now());
          if (attempt < 4) throw new Error('not yet');
        },
      },
    });
    await deliver(inbox, about(1));
    const idle = untilEnded(inbox);
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
    const { inbox } = recording({
      on: {
        questions: (_, { attempt }) => {
          times.push(Date.now());
          if (attempt === 1) throw Object.assign(new Error('slow down'), { retryAfterMs: 7_000 });
        },
      },
    });
    await deliver(inbox, about(1));
    const idle = untilEnded(inbox);
    await vi.advanceTimersByTimeAsync(8_000);
    await idle;
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(7_000);
  });

  test('a notification that keeps failing becomes a dead letter, which can be read, redriven and removed', async () => {
    const failures: HandlingFailure[] = [];
    let failing = true;
    const { inbox, handled } = recording({
      retry: { maxRetries: 2, firstDelayMs: 1 },
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
      await deliver(inbox, about(id));
      await untilEnded(inbox);
    }
    expect(failures.filter(({ dead }) => dead)).toHaveLength(2);
    expect(failures).toHaveLength(6);
    const letters = await inbox.deadLetters.list();
    expect(letters).toMatchObject([
      { attempts: 3, failure: 'TypeError: no answer for this', entry: { notification: { question_id: 1 } } },
      { attempts: 3, entry: { notification: { question_id: 2 } } },
    ]);
    expect(await inbox.deadLetters.list({ limit: 1 })).toHaveLength(1);
    expect(await deliver(inbox, about(1))).toBe(200);

    failing = false;
    expect(await inbox.deadLetters.replay(letters[0]!.entry.key)).toBe(true);
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
    expect(await inbox.deadLetters.remove(letters[1]!.entry.key)).toBe(true);
    expect(await inbox.deadLetters.remove(letters[1]!.entry.key)).toBe(false);
    expect(await inbox.deadLetters.replay('unknown')).toBe(false);
    for (const change of ['replay', 'remove'] as const)
      await expect(inbox.deadLetters[change](undefined as never)).rejects.toThrow('`key` must be a string');
    expect(await inbox.deadLetters.list()).toEqual([]);
  });

  test('a handler that takes too long has failed, and its signal is aborted', async () => {
    let stopped: unknown;
    const failures: HandlingFailure[] = [];
    const { inbox } = recording({
      // real: the handler never ends.
      handlerTimeoutMs: 5,
      retry: { maxRetries: 0 },
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
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(stopped).toBeInstanceOf(HandlerTimeoutError);
    expect(failures).toMatchObject([{ error: { name: 'HandlerTimeoutError' }, dead: true }]);
  });

  test('the error of a dead letter is shortened', async () => {
    const { inbox } = recording({
      retry: { maxRetries: 0 },
      on: { questions: () => Promise.reject(new Error('x'.repeat(5_000))) },
    });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect((await inbox.deadLetters.list())[0]?.failure).toHaveLength(301);
  });

  test.each<[unknown, string]>([
    ['words', 'a thrown string: words'],
    [42, 'a thrown number: 42'],
    [{ message: 'of another library' }, 'a thrown object: of another library'],
    [{}, 'a thrown object'],
    [null, 'a thrown object'],
    [undefined, 'a thrown undefined'],
    ['x'.repeat(400), `a thrown string: ${'x'.repeat(283)}…`],
  ])('a handler may throw any value, and what it says is kept: %j', async (thrown, failure) => {
    const { inbox } = recording({
      retry: { maxRetries: 0 },
      on: {
        questions: () => {
          throw thrown;
        },
      },
    });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(await inbox.deadLetters.list()).toMatchObject([{ failure }]);
  });
});

describe('a store that fails', () => {
  test('a store that keeps failing to settle has the notification handled again', async () => {
    vi.useFakeTimers();
    const store = memoryStore();
    vi.spyOn(store, 'settle').mockRejectedValue(new Error('away'));
    vi.spyOn(store, 'renew').mockRejectedValue(new Error('away'));
    const { inbox, handled } = recording({ store, leaseMs: 4_000 });
    await deliver(inbox, about(1));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(handled.length).toBeGreaterThanOrEqual(2);
    vi.restoreAllMocks();
    const idle = untilEnded(inbox);
    await vi.advanceTimersByTimeAsync(12_000);
    await idle;
    expect(await deliver(inbox, about(1))).toBe(200);
    expect(await inbox.deadLetters.list()).toEqual([]);
  });

  test('a store that fails is called again, and nothing is lost', async () => {
    const errors: string[] = [];
    const store = memoryStore();
    const claim = store.claim.bind(store);
    const settle = store.settle.bind(store);
    vi.spyOn(store, 'claim').mockRejectedValueOnce(new Error('away')).mockImplementation(claim);
    vi.spyOn(store, 'settle').mockRejectedValueOnce(new Error('away')).mockImplementation(settle);
    const { inbox, handled } = recording({
      store,
      logger: { debug: silent, info: silent, warn: silent, error: (message) => void errors.push(message) },
    });
    await deliver(inbox, about(1));
    await untilEnded(inbox);
    expect(handled).toEqual([1]);
    expect(errors).toHaveLength(2);
  });
});

test.each([
  [{}, /set `on`, `fallback`, or both/],
  [{ on: { questions: () => {}, orders: () => {} } }, /has no topic `orders`: name it in `topics`/],
  [{ fallback: () => {}, concurency: 3 }, /no option `concurency`/],
  [{ fallback: () => {}, concurrency: 0 }, /`concurrency` takes an integer, at least 1/],
  [{ fallback: () => {}, concurrency: 0.5 }, /`concurrency` takes an integer/],
  [{ fallback: () => {}, concurrency: Infinity }, /`concurrency` takes an integer/],
  [{ fallback: () => {}, maxBodyBytes: 10.5 }, /`maxBodyBytes` takes an integer/],
  [{ fallback: () => {}, leaseMs: 2 ** 31 }, /`leaseMs` takes a number of milliseconds above 0 and at most 2147483647/],
  [{ fallback: () => {}, retry: { maxDelayMs: Infinity } }, /`retry.maxDelayMs` takes/],
  [{ fallback: () => {}, accept: true }, /`accept` takes a function/],
  [{ on: { questions: undefined } }, /set `on`, `fallback`, or both/],
  [{ fallback: () => {}, retry: { maxRetries: -1 } }, /`retry.maxRetries` takes/],
  [{ fallback: () => {}, pollMs: 10 }, /no option `pollMs`/],
  [{ fallback: () => {}, maxWaiting: 0 }, /`maxWaiting` takes an integer, at least 1/],
  [{ fallback: () => {}, path: 'hooks/0123456789abcdef' }, /`path` must be a path that begins with \//],
  [{ fallback: () => {}, path: '/notifications' }, /`path` has no secret: .* secretPath\(\) makes one/],
  [{ fallback: () => {}, path: '/hooks/0123456789abcdef?x=1' }, /`path` must be a path alone/],
  [
    { fallback: () => {}, clientFor: () => undefined, sellers: ['7'] },
    /`sellers` takes a list or a set of ids, which are numbers/,
  ],
  [{ fallback: () => {}, store: 'inbox.db' }, /`store` takes .* sqliteStore\(path\) for a file/],
  [{ fallback: () => {}, store: { query: () => {} } }, /postgresStore\({ pool }\)/],
  [{ fallback: () => {}, store: { load: () => {}, save: () => {} } }, /this is a store of tokens/],
  [{ fallback: () => {}, retry: { tries: 1 } }, /no option `retry.tries`/],
])('a wrong option of an inbox is a ConfigurationError: %#', (options, message) => {
  expect(() => createInbox(options as InboxOptions)).toThrow(ConfigurationError);
  expect(() => createInbox(options as InboxOptions)).toThrow(message);
});
