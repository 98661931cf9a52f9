import {
  UnrecoverableError,
  createReceiver,
  fetchHandler,
  memoryStore,
  parseNotification,
} from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { ConfigurationError, NotFoundError } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { admissionOf, nextClaim } from '../../src/notifications/worker/policy.js';
import type { Load } from '../../src/notifications/worker/policy.js';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import type { Lease } from '../../src/notifications/stores/store.js';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { about, deliver, post } from '../support/deliveries.ts';

fakeTimersOfInbox();

const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const entry = await queuedNotification(parseNotification(about(1)), 0);
const slow = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A receiver that keeps its log lines, each with its level and fields. */
function watched(options: Partial<ReceiverOptions> = {}) {
  const lines: [level: string, line: string, fields?: object][] = [];
  const at =
    (level: string) =>
    (line: string, fields?: object): void =>
      void lines.push(fields ? [level, line, fields] : [level, line]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const questions = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const store = memoryStore();
  const receiver = createReceiver({ store, logger, retry: { baseMs: 10 }, on: { questions }, ...options });
  return { receiver, store, questions, lines };
}

describe('what the logger is told', () => {
  const failure = `Notification ${entry.key} (questions) failed at attempt`;

  test('a failure that is retried is a warning, the last one an error', async () => {
    const { receiver, questions, lines } = watched({ retry: { attempts: 2, baseMs: 10 } });
    questions.mockRejectedValue(new Error('no\n\u0007\u2028'));
    await deliver(receiver, about(1));
    await tick(1_000);
    const error = expect.stringContaining('Error: no') as string;
    expect(lines).toEqual([
      ['warn', `${failure} 1; it will be retried: Error: no\\u000a\\u0007\\u2028`, { error }],
      ['error', `${failure} 2; it is a dead letter now: Error: no\\u000a\\u0007\\u2028`, { error }],
    ]);
    await receiver.close();
  });

  test('a rejected delivery is an information, and is printed nowhere without a logger', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    for (const logger of [undefined, 'its own'] as const) {
      const { receiver, lines } = watched(logger === undefined ? { logger } : {});
      expect(await deliver(receiver, '{')).toBe(400);
      expect((await fetchHandler(receiver)(new Request('https://app.test/'))).status).toBe(405);
      if (logger !== undefined)
        expect(lines).toEqual([
          ['info', 'A delivery was rejected with 400: The notification is invalid: the body is not JSON'],
          ['info', 'A delivery was rejected with 405: Notifications are delivered by POST'],
        ]);
    }
    expect(printed).not.toHaveBeenCalled();
  });

  test('a failure is printed without a logger, unless `onFailure` takes it', async () => {
    const printed = vi.spyOn(console, 'error').mockReturnValue();
    const onFailure = vi.fn();
    for (const options of [{ logger: undefined }, { logger: undefined, onFailure }]) {
      const { receiver, questions } = watched({ ...options, retry: { attempts: 1 } });
      questions.mockRejectedValue(new Error('no'));
      await deliver(receiver, about(1));
      await tick(10);
      await receiver.close();
    }
    expect(printed.mock.calls).toEqual([[`${failure} 1; it is a dead letter now: Error: no`]]);
    expect(onFailure).toHaveBeenCalledOnce();
  });

  test('what fails beside the handlers is an error', async () => {
    const away = () => Promise.reject(new Error('away'));
    const failing = watched({ onFailure: () => Promise.reject(new Error('mine')), retry: { attempts: 1 } });
    failing.questions.mockRejectedValue(new Error('no'));
    await deliver(failing.receiver, about(1));
    await tick(10);
    expect(failing.lines.at(-1)?.slice(0, 2)).toEqual(['error', 'onFailure failed: Error: mine']);
    const unstored = watched();
    vi.spyOn(unstored.store, 'add').mockImplementation(away);
    expect(await deliver(unstored.receiver, about(1))).toBe(503);
    expect(unstored.lines).toEqual([
      ['error', 'A notification was not accepted: Error: away', { error: 'Error: away' }],
    ]);
    const hanging = watched({ accept: () => new Promise<boolean>(() => {}), acceptTimeoutMs: 500 });
    const status = deliver(hanging.receiver, about(1));
    await new Promise((resolve) => setImmediate(resolve));
    await tick(600);
    expect(await status).toBe(503);
    expect(hanging.lines[0]?.[1]).toContain('The store, queue or accept() did not respond within 500 ms');
    const unrenewed = watched({ leaseMs: 300 });
    vi.spyOn(unrenewed.store, 'renew').mockImplementation(away);
    unrenewed.questions.mockImplementation(slow(150));
    await deliver(unrenewed.receiver, about(1));
    await tick(200);
    expect(unrenewed.lines[0]?.[1]).toBe('The leases of notifications were not renewed: Error: away');
  });
});

