import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { createReceiver, memoryStore, nodeHandler, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, Receiver, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { run } from '../support/program.ts';

const silent = () => {};
const silentLogger = { debug: silent, info: silent, warn: silent, error: silent };
const hanging = new Promise<never>(() => {});
const realImmediate = setImmediate;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The inbox uses the real `setImmediate`, also under fake timers. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => realImmediate(resolve));
}

/** What ends the process by default, while `run` runs and a turn after it. */
async function unhandled(run: () => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const collect = (error: unknown): void => void errors.push(error);
  const others = {
    unhandledRejection: process.listeners('unhandledRejection'),
    uncaughtException: process.listeners('uncaughtException'),
  };
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.removeAllListeners(event);
    process.on(event, collect);
  }
  try {
    await run();
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
      process.removeAllListeners(event);
      for (const listener of others[event]) process.on(event, listener as () => void);
    }
  }
  return errors;
}

const boom = (): never => {
  throw new Error('a getter that throws');
};

/** What a handler may throw. */
const thrown: [string, () => unknown][] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a symbol', () => Symbol('x')],
  ['an error whose message throws', () => Object.defineProperty(new Error(), 'message', { get: boom })],
  ['an error whose name is a symbol', () => Object.assign(new Error('x'), { name: Symbol('x') })],
  [
    'an error whose message is an object',
    () => Object.assign(new Error('x'), { message: Object.create(null) as object }),
  ],
  ['a retryAfterMs that throws', () => Object.defineProperty(new Error('x'), 'retryAfterMs', { get: boom })],
  ['a retryAfterMs that is not a number', () => Object.assign(new Error('x'), { retryAfterMs: Number.NaN })],
  ['a revoked proxy', () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; }], // prettier-ignore
];

describe('a handler that throws', () => {
  test.each(thrown)('%s is retried, and then a dead letter', async (_, value) => {
    let runs = 0;
    const receiver = createReceiver({
      retry: { attempts: 2, baseMs: 1, capMs: 1 },
      logger: silentLogger,
      onFailure: silent,
      on: {
        questions: () => {
          runs += 1;
          throw value();
        },
      },
    });
    const errors = await unhandled(async () => {
      await deliver(receiver, about(1));
      await receiver.idle();
    });
    expect(errors).toEqual([]);
    expect(runs).toBe(2);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
  });

  test.each(thrown)('%s reaches a queue', async (_, value) => {
    const receiver = createReceiver({ queue: { add: async () => {} }, on: { questions: () => { throw value(); } } }); // prettier-ignore
    const entry = { key: 'k', groupId: 'g', sentAt: 0, notification: { known: true, topic: 'questions', user_id: 7, resource: '5', question_id: 5 } } as const; // prettier-ignore
    const outcome = await receiver.handle(entry).then(() => 'handled', () => 'failed'); // prettier-ignore
    expect(outcome).toBe('failed');
  });
});

describe('observers', () => {
  test('a logger or an onFailure that throws or rejects anything does not end the process', async () => {
    for (const [, value] of thrown) {
      const reject = async () => {
        await Promise.resolve();
        throw value();
      };
      const throwing = () => { throw value(); }; // prettier-ignore
      for (const observe of [reject, throwing]) {
        const logger = { debug: observe, info: observe, warn: observe, error: observe };
        for (const observers of [{ logger }, { onFailure: observe }, { logger, onFailure: observe }]) {
          vi.spyOn(console, 'error').mockImplementation(silent);
          const receiver = createReceiver({ ...observers, retry: { attempts: 1 }, on: { questions: () => Promise.reject(value() as Error) } }); // prettier-ignore
          const errors = await unhandled(async () => {
            expect(await deliver(receiver, '{')).toBe(400);
            await deliver(receiver, about(1));
            await receiver.idle();
          });
          expect(errors).toEqual([]);
        }
      }
    }
  });
});

describe('accept()', () => {
  test.each([[undefined], [null], [1], ['yes'], [{}], [Promise.resolve(undefined)]])(
    'that returns %s instead of a boolean gives 503 and says so',
    async (result) => {
      const lines: string[] = [];
      const receiver = createReceiver({
        accept: (() => result) as unknown as () => boolean,
        logger: { ...silentLogger, error: (line) => void lines.push(line) },
        on: { questions: silent },
      });
      expect(await deliver(receiver, about(1))).toBe(503);
      expect(lines).toEqual([expect.stringContaining('accept() must return true or false')]);
    },
  );
});

