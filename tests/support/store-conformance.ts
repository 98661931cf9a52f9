import { testsOf } from './conformance-test.ts';
import type { ConformanceTest } from './conformance-test.ts';
import { entryOf, equal, keysOf, lease, settle, write } from './conformance-steps.ts';
import { roomTests } from './room-conformance.ts';
import type { Claim, NotificationStore, StoreLimits } from 'marketplace-seller-sdk/notifications';

/**
 * The rules that a receiver relies on, as tests for a notification store of your own. Each test opens an empty store.
 *
 * @param openWith Opens an empty store with limits. Without it, the rules of its rooms are left out: that forged notifications take
 *   no room from true ones, and that what nothing has confirmed is deleted in time.
 * @example
 * for (const { name, run } of storeConformance(() => memoryStore(), memoryStore)) {
 *   await run();
 *   console.log(name);
 * }
 */
export function storeConformance(
  open: () => NotificationStore | Promise<NotificationStore>,
  openWith?: (limits: StoreLimits) => NotificationStore | Promise<NotificationStore>,
): ConformanceTest[] {
  return [...testsOf(rules, open), ...(openWith ? roomTests(openWith) : [])];
}

const rules: Readonly<Record<string, (store: NotificationStore) => Promise<void>>> = {
  'an entry is added once, waits until it is handled, and is known after that': async (store) => {
    equal(await store.add(entryOf('a')), 'added', 'a new key');
    equal(await store.add(entryOf('a')), 'waiting', 'a key that waits');
    const leased = await lease(store);
    equal([leased.attempt, leased.stalledCount, leased.coalescedKeys], [1, 0, []], 'the first lease');
    equal(await settle(store, leased, { done: ['a'] }), true, 'the result');
    equal(await store.add(entryOf('a')), 'processed', 'a handled key');
    equal(await keysOf(store), [], 'what is left');
  },
  'a key that was handled is known although it was never added': async (store) => {
    await store.add(entryOf('a'));
    await settle(store, await lease(store), { done: ['a', 'b'] });
    equal(await store.add(entryOf('b')), 'processed', 'the other key');
  },
  'a group is leased once at a time, in the order of the times sent': async (store) => {
    for (const sentAt of [3, 1, 2]) await store.add(entryOf(`k${sentAt}`, { groupId: 'g', sentAt }));
    for (const key of ['k1', 'k2', 'k3']) {
      const leased = await lease(store);
      equal(leased.entry.key, key, 'the next entry');
      equal(await keysOf(store), [], 'a leased group');
      await settle(store, leased, { done: [key] });
    }
  },
  'an entry whose handler has begun to write goes before others of its group, and stands for those sent before it':
    async (store) => {
      if (!store.note) return;
      await store.add(entryOf('k3', { groupId: 'g', sentAt: 3 }));
      await store.note(await lease(store, { leaseMs: 1 }), [write('a', 'sent')]);
      for (const sentAt of [1, 2, 4]) await store.add(entryOf(`k${sentAt}`, { groupId: 'g', sentAt }));
      await new Promise((resolve) => setTimeout(resolve, 30));
      const ended = await lease(store);
      equal([ended.entry.key, ended.coalescedKeys], ['k3', []], 'after its process has ended');
      await settle(store, ended, { retryInMs: 0, writes: [write('a', 'sent')] });
      const failed = await lease(store, { coalesce: true });
      equal([failed.entry.key, failed.coalescedKeys], ['k3', ['k1', 'k2']], 'after it has failed');
      await settle(store, failed, { retryInMs: 0, writes: [] });
      const without = await lease(store);
      equal(without.entry.key, 'k1', 'once it has no writes');
      await settle(store, without, { done: ['k1', 'k2', 'k3'] });
      equal(await keysOf(store), ['k4'], 'what is left');
    },
  'a coalesced lease stands for the whole group': async (store) => {
    for (const sentAt of [3, 1, 2]) await store.add(entryOf(`k${sentAt}`, { groupId: 'g', sentAt }));
    const leased = await lease(store, { coalesce: true });
    equal([leased.entry.key, leased.coalescedKeys], ['k3', ['k1', 'k2']], 'the lease');
  },
  'an entry is given only to a worker that has a handler for it': async (store) => {
    await store.add(entryOf('a', { topic: 'items' }));
    await store.add(entryOf('b'));
    equal(await keysOf(store, { routes: ['questions'] }), ['b'], 'with a handler for questions');
    equal(await keysOf(store, { routes: ['messages'] }), [], 'with a handler for messages');
    equal(await keysOf(store, { routes: ['*'] }), ['a'], 'with a handler for all others');
  },
  'a failure is counted and delays the group, unless it is claimed by name': async (store) => {
    await store.add(entryOf('a'));
    await settle(store, await lease(store), { retryInMs: 60_000 });
    equal(await keysOf(store), [], 'before its time');
    equal((await lease(store, { groupId: 'a' })).attempt, 2, 'the attempt');
  },
  'a released lease counts nothing': async (store) => {
    await store.add(entryOf('a'));
    await settle(store, await lease(store), { retryInMs: 0, released: true });
    equal((await lease(store)).attempt, 1, 'the attempt');
  },
  'an expired lease is a stall, its token is worth nothing, and a result ends the row of stalls': async (store) => {
    await store.add(entryOf('a'));
    const former = await lease(store, { leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    const current = await lease(store);
    equal([current.attempt, current.stalledCount], [2, 1], 'after a stall');
    equal(await store.renew([former], 60_000), ['a'], 'the renewal of the former');
    equal(await settle(store, former, { done: ['a'] }), false, 'the result of the former');
    await settle(store, current, { retryInMs: 0 });
    equal((await lease(store)).stalledCount, 0, 'after a failure');
  },
  'a lease that was given back before its handler ran keeps the row of stalls': async (store) => {
    await store.add(entryOf('a'));
    await lease(store, { leaseMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await settle(store, await lease(store), { retryInMs: 0, released: true, unstarted: true });
    equal((await lease(store)).stalledCount, 1, 'the stalls');
  },
  'a third stall is counted only of a lease that was claimed alone and not renewed': async (store) => {
    await store.add(entryOf('a'));
    const expire = async (more: Partial<Claim>, renewed = false): Promise<number> => {
      const expiring = await lease(store, { leaseMs: 1, ...more });
      if (renewed) await store.renew([expiring], 1);
      await new Promise((resolve) => setTimeout(resolve, 30));
      return expiring.stalledCount;
    };
    const counts = [await expire({}), await expire({}), await expire({}), await expire({ alone: true }, true)];
    equal([...counts, await expire({ alone: true })], [0, 1, 2, 2, 2], 'the stalls beside others');
    equal((await lease(store)).stalledCount, 3, 'after one that ran alone');
  },
  'the writes of an entry are kept for its later runs, by the one that has its lease': async (store) => {
    if (!store.note) return;
    const noted = [write('a', 'sent')];
    await store.add(entryOf('a'));
    const former = await lease(store, { leaseMs: 1 });
    equal(former.writes ?? [], [], 'the writes of the first run');
    equal(await store.note(former, noted), true, 'the note of the first run');
    await new Promise((resolve) => setTimeout(resolve, 30));
    const current = await lease(store);
    equal(current.writes, noted, 'the writes of the second run');
    equal(await store.note(former, [write('b', 'sent')]), false, 'the note of a run that has lost its lease');
    await settle(store, current, { retryInMs: 0, writes: [write('a', 'done')] });
    equal(await store.note(current, noted), false, 'the note of a run that has ended');
    equal((await lease(store)).writes, [write('a', 'done')], 'the writes of a settlement');
  },
  'a dead letter keeps its writes; replayed for itself, it forgets those whose outcome is not known': async (store) => {
    if (!store.note) return;
    const writes = [write('a', 'sent'), write('b', 'done')];
    for (const forgetsUnknown of [false, true]) {
      await store.add(entryOf(`k${forgetsUnknown}`));
      const leased = await lease(store);
      await store.note(leased, writes);
      await settle(store, leased, { deadLetter: { key: leased.entry.key, failure: 'no' } });
      await store.redrive(leased.entry.key, forgetsUnknown);
      const again = await lease(store);
      equal(again.writes, forgetsUnknown ? [write('b', 'done')] : writes, 'the writes after a replay');
      await settle(store, again, { done: [again.entry.key] });
    }
  },
  'the last error of an entry is kept until it is handled': async (store) => {
    await store.add(entryOf('a'));
    const lastFailure = { failure: 'no', isPermanent: true };
    await settle(store, await lease(store), { retryInMs: 0, lastFailure });
    await settle(store, await lease(store), { retryInMs: 0, released: true });
    equal((await lease(store)).lastFailure, lastFailure, 'the last error');
  },
  'what was added before a time can be handled together, whenever it was sent': async (store) => {
    for (const sentAt of [1, 9]) await store.add(entryOf(`k${sentAt}`, { groupId: 'g', sentAt }));
    const addedAt = Date.now();
    while (Date.now() === addedAt) await new Promise((resolve) => setTimeout(resolve, 1));
    const doneUntil = Date.now();
    await store.add(entryOf('k3', { groupId: 'g', sentAt: 3 }));
    await settle(store, await lease(store), { done: ['k1'], doneUntil });
    equal(await store.add(entryOf('k9', { groupId: 'g', sentAt: 9 })), 'processed', 'one that was added before');
    equal(await keysOf(store), ['k3'], 'what is left');
  },
  'the ledger sets a value only if the value is the expected one, and forgets it in time': async ({ ledger }) => {
    if (!ledger) return;
    equal(await ledger.get('a'), undefined, 'a key without a value');
    equal(await ledger.replace('a', 'one', 'two', 60_000), false, 'a value that is not there');
    equal(await ledger.replace('a', undefined, 'one', 60_000), true, 'the first value');
    equal(await ledger.replace('a', undefined, 'two', 60_000), false, 'a second first value');
    const races = ['two', 'three'].map((value) => ledger.replace('a', 'one', value, 60_000));
    equal((await Promise.all(races)).filter(Boolean).length, 1, 'how many of two at once are set');
    equal(await ledger.replace('b', undefined, 'gone', 0), true, 'a value for no time');
    equal(await ledger.get('b'), undefined, 'that value');
  },
  'dead letters are listed in pages, replayed and removed': async (store) => {
    for (const key of ['a', 'b', 'c']) {
      await store.add(entryOf(key));
      await settle(store, await lease(store), { deadLetter: { key, failure: 'no' } });
    }
    const [first] = await store.deadLetters(1);
    const rest = await store.deadLetters(10, first?.number);
    equal([first?.entry.key, ...rest.map(({ entry }) => entry.key)], ['a', 'b', 'c'], 'the pages');
    equal(await store.add(entryOf('a')), 'processed', 'a key that is dead');
    equal(await store.redrive('a'), true, 'a replay');
    equal(await store.removeDeadLetter('b'), true, 'a removal');
    equal([await store.redrive('b'), await store.removeDeadLetter('a')], [false, false], 'what is gone');
    equal((await lease(store)).attempt, 1, 'the attempt after a replay');
  },
  'what waits is listed in pages, in the order of arrival, with its last error and its next attempt': async (store) => {
    if (!store.waiting) return;
    for (const key of ['a', 'b', 'c']) await store.add(entryOf(key));
    const lastFailure = { failure: 'no', isPermanent: false };
    await settle(store, await lease(store, { groupId: 'a' }), { retryInMs: 60_000, lastFailure });
    await lease(store, { groupId: 'b' });
    const [first] = await store.waiting(1);
    equal([first?.entry.key, first?.attempts, first?.failure], ['a', 1, 'no'], 'one that has failed');
    equal((first?.nextInMs ?? 0) > 50_000, true, 'its next attempt');
    const [second, third, ...rest] = await store.waiting(10, first?.number);
    equal([second?.entry.key, second?.nextInMs], ['b', undefined], 'one whose handler runs');
    equal([third?.entry.key, third?.nextInMs, rest.length], ['c', 0, 0], 'one that is due');
  },
  'what waits for its next attempt can be due now, and keeps its attempts': async (store) => {
    if (!store.retryNow) return;
    await store.add(entryOf('a'));
    const leased = await lease(store);
    equal(await store.retryNow('a'), false, 'one whose handler runs');
    await settle(store, leased, { retryInMs: 60_000 });
    equal(
      [await store.retryNow('a'), await store.retryNow('b')],
      [true, false],
      'one that waits, and one that does not exist',
    );
    equal((await lease(store)).attempt, 2, 'the attempt');
  },
  'what waits can be removed, unless its handler runs': async (store) => {
    if (!store.removeWaiting) return;
    for (const key of ['a', 'b']) await store.add(entryOf(key, { groupId: 'g' }));
    const leased = await lease(store);
    const removed = [await store.removeWaiting('a'), await store.removeWaiting('b'), await store.removeWaiting('b')];
    equal(removed, [false, true, false], 'one whose handler runs, one that waits, and one that is gone');
    equal(await settle(store, leased, { done: ['a'] }), true, 'the result of the handler');
    equal([await keysOf(store), await store.add(entryOf('b'))], [[], 'added'], 'what is left');
  },
  'what the service knows nothing of is counted apart, until it does': async (store) => {
    for (const key of ['a', 'b']) await store.add(entryOf(key));
    await settle(store, await lease(store, { groupId: 'a' }), { retryInMs: 0, confirmed: false });
    const stats = await store.stats?.();
    // A store of your own need not have rooms.
    if (stats?.unconfirmed === undefined) return;
    equal([stats.unconfirmed, stats.waiting], [1, 2], 'the counts');
    await settle(store, await lease(store, { groupId: 'a' }), { retryInMs: 0, confirmed: true });
    equal((await store.stats?.())?.unconfirmed, undefined, 'the count after the service has shown it');
  },
  'what waits, runs and is dead is counted': async (store) => {
    for (const key of ['a', 'b', 'c']) await store.add(entryOf(key));
    await settle(store, await lease(store), { deadLetter: { key: 'a', failure: 'no' } });
    await lease(store);
    const stats = await store.stats?.();
    equal([stats?.waiting, stats?.running, stats?.dead], [1, 1, 1], 'the counts');
    equal(stats?.topics.questions?.waiting, 2, 'the topic');
  },
};
