import { ConfigurationError } from 'marketplace-seller-sdk';
import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test, vi } from 'vitest';
import { fakeTimersOfInbox } from '../support/fake-time.ts';
import { about, deliver } from '../support/deliveries.ts';
import { work } from '../support/notification-work.ts';

fakeTimersOfInbox();

const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const never = () => new Promise<void>(() => {});

/** A process on a store that others share; its log has the warnings and errors. */
function processOn(store: Store, options: Partial<InboxOptions>) {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const shared = Object.assign(store, { durable: true, shared: true });
  const inbox = createInbox({ store: shared, logger, ...options });
  return { inbox, lines };
}

const item = (number: number) => ({ user_id: 7, topic: 'items', resource: `/items/${number}`, _id: `item-${number}` });

describe('a process without a handler', () => {
  test('leaves what others accepted, says so once per topic, and they handle it', async () => {
    const store = memoryStore();
    const older = processOn(store, { on: { questions: () => {} } });
    const web = processOn(store, { handle: false });
    for (let id = 0; id < 50; id += 1) expect(await deliver(web.inbox, item(id))).toBe(200);
    expect(await deliver(web.inbox, about(1))).toBe(200);
    // Also what is delivered to the one without a handler, during a deploy.
    for (let id = 50; id < 60; id += 1) expect(await deliver(older.inbox, item(id))).toBe(200);
    older.inbox.start();
    await tick(60_000);
    older.inbox.start();
    await tick(60_000);
    expect(await older.inbox.stats()).toMatchObject({ waiting: 60, running: 0, dead: 0 });
    expect(older.lines).toEqual(['Notifications of the topic items wait for a process that has a handler for it']);
    const handled: string[] = [];
    const newer = processOn(store, { fallback: ({ resource }) => void handled.push(resource) });
    newer.inbox.start();
    await tick(5_000);
    expect(new Set(handled).size).toBe(60);
    await Promise.all([older, newer, web].map(({ inbox }) => inbox.close()));
  });

  test('says so too of what is delivered to it later, and of at most a hundred topics that strangers invent', async () => {
    const older = processOn(memoryStore(), { on: { questions: () => {} } });
    older.inbox.start();
    await tick(60_000);
    expect(older.lines).toEqual([]);
    const said = (topic: string): string =>
      `Notifications of the topic ${topic} wait for a process that has a handler for it`;
    for (let id = 1; id <= 3; id += 1) expect(await deliver(older.inbox, item(id))).toBe(200);
    expect(older.lines).toEqual([said('items')]);
    for (let id = 1; id <= 200; id += 1)
      await deliver(older.inbox, { ...item(id), _id: `forged-${id}`, topic: `t${id}` });
    expect(older.lines).toHaveLength(100);
    expect(older.lines[1]).toBe(said('t1'));
    await older.inbox.close();
  });

  test('with a topic of its own offers what it cannot handle ever more seldom, so that it takes no turns of others', async () => {
    const store = memoryStore();
    const rates = { endpoint: endpoints.currencies.get, idOf: () => 'BRL' };
    const options = { topics: { rates }, on: { rates: () => {} } } as unknown as InboxOptions;
    const settle = vi.spyOn(store, 'settle');
    const older = processOn(store, options);
    await deliver(older.inbox, item(1));
    await tick(3 * 3_600_000);
    // After 10, 20, 40, ... seconds, and then every five minutes, instead of 1,080 times.
    expect(settle.mock.calls.length).toBeLessThanOrEqual(6 + 3 * 12);
    expect(older.lines).toEqual(['Notifications of the topic items wait for a process that has a handler for it']);
    await older.inbox.close();
    const handled: string[] = [];
    const newer = processOn(store, { fallback: ({ resource }) => void handled.push(resource) });
    newer.inbox.start();
    await tick(300_000);
    expect(handled).toEqual(['/items/1']);
    await newer.inbox.close();
  });

  test('of three days deletes what nobody has handled, counts it and says so; known topics stay for the others', async () => {
    const store = memoryStore();
    const start = () => {
      const older = processOn(store, { on: { messages: () => {} } });
      const web = processOn(store, { handle: false });
      for (const { inbox } of [older, web]) inbox.start();
      return { older, web };
    };
    const first = start();
    for (let id = 4; id < 1_006; id += 1) await deliver(first.older.inbox, item(id));
    await deliver(first.web.inbox, about(1));
    for (const { inbox } of Object.values(first)) await inbox.close();
    // Its processes are stopped for most of the three days.
    await tick(3 * 86_400_000 - 2 * 3_600_000);
    const { older, web } = start();
    await tick(2 * 3_600_000 - 1_000);
    expect(await web.inbox.stats()).toMatchObject({ waiting: 1_003, expired: 0 });
    await deliver(older.inbox, item(3));
    await older.inbox.close();
    await tick(2 * 3_600_000);
    expect(await web.inbox.stats()).toMatchObject({ waiting: 2, expired: 1_002 });
    await tick(3 * 86_400_000);
    expect(await web.inbox.stats()).toMatchObject({ waiting: 1, expired: 1_003 });
    const deleted = (count: number) =>
      `${count} notifications were deleted: no process has had a handler for their topic in time`;
    expect(web.lines).toEqual([1_000, 2, 1].map(deleted));
    await web.inbox.close();
  });

  test.each([0, 29])(
    'deletes nothing that a process of %i days has a handler for, which may be stopped',
    async (days) => {
      const store = memoryStore();
      const newer = processOn(store, { fallback: () => {} });
      // It is polled every ten minutes, not every second.
      Object.assign(store, { shared: false });
      newer.inbox.start();
      await tick(days * 86_400_000 + 1_000);
      await newer.inbox.close();
      const start = () => {
        const { inbox } = processOn(store, { on: { questions: () => {} } });
        inbox.start();
        return inbox;
      };
      const first = start();
      await deliver(first, item(1));
      await first.close();
      await tick(4 * 86_400_000);
      const older = start();
      await tick(2 * 3_600_000);
      expect(await older.stats()).toMatchObject({ waiting: 1, expired: 0 });
      await older.close();
    },
  );

  test('old beside new in 20 rounds: whichever is asked, what was accepted is handled by who can', async () => {
    const store = memoryStore();
    const handled = new Map<string, string>();
    let accepted = 0;
    for (let round = 0; round < 20; round += 1) {
      const versions: Partial<InboxOptions>[] = [
        { on: { questions: ({ id }) => void handled.set(String(id), 'old') } },
        {
          on: { questions: ({ id }) => void handled.set(String(id), 'new') },
          fallback: ({ id }) => void handled.set(String(id), 'new'),
        },
      ];
      const running = versions.map((options) => processOn(store, options).inbox);
      for (const inbox of running) inbox.start();
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
    last.inbox.start();
    await tick(5_000);
    expect(handled.size).toBe(accepted);
    expect([...handled].filter(([id, by]) => id.startsWith('item') && by !== 'new')).toEqual([]);
    await last.inbox.close();
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
      const { inbox } = processOn(store, { on: { questions } });
      if (deploy === 0) await deliver(inbox, about(1));
      inbox.start();
      await tick(10);
      const closing = inbox.close();
      await tick(5_000 + 1_000 + 10);
      await closing;
    }
    expect(attempts).toEqual([1, 1, 1, 1, 1]);
    expect(
      (await store.list({ kinds: ['questions'], states: ['waiting'], limit: 10, after: 0 })).map(
        ({ stalls }) => stalls,
      ),
    ).toEqual([0]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('close() ends within 10 seconds by default', async () => {
    const { inbox } = processOn(memoryStore(), { on: { questions: never } });
    await deliver(inbox, about(1));
    await tick(10);
    let isClosed = false;
    void inbox.close().then(() => (isClosed = true));
    await tick(5_900);
    expect(isClosed).toBe(false);
    await tick(2_000);
    expect(isClosed).toBe(true);
  });
});

describe('start()', () => {
  test('an inbox with `handle: false` accepts all topics and handles none', async () => {
    const store = memoryStore();
    const questions = vi.fn();
    const { inbox } = processOn(store, { handle: false, on: { questions } });
    for (const body of [about(1), item(1)]) expect(await deliver(inbox, body)).toBe(200);
    inbox.start();
    await tick(60_000);
    await inbox.idle();
    expect(questions).not.toHaveBeenCalled();
    expect(await inbox.stats()).toMatchObject({ waiting: 2 });
    await inbox.close();
  });
});

describe('openInbox', () => {
  async function withDeadLetters(count: number): Promise<Store> {
    const store = memoryStore();
    for (let index = 0; index < count; index += 1) await store.add(work(`k${index}`));
    const { leases } = await store.claim({ kinds: ['questions'], limit: count, leaseMs: 60_000, alone: false });
    for (const lease of leases)
      await store.settle(lease, { state: 'dead', inMs: 0, failed: true, failure: 'no', keepsData: true });
    return store;
  }

  test('counts, lists in pages, replays and removes, and handles nothing', async () => {
    const store = await withDeadLetters(250);
    for (let id = 0; id < 25; id += 1) await store.add(work(`live-${id}`));
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
    expect(() => openInbox({} as never)).toThrow('openInbox takes what sqliteStore');
  });
});

test('retries last for hours, at most a day, and grow', async () => {
  const times: number[] = [];
  const inbox: Inbox = createInbox({
    on: {
      questions: () => {
        times.push(Date.now());
        throw new Error('away');
      },
    },
    onFailure: () => {},
  });
  await deliver(inbox, about(1));
  await tick(24 * 3_600_000);
  const hours = (times.at(-1)! - times[0]!) / 3_600_000;
  expect(hours).toBeGreaterThan(5);
  expect(hours).toBeLessThan(24);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 1 });
  await inbox.close();
});

test('what waits, runs and is dead is counted, with the age of the oldest', async () => {
  const { inbox } = processOn(memoryStore(), { on: { questions: never }, concurrency: 1 });
  const none = { waiting: 0, running: 0, dead: 0, rejected: 0, unreadable: 0, expired: 0, dropped: 0 };
  expect(await inbox.stats()).toEqual(none);
  await deliver(inbox, about(1));
  await tick(2_000);
  await deliver(inbox, about(2));
  await tick(1_000);
  expect(await inbox.stats()).toEqual({ ...none, waiting: 1, running: 1, oldestAgeMs: 3_000 });
  const closing = inbox.close({ graceMs: 1 });
  await tick(5_000);
  await closing;
});

test('a store in memory by SQLite is neither durable nor shared, and does not acknowledge what dies with it', async () => {
  const store = sqliteStore(':memory:');
  expect(store).toMatchObject({ durable: false, shared: false });
  await store.close?.();
});

test('`onSuccess` gets each notification that was handled', async () => {
  const seen: number[] = [];
  const inbox = createInbox({
    on: { questions: () => new Promise((resolve) => setTimeout(resolve, 40)) },
    onSuccess: ({ attempt, durationMs, entry: { notification } }) =>
      void seen.push(attempt, durationMs, Number(notification.question_id)),
  });
  await deliver(inbox, about(1));
  await tick(100);
  expect(seen).toEqual([1, 40, 1]);
  await inbox.close();
});

test('two notifications without id and times are two events; one with a time is one', async () => {
  const questions = vi.fn();
  const inbox = createInbox({ on: { questions } });
  const bare = { user_id: 7, topic: 'questions', resource: '/questions/1' };
  for (const body of [bare, bare]) await deliver(inbox, body);
  await tick(10);
  expect(questions).toHaveBeenCalledTimes(2);
  const sent = { ...bare, sent: '2026-11-20T10:00:00.000Z' };
  for (const body of [sent, { ...sent, attempts: 2 }]) await deliver(inbox, body);
  await tick(10);
  expect(questions).toHaveBeenCalledTimes(3);
  await inbox.close();
});

test('openInbox takes a store', () => {
  expect(() => openInbox({ add: () => {} } as never)).toThrow(ConfigurationError);
  expect(() => openInbox(undefined as never)).toThrow(
    'openInbox takes what sqliteStore, postgresStore, memoryStore or bullmq returns',
  );
});
