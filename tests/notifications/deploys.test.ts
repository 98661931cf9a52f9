import { ConfigurationError } from 'marketplace-seller-sdk';
import { createReceiver, memoryStore, openInbox, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, Receiver, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { about, deliver } from '../support/deliveries.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

fakeTimersOfInbox();

const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const never = () => new Promise<void>(() => {});

/** A process on a store that others share; its log has the warnings and errors. */
function processOn(store: NotificationStore, options: Partial<ReceiverOptions>) {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const shared = Object.assign(store, { durable: true, shared: true });
  const receiver = createReceiver({ store: shared, logger, ...options });
  return { receiver, lines };
}

const item = (number: number) => ({ user_id: 7, topic: 'items', resource: `/items/${number}`, _id: `item-${number}` });

describe('a process without a handler', () => {
  test('leaves what others accepted, says so once per topic, and they handle it', async () => {
    const store = memoryStore();
    const older = processOn(store, { on: { questions: () => {} } });
    const web = processOn(store, { handle: false });
    for (let id = 0; id < 50; id += 1) expect(await deliver(web.receiver, item(id))).toBe(200);
    expect(await deliver(web.receiver, about(1))).toBe(200);
    // Also what is delivered to the one without a handler, during a deploy.
    for (let id = 50; id < 60; id += 1) expect(await deliver(older.receiver, item(id))).toBe(200);
    older.receiver.start();
    await tick(60_000);
    older.receiver.start();
    await tick(60_000);
    expect(await older.receiver.stats()).toMatchObject({ waiting: 60, running: 0, dead: 0 });
    expect(older.lines).toEqual(['Notifications of the topic items wait for a process that has a handler for it']);
    const handled: string[] = [];
    const newer = processOn(store, { fallback: ({ resource }) => void handled.push(resource) });
    newer.receiver.start();
    await tick(5_000);
    expect(new Set(handled).size).toBe(60);
    await Promise.all([older, newer, web].map(({ receiver }) => receiver.close()));
  });

  test('says so too of what is delivered to it later, and of at most a hundred topics that strangers invent', async () => {
    const older = processOn(memoryStore(), { on: { questions: () => {} } });
    older.receiver.start();
    await tick(60_000);
    expect(older.lines).toEqual([]);
    const said = (topic: string): string =>
      `Notifications of the topic ${topic} wait for a process that has a handler for it`;
    for (let id = 1; id <= 3; id += 1) expect(await deliver(older.receiver, item(id))).toBe(200);
    expect(older.lines).toEqual([said('items')]);
    for (let id = 1; id <= 200; id += 1)
      await deliver(older.receiver, { ...item(id), _id: `forged-${id}`, topic: `t${id}` });
    expect(older.lines).toHaveLength(100);
    expect(older.lines[1]).toBe(said('t1'));
    await older.receiver.close();
  });

  test('with a topic of its own offers what it cannot handle ever more seldom, so that it takes no turns of others', async () => {
    const store = memoryStore();
    const rates = { endpoint: endpoints.currencies.get, idOf: () => 'BRL' };
    const options = { topics: { rates }, on: { rates: () => {} } } as unknown as ReceiverOptions;
    const settle = vi.spyOn(store, 'settle');
    const older = processOn(store, options);
    await deliver(older.receiver, item(1));
    await tick(24 * 3_600_000);
    // After 10, 20, 40, ... seconds, and then every five minutes, instead of 8,640 times.
    expect(settle.mock.calls.length).toBeLessThanOrEqual(6 + 24 * 12);
    expect(older.lines).toEqual(['Notifications of the topic items wait for a process that has a handler for it']);
    await older.receiver.close();
    const handled: string[] = [];
    const newer = processOn(store, { fallback: ({ resource }) => void handled.push(resource) });
    newer.receiver.start();
    await tick(300_000);
    expect(handled).toEqual(['/items/1']);
    await newer.receiver.close();
  });

  test('old beside new in 20 rounds: whichever is asked, what was accepted is handled by who can', async () => {
    const store = memoryStore();
    const handled = new Map<string, string>();
    let accepted = 0;
    for (let round = 0; round < 20; round += 1) {
      const versions: Partial<ReceiverOptions>[] = [
        { on: { questions: ({ id }) => void handled.set(String(id), 'old') } },
        {
          on: { questions: ({ id }) => void handled.set(String(id), 'new') },
          fallback: ({ id }) => void handled.set(String(id), 'new'),
        },
      ];
      const running = versions.map((options) => processOn(store, options).receiver);
      for (const receiver of running) receiver.start();
      const [older, newer] = round % 2 === 0 ? running : running.toReversed();
      await deliver(newer!, about(round, { _id: `q-${round}` }));
      await deliver(running[1]!, item(round));
      accepted += 2;
      await older!.close();
      await tick(10);
      await newer!.close();
    }
    const last = processOn(store, {
      on: { questions: () => {} },
      fallback: ({ id }) => void handled.set(String(id), 'new'),
    });
    last.receiver.start();
    await tick(5_000);
    expect(handled.size).toBe(accepted);
    expect([...handled].filter(([id, by]) => id.startsWith('item') && by !== 'new')).toEqual([]);
    await last.receiver.close();
  });
});

describe('a deploy', () => {
  test('five of them, with handlers that ignore their signal, use up no attempt', async () => {
    const store = memoryStore();
    const attempts: number[] = [];
    for (let deploy = 0; deploy < 5; deploy += 1) {
      const questions = (_: unknown, context: { attempt: number }) => {
        attempts.push(context.attempt);
        return never();
      };
      const { receiver } = processOn(store, { on: { questions } });
      if (deploy === 0) await deliver(receiver, about(1));
      receiver.start();
      await tick(10);
      const closing = receiver.close();
      await tick(5_000 + 1_000 + 10);
      await closing;
    }
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
    expect((await lease(store, { workerId: 'next' })).stalledCount).toBe(0);
  });

  test('close() ends within 10 seconds by default', async () => {
    const { receiver } = processOn(memoryStore(), { on: { questions: never } });
    await deliver(receiver, about(1));
    await tick(10);
    let isClosed = false;
    void receiver.close().then(() => (isClosed = true));
    await tick(5_900);
    expect(isClosed).toBe(false);
    await tick(2_000);
    expect(isClosed).toBe(true);
  });

  test('what a handler that ignores its signal does later has no effect', async () => {
    const store = memoryStore();
    const end = Promise.withResolvers<undefined>();
    const { receiver } = processOn(store, { on: { questions: () => end.promise } });
    await deliver(receiver, about(1));
    await tick(10);
    const closing = receiver.close({ graceMs: 10 });
    await tick(2_000);
    await closing;
    end.resolve(undefined);
    await tick(10);
    expect((await store.claim(claim())).leases).toHaveLength(1);
  });
});

test('an entry suspected of killing processes runs alone for a third of a lease, then beside the others', async () => {
  const store = memoryStore();
  for (const key of ['a', 'b']) await store.add(entry(key, key, 1, 1));
  for (let stalls = 0; stalls < 2; stalls += 1) {
    await store.claim(claim({ leaseMs: 10 }));
    await tick(20);
  }
  const starts: number[] = [];
  const end = Promise.withResolvers<undefined>();
  const { receiver } = processOn(store, {
    leaseMs: 30_000,
    on: {
      questions: async ({ user_id }) => {
        starts.push(user_id);
        if (user_id === 1) await end.promise;
      },
    },
  });
  receiver.start();
  await tick(100);
  expect(starts).toEqual([1]);
  for (let id = 0; id < 10; id += 1) await deliver(receiver, about(id, { user_id: 2 }));
  await tick(9_000);
  expect(starts).toEqual([1]);
  await tick(1_000);
  expect(starts).toEqual([1, ...Array<number>(10).fill(2)]);
  // The other suspect runs as soon as the first has ended.
  end.resolve(undefined);
  await tick(10);
  expect(starts.filter((user_id) => user_id === 1)).toHaveLength(2);
  await receiver.close();
});

describe('start()', () => {
  test('is what starts the handling of a backlog; without it, the log says so once', async () => {
    const store = memoryStore();
    await store.add(entry('a'));
    const questions = vi.fn();
    const { receiver, lines } = processOn(store, { on: { questions } });
    await tick(60_000);
    expect(questions).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.stringContaining('1 notifications wait until start() is called')]);
    receiver.start();
    await tick(10);
    expect(questions).toHaveBeenCalledOnce();
    expect(lines).toHaveLength(1);
    await receiver.close();
  });

  test('a receiver with `handle: false` accepts all topics and handles none', async () => {
    const store = memoryStore();
    const questions = vi.fn();
    const { receiver } = processOn(store, { handle: false, on: { questions } });
    for (const body of [about(1), item(1)]) expect(await deliver(receiver, body)).toBe(200);
    receiver.start();
    await tick(60_000);
    await receiver.idle();
    expect(questions).not.toHaveBeenCalled();
    expect(await receiver.stats()).toMatchObject({ waiting: 2 });
    await receiver.close();
  });
});

