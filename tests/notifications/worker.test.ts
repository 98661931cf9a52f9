import { createReceiver, memoryStore, parseNotification } from 'marketplace-seller-sdk/notifications';
import type {
  Claimed,
  Lease,
  NotificationStore,
  ReceiverOptions,
  Settlement,
} from 'marketplace-seller-sdk/notifications';
import { describe, expect, test, vi } from 'vitest';
import { queuedNotification } from '../../src/notifications/queued-notification.js';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { about, deliver } from '../support/deliveries.ts';

fakeTimersOfInbox();

const entry = await queuedNotification(parseNotification(about(1)), 0);
const { key, groupId } = entry;

function lease(token: string, more: Partial<Lease> = {}): Lease {
  return { groupId, token, entry, attempt: 1, stalledCount: 0, coalescedKeys: [], ...more };
}

/** A store of another team: it gives out what is claimed from it in this order, and keeps what is settled. */
function scripted(claims: (Claimed | Error | Promise<Claimed>)[], more: Partial<NotificationStore> = {}) {
  const settled: Settlement[] = [];
  const store: NotificationStore = {
    durable: false,
    shared: true,
    add: vi.fn(() => Promise.resolve('added' as const)),
    claim: vi.fn(async () => {
      const next = claims.shift() ?? { leases: [] };
      if (next instanceof Error) throw next;
      return next;
    }),
    renew: vi.fn(() => Promise.resolve([])),
    settle: vi.fn((settlement: Settlement) => {
      settled.push(settlement);
      return Promise.resolve(true);
    }),
    deadLetters: () => Promise.resolve([]),
    redrive: () => Promise.resolve(false),
    removeDeadLetter: () => Promise.resolve(false),
    ...more,
  };
  return { store, settled };
}

function receiverOn(store: NotificationStore, options: Partial<ReceiverOptions> = {}) {
  const lines: string[] = [];
  const note = (line: string): void => void lines.push(line);
  const handler = vi.fn<() => Promise<void>>(() => Promise.resolve());
  const logger = { debug: note, info: note, warn: note, error: note };
  const receiver = createReceiver({ store, logger, pollMs: 1_000, on: { questions: handler }, ...options });
  return { receiver, handler, lines };
}

