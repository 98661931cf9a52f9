import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConfigurationError } from 'marketplace-seller-sdk';
import { createInbox, nodeHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { run } from '../support/program.ts';
import { untilEnded } from '../support/until-ended.ts';

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
    const inbox = createInbox({
      retry: { maxRetries: 1, firstDelayMs: 1, maxDelayMs: 1 },
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
      await deliver(inbox, about(1));
      await untilEnded(inbox);
    });
    expect(errors).toEqual([]);
    expect(runs).toBe(2);
    expect(await inbox.deadLetters.list()).toHaveLength(1);
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
          const inbox = createInbox({ ...observers, retry: { maxRetries: 0 }, on: { questions: () => Promise.reject(value() as Error) } }); // prettier-ignore
          const errors = await unhandled(async () => {
            expect(await deliver(inbox, '{')).toBe(400);
            await deliver(inbox, about(1));
            await untilEnded(inbox);
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
      const inbox = createInbox({
        accept: (() => result) as unknown as () => boolean,
        logger: { ...silentLogger, error: (line) => void lines.push(line) },
        on: { questions: silent },
      });
      expect(await deliver(inbox, about(1))).toBe(503);
      expect(lines).toEqual([expect.stringContaining('accept() must return true or false')]);
    },
  );
});

describe('a store that returns junk', () => {
  test.each([[undefined], [null], [''], ['OK'], [Buffer.from('added')]])('add() with %s gives 503', async (state) => {
    const store: Store = Object.assign(memoryStore(), { add: () => Promise.resolve(state as 'added') });
    const inbox = createInbox({ store, logger: silentLogger, on: { questions: silent } });
    expect(await deliver(inbox, about(1))).toBe(503);
  });

  test.each([
    [undefined],
    [{}],
    [{ leases: [null] }],
    [{ leases: [{}] }],
    [{ leases: [{ key: 'k', token: 't' }] }],
    [{ leases: [{ key: 'k', token: 't', data: {}, failures: 0, stalls: 0, notes: {} }] }],
  ])('claim() with %j does not end the process, and is asked again', async (claimed) => {
    const store = memoryStore();
    const claim = store.claim.bind(store);
    const handled: number[] = [];
    vi.spyOn(store, 'claim')
      .mockResolvedValueOnce(claimed as never)
      .mockImplementation(claim);
    const inbox = createInbox({
      store,
      logger: silentLogger,
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    const errors = await unhandled(async () => {
      await deliver(inbox, about(1));
      await untilEnded(inbox);
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
    const inbox = createInbox({ store, logger: silentLogger, leaseMs: 30, on: { questions: silent } });
    vi.spyOn(store, method).mockReturnValue(hanging);
    const response = deliver(inbox, about(1));
    await turns();
    await vi.advanceTimersByTimeAsync(500);
    expect(await response).toBe(method === 'add' ? 503 : 200);
    let isClosed = false;
    void inbox.close({ graceMs: 1_000 }).then(() => (isClosed = true));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(isClosed).toBe(true);
  });

  test('ends although a handler waits for it', async () => {
    vi.useFakeTimers();
    const inbox: Inbox = createInbox({ on: { questions: () => inbox.close({ graceMs: 1_000 }) } });
    const response = deliver(inbox, about(1));
    await vi.advanceTimersByTimeAsync(5_000);
    await inbox.close();
    expect([200, 503]).toContain(await response);
  });

  test('a store that cannot be closed is reported', async () => {
    const lines: string[] = [];
    const store = Object.assign(memoryStore(), { close: () => Promise.reject(new Error('away')) });
    const logger = { ...silentLogger, error: (line: string) => void lines.push(line) };
    await createInbox({ store, logger, on: { questions: silent } }).close();
    expect(lines).toEqual([expect.stringContaining('away')]);
  });

  test.each([[Number.NaN], [-1], ['10'], [null]])('with a graceMs of %j is a ConfigurationError', async (graceMs) => {
    const inbox = createInbox({ on: { questions: silent } });
    await expect(inbox.close({ graceMs } as never)).rejects.toThrow(ConfigurationError);
    await inbox.close({ graceMs: Infinity });
  });
});

test('a response that something else has sent already ends neither the process nor the other responses', async () => {
  const inbox = createInbox({ on: { questions: silent } });
  const handle = nodeHandler(inbox);
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
    await untilEnded(inbox);
  });
  expect(errors).toEqual([]);
  expect(statuses).toEqual([504, 200, 504, 200]);
});

const fallback = silent;
test.each<[unknown, RegExp]>([
  [undefined, /options/],
  [null, /options/],
  ['options', /options/],
  [{ on: null }, /`on` takes an object/],
  [{ on: 'questions' }, /`on` takes an object/],
  [{ on: { questions: 'answer' } }, /`on.questions` takes a function/],
  [{ fallback: null }, /`fallback` takes a function/],
  [{ fallback, retry: null }, /`retry` takes an object/],
  [{ fallback, retry: 3 }, /`retry` takes an object/],
  [{ fallback, retry: { maxRetries: '3' } }, /`retry.maxRetries`/],
  [{ fallback, retry: { firstDelayMs: Number.NaN } }, /`retry.firstDelayMs`/],
  [{ fallback, retry: { firstDelayMs: -0 } }, /`retry.firstDelayMs`/],
  [{ fallback, store: null }, /`store` takes what sqliteStore/],
  [{ fallback, store: {} }, /`store` takes what sqliteStore/],
  [{ fallback, store: 'memory' }, /`store` takes what sqliteStore/],
  [{ fallback, store: new Map() }, /`store` takes what sqliteStore/],
  [{ fallback, store: memoryStore }, /`store` takes what sqliteStore/],
  [{ fallback, logger: null }, /`logger` takes an object with a function/],
  [{ fallback, logger: { info: silent } }, /`logger` takes an object with a function/],
  [{ fallback, logger: silent }, /`logger` takes an object with a function/],
  [{ fallback, onFailure: null }, /`onFailure` takes a function/],
  [{ fallback, concurrency: '8' }, /`concurrency`/],
  [{ fallback, concurrency: null }, /`concurrency`/],
  [{ fallback, concurrency: -0 }, /`concurrency`/],
  [{ fallback, concurrency: 2 ** 53 }, /`concurrency`/],
  [{ fallback, handle: null }, /`handle` takes a boolean/],
  [{ fallback, queue: {} }, /no option `queue`/],
  [{ fallback, path: null }, /`path` must be a path/],
  [{ fallback, maxWaiting: null }, /`maxWaiting`/],
])('a wrong option is a ConfigurationError: %j', (options, message) => {
  expect(() => createInbox(options as InboxOptions)).toThrow(ConfigurationError);
  expect(() => createInbox(options as InboxOptions)).toThrow(message);
});

test('however many notifications wait, one more costs about the same, where all are', async () => {
  const { status, output } = await run('tests/support/store-steps.ts');
  expect(status, output).toBe(0);
  const growth = Object.entries(JSON.parse(output) as Record<string, number>);
  expect(growth).toHaveLength(4);
  // 8 where the cost is quadratic.
  for (const [where, ratio] of growth) expect(ratio, where).toBeLessThan(2);
});