describe('openInbox', () => {
  async function withDeadLetters(count: number): Promise<NotificationStore> {
    const store = memoryStore();
    for (let index = 0; index < count; index += 1) {
      await store.add(entry(`k${index}`));
      await store.settle(settlement(await lease(store), { deadLetter: { key: `k${index}`, failure: 'no' } }));
    }
    return store;
  }

  test('counts, lists in pages, replays and removes, and handles nothing', async () => {
    const store = await withDeadLetters(250);
    for (let id = 0; id < 25; id += 1) await store.add(entry(`live-${id}`));
    const inbox = openInbox(store);
    const pages: string[] = [];
    for (let after = 0; ;) {
      const page = await inbox.deadLetters.list({ limit: 100, after });
      pages.push(...page.map((letter) => letter.entry.key));
      if (page.length < 100) break;
      after = page.at(-1)!.number;
    }
    expect(new Set(pages).size).toBe(250);
    expect(await inbox.deadLetters.remove('k0')).toBe(true);
    await tick(1_000);
    expect(await inbox.deadLetters.replayAll()).toBe(249);
    expect(await inbox.stats()).toMatchObject({ waiting: 25 + 249, running: 0, dead: 0 });
    await inbox.close();
  });

  test.each<[string, (inbox: ReturnType<typeof openInbox>) => Promise<unknown>]>([
    ['an option of list()', (inbox) => inbox.deadLetters.list({ limti: 5 } as never)],
    ['a limit', (inbox) => inbox.deadLetters.list({ limit: 0 })],
  ])('%s that is unknown or wrong is rejected', async (_, use) => {
    await expect(use(openInbox(memoryStore()))).rejects.toThrow('list: ');
    expect(() => openInbox({} as never)).toThrow('the method `add`');
  });
});