describe('a store that returns junk', () => {
  test.each([[undefined], [null], [''], ['OK'], [Buffer.from('added')]])('add() with %s gives 503', async (state) => {
    const store: NotificationStore = Object.assign(memoryStore(), { add: () => Promise.resolve(state as 'added') });
    const receiver = createReceiver({ store, logger: silentLogger, on: { questions: silent } });
    expect(await deliver(receiver, about(1))).toBe(503);
  });

  test.each([
    [undefined],
    [{}],
    [{ leases: [null] }],
    [{ leases: [{}] }],
    [{ leases: [{ groupId: 'g', token: 't' }] }],
  ])('claim() with %j does not end the process, and is asked again', async (claimed) => {
    const store = memoryStore();
    const claim = store.claim.bind(store);
    const handled: number[] = [];
    vi.spyOn(store, 'claim')
      .mockResolvedValueOnce(claimed as never)
      .mockImplementation(claim);
    const receiver = createReceiver({
      store,
      pollMs: 1,
      logger: silentLogger,
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    const errors = await unhandled(async () => {
      await deliver(receiver, about(1));
      await receiver.idle();
    });
    expect(errors).toEqual([]);
    expect(handled).toEqual([1]);
  });
});

describe('close()', () => {
  const methods = ['claim', 'settle', 'renew', 'add', 'close'] as const;
  test.each(methods)('ends although %s() of the store never returns', async (method) => {
    vi.useFakeTimers();
    const store = Object.assign(memoryStore(), { close: () => Promise.resolve() });
    const receiver = createReceiver({ store, logger: silentLogger, leaseMs: 30, on: { questions: silent } });
    vi.spyOn(store, method).mockReturnValue(hanging);
    const response = deliver(receiver, about(1));
    await turns();
    await vi.advanceTimersByTimeAsync(500);
    expect(await response).toBe(method === 'add' ? 503 : 200);
    let isClosed = false;
    void receiver.close({ graceMs: 1_000 }).then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isClosed).toBe(true);
  });

  test.each(['claim', 'add'] as const)('ends although a delivery waits for %s() of the store', async (method) => {
    vi.useFakeTimers();
    const store = memoryStore();
    const receiver = createReceiver({
      store,
      logger: silentLogger,
      acknowledge: 'handled',
      acceptTimeoutMs: 60_000,
      on: { questions: silent },
    });
    vi.spyOn(store, method).mockReturnValue(hanging);
    void deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(500);
    let isClosed = false;
    void receiver.close({ graceMs: 1_000 }).then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isClosed).toBe(true);
  });

  test('ends and answers although a delivery waits for a handler that ignores its signal', async () => {
    vi.useFakeTimers();
    const receiver = createReceiver({ acknowledge: 'handled', on: { questions: () => hanging } });
    const response = deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(10);
    let isClosed = false;
    void receiver.close({ graceMs: 1_000 }).then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isClosed).toBe(true);
    expect(await response).toBe(503);
  });

  test('ends although a handler waits for it', async () => {
    vi.useFakeTimers();
    const receiver: Receiver = createReceiver({
      acknowledge: 'handled',
      on: { questions: () => receiver.close({ graceMs: 1_000 }) },
    });
    const response = deliver(receiver, about(1));
    await vi.advanceTimersByTimeAsync(5_000);
    await receiver.close();
    expect([200, 503]).toContain(await response);
  });

  test('a store that cannot be closed is reported', async () => {
    const lines: string[] = [];
    const store = Object.assign(memoryStore(), { close: () => Promise.reject(new Error('away')) });
    const logger = { ...silentLogger, error: (line: string) => void lines.push(line) };
    await createReceiver({ store, logger, on: { questions: silent } }).close();
    expect(lines).toEqual([expect.stringContaining('away')]);
  });

  test.each([[Number.NaN], [-1], ['10'], [null]])('with a graceMs of %j is a ConfigurationError', async (graceMs) => {
    const receiver = createReceiver({ on: { questions: silent } });
    await expect(receiver.close({ graceMs } as never)).rejects.toThrow(ConfigurationError);
    await receiver.close({ graceMs: Infinity });
  });
});

