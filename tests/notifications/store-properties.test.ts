import { ConfigurationError } from 'marketplace-seller-sdk';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { Lease, NotificationStore, QueuedNotification, Settlement } from 'marketplace-seller-sdk/notifications';
import { describe, expect, test, vi } from 'vitest';
import { FifoMap } from '../../src/work/fifo-map.js';
import { PriorityQueue } from '../../src/notifications/stores/priority-queue.js';
import { fc } from '../support/fast-check.ts';
import { storeKinds } from '../support/inbox-stores.ts';

function entry(key: string, { groupId = key, sentAt = 1, user_id = 7 } = {}): QueuedNotification {
  const notification = { known: true, topic: 'questions', question_id: 1, user_id, resource: '/questions/1' } as const;
  return { key, groupId, sentAt, notification };
}

const claim = { workerId: 'a', limit: 1, leaseMs: 60_000, coalesce: false };

/** Leases a group, and ends the lease. */
async function run(store: NotificationStore, groupId: string, result: Partial<Settlement>): Promise<void> {
  const [lease] = (await store.claim({ ...claim, groupId })).leases;
  if (!lease) throw new Error(`${groupId} has nothing to lease`);
  await store.settle({ groupId, token: lease.token, done: [], deduplicationMs: 60_000, ...result });
}

const kinds = storeKinds();

/** Entries `g:a`, `g:b`, `h:a` and `h:b` of the groups `g` and `h`, and what is done to them. */
const group = fc.constantFrom('g', 'h');
const key = fc.tuple(group, fc.constantFrom('a', 'b')).map((names) => names.join(':'));
const outcome = fc.constantFrom('done', 'retry', 'release', 'dead');
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('add' as const),
      key,
      sentAt: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('run' as const), group, outcome, coalesce: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constantFrom('redrive' as const, 'removeDeadLetter' as const), key }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Outcome = typeof outcome extends fc.Arbitrary<infer T> ? T : never;

/** Takes a step, and returns all that can be seen of it. */
async function take(store: NotificationStore, each: Step): Promise<unknown> {
  if (each.what === 'add') {
    return store.add(entry(each.key, { groupId: each.key.split(':', 1)[0]!, sentAt: each.sentAt }));
  }
  if (each.what !== 'run') return store[each.what](each.key);
  const [lease] = (await store.claim({ ...claim, coalesce: each.coalesce, groupId: each.group })).leases;
  return lease ? end(store, lease, each.outcome) : 'nothing to lease';
}

async function end(store: NotificationStore, lease: Lease, result: Outcome): Promise<unknown> {
  const { token, ...seen } = lease;
  const keys = [...lease.coalescedKeys, lease.entry.key];
  const results: Record<Outcome, Partial<Settlement>> = {
    done: { done: keys },
    retry: { retryInMs: 0 },
    release: { retryInMs: 0, released: true },
    dead: { done: lease.coalescedKeys, deadLetter: { key: lease.entry.key, failure: 'no' } },
  };
  const ended = { groupId: lease.groupId, token, done: [], deduplicationMs: 60_000, ...results[result] };
  const first = await store.settle(ended);
  const letters = await store.deadLetters(10);
  // A lease ends once.
  return { seen, first, second: await store.settle(ended), letters: letters.map(withoutTime).sort(byKey) };
}

const withoutTime = ({
  entry: { key: name },
  attempts,
  failure,
}: {
  entry: { key: string };
  attempts: number;
  failure: string;
}) => ({
  name,
  attempts,
  failure,
});
const byKey = (one: { name: string }, other: { name: string }): number => one.name.localeCompare(other.name);