test('retries last for hours, at most a day, and grow', async () => {
  const times: number[] = [];
  const receiver: Receiver = createReceiver({
    on: {
      questions: () => {
        times.push(Date.now());
        throw new Error('away');
      },
    },
    onFailure: () => {},
  });
  await deliver(receiver, about(1));
  await tick(24 * 3_600_000);
  const hours = (times.at(-1)! - times[0]!) / 3_600_000;
  expect(hours).toBeGreaterThan(5);
  expect(hours).toBeLessThan(24);
  expect(await receiver.stats()).toMatchObject({ waiting: 0, dead: 1 });
  await receiver.close();
});

test('a dead letter that is deleted for want of room is logged', async () => {
  const { receiver, lines } = processOn(memoryStore({ maxDead: 1 }), {
    retry: { attempts: 1 },
    on: {
      questions: () => {
        throw new Error('no');
      },
    },
    onFailure: () => {},
  });
  for (const id of [1, 2]) await deliver(receiver, about(id));
  await tick(5_000);
  expect(lines.filter((line) => line.includes('deleted for want of room'))).toHaveLength(1);
  await receiver.close();
});

test('what waits, runs and is dead is counted, with the age of the oldest and the last arrival per topic', async () => {
  const { receiver } = processOn(memoryStore(), { on: { questions: never }, concurrency: 1 });
  expect(await receiver.stats()).toEqual({ waiting: 0, running: 0, dead: 0, topics: {} });
  const startedAt = Date.now();
  await deliver(receiver, about(1));
  await tick(2_000);
  await deliver(receiver, about(2));
  await tick(1_000);
  expect(await receiver.stats()).toEqual({
    waiting: 1,
    running: 1,
    dead: 0,
    oldestAgeMs: 3_000,
    topics: { questions: { waiting: 2, lastArrivalAt: startedAt + 2_000, oldestAgeMs: 3_000 } },
  });
  const queued = createReceiver({ queue: { add: async () => {} }, on: { questions: never } });
  await expect(queued.stats()).rejects.toThrow('stats() needs a store');
  const closing = receiver.close({ graceMs: 1 });
  await tick(5_000);
  await closing;
});