test('a response that something else has sent already ends neither the process nor the other responses', async () => {
  const receiver = createReceiver({ on: { questions: silent } });
  const handle = nodeHandler(receiver);
  const server = createServer((request, response) => {
    handle(request, response);
    if (request.url === '/late') response.writeHead(504).end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const send = async (path: string, id: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(about(id)),
    });
    return response.status;
  };
  let statuses: number[] = [];
  const errors = await unhandled(async () => {
    const paths = ['/late', '/', '/late', '/'];
    statuses = await Promise.all(paths.map(send));
    await receiver.idle();
  });
  expect(errors).toEqual([]);
  expect(statuses).toEqual([504, 200, 504, 200]);
});

const fallback = silent;
test.each<[unknown, RegExp]>([
  [undefined, /options/],
  [null, /options/],
  ['options', /options/],
  [{ on: null }, /`on` must be an object/],
  [{ on: 'questions' }, /`on` must be an object/],
  [{ on: { questions: 'answer' } }, /`on.questions` must be a function/],
  [{ fallback: null }, /`fallback` must be a function/],
  [{ fallback, retry: null }, /`retry` must be an object/],
  [{ fallback, retry: 3 }, /`retry` must be an object/],
  [{ fallback, retry: { attempts: '3' } }, /`retry.attempts`/],
  [{ fallback, retry: { baseMs: Number.NaN } }, /`retry.baseMs`/],
  [{ fallback, retry: { baseMs: -0 } }, /`retry.baseMs`/],
  [{ fallback, store: null }, /`store` must be an object with the method/],
  [{ fallback, store: {} }, /`store` must be an object with the method/],
  [{ fallback, store: 'memory' }, /`store` must be an object with the method/],
  [{ fallback, store: new Map() }, /`store` must be an object with the method/],
  [{ fallback, store: memoryStore }, /`store` must be an object with the method/],
  [{ fallback, queue: null }, /`queue` must be an object with the method `add`/],
  [{ fallback, queue: [] }, /`queue` must be an object with the method `add`/],
  [{ fallback, logger: null }, /`logger` must be an object with the method/],
  [{ fallback, logger: { info: silent } }, /`logger` must be an object with the method/],
  [{ fallback, logger: silent }, /`logger` must be an object with the method/],
  [{ fallback, coalesce: 'no' }, /`coalesce` must be true or false/],
  [{ fallback, coalesce: null }, /`coalesce` must be true or false/],
  [{ fallback, onFailure: null }, /`onFailure` must be a function/],
  [{ fallback, acknowledge: null }, /'accepted' or 'handled'/],
  [{ fallback, concurrency: '8' }, /`concurrency`/],
  [{ fallback, concurrency: null }, /`concurrency`/],
  [{ fallback, concurrency: -0 }, /`concurrency`/],
  [{ fallback, concurrency: 2 ** 53 }, /`concurrency`/],
  [{ fallback, acceptTimeoutMs: null }, /`acceptTimeoutMs`/],
])('a wrong option is a ConfigurationError: %j', (options, message) => {
  expect(() => createReceiver(options as ReceiverOptions)).toThrow(ConfigurationError);
  expect(() => createReceiver(options as ReceiverOptions)).toThrow(message);
});

describe('a wrong option of a store is a ConfigurationError', () => {
  const open: [string, (options: never) => unknown][] = [
    ['memoryStore', memoryStore],
    ['sqliteStore', (options: object) => sqliteStore({ path: 'never-opened.db', ...options })],
  ];
  const limits = ['maxWaiting', 'maxWaitingBytes', 'maxDead', 'maxDeadBytes'];
  test.each(open)('%s', (_, create) => {
    for (const name of limits)
      for (const value of [0, -1, -0, 0.5, 2.5, Number.NaN, null, '5', [5], true])
        expect(() => create({ [name]: value } as never), `${name}: ${String(value)}`).toThrow(ConfigurationError);
    for (const name of limits) create({ [name]: 1 } as never);
  });
  test('others', () => {
    for (const value of [0, 0.5, '5', null])
      expect(() => memoryStore({ maxRemembered: value as 1 })).toThrow(ConfigurationError);
    for (const options of [undefined, null, { path: 5 }])
      expect(() => sqliteStore(options as never)).toThrow(ConfigurationError);
  });
});

test('however many notifications wait, one more costs about the same, where all are', async () => {
  const { status, output } = await run('tests/support/store-steps.ts');
  expect(status, output).toBe(0);
  const growth = Object.entries(JSON.parse(output) as Record<string, number>);
  expect(growth).toHaveLength(4);
  // 8 where the cost is quadratic.
  for (const [where, ratio] of growth) expect(ratio, where).toBeLessThan(2);
});