describe('handle()', () => {
  const failing = (error: unknown) => {
    const { receiver, questions } = watched();
    questions.mockRejectedValue(error);
    return receiver;
  };

  test('throws what the handler throws, at any attempt', async () => {
    for (const error of [new Error('no'), new UnrecoverableError('never')]) {
      await expect(failing(error).handle(entry, { attempt: 1_000 })).rejects.toBe(error);
    }
  });

  test('throws an UnrecoverableError when the question is still missing at the second attempt', async () => {
    const missing = new NotFoundError('missing', { status: 404, headers: new Headers(), body: {}, causes: [] });
    const reading = watched({
      clientFor: () => ({ questions: { get: () => Promise.reject(missing) } }) as never,
      on: {
        questions: async (_, { read }) => {
          await read();
        },
      },
    }).receiver;
    await expect(reading.handle(entry, { attempt: 1 })).rejects.toBe(missing);
    const error: unknown = await reading.handle(entry, { attempt: 2 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnrecoverableError);
    expect(error).toMatchObject({ cause: missing });
  });

  test('an error of reading that is no 404 is retried like any other', async () => {
    const { receiver } = watched({
      clientFor: () => ({ questions: { get: () => Promise.reject(new Error('away')) } }) as never,
      on: {
        questions: async (_, { read }) => {
          await read();
        },
      },
    });
    await expect(receiver.handle(entry, { attempt: 5 })).rejects.toThrow('away');
  });

  test('passes on the signal of the queue, and leaves no listener behind', async () => {
    const signals: AbortSignal[] = [];
    const { receiver } = watched({
      on: {
        questions: (_, { signal }) => {
          signals.push(signal);
          return slow(100)();
        },
      },
    });
    const aborter = new AbortController();
    const removed = vi.spyOn(aborter.signal, 'removeEventListener');
    const handled = receiver.handle(entry, { signal: aborter.signal });
    await tick(10);
    expect(signals[0]!.aborted).toBe(false);
    aborter.abort(new Error('stop'));
    expect(signals[0]!.reason).toMatchObject({ message: 'stop' });
    await tick(200);
    await handled;
    expect(removed).toHaveBeenCalledWith('abort', expect.any(Function));
    await expect(receiver.handle(entry, { signal: aborter.signal })).rejects.toThrow('stop');
    expect(signals).toHaveLength(1);
  });

  test('explains what a handler misses', async () => {
    const noClient = watched({
      on: { questions: (_, context) => Promise.resolve(context.client).then(() => undefined) },
    }).receiver;
    await expect(noClient.handle(entry)).rejects.toThrow('pass `clientFor: (user_id) => client` to createReceiver');
    const { receiver } = watched({ on: { questions: slow(10_000) }, handlerTimeoutMs: 100 });
    const late = expect(receiver.handle(entry)).rejects.toThrow('The handler did not end within 100 ms');
    await new Promise((resolve) => setImmediate(resolve));
    await tick(200);
    await late;
  });
});

describe('when the store is asked', () => {
  const spied = (store: NotificationStore) => {
    const claim = vi.spyOn(store, 'claim');
    return { store, claim };
  };

  test('a store is polled after start(), one in memory at the first delivery', async () => {
    const durable = Object.assign(memoryStore(), { durable: true });
    await durable.add(entry);
    const left = watched({ store: durable });
    await tick(10);
    expect(left.questions).not.toHaveBeenCalled();
    left.receiver.start();
    await tick(10);
    expect(left.questions).toHaveBeenCalledOnce();
    const { store, claim } = spied(memoryStore());
    const { receiver } = watched({ store });
    await tick(10);
    expect(claim).not.toHaveBeenCalled();
    await Promise.all([left.receiver.close(), receiver.close()]);
  });

  test('a dead letter that is replayed is handled at once; one that is not there changes nothing', async () => {
    const { store, claim } = spied(memoryStore());
    const { receiver, questions } = watched({ store, retry: { attempts: 1 } });
    questions.mockRejectedValueOnce(new Error('no'));
    await deliver(receiver, about(1));
    await tick(10);
    const claims = claim.mock.calls.length;
    expect(await receiver.deadLetters.replay('none')).toBe(false);
    await tick(10);
    expect(claim).toHaveBeenCalledTimes(claims);
    expect(await receiver.deadLetters.replay(entry.key)).toBe(true);
    await tick(10);
    expect(questions).toHaveBeenCalledTimes(2);
    await receiver.close();
  });

  test('a duplicate of what was handled is acknowledged without a claim', async () => {
    const { store, claim } = spied(memoryStore());
    const { receiver, questions } = watched({ store, acknowledge: 'handled' });
    const first = deliver(receiver, about(1));
    await tick(10);
    expect(await first).toBe(200);
    const claims = claim.mock.calls.length;
    expect(await deliver(receiver, about(1))).toBe(200);
    expect(claim).toHaveBeenCalledTimes(claims);
    const waitUntil = vi.fn();
    const accepting = watched({ store }).receiver;
    expect((await fetchHandler(accepting)(post(about(1)), { waitUntil })).status).toBe(200);
    expect(waitUntil).not.toHaveBeenCalled();
    expect(questions).toHaveBeenCalledOnce();
    await Promise.all([receiver.close(), accepting.close()]);
  });

  test('waitUntil() gets a promise that does not reject', async () => {
    const { store, claim } = spied(memoryStore());
    claim.mockRejectedValue(new Error('away'));
    const { receiver } = watched({ store });
    const waited: Promise<unknown>[] = [];
    await fetchHandler(receiver)(post(about(1)), { waitUntil: (promise) => void waited.push(promise) });
    await tick(10);
    expect(await Promise.all(waited)).toEqual([false]);
    await receiver.close();
  });

  test('close() waits for a delivery that is being accepted, and closes the store after it', async () => {
    const order: string[] = [];
    const store = Object.assign(memoryStore(), { close: () => Promise.resolve(void order.push('store closed')) });
    const { receiver } = watched({ store, accept: () => slow(100)().then(() => true) });
    void deliver(receiver, about(1)).then((status) => order.push(`responded ${status}`));
    await tick(10);
    const closed = receiver.close().then(() => order.push('closed'));
    await tick(50);
    expect(order).toEqual([]);
    await tick(100);
    await closed;
    expect(order.sort()).toEqual(['closed', 'responded 503', 'store closed']);
    expect(await deliver(receiver, 'not read')).toBe(503);
  });
});

describe('leases of a machine that was suspended', () => {
  test('are renewed before the next claim when either clock has moved, and not otherwise', async () => {
    const store = memoryStore();
    const renew = vi.spyOn(store, 'renew');
    const { receiver, questions } = watched({ store, leaseMs: 3_000 });
    questions.mockImplementation(slow(60_000));
    await deliver(receiver, about(1));
    await tick();
    await deliver(receiver, about(2));
    await tick();
    expect(renew).not.toHaveBeenCalled();
    vi.setSystemTime(Date.now() + 2_000);
    await deliver(receiver, about(3));
    await tick();
    expect(renew).toHaveBeenCalledOnce();
    const closed = receiver.close({ graceMs: 1 });
    await tick(5_000);
    await closed;
  });
});

describe('entries that have stalled', () => {
  const lease = (groupId: string, stalledCount: number): Lease => ({
    groupId,
    token: 't',
    entry,
    attempt: stalledCount + 1,
    stalledCount,
    coalescedKeys: [],
  });
  const [fresh, once, suspect, other] = [lease('a', 0), lease('b', 1), lease('c', 2), lease('d', 3)];
  const load: Load = {
    concurrency: 4,
    used: 0,
    runsSuspect: false,
    isAlone: false,
    suspects: [],
    canWait: true,
    batch: 1,
  };

  test('twice run one at a time: the others are given back, and claimed by name', () => {
    expect(admissionOf([fresh, once, suspect, other], load)).toEqual({
      start: [fresh, once],
      returned: [suspect, other],
      batch: 1,
    });
    expect(admissionOf([suspect], load)).toEqual({ start: [suspect], returned: [], batch: 1 });
    const running = { ...load, runsSuspect: true, used: 3, suspects: ['d'] };
    expect(admissionOf([suspect, fresh], running)).toEqual({ start: [fresh], returned: [suspect], batch: 1 });
    // What has not stalled does not wait.
    expect(nextClaim(running)).toEqual({ limit: 1 });
    expect(nextClaim({ ...load, suspects: ['d'] })).toEqual({ limit: 1, groupId: 'd', alone: true });
  });

  test('a suspect waits a third of a lease for the others to end, and nothing starts beside one that runs alone', () => {
    const waiting = { ...load, used: 2, suspects: ['d'] };
    expect(nextClaim(waiting)).toBeUndefined();
    expect(nextClaim({ ...waiting, canWait: false })).toEqual({ limit: 1, groupId: 'd' });
    expect(admissionOf([suspect, other], { ...waiting, canWait: false })).toMatchObject({ returned: [other] });
    expect(nextClaim({ ...load, used: 1, runsSuspect: true, isAlone: true })).toBeUndefined();
  });

  test('nothing is claimed while all handlers run', () => {
    expect(nextClaim({ ...load, used: 4 })).toBeUndefined();
    expect(nextClaim({ ...load, used: 4, suspects: ['d'] })).toBeUndefined();
  });

  test('claims are small at the start and after a suspect, and grow with what does not stall', () => {
    expect(nextClaim(load)).toEqual({ limit: 1, alone: true });
    expect(nextClaim({ ...load, batch: 3 })).toEqual({ limit: 3 });
    const batches = [[fresh], [], [fresh], [fresh], [suspect], [fresh]].map(
      (
        (batch) => (leases: Lease[]) =>
          (batch = admissionOf(leases, { ...load, batch }).batch)
      )(1),
    );
    expect(batches).toEqual([2, 2, 4, 4, 1, 2]);
  });
});

describe('what is wrong is said', () => {
  const body = (more: object) => JSON.stringify(about(1, more));
  test.each([
    ['5', 'it is not a JSON object'],
    ['[]', 'it is not a JSON object'],
    ['{', 'the body is not JSON'],
    [body({ resource: '/items/1' }), '`resource` does not have the form /questions/<question_id>'],
    [body({ resource: '/questions/9007199254740993' }), 'the id in `resource` is beyond 2^53 and would be rounded'],
    [
      '{}',
      '`user_id` is missing; it takes an integer; `resource` is missing; it takes a string; `topic` is missing; it takes a string',
    ],
  ])('of the notification %s', (text, reason) => {
    expect(() => parseNotification(text)).toThrow(`The notification is invalid: ${reason}`);
  });

  test('optional fields with another type are left out', () => {
    const parsed = parseNotification(
      body({ actions: ['a', 5, 'b'], attempts: '123456789012345', application_id: '5x' }),
    );
    expect(parsed).toMatchObject({ actions: ['a', 'b'], attempts: 123456789012345 });
    expect(parsed).not.toHaveProperty('application_id');
    expect(parseNotification(body({ attempts: '1234567890123456' }))).not.toHaveProperty('attempts');
  });

  test.each<[object, RegExp]>([
    [{ retry: { baseMs: 0 } }, /`retry\.baseMs` must be a number above 0 and at most 2147483647$/],
    [{ retry: { base: 1, cap: 2 } }, /there is no option `retry\.base`; did you mean `baseMs`\?; there is no/],
    [{ leaseMs: 2 ** 31 }, /`leaseMs` must be a number above 0 and at most 2147483647$/],
    [{ acknowledge: 'no' }, /`acknowledge` must be 'accepted' or 'handled'$/],
  ])('of the options %o', (options, message) => {
    const create = () => watched(options);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test('options at their limits are taken', () => {
    expect(() => watched({ leaseMs: 2 ** 31 - 1, acknowledge: 'accepted' })).not.toThrow();
  });
});

test('the key of a notification is the same on platforms without the hash of Node', async () => {
  const original = process;
  vi.resetModules();
  vi.stubGlobal('process', { ...original, getBuiltinModule: undefined });
  const portable = await import('../../src/notifications/queued-notification.js');
  vi.unstubAllGlobals();
  vi.resetModules();
  const long = parseNotification(about(1, { topic: 'orders', resource: `/orders/${'x'.repeat(300)}` }));
  for (const notification of [entry.notification, long]) {
    expect(await portable.queuedNotification(notification, 0)).toEqual(await queuedNotification(notification, 0));
  }
});