describe.for(kinds)('a store in $name', ({ name, create, isDurable }) => {
  test('does what a store in memory does, also across restarts', async () => {
    const steps = fc.array(fc.record({ each: step, restarts: fc.boolean() }), { minLength: 5, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const open = create();
        const model = memoryStore();
        let store = open();
        for (const { each, restarts } of all) {
          if (isDurable && restarts) {
            await store.close?.();
            store = open();
          }
          expect(await take(store, each)).toEqual(await take(model, each));
        }
        await store.close?.();
      }),
      { numRuns: name === 'memory' ? 60 : 15 },
    );
  });

  test('is full at exactly its limit, however many entries come at once', async () => {
    const { length } = JSON.stringify(entry('a'));
    for (const limits of [{ maxWaiting: 3 }, { maxWaitingBytes: length * 3 }]) {
      const store = create()(limits);
      const added = await Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((each) => store.add(entry(each))));
      expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      await store.close?.();
    }
  });

  test('counts the bytes of what waits, and of nothing else', async () => {
    const { length } = JSON.stringify(entry('a'));
    const store = create()({ maxWaitingBytes: length * 2 });
    await Promise.all([store.add(entry('a')), store.add(entry('b'))]);
    await expect(store.add(entry('c'))).rejects.toThrow('maxWaitingBytes');
    await run(store, 'a', { done: ['a'] });
    expect(await store.add(entry('c'))).toBe('added');
    await run(store, 'b', { deadLetter: { key: 'b', failure: 'no' } });
    expect(await store.add(entry('d'))).toBe('added');
    await expect(store.add(entry('e'))).rejects.toThrow('maxWaitingBytes');
    await store.close?.();
  });

  test('counts the bytes of its dead letters, and of nothing else', async () => {
    const deadLetter = async (store: NotificationStore, name: string): Promise<void> => {
      await store.add(entry(name));
      await run(store, name, { deadLetter: { key: name, failure: 'no' } });
    };
    const keys = async (store: NotificationStore) => (await store.deadLetters(99)).map((letter) => letter.entry.key);
    const store = create()({ maxDeadBytes: 900 });
    for (const name of ['a', 'b', 'c']) await deadLetter(store, name);
    expect(await keys(store)).toEqual(['a', 'b', 'c']);
    await store.removeDeadLetter('b');
    await store.redrive('c');
    for (const name of ['d', 'e']) await deadLetter(store, name);
    expect(await keys(store)).toEqual(['a', 'd', 'e']);
    for (let index = 0; index < 15; index += 1) await deadLetter(store, `f${index}`);
    const left = await keys(store);
    expect(left.length).toBeLessThan(10);
    expect(left.at(-1)).toBe('f14');
    for (const name of left) await store.removeDeadLetter(name);
    for (const name of ['g', 'h', 'i']) await deadLetter(store, name);
    expect(await keys(store)).toEqual(['g', 'h', 'i']);
    await store.close?.();
  });

  test('counts bytes, not characters', async () => {
    const wide = (name: string): QueuedNotification => {
      const { notification, ...rest } = entry(name);
      return { ...rest, notification: { ...notification, actions: ['\u6f22\u5b57\u{1f600}'.repeat(50)] } };
    };
    const bytes = Buffer.byteLength(JSON.stringify(wide('a')));
    const store = create()({ maxWaitingBytes: bytes * 2, maxDeadBytes: bytes + 200 });
    await Promise.all([store.add(wide('a')), store.add(wide('b'))]);
    await expect(store.add(wide('c'))).rejects.toThrow('maxWaitingBytes');
    await run(store, 'a', { done: ['a'] });
    expect(await store.add(wide('c'))).toBe('added');
    await expect(store.add(wide('d'))).rejects.toThrow('maxWaitingBytes');
    await run(store, 'b', { deadLetter: { key: 'b', failure: 'no' } });
    await run(store, 'c', { deadLetter: { key: 'c', failure: 'no' } });
    expect((await store.deadLetters(9)).map((letter) => letter.entry.key)).toEqual(['c']);
    await store.removeDeadLetter('c');
    await Promise.all([store.add(wide('e')), store.add(wide('f'))]);
    await run(store, 'e', { deadLetter: { key: 'e', failure: 'no' } });
    expect((await store.deadLetters(9)).map((letter) => letter.entry.key)).toEqual(['e']);
    await store.close?.();
  });

  test('a user who comes later takes turns with the others, and does not overtake them', async () => {
    const store = create()();
    for (let index = 0; index < 20; index += 1) await store.add(entry(`one-${index}`, { user_id: 1 }));
    await store.claim({ ...claim, limit: 10 });
    for (let index = 0; index < 4; index += 1) await store.add(entry(`two-${index}`, { user_id: 2 }));
    for (let turn = 0; turn < 4; turn += 1) {
      const { leases } = await store.claim({ ...claim, limit: 2 });
      expect(leases.map(({ groupId }) => groupId.slice(0, 3)).sort()).toEqual(['one', 'two']);
    }
    await store.close?.();
  });
});