const handled = { acknowledge: 'handled' } as const;
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const microtasks = async (count: number) => {
  for (let each = 0; each < count; each += 1) await Promise.resolve();
};
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const slow = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe('what is stored of a run', () => {
  const failed = () => Promise.reject(new Error('no'));
  test.each<[string, Partial<Lease>, Partial<ReceiverOptions>, (() => Promise<void>) | undefined, object]>([
    ['one that was handled', { coalescedKeys: ['older'] }, {}, undefined, { done: ['older', key] }],
    [
      'one that failed',
      {},
      { retry: { baseMs: 10, capMs: 10 } },
      failed,
      {
        done: [],
        retryInMs: expect.any(Number) as number,
        lastFailure: { failure: 'Error: no', isPermanent: false },
      },
    ],
    [
      'one that failed for the last time',
      { coalescedKeys: ['older'] },
      { retry: { attempts: 1 } },
      failed,
      { done: ['older'], deadLetter: { key, failure: 'Error: no' } },
    ],
    [
      'one that stalled too often',
      { attempt: 6, stalledCount: 5 },
      {},
      undefined,
      {
        done: [],
        deadLetter: { key, failure: expect.stringContaining('process ended each of the 5 times') as string },
      },
    ],
  ])('%s', async (_, more, options, handle, result) => {
    const { store, settled } = scripted([{ leases: [lease('t', more)] }]);
    const { receiver, handler } = receiverOn(store, options);
    if (handle) handler.mockImplementation(handle);
    await deliver(receiver, about(1));
    await tick();
    expect(settled).toEqual([{ groupId, token: 't', deduplicationMs: expect.any(Number) as number, ...result }]);
    await receiver.close();
  });

  test('a lease that comes after close() began is released, and its handler does not run', async () => {
    const claimed = Promise.withResolvers<Claimed>();
    const { store, settled } = scripted([claimed.promise]);
    const { receiver, handler } = receiverOn(store);
    await deliver(receiver, about(1));
    const closed = receiver.close();
    claimed.resolve({ leases: [lease('t')] });
    await closed;
    expect(handler).not.toHaveBeenCalled();
    expect(settled).toMatchObject([{ groupId, token: 't', done: [], retryInMs: 0, released: true }]);
  });

  test('a handler that close() aborts is released', async () => {
    const { store, settled } = scripted([{ leases: [lease('t')] }]);
    const { receiver, handler } = receiverOn(store);
    handler.mockImplementation(() => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 500)));
    await deliver(receiver, about(1));
    await tick();
    const closed = receiver.close({ graceMs: 100 });
    await tick(2_000);
    await closed;
    expect(settled).toMatchObject([{ done: [], retryInMs: 0, released: true }]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('a handler that ignores its signal leaves no timer after close()', async () => {
  const { store } = scripted([{ leases: [lease('one')] }]);
  const { receiver, handler } = receiverOn(store);
  handler.mockReturnValue(new Promise(() => undefined));
  await deliver(receiver, about(1));
  await tick();
  await new Promise((resolve) => setImmediate(resolve));
  expect(handler).toHaveBeenCalled();
  expect(vi.getTimerCount()).toBeGreaterThan(1);
  const closing = receiver.close({ graceMs: 50 });
  await tick(50 + 1_000 + 1_000);
  await closing;
  expect(vi.getTimerCount()).toBe(0);
});

test('close() gives back the lease of a handler that ignores its signal, and ignores its later result', async () => {
  const { store, settled } = scripted([{ leases: [lease('one')] }]);
  const { receiver, handler, lines } = receiverOn(store);
  handler.mockImplementation(slow(5_000));
  await deliver(receiver, about(1));
  await tick();
  const closing = receiver.close({ graceMs: 50 });
  await tick(50 + 1_000 + 1_000);
  await closing;
  await tick(10_000);
  expect(settled).toMatchObject([{ token: 'one', done: [], retryInMs: 0, released: true }]);
  expect(lines).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

describe('a client that comes late', () => {
  test.each<[string, Partial<ReceiverOptions>, boolean]>([
    ['its run has timed out', { handlerTimeoutMs: 100 }, false],
    ['close() has resolved', {}, true],
  ])('starts no handler once %s', async (_, options, closes) => {
    const client = Promise.withResolvers<undefined>();
    const { receiver, handler } = receiverOn(memoryStore(), {
      clientFor: () => client.promise.then(() => ({}) as never),
      retry: { attempts: 1 },
      ...options,
    });
    await deliver(receiver, about(1));
    await tick(200);
    const closing = closes ? receiver.close({ graceMs: 10 }) : undefined;
    await tick(2_000);
    await closing;
    client.resolve(undefined);
    await tick(10);
    expect(handler).not.toHaveBeenCalled();
    await receiver.close();
  });
});

describe('a result that cannot be stored', () => {
  const away = () => Promise.reject(new Error('away'));

  test('is stored again until the store is back, as long as the lease is kept, and the handler runs once', async () => {
    const { store, settled } = scripted([{ leases: [lease('t')] }]);
    const settle = vi.mocked(store.settle);
    for (let times = 0; times < 8; times += 1) settle.mockImplementationOnce(away);
    const { receiver, handler, lines } = receiverOn(store, { leaseMs: 3_000 });
    await deliver(receiver, about(1));
    await tick(60_000);
    expect(handler).toHaveBeenCalledOnce();
    expect(settled).toHaveLength(1);
    expect(lines).toEqual(Array(8).fill('The result of a notification was not stored: Error: away'));
    expect(vi.mocked(store.renew).mock.calls.length).toBeGreaterThan(8);
    await receiver.close();
  });

  test.each<[string, boolean, number]>([
    ['the lease is lost', true, 5],
    ['the receiver closes', false, 5],
  ])('is given up after five times when %s', async (_, isLost, times) => {
    const { store } = scripted([{ leases: [lease('t')] }], {
      settle: vi.fn(away),
      renew: (leases) => Promise.resolve(isLost ? leases.map((each) => each.groupId) : []),
    });
    const { receiver } = receiverOn(store, { leaseMs: 300 });
    await deliver(receiver, about(1));
    await tick();
    const closed = isLost ? undefined : receiver.close({ graceMs: 60_000 });
    await tick(60_000);
    await closed;
    expect(store.settle).toHaveBeenCalledTimes(times);
    await receiver.close();
  });
});

describe('a lease that the worker itself takes again', () => {
  test('does not start a second run, and takes the result of the first', async () => {
    const { store } = scripted([{ leases: [lease('first')] }, { leases: [lease('second')] }]);
    const settle = vi.mocked(store.settle).mockImplementation(({ token }) => Promise.resolve(token === 'second'));
    const { receiver, handler, lines } = receiverOn(store);
    handler.mockImplementation(slow(5_000));
    await deliver(receiver, about(1));
    await tick(2_000);
    expect(store.renew).not.toHaveBeenCalled();
    await tick(9_000);
    expect(vi.mocked(store.renew).mock.calls.every(([[each]]) => each?.token === 'second')).toBe(true);
    expect(handler).toHaveBeenCalledOnce();
    expect(settle.mock.calls.map(([{ token }]) => token)).toEqual(['first', 'second']);
    expect(lines).toEqual([]);
    await receiver.close();
  });

  test('starts a run of its own when the result of the first counted', async () => {
    const { store, settled } = scripted([{ leases: [lease('first')] }, { leases: [lease('second')] }]);
    const { receiver, handler } = receiverOn(store);
    handler.mockImplementation(slow(5_000));
    await deliver(receiver, about(1));
    await tick(20_000);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(settled.map(({ token }) => token)).toEqual(['first', 'second']);
    await receiver.close();
  });

  test('a result of a lease that another process has is ignored, and that is reported', async () => {
    const { store } = scripted([{ leases: [lease('t')] }], { settle: () => Promise.resolve(false) });
    const { receiver, lines } = receiverOn(store);
    await deliver(receiver, about(1));
    await tick();
    expect(lines).toEqual(['A notification took longer than its lease, so its result was ignored']);
    await receiver.close();
  });
});

test('a worker starts no more handlers than `concurrency`, however the deliveries overlap', async () => {
  const counts = { running: 0, most: 0 };
  for (let steps = 0; steps < 12; steps += 1) {
    const { receiver, handler } = receiverOn(memoryStore(), { concurrency: 2 });
    handler.mockImplementation(async () => {
      counts.most = Math.max(counts.most, ++counts.running);
      await nextTurn();
      counts.running -= 1;
    });
    const deliveries = Array.from({ length: 30 }, async (_, id) => {
      await microtasks(id * steps);
      return receiver.receive({ method: 'POST', header: () => null, body: () => Promise.resolve(about(id)) });
    });
    await Promise.all(deliveries);
    await receiver.idle();
    expect(handler).toHaveBeenCalledTimes(30);
    await receiver.close();
  }
  expect(counts.most).toBe(2);
});

describe('polling', () => {
  test('a claim that fails is reported, and made again after `pollMs`', async () => {
    const { store } = scripted([new Error('away'), { leases: [lease('t')], problems: ['an entry is damaged'] }]);
    const { receiver, handler, lines } = receiverOn(store);
    await deliver(receiver, about(1));
    await tick(900);
    expect(store.claim).toHaveBeenCalledTimes(1);
    await tick(200);
    expect(handler).toHaveBeenCalledOnce();
    expect(lines).toEqual([
      'The store of notifications failed to give out entries: Error: away',
      'an entry is damaged',
    ]);
    await receiver.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an entry that is delayed is claimed when it is due, not before', async () => {
    const { store } = scripted([{ leases: [], nextInMs: 5_000 }], { shared: false });
    const { receiver } = receiverOn(store);
    await deliver(receiver, about(1));
    await tick(4_900);
    expect(store.claim).toHaveBeenCalledTimes(1);
    await tick(200);
    expect(store.claim).toHaveBeenCalledTimes(2);
    await receiver.close();
  });

  test('goes on after a claim that took longer than `pollMs`', async () => {
    const [first, second] = [Promise.withResolvers<Claimed>(), Promise.withResolvers<Claimed>()];
    const { store } = scripted([first.promise, second.promise]);
    const { receiver } = receiverOn(store);
    for (const id of [1, 2]) await deliver(receiver, about(id));
    first.resolve({ leases: [] });
    await tick(1_500);
    second.resolve({ leases: [] });
    await tick();
    const { length } = vi.mocked(store.claim).mock.calls;
    await tick(2_500);
    expect(vi.mocked(store.claim).mock.calls.length).toBe(length + 2);
    await receiver.close();
  });

  test('idle() waits for a handler, also when the store does not say when its lease ends', async () => {
    const { store } = scripted([{ leases: [lease('t')] }]);
    const { receiver, handler } = receiverOn(store);
    handler.mockImplementation(slow(5_000));
    await deliver(receiver, about(1));
    const isIdle = vi.fn();
    void receiver.idle().then(isIdle);
    await tick(4_000);
    expect(isIdle).not.toHaveBeenCalled();
    await tick(3_000);
    expect(isIdle).toHaveBeenCalledOnce();
    await receiver.close();
  });

  test('idle() ends with close(), and no timer is left', async () => {
    const { store } = scripted([{ leases: [], nextInMs: 60_000 }], { shared: false });
    const { receiver } = receiverOn(store);
    const idle = receiver.idle();
    await tick();
    expect(vi.getTimerCount()).toBe(2);
    await receiver.close();
    await idle;
    await receiver.idle();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('leases are renewed only while a handler runs', async () => {
    const { store } = scripted([{ leases: [lease('t')] }]);
    const { receiver, handler } = receiverOn(store, { leaseMs: 3_000 });
    handler.mockImplementation(slow(5_200));
    await deliver(receiver, about(1));
    await tick(5_500);
    expect(store.renew).toHaveBeenCalledTimes(5);
    await tick(20_000);
    expect(store.renew).toHaveBeenCalledTimes(5);
    await receiver.close();
  });

  test.each([true, false])('the timer of a store that is durable (%s) keeps no process alive', async (durable) => {
    vi.useRealTimers();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const { store } = scripted([{ leases: [], nextInMs: 4_321 }], { durable, shared: false });
    const { receiver } = receiverOn(store);
    await deliver(receiver, about(1));
    const timer = () => timers.mock.calls.findIndex(([, ms]) => ms === 4_321);
    await expect.poll(timer).toBeGreaterThanOrEqual(0);
    expect((timers.mock.results[timer()]!.value as NodeJS.Timeout).hasRef()).toBe(!durable);
    await receiver.close();
  });
});

describe("acknowledge: 'handled'", () => {
  test('a delivery behind another one of its group waits for its own run', async () => {
    const { receiver, handler } = receiverOn(memoryStore(), handled);
    handler.mockImplementation(slow(1_000));
    const statuses: number[] = [];
    for (const sent of ['2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z']) {
      void deliver(receiver, about(1, { _id: sent, sent })).then((status) => statuses.push(status));
      await tick();
    }
    await tick(1_500);
    expect(statuses).toEqual([200]);
    await tick(1_000);
    expect(statuses).toEqual([200, 200]);
    await receiver.close();
  });

  test('a delivery behind one that fails is not acknowledged, and does not wait', async () => {
    const { receiver, handler } = receiverOn(memoryStore(), { ...handled, retry: { baseMs: 60_000, capMs: 60_000 } });
    handler.mockImplementation(() => slow(1_000)().then(() => Promise.reject(new Error('no'))));
    const statuses: number[] = [];
    for (const sent of ['2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z']) {
      void deliver(receiver, about(1, { _id: sent, sent })).then((status) => statuses.push(status));
      await tick();
    }
    await tick(1_500);
    expect(statuses).toEqual([503, 503]);
    await receiver.close();
  });

  test('an entry that another process has is not acknowledged before it is handled there', async () => {
    const store = memoryStore();
    const [first, second] = [receiverOn(store, handled), receiverOn(store, handled)];
    first.handler.mockImplementation(slow(5_000));
    const statuses: number[] = [];
    void deliver(first.receiver, about(1)).then((status) => statuses.push(status));
    await tick();
    void deliver(second.receiver, about(1)).then((status) => statuses.push(status));
    await tick(4_000);
    expect(statuses).toEqual([]);
    await tick(3_000);
    expect(statuses).toEqual([200, 200]);
    expect(second.handler).not.toHaveBeenCalled();
    await Promise.all([first.receiver.close(), second.receiver.close()]);
  });

  test.each<[string, Partial<NotificationStore>, number]>([
    ['whose result did not count', { settle: vi.fn(() => Promise.resolve(false)) }, 503],
    ['whose result counted', {}, 200],
  ])('a run %s gets its status', async (_, more, expected) => {
    const { store } = scripted([{ leases: [lease('t')] }], more);
    const { receiver, handler } = receiverOn(store, handled);
    handler.mockImplementation(slow(1_000));
    const status = deliver(receiver, about(1));
    await tick(2_000);
    expect(await status).toBe(expected);
    await receiver.close();
  });

  test('a handler that ends because its lease was lost is not acknowledged, and nothing is stored or reported', async () => {
    const { store } = scripted([{ leases: [lease('t')] }], {
      renew: (leases) => Promise.resolve(leases.map((each) => each.groupId)),
    });
    const questions = vi.fn((_: unknown, { signal }: { signal: AbortSignal }) => {
      return new Promise<void>((__, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    const { receiver, lines } = receiverOn(store, { ...handled, leaseMs: 300, on: { questions } });
    const status = deliver(receiver, about(1));
    await tick(2_000);
    expect(await status).toBe(503);
    expect(questions.mock.calls[0]![1].signal.reason).toMatchObject({ name: 'LeaseLostError' });
    expect(store.settle).not.toHaveBeenCalled();
    expect(lines).toEqual([]);
    await receiver.close();
  });

  test('a claim that fails is not acknowledged, and the delivery does not wait', async () => {
    const { store } = scripted([new Error('away')]);
    const { receiver } = receiverOn(store, handled);
    const status = deliver(receiver, about(1));
    await tick();
    expect(await status).toBe(503);
    await receiver.close();
  });

  test('a claim that fails beside others has no effect on what those have leased', async () => {
    const store = memoryStore();
    const claim = store.claim.bind(store);
    vi.spyOn(store, 'claim').mockImplementation((each) => {
      if (each.groupId === undefined) return Promise.resolve({ leases: [] });
      return each.groupId.includes('"2"') ? Promise.reject(new Error('away')) : claim(each);
    });
    const { receiver, handler, lines } = receiverOn(store, { ...handled, leaseMs: 60_000 });
    // The first claims are small.
    for (const id of [11, 12, 13]) expect(await deliver(receiver, about(id))).toBe(200);
    handler.mockClear();
    const statuses = Promise.all([1, 2, 3].map((id) => deliver(receiver, about(id))));
    await tick(100);
    expect(await statuses).toEqual([200, 503, 200]);
    expect(handler).toHaveBeenCalledTimes(2);
    expect(lines).toEqual([
      'The store of notifications failed to give out entries: Error: away',
      'A notification was not accepted: Error: away',
    ]);
    await receiver.close();
  });

  test('a delivery that waits for a slot when the receiver closes gets 503', async () => {
    const { receiver, handler } = receiverOn(memoryStore(), { ...handled, concurrency: 1 });
    handler.mockImplementation(slow(1_000));
    const running = deliver(receiver, about(1));
    await tick();
    const waiting = deliver(receiver, about(2));
    await tick();
    const closed = receiver.close();
    await tick(2_000);
    expect(await waiting).toBe(503);
    await closed;
    expect(await running).toBe(200);
    expect(handler).toHaveBeenCalledOnce();
  });

  test('a delivery whose group is free is handled at once, although that of another is not', async () => {
    const store = memoryStore();
    const [other, { receiver }] = [receiverOn(store), receiverOn(store, handled)];
    other.handler.mockImplementation(slow(5_000));
    await deliver(other.receiver, about(1));
    await tick();
    const statuses: number[] = [];
    for (const id of [1, 2]) void deliver(receiver, about(id)).then((status) => statuses.push(id, status));
    await tick();
    expect(statuses).toEqual([2, 200]);
    await tick(8_000);
    expect(statuses).toEqual([2, 200, 1, 200]);
    await Promise.all([other.receiver.close(), receiver.close()]);
  });
});

test('the next entry of a group starts when the handler of the one before has ended', async () => {
  const { receiver, handler } = receiverOn(memoryStore());
  handler.mockImplementation(slow(1_000));
  for (const sent of ['2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z']) {
    await deliver(receiver, about(1, { _id: sent, sent }));
  }
  await tick(1_001);
  expect(handler).toHaveBeenCalledTimes(2);
  await tick(1_000);
  await receiver.close();
});