test('a store in memory by SQLite is neither durable nor shared, and does not acknowledge what dies with it', async () => {
  const store = sqliteStore({ path: ':memory:' });
  expect(store).toMatchObject({ durable: false, shared: false });
  await store.close?.();
});

test('`onSuccess` gets each notification that was handled', async () => {
  const seen: number[] = [];
  const receiver = createReceiver({
    on: { questions: () => new Promise((resolve) => setTimeout(resolve, 40)) },
    onSuccess: ({ attempt, durationMs, entry: { notification } }) =>
      void seen.push(attempt, durationMs, Number(notification.question_id)),
  });
  await deliver(receiver, about(1));
  await tick(100);
  expect(seen).toEqual([1, 40, 1]);
  await receiver.close();
});

test('two notifications without id and times are two events; one with a time is one', async () => {
  const questions = vi.fn();
  const receiver = createReceiver({ on: { questions } });
  const bare = { user_id: 7, topic: 'questions', resource: '/questions/1' };
  for (const body of [bare, bare]) await deliver(receiver, body);
  await tick(10);
  expect(questions).toHaveBeenCalledTimes(2);
  const sent = { ...bare, sent: '2026-11-20T10:00:00.000Z' };
  for (const body of [sent, { ...sent, attempts: 2 }]) await deliver(receiver, body);
  await tick(10);
  expect(questions).toHaveBeenCalledTimes(3);
  await receiver.close();
});

test('an entry that a newer version has stored is kept, with a message, for a process that can read it', async () => {
  const store = memoryStore();
  const questions = vi.fn();
  const { receiver, lines } = processOn(store, { on: { questions } });
  await store.add({ ...entry('k'), version: 99 });
  receiver.start();
  await tick(3 * 3_600_000);
  expect(questions).not.toHaveBeenCalled();
  expect(lines).toEqual([expect.stringContaining('was stored by a newer version of this package')]);
  expect(await receiver.stats()).toMatchObject({ waiting: 1, dead: 0 });
  expect((await store.claim(claim({ leaseMs: 1, groupId: 'k' }))).leases).toMatchObject([{ attempt: 1 }]);
  const closing = receiver.close({ graceMs: 1 });
  await tick(5_000);
  await closing;
});

test('openInbox takes a store', () => {
  expect(() => openInbox({ add: () => {} } as never)).toThrow(ConfigurationError);
  expect(() => openInbox(undefined as never)).toThrow(
    'openInbox takes a store, or a queue with `inbox` such as bullmqQueue: it must be an object with the method `add`',
  );
});
