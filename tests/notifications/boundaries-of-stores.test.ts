import { memoryStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, QueuedNotification, StoreLimits } from 'marketplace-seller-sdk/notifications';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { stoppedClocks } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

// What a store keeps when something happens for the second time, at the last millisecond of a time, or to the last of a group.

stoppedClocks();

const kinds = storeKinds();
const day = 86_400_000;
const pass = (ms: number) => vi.advanceTimersByTime(ms);
const of = (key: string, user_id: number): QueuedNotification => entry(key, key, 1, user_id);

describe.for(kinds)('a store in $name', ({ create }) => {
  const opened: NotificationStore[] = [];
  const open = (limits: StoreLimits = {}): NotificationStore => {
    const store = create()(limits);
    opened.push(store);
    return store;
  };
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close?.();
  });
  /** Settles what a worker has leased, after its handler has ended, or failed. */
  const handle = async (store: NotificationStore, key: string, more: object): Promise<boolean> =>
    store.settle(settlement(await lease(store, { groupId: key }), more));
  const keysOf = async (store: NotificationStore): Promise<string[] | undefined> =>
    (await store.waiting?.(100))?.map((each) => each.entry.key);

  test.each([
    [{ unstarted: true, released: true }, 1],
    [{ released: true }, 0],
    [{}, 0],
  ])('a row of stalls after a result %j has %i of them', async (result, stalledCount) => {
    const store = open();
    await store.add(entry('k'));
    await lease(store, { leaseMs: 1 });
    pass(1);
    const stalled = await lease(store);
    expect(stalled.stalledCount).toBe(1);
    await store.settle(settlement(stalled, { retryInMs: 0, ...result }));
    expect((await lease(store)).stalledCount).toBe(stalledCount);
  });

  test.each([
    [false, false, 2],
    [true, false, 3],
    [true, true, 2],
  ])('the third stall of one that runs alone: %s, and renews its lease: %s, makes %i', async (alone, isRenewed, count) => {
    const store = open();
    await store.add(entry('k'));
    for (let stalls = 0; stalls < 2; stalls += 1) {
      await lease(store, { leaseMs: 1 });
      pass(1);
    }
    const suspect = await lease(store, { leaseMs: 10, alone });
    expect(suspect.stalledCount).toBe(2);
    if (isRenewed) expect(await store.renew([suspect], 10)).toEqual([]);
    pass(10);
    expect((await lease(store)).stalledCount).toBe(count);
  });

  test('what was added at the moment until which all is handled, or later, is not handled', async () => {
    const store = open();
    await store.add(entry('a', 'group', 1));
    const leased = await lease(store);
    for (const key of ['b', 'c', 'd']) {
      pass(10);
      await store.add(entry(key, 'group', 1));
    }
    const doneUntil = Date.now() - 10;
    await store.settle(settlement(leased, { done: ['a'], doneUntil }));
    expect(await keysOf(store)).toEqual(['c', 'd']);
    expect(await store.add(entry('b', 'group', 1))).toBe('processed');
  });

  test.each([1, 2])('a group whose %i entries are removed is gone, and comes again with the next one', async (count) => {
    const store = open();
    const keys = ['a', 'b'].slice(0, count);
    for (const key of keys) await store.add(entry(key, 'group'));
    for (const key of keys) expect(await store.removeWaiting?.(key)).toBe(true);
    expect(await store.removeWaiting?.('a')).toBe(false);
    expect(await store.claim(claim())).toEqual({ leases: [] });
    expect(await store.add(entry('a', 'group'))).toBe('added');
    expect((await lease(store)).entry.key).toBe('a');
  });

  test('an entry that runs cannot be removed, one behind it can', async () => {
    const store = open();
    for (const key of ['a', 'b']) await store.add(entry(key, 'group'));
    const leased = await lease(store);
    expect(await store.removeWaiting?.('a')).toBe(false);
    expect(await store.removeWaiting?.('b')).toBe(true);
    expect(await store.settle(settlement(leased, { done: ['a'] }))).toBe(true);
    expect(await store.claim(claim())).toEqual({ leases: [] });
  });

  test('one that runs counts once, however often its lease has ended', async () => {
    const store = open();
    for (const key of ['a', 'b']) await store.add(entry(key));
    for (let leases = 0; leases < 3; leases += 1) {
      expect((await store.claim(claim({ leaseMs: 10, limit: 1, groupId: 'a' }))).leases).toHaveLength(1);
      expect(await store.stats?.()).toMatchObject({ waiting: 1, running: 1 });
      pass(10);
    }
    const last = await lease(store, { groupId: 'a' });
    await store.settle(settlement(last, { done: ['a'] }));
    expect(await store.stats?.()).toMatchObject({ waiting: 1, running: 0 });
  });

  test.each([
    [[], true],
    [[true], false],
    [[false], true],
    [[true, false], true],
    [[false, true], false],
    [[true, false, true], false],
  ])('an entry of which the service showed %j is deleted after maxAgeMs: %s', async (shown, isDeleted) => {
    const store = open({ maxAgeMs: 3 * day });
    await store.add(entry('k'));
    for (const confirmed of shown) await handle(store, 'k', { retryInMs: 10 * day, confirmed });
    pass(3 * day - 1);
    expect(await store.stats?.()).toMatchObject({ waiting: 1 });
    pass(1);
    expect(await store.stats?.()).toMatchObject({ waiting: Number(!isDeleted) });
    expect((await store.stats?.())?.expired ?? 0).toBe(Number(isDeleted));
  });

  test.each<[string, number[], string[]]>([
    ['one has more', [1, 1, 2], ['b', 'c', 'd']],
    ['the other has more', [1, 2, 2], ['a', 'c', 'd']],
  ])('of three entries of two users where %s, the fourth takes the place of the oldest of that one', async (_, users, left) => {
    const store = open({ maxWaiting: 3 });
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      await store.add(of(key, users[index] ?? 0));
      await handle(store, key, { retryInMs: day, confirmed: false });
    }
    await store.add(of('d', 3));
    await handle(store, 'd', { retryInMs: day, confirmed: false });
    expect(await keysOf(store)).toEqual(left);
  });

  test.each([
    [1, ['c']],
    [2, ['b', 'c']],
    [3, ['a', 'b', 'c']],
    [4, ['a', 'b', 'c']],
  ])('with maxDead %i of three dead letters %j stay', async (maxDead, left) => {
    const store = open({ maxDead });
    for (const key of ['a', 'b', 'c']) {
      await store.add(entry(key));
      await handle(store, key, { deadLetter: { key, failure: 'no' } });
    }
    expect((await store.deadLetters(10)).map((each) => each.entry.key)).toEqual(left);
    expect(await store.redrive('c')).toBe(true);
    expect(await store.redrive('c')).toBe(false);
    expect(await lease(store)).toMatchObject({ entry: { key: 'c' }, attempt: 1, stalledCount: 0 });
  });

  test.each([
    [0, 2, ['a', 'b']],
    [1, 2, ['b', 'c']],
    [2, 2, ['c']],
    [3, 2, []],
    [0, 3, ['a', 'b', 'c']],
    [0, 4, ['a', 'b', 'c']],
  ])('behind %i, the next %i that wait or are dead are %j', async (after, limit, keys) => {
    const store = open();
    for (const key of ['a', 'b', 'c']) await store.add(entry(key));
    const waiting = (await store.waiting?.(10)) ?? [];
    const numberOf = (all: readonly { number: number }[]): number => (after === 0 ? 0 : (all[after - 1]?.number ?? NaN));
    expect((await store.waiting?.(limit, numberOf(waiting)))?.map((each) => each.entry.key)).toEqual(keys);
    for (const key of ['a', 'b', 'c']) await handle(store, key, { deadLetter: { key, failure: 'no' } });
    const dead = await store.deadLetters(10);
    expect((await store.deadLetters(limit, numberOf(dead))).map((each) => each.entry.key)).toEqual(keys);
  });
}); // prettier-ignore

test('of two remembered keys, the one that was processed again is the newer', async () => {
  const store = memoryStore({ maxRemembered: 2 });
  const process = async (key: string, deduplicationMs: number): Promise<void> => {
    expect(await store.add(entry(key))).toBe('added');
    await store.settle(settlement(await lease(store), { done: [key], deduplicationMs }));
  };
  await process('a', 10);
  await process('b', day);
  pass(10);
  await process('a', day);
  await process('c', day);
  expect(await store.add(entry('a'))).toBe('processed');
  expect(await store.add(entry('b'))).toBe('added');
});
