import { createReceiver, openInbox } from 'marketplace-seller-sdk/notifications';
import type {
  NotificationStore,
  QueuedNotification,
  Receiver,
  StoreLimits,
} from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { deliver, patient } from '../support/deliveries.ts';
import { stoppedClocks } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

const kinds = storeKinds();
const day = 86_400_000;

/** An entry of a user and topic. */
function of(key: string, user_id: number, topic = 'questions'): QueuedNotification {
  if (topic === 'questions') return entry(key, key, 1, user_id);
  return { key, groupId: key, sentAt: 1, notification: { known: false, topic, user_id, resource: `/${topic}/1` } };
}

/** How many of some entries a store takes. */
async function added(store: NotificationStore, entries: readonly QueuedNotification[]): Promise<number> {
  const results = await Promise.allSettled(entries.map((each) => store.add(each)));
  return results.filter(({ status }) => status === 'fulfilled').length;
}

const list = (count: number, make: (index: number) => QueuedNotification): QueuedNotification[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Runs the handler of one entry, with what the service has shown of it. */
async function tried(store: NotificationStore, key: string, confirmed: boolean): Promise<void> {
  await store.settle(settlement(await lease(store, { groupId: key }), { retryInMs: 600_000, confirmed }));
}

async function dead(store: NotificationStore, each: QueuedNotification, confirmed?: boolean): Promise<void> {
  await store.add(each);
  const leased = await lease(store, { groupId: each.groupId });
  await store.settle(settlement(leased, { deadLetter: { key: each.key, failure: 'no' }, ...(confirmed !== undefined && { confirmed }) })); // prettier-ignore
}

describe.for(kinds)('the rooms of a store in $name', ({ create }) => {
  stoppedClocks();
  const opened: NotificationStore[] = [];
  const open = (limits: StoreLimits): NotificationStore => {
    const store = create()(limits);
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close?.();
  });

  test.each([
    ['one user', (index: number) => of(`f${index}`, 666)],
    ['fifty users', (index: number) => of(`f${index}`, 600 + (index % 50))],
    ['a thousand users', (index: number) => of(`f${index}`, 1_000 + index)],
    ['a thousand topics of one user', (index: number) => of(`f${index}`, 666, `t${index}`)],
  ])('a flood for %s leaves room for a seller of whom something was true', async (_, forged) => {
    const store = open({ maxWaiting: 100 });
    await store.add(of('true', 7));
    await store.settle(settlement(await lease(store), { done: ['true'], confirmed: true }));
    await added(store, list(1_000, forged));
    expect(
      await added(
        store,
        list(10, (index) => of(`g${index}`, 7)),
      ),
    ).toBe(10);
    expect((await store.stats?.())?.waiting).toBeLessThanOrEqual(400);
  });

  test.each([
    ['one user', (index: number) => of(`f${index}`, 666)],
    ['fifty users', (index: number) => of(`f${index}`, 600 + (index % 50))],
  ])('a flood for %s leaves room for everybody else, and for other topics', async (_, forged) => {
    const store = open({ maxWaiting: 100 });
    await added(store, list(1_000, forged));
    expect(await added(store, [of('new', 7), of('other topic', 600, 'items')])).toBe(2);
  });

  test('one user and topic takes no more than maxWaiting and maxWaitingBytes', async () => {
    const bytes = Buffer.byteLength(JSON.stringify(of('f00', 7)));
    for (const limits of [{ maxWaiting: 20 }, { maxWaitingBytes: 20 * bytes }])
      expect(
        await added(
          open(limits),
          list(40, (index) => of(`f${10 + index}`, 7)),
        ),
      ).toBe(20);
  });

  test('what the service knows nothing of takes no room from new ones, and is bounded itself', async () => {
    const store = open({ maxWaiting: 10 });
    for (let index = 0; index < 40; index += 1) {
      expect(await store.add(of(`f${index}`, 7))).toBe('added');
      await tried(store, `f${index}`, false);
    }
    expect(await store.stats?.()).toMatchObject({ waiting: 10, unconfirmed: 10, expired: 30 });
    expect(
      await added(
        store,
        list(10, (index) => of(`g${index}`, 7)),
      ),
    ).toBe(10);
    const { problems } = await store.claim(claim({ routes: [] }));
    expect(problems?.join()).toContain('were deleted that nothing had confirmed');
  });

  test('of what the service knows nothing of, the user with the most loses the oldest', async () => {
    const store = open({ maxWaiting: 10 });
    const of8 = ['a', 'b'].map((key) => of(key, 8));
    for (const each of [...of8, ...list(20, (index) => of(`f${index}`, 7))]) {
      await store.add(each);
      await tried(store, each.key, false);
    }
    const keys = (await openInbox(store).waiting.list()).map((each) => each.entry.key);
    expect(keys).toEqual(['a', 'b', ...list(8, (index) => of(`f${index + 12}`, 7)).map(({ key }) => key)]);
  });

  test('what nothing has confirmed is deleted after maxAgeMs, counted and told: also of a topic without a handler', async () => {
    const store = open({ maxAgeMs: 3 * day });
    for (const each of [of('untried', 7), of('no handler', 7, 'items'), of('unknown', 7), of('true', 7)])
      await store.add(each);
    await tried(store, 'unknown', false);
    await tried(store, 'true', true);
    await store.add({ ...of('caught up', 7), caughtUp: true });
    vi.advanceTimersByTime(3 * day - 1_000);
    await store.add(of('new', 7));
    expect(await store.stats?.()).toMatchObject({ waiting: 6, unconfirmed: 1 });
    vi.advanceTimersByTime(2_000);
    const stats = await store.stats?.();
    expect(stats).toMatchObject({ waiting: 3, expired: 3, topics: { items: { waiting: 0 } } });
    expect(stats?.unconfirmed).toBeUndefined();
    const keys = (await openInbox(store).waiting.list()).map((each) => each.entry.key);
    expect(keys).toEqual(['true', 'caught up', 'new']);
    expect((await store.claim(claim({ routes: [] }))).problems?.join()).toContain('3 notifications were deleted');
  });

  test('one whose handler runs is not deleted', async () => {
    const store = open({ maxAgeMs: day });
    await store.add(of('a', 7));
    const leased = await lease(store, { leaseMs: 3 * day });
    vi.advanceTimersByTime(2 * day);
    expect(await store.stats?.()).toMatchObject({ running: 1 });
    expect(await store.settle(settlement(leased, { done: ['a'] }))).toBe(true);
  });

  test('forged dead letters do not push out true ones', async () => {
    const store = open({ maxDead: 100 });
    for (let index = 0; index < 10; index += 1) await dead(store, of(`true${index}`, 7), true);
    for (let index = 0; index < 200; index += 1) await dead(store, of(`f${index}`, 7), false);
    const keys = (await store.deadLetters(200)).map((letter) => letter.entry.key);
    expect(keys).toHaveLength(100);
    expect(keys.filter((key) => key.startsWith('true'))).toHaveLength(10);
    expect(keys.at(-1)).toBe('f199');
  });

  test('the dead letters of one user and topic do not push out those of another', async () => {
    const store = open({ maxDead: 100 });
    for (const each of ['questions', 'items']) for (let index = 0; index < 5; index += 1) await dead(store, of(`${each}${index}`, 7, each)); // prettier-ignore
    for (let index = 0; index < 200; index += 1) await dead(store, of(`f${index}`, 8));
    const keys = (await store.deadLetters(200)).map((letter) => letter.entry.key);
    expect(keys.filter((key) => /^(questions|items)\d$/.test(key))).toHaveLength(10);
  });

  test('the oldest age is known by topic', async () => {
    const store = open({});
    await store.add(of('a', 7));
    vi.advanceTimersByTime(5_000);
    for (const key of ['b', 'c']) await store.add(of(key, 7, 'items'));
    vi.advanceTimersByTime(1_000);
    const topics = { questions: { oldestAgeMs: 6_000 }, items: { oldestAgeMs: 1_000 } };
    expect(await store.stats?.()).toMatchObject({ oldestAgeMs: 6_000, topics });
  });
});