test('a priority queue gives out every item by its number, lowest first', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean())), (operations) => {
      const queue = new PriorityQueue<string>();
      const expected: number[] = [];
      const popped = (): void => {
        expected.sort((a, b) => a - b);
        expect(queue.peek()?.priority).toBe(expected.shift());
        queue.pop();
      };
      for (const [number, pops] of operations) {
        queue.push(number, 'item');
        expected.push(number);
        if (pops) popped();
      }
      while (expected.length > 0) popped();
      expect(queue.peek()).toBeUndefined();
    }),
  );
});

describe('a map whose oldest entry is found', () => {
  test('has the oldest entry of a plain map', () => {
    const change = fc.record({
      what: fc.constantFrom('set' as const, 'delete' as const, 'deleteOldest' as const, 'clear' as const),
      key: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const map = new FifoMap<number>();
        const expected = new Map<string, number>();
        for (const { what, key: name } of changes) {
          const changed = what === 'deleteOldest' ? (map.oldest() ?? name) : name;
          for (const each of [map, expected]) {
            if (what === 'set') each.set(changed, 1);
            else if (what === 'clear') each.clear();
            else each.delete(changed);
          }
          expect(map.oldest()).toBe([...expected.keys()][0]);
        }
      }),
    );
  });

  test('finds it with one iterator, however many entries there are: a new one passes over all that were deleted', () => {
    const made = (['keys', 'values', 'entries', 'forEach'] as const).map((name) => vi.spyOn(Map.prototype, name));
    made.push(vi.spyOn(Map.prototype, Symbol.iterator) as never);
    const map = new FifoMap<number>();
    for (let index = 0; index < 1_000; index += 1) map.set(`k${index}`, index);
    for (let index = 1_000; index < 3_000; index += 1) {
      map.set(`k${index}`, index);
      map.delete(map.oldest() ?? '');
    }
    const iterators = made.reduce((count, { mock }) => count + mock.calls.length, 0);
    vi.restoreAllMocks();
    expect(iterators).toBe(1);
    expect(map.oldest()).toBe('k2000');
  });

  test('keeps no more entries than its limit', () => {
    const map = new FifoMap<number>(2);
    for (const name of ['a', 'b', 'a', 'c']) map.set(name, 1);
    expect([...map.keys()]).toEqual(['b', 'c']);
  });
});

describe('what a store is created with', () => {
  const creations: [string, (options: object) => NotificationStore, durable: boolean, shared: boolean][] = [
    ['memory', (options) => memoryStore(options), false, false],
    ['SQLite in memory', (options) => sqliteStore({ path: ':memory:', ...options }), false, false],
    ['SQLite', (options) => sqliteStore({ path: 'never-opened.db', ...options }), true, true],
  ];

  test.each(creations)('a store in %s says whether it is durable and shared', (_, create, durable, shared) => {
    expect(create({})).toMatchObject({ durable, shared });
  });

  test.each(creations)('a limit of a store in %s is a whole number of at least 1, or Infinity', (_, create) => {
    for (const limit of ['maxWaiting', 'maxWaitingBytes', 'maxDead', 'maxDeadBytes']) {
      for (const value of [1, Infinity]) expect(() => create({ [limit]: value })).not.toThrow();
      for (const value of [0, -1, 1.5, NaN, '5']) {
        expect(() => create({ [limit]: value })).toThrow(`\`${limit}\` must be a whole number of at least 1`);
      }
    }
  });

  test.each<[string, () => unknown, string]>([
    ['a path', () => sqliteStore({ path: '' }), '`path` must be the name of a file'],
    ['a path', () => sqliteStore({ path: 5 as never }), '`path` must be the name of a file'],
    [
      '`maxRemembered`',
      () => memoryStore({ maxRemembered: 0 }),
      '`maxRemembered` must be a whole number of at least 1',
    ],
  ])('%s that is missing or wrong is named', (_, create, message) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test.each(creations.slice(0, 2))('a full store in %s says which limit it has reached', async (_, create) => {
    const store = create({ maxWaiting: 1 });
    await store.add(entry('a'));
    await expect(store.add(entry('b'))).rejects.toThrow('1 notifications are waiting (`maxWaiting`)');
    await store.close?.();
  });
});
