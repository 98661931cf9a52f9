import { testsOf } from './conformance-test.ts';
import type { ConformanceTest } from './conformance-test.ts';
import { entryOf, equal, keysOf, lease, settle } from './conformance-steps.ts';
import type { NotificationStore, StoreLimits } from 'marketplace-seller-sdk/notifications';

/** A rule of a store with limits. */
interface RoomRule {
  readonly name: string;
  readonly limits: StoreLimits;
  readonly rule: (store: NotificationStore) => Promise<void>;
}

/** The rules of the rooms of a store, as tests. Each opens an empty store with its limits. */
export function roomTests(
  openWith: (limits: StoreLimits) => NotificationStore | Promise<NotificationStore>,
): ConformanceTest[] {
  return rules.flatMap(({ name, limits, rule }) => testsOf({ [name]: rule }, () => openWith(limits)));
}

/** How many of the entries of a user the store takes: those before the first that it has no room for. */
async function taken(store: NotificationStore, prefix: string, user_id: number, most: number): Promise<number> {
  for (let count = 0; count < most; count += 1)
    if (!(await store.add(entryOf(`${prefix}${count}`, { user_id })).catch(() => undefined))) return count;
  return most;
}

/** Runs the handler of an entry, with what the service has shown of it; the next attempt is far off. */
async function tried(store: NotificationStore, key: string, confirmed: boolean): Promise<void> {
  await settle(store, await lease(store, { groupId: key }), { retryInMs: 600_000, confirmed });
}

async function dead(store: NotificationStore, key: string, user_id: number, confirmed: boolean): Promise<void> {
  await store.add(entryOf(key, { user_id }));
  await settle(store, await lease(store, { groupId: key }), { confirmed, deadLetter: { key, failure: 'no' } });
}

const problemsOf = async (store: NotificationStore): Promise<string> =>
  (
    (await store.claim({ workerId: 'conformance', limit: 1, leaseMs: 60_000, coalesce: false, routes: [] })).problems ??
    []
  ).join();

const rules: readonly RoomRule[] = [
  {
    name: 'one user and topic takes no more than its room, and leaves others theirs',
    limits: { maxWaiting: 4 },
    rule: async (store) => {
      equal(await taken(store, 'a', 7, 6), 4, 'how many of one user and topic fit');
      equal(await store.add(entryOf('other topic', { topic: 'items' })), 'added', 'another topic');
      equal(await store.add(entryOf('other user', { user_id: 8 })), 'added', 'another user');
      await settle(store, await lease(store, { groupId: 'a0' }), { done: ['a0'] });
      equal(await store.add(entryOf('more')), 'added', 'one more, after one was handled');
    },
  },
  {
    name: 'a flood at once does not take more than the room of one user and topic',
    limits: { maxWaiting: 5 },
    rule: async (store) => {
      const flood = Array.from({ length: 20 }, (_, index) => store.add(entryOf(`a${index}`)));
      const results = await Promise.allSettled(flood);
      equal(results.filter(({ status }) => status === 'fulfilled').length, 5, 'how many fit');
    },
  },
  {
    name: 'a flood for many users leaves room for one of whom something was true',
    limits: { maxWaiting: 6 },
    rule: async (store) => {
      await store.add(entryOf('true'));
      await settle(store, await lease(store), { done: ['true'], confirmed: true });
      const flood = Array.from({ length: 40 }, (_, index) => store.add(entryOf(`f${index}`, { user_id: 100 + index })));
      await Promise.allSettled(flood);
      equal(await taken(store, 'g', 7, 1), 1, 'the next one of that user');
      equal(((await store.stats?.())?.waiting ?? 0) <= 24, true, 'that four rooms are the most');
    },
  },
  {
    name: 'what the service knows nothing of takes no room from new ones; the user with the most loses the oldest, counted and told',
    limits: { maxWaiting: 4 },
    rule: async (store) => {
      await store.add(entryOf('other', { user_id: 8 }));
      await tried(store, 'other', false);
      for (let index = 0; index < 8; index += 1) {
        equal(await store.add(entryOf(`f${index}`)), 'added', 'one more after those that the service knows nothing of');
        await tried(store, `f${index}`, false);
      }
      const stats = await store.stats?.();
      equal([stats?.waiting, stats?.unconfirmed, stats?.expired], [4, 4, 5], 'the counts');
      const kept = await store.waiting?.(10);
      if (kept) equal(kept.map(({ entry }) => entry.key), ['other', 'f5', 'f6', 'f7'], 'what is left'); // prettier-ignore
      equal((await problemsOf(store)) === '', false, 'that the log says nothing');
    },
  },
  {
    name: 'what nothing has confirmed is deleted after maxAgeMs, counted and told; what catchUp found is kept',
    limits: { maxAgeMs: 1 },
    rule: async (store) => {
      await store.add({ ...entryOf('caught up'), caughtUp: true });
      await store.add(entryOf('no handler', { topic: 'items' }));
      await new Promise((resolve) => setTimeout(resolve, 20));
      const stats = await store.stats?.();
      equal([stats?.waiting, stats?.expired], [1, 1], 'the counts');
      equal((await problemsOf(store)) === '', false, 'that the log says nothing');
      equal(await keysOf(store), ['caught up'], 'what is left');
    },
  },
  {
    name: 'what runs, and what the service has shown, is not deleted after maxAgeMs',
    limits: { maxAgeMs: 300 },
    rule: async (store) => {
      // On a slow machine, it may be too old before it is leased.
      for (let index = 0; ; index += 1) {
        await store.add(entryOf(`k${index}`));
        const [leased] = (await store.claim({ workerId: 'conformance', limit: 1, leaseMs: 60_000, coalesce: false })).leases; // prettier-ignore
        if (!leased) continue;
        await new Promise((resolve) => setTimeout(resolve, 350));
        equal((await store.stats?.())?.running, 1, 'how many run');
        equal(await settle(store, leased, { retryInMs: 0, confirmed: true }), true, 'the result');
        await store.stats?.();
        equal(await keysOf(store), [`k${index}`], 'one that the service has shown');
        return;
      }
    },
  },
  {
    name: 'dead letters of one user and topic, and such as the service knows nothing of, do not push out those of others',
    limits: { maxDead: 6 },
    rule: async (store) => {
      for (const key of ['a', 'b']) await dead(store, key, 7, true);
      for (let index = 0; index < 6; index += 1) await dead(store, `f${index}`, 8, true);
      const keys = async (): Promise<string[]> => (await store.deadLetters(10)).map(({ entry }) => entry.key);
      equal(await keys(), ['a', 'b', 'f2', 'f3', 'f4', 'f5'], 'what is left after those of another user');
      for (let index = 0; index < 3; index += 1) await dead(store, `g${index}`, 9, false);
      equal((await keys()).slice(0, 6), ['a', 'b', 'f2', 'f3', 'f4', 'f5'], 'what is left after forged ones');
      equal((await problemsOf(store)) === '', false, 'that the log says nothing');
    },
  },
];