describe.for(kinds)('a receiver on a store in $name', ({ create, isShared }) => {
  const receivers: Receiver[] = [];
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const logger = { debug: () => {}, info: () => {}, warn: say, error: say };
  afterEach(async () => {
    for (const each of receivers.splice(0)) await each.close();
    lines.length = 0;
  });

  test('forged notifications of one seller do not answer 503 to the next true one of that seller', async () => {
    const marketplace = new FakeMarketplace();
    const account = marketplace.addUser({ user_id: 7 });
    const from = marketplace.addUser({ user_id: 31 });
    const { item_id } = marketplace.addItem({ seller_id: 7 });
    const seen: number[] = [];
    const receiver = createReceiver({
      store: create()({ maxWaiting: 50 }),
      ...patient,
      logger,
      clientFor: () => marketplace.clientFor(account),
      on: { questions: async (_, { read }) => void seen.push((await read()).id) },
    });
    receivers.push(receiver);
    const about = (id: number): object => ({
      _id: `e${id}`,
      user_id: 7,
      topic: 'questions',
      resource: `/questions/${id}`,
    });
    for (let index = 0; index < 4; index += 1) {
      const forged = Array.from({ length: 40 }, (_, each) => deliver(receiver, about(900_000 + index * 40 + each)));
      expect(new Set(await Promise.all(forged))).toEqual(new Set([200]));
      await expect.poll(async () => (await receiver.waiting.list({ limit: 200 })).filter(({ attempts }) => attempts === 0)).toEqual([]); // prettier-ignore
    }
    const { id } = marketplace.ask({ from, item_id, text: 'Is it in stock?' });
    expect(await deliver(receiver, about(id))).toBe(200);
    await expect.poll(() => seen).toEqual([id]);
    const { unconfirmed = 0, expired = 0 } = await receiver.stats();
    expect([unconfirmed, expired]).toEqual([50, 110]);
    expect(lines.join()).toContain('were deleted that nothing had confirmed');
  });

  test('dead letters of users whose client is another one do not push out true ones', async () => {
    const marketplace = new FakeMarketplace();
    const client = marketplace.clientFor(marketplace.addUser({ user_id: 7 }));
    const { item_id } = marketplace.addItem({ seller_id: 7 });
    const receiver = createReceiver({
      store: create()({ maxDead: 20 }),
      ...patient,
      logger,
      retry: { attempts: 1 },
      clientFor: () => client, // instead of `undefined` for those who are not ours
      on: {
        questions: async (_, { read }) => {
          await read();
          throw new Error('no');
        },
      },
    });
    receivers.push(receiver);
    const asked = Array.from({ length: 10 }, () => marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' })); // prettier-ignore
    for (const { id } of asked) await deliver(receiver, { user_id: 7, topic: 'questions', resource: `/questions/${id}` }); // prettier-ignore
    await receiver.idle();
    for (let user_id = 100; user_id < 150; user_id += 1)
      await deliver(receiver, { user_id, topic: 'questions', resource: '/questions/1' });
    await receiver.idle();
    const letters = await receiver.deadLetters.list();
    expect(letters).toHaveLength(20);
    expect(letters.filter(({ entry: { notification } }) => notification.user_id === 7)).toHaveLength(10);
  });

  test('a front tier says what its store has deleted, and what nobody handles can be removed', async () => {
    const store = create()({ maxAgeMs: 1 });
    const receiver = createReceiver({ store, ...patient, logger, handle: false });
    receivers.push(receiver);
    for (const id of [1, 2]) {
      expect(await deliver(receiver, { user_id: 7, topic: 'items', resource: `/items/${id}` })).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await expect.poll(async () => (await receiver.stats()).expired).toBe(2);
    const long = create()({});
    const other = createReceiver({ store: long, ...patient, logger, handle: false });
    receivers.push(other);
    await deliver(other, { user_id: 7, topic: 'items', resource: '/items/3' });
    expect(await other.waiting.removeAll(({ entry: { notification } }) => notification.topic === 'items')).toBe(1);
    expect(await other.stats()).toMatchObject({ waiting: 0 });
  });

  test.runIf(isShared)('a topic that nobody here handles never gets a 503, however many of it wait', async () => {
    const store = create()({ maxWaiting: 3 });
    const receiver = createReceiver({ store, ...patient, logger, on: { questions: () => {} } });
    receivers.push(receiver);
    for (let id = 0; id < 6; id += 1)
      expect(await deliver(receiver, { user_id: 7, topic: 'items', resource: `/items/${id}` })).toBe(200);
    expect(await receiver.stats()).toMatchObject({ waiting: 3, unreadable: 3 });
    expect(lines.join()).toContain('the store is full');
  });
});
