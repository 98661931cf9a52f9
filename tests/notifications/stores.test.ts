import { StoreFullError, memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { Claim, Lease, NotificationStore, QueuedNotification } from 'marketplace-seller-sdk/notifications';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { stoppedClocks } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

stoppedClocks();

const kinds = storeKinds();
const pass = (ms: number) => vi.advanceTimersByTime(ms);

describe.for(kinds)('a store in $name', ({ create: createLocation }) => {
  test('a notification is added once, and known while it waits, while it is leased and when it is processed', async () => {
    const store = createLocation()();
    expect(await store.add(entry('k'))).toBe('added');
    expect(await store.add(entry('k'))).toBe('waiting');
    const leased = await lease(store);
    const { token } = leased;
    expect(leased).toEqual({
      groupId: 'k',
      token,
      entry: entry('k'),
      attempt: 1,
      stalledCount: 0,
      coalescedKeys: [],
    });
    expect(await store.add(entry('k'))).toBe('waiting');
    expect(await store.settle(settlement(leased, { done: ['k'] }))).toBe(true);
    expect(await store.add(entry('k'))).toBe('processed');
    expect(await store.claim(claim())).toEqual({ leases: [] });
    await store.close?.();
  });

  test('a notification that is delivered twice at the same moment is added once', async () => {
    const store = createLocation()();
    expect((await Promise.all([store.add(entry('k')), store.add(entry('k'))])).sort()).toEqual(['added', 'waiting']);
    await store.close?.();
  });

  test('what happens to one notification does not disturb others of the same turn', async () => {
    const store = createLocation()();
    const added = ['a1', 'a1', 'b', 'c', 'd'].map((key) => store.add(entry(key, key.slice(0, 1))));
    expect((await Promise.all(added)).sort()).toEqual(['added', 'added', 'added', 'added', 'waiting']);
    const leases = Object.fromEntries((await store.claim(claim())).leases.map((each) => [each.groupId, each]));
    const { a, b, c, d } = leases as Record<'a' | 'b' | 'c' | 'd', Lease>;
    expect(await store.add(entry('a2', 'a', 2))).toBe('added');
    const settled = await Promise.all([
      store.settle(settlement(a, { done: ['a1'] })),
      store.settle(settlement(a, { done: ['a1'] })),
      store.settle(settlement({ ...b, token: 'another' }, { done: ['b'] })),
      store.settle(settlement(c, { deadLetter: { key: 'c', failure: 'x' } })),
      store.settle(settlement(d, { retryInMs: 0 })),
      store.add(entry('e')),
    ]);
    expect(settled).toEqual([true, false, false, true, true, 'added']);
    const next = (await store.claim(claim())).leases.map(({ entry: { key }, attempt }) => `${key} ${attempt}`);
    expect(next.sort()).toEqual(['a2 1', 'd 2', 'e 1']);
    const states = await Promise.all(['a1', 'b', 'c', 'd'].map((key) => store.add(entry(key, key.slice(0, 1)))));
    expect(states).toEqual(['processed', 'waiting', 'processed', 'waiting']);
    expect((await store.deadLetters(10)).map(({ entry: { key } }) => key)).toEqual(['c']);
    await store.close?.();
  });

  test('a processed notification is deleted after the deduplication time', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    await store.settle(settlement(await lease(store), { done: ['k'], deduplicationMs: 20 }));
    pass(19);
    expect(await store.add(entry('k'))).toBe('processed');
    pass(1);
    expect(await store.add(entry('k'))).toBe('added');
    await store.close?.();
  });

  test('the notifications of a group are leased one at a time, by the time sent, then by arrival', async () => {
    const store = createLocation()();
    for (const [key, sentAt] of [
      ['d', 4],
      ['b1', 2],
      ['a', 1],
      ['b2', 2],
    ] as const)
      await store.add(entry(key, 'group', sentAt));
    const order: string[] = [];
    for (let [leased] = (await store.claim(claim())).leases; leased; [leased] = (await store.claim(claim())).leases) {
      order.push(leased.entry.key);
      expect((await store.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
      await store.settle(settlement(leased, { done: [leased.entry.key] }));
    }
    expect(order).toEqual(['a', 'b1', 'b2', 'd']);
    await store.close?.();
  });

  test('no more groups are leased than requested, and the store says when to poll again', async () => {
    const store = createLocation()();
    for (const key of ['a', 'b', 'c']) await store.add(entry(key));
    const first = await store.claim(claim({ limit: 2 }));
    expect(first).toMatchObject({ leases: [{}, {}], nextInMs: 0 });
    const second = await store.claim(claim({ limit: 2 }));
    expect(second.leases).toHaveLength(1);
    expect(second.nextInMs).toBeGreaterThan(50_000);
    await store.close?.();
  });

  test('a coalesced lease takes the newest notification for the whole group', async () => {
    const store = createLocation()();
    for (const sentAt of [3, 1, 2]) await store.add(entry(`k${sentAt}`, 'group', sentAt));
    const leased = await lease(store, { coalesce: true });
    expect(leased).toMatchObject({ entry: { key: 'k3' }, coalescedKeys: ['k1', 'k2'] });
    await store.settle(settlement(leased, { done: ['k1', 'k2', 'k3'] }));
    expect(await store.claim(claim())).toEqual({ leases: [] });
    await store.close?.();
  });

  test('a failed group is not leased until its retry time, unless it is named', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    const leased = await lease(store);
    expect((await store.claim(claim({ groupId: 'k' }))).leases).toEqual([]);
    await store.settle(settlement(leased, { retryInMs: 30_000 }));
    const delayed = await store.claim(claim());
    expect(delayed.leases).toEqual([]);
    expect(delayed.nextInMs).toBeGreaterThan(20_000);
    expect((await store.claim(claim({ groupId: 'k' }))).leases).toMatchObject([{ attempt: 2 }]);
    expect((await store.claim(claim({ groupId: 'unknown' }))).leases).toEqual([]);
    await store.close?.();
  });

  test('an expired lease is given to another worker, and the former one can no longer settle', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    const former = await lease(store, { leaseMs: 20 });
    expect(await store.renew([former], 60_000)).toEqual([]);
    pass(30);
    expect((await store.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
    expect(await store.renew([former], 20)).toEqual([]);
    pass(19);
    expect((await store.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
    pass(1);
    const current = await lease(store, { workerId: 'b' });
    expect(current).toMatchObject({ attempt: 2, stalledCount: 1 });
    expect(await store.renew([former], 60_000)).toEqual(['k']);
    expect(await store.settle(settlement(former, { done: ['k'] }))).toBe(false);
    expect(await store.settle(settlement(current, { done: ['k'] }))).toBe(true);
    await store.close?.();
  });

  test('a worker that leases its own expired group again has a new token, and the old one has no effect', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    const former = await lease(store, { leaseMs: 1 });
    pass(1);
    const current = await lease(store);
    expect(current.token).not.toBe(former.token);
    expect(await store.renew([former, current], 60_000)).toEqual(['k']);
    expect(await store.settle(settlement(former, { done: ['k'] }))).toBe(false);
    expect(await store.settle(settlement(current, { done: ['k'] }))).toBe(true);
    await store.close?.();
  });

  test('an expired lease that nobody has taken can still be renewed and settled', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    const leased = await lease(store, { leaseMs: 1 });
    pass(1);
    expect(await store.renew([leased], 60_000)).toEqual([]);
    expect((await store.claim(claim())).leases).toEqual([]);
    expect(await store.settle(settlement(leased, { done: ['k'] }))).toBe(true);
    await store.close?.();
  });

  test('failures and stalls are counted apart, and a released lease counts as neither', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    const counts = async (more: Partial<Claim> = {}): Promise<Lease> => lease(store, { groupId: 'k', ...more });
    await store.settle(settlement(await counts(), { retryInMs: 0, released: true }));
    await store.settle(settlement(await counts(), { retryInMs: 0 }));
    expect(await counts({ leaseMs: 1 })).toMatchObject({ attempt: 2, stalledCount: 0 });
    pass(1);
    const stalled = await counts();
    expect(stalled).toMatchObject({ attempt: 3, stalledCount: 1 });
    await store.settle(settlement(stalled, { retryInMs: 0 }));
    const last = await counts();
    // A result ends a row of stalls.
    expect(last).toMatchObject({ attempt: 3, stalledCount: 0 });
    await store.settle(settlement(last, { deadLetter: { key: 'k', failure: 'x' } }));
    expect(await store.deadLetters(1)).toMatchObject([{ attempts: 3 }]);
    await store.close?.();
  });

  test('dead letters stay until they are redriven or removed', async () => {
    const store = createLocation()();
    for (const key of ['a', 'b']) {
      await store.add(entry(key));
      await store.settle(settlement(await lease(store), { deadLetter: { key, failure: 'Error: "no"\n' } }));
    }
    expect(await store.add(entry('a'))).toBe('processed');
    expect(await store.claim(claim())).toEqual({ leases: [] });
    const letters = await store.deadLetters(10);
    expect(letters).toMatchObject([
      { entry: entry('a'), attempts: 1, failure: 'Error: "no"\n', deadLetteredAt: Date.now() },
      { entry: entry('b') },
    ]);
    expect(await store.deadLetters(1)).toHaveLength(1);
    expect(await store.redrive('a')).toBe(true);
    expect(await store.redrive('a')).toBe(false);
    expect(await store.removeDeadLetter('b')).toBe(true);
    expect(await store.deadLetters(10)).toEqual([]);
    expect((await store.claim(claim())).leases).toMatchObject([{ entry: entry('a'), attempt: 1 }]);
    await store.close?.();
  });

  test('a group continues after a dead letter', async () => {
    const store = createLocation()();
    await store.add(entry('a', 'group', 1));
    await store.add(entry('b', 'group', 2));
    await store.settle(settlement(await lease(store), { deadLetter: { key: 'a', failure: '' } }));
    expect((await store.claim(claim())).leases).toMatchObject([{ entry: { key: 'b' } }]);
    await store.close?.();
  });
});

describe.for(kinds)('the limits of a store in $name', ({ create }) => {
  test('a full store rejects more entries, until one of them is handled', async () => {
    const store = create()({ maxWaiting: 2 });
    await store.add(entry('a'));
    await store.add(entry('b'));
    await expect(store.add(entry('c'))).rejects.toThrow(StoreFullError);
    expect(await store.add(entry('b'))).toBe('waiting');
    const leased = await lease(store);
    await store.settle(settlement(leased, { done: [leased.entry.key] }));
    expect(await store.add(entry('c'))).toBe('added');
    await store.close?.();
  });

  test('the waiting entries have a limit in bytes', async () => {
    const bytes = JSON.stringify(entry('a')).length;
    const store = create()({ maxWaitingBytes: bytes * 2 });
    await store.add(entry('a'));
    await store.add(entry('b'));
    await expect(store.add(entry('c'))).rejects.toThrow('maxWaitingBytes');
    await store.close?.();
  });

  test('the oldest dead letters beyond the limits are deleted', async () => {
    const store = create()({ maxDead: 2 });
    for (const key of ['a', 'b', 'c']) {
      await store.add(entry(key));
      await store.settle(settlement(await lease(store), { deadLetter: { key, failure: 'x' } }));
    }
    expect(await store.deadLetters(10)).toMatchObject([{ entry: { key: 'b' } }, { entry: { key: 'c' } }]);
    expect(await store.add(entry('a'))).toBe('added');
    await store.close?.();
  });

  test('users take turns: many notifications of one user do not delay those of others', async () => {
    const store = create()();
    const of = (user_id: number, key: string): QueuedNotification => {
      const plain = entry(key);
      return { ...plain, notification: { ...plain.notification, user_id } };
    };
    for (let index = 0; index < 50; index += 1) await store.add(of(1, `flood-${index}`));
    const retried = await lease(store, { groupId: 'flood-0' });
    await store.settle(settlement(retried, { retryInMs: 1 }));
    for (const key of ['a', 'b']) await store.add(of(2, key));
    pass(1);
    const first = (await store.claim(claim({ limit: 2 }))).leases.map(({ groupId }) => groupId);
    expect(first).toContain('a');
    const second = (await store.claim(claim({ limit: 2 }))).leases.map(({ groupId }) => groupId);
    expect(second).toContain('b');
    expect((await store.claim(claim({ limit: 100 }))).leases).toHaveLength(48);
    await store.close?.();
  });

  test('a clock that is set back delays nothing', async () => {
    const store = create()();
    await store.add(entry('fresh'));
    await store.add(entry('failed'));
    const failed = await lease(store, { groupId: 'failed' });
    await store.settle(settlement(failed, { retryInMs: 20 }));
    vi.setSystemTime(Date.now() - 3_600_000);
    const leased: string[] = [];
    for (let times = 0; times < 2; times += 1) {
      leased.push(...(await store.claim(claim())).leases.map(({ groupId }) => groupId));
      pass(20);
    }
    expect(leased).toEqual(['fresh', 'failed']);
    await store.close?.();
  });
});

describe.for(kinds.filter(({ isDurable }) => isDurable))('a store in $name', ({ create: createLocation }) => {
  test('a restart loses nothing', async () => {
    const open = createLocation();
    const before = open();
    for (const key of ['done', 'dead', 'leased', ...Array.from({ length: 300 }, (__, index) => `w${index}`)]) {
      await before.add(entry(key));
    }
    const [done, dead] = [await lease(before, { groupId: 'done' }), await lease(before, { groupId: 'dead' })];
    await lease(before, { groupId: 'leased', leaseMs: 1 });
    await before.settle(settlement(done, { done: ['done'] }));
    await before.settle(settlement(dead, { deadLetter: { key: 'dead', failure: 'x' } }));
    await before.close?.();

    const after = open();
    expect(await after.add(entry('done'))).toBe('processed');
    expect(await after.add(entry('dead'))).toBe('processed');
    expect(await after.add(entry('w7'))).toBe('waiting');
    expect(await after.deadLetters(10)).toHaveLength(1);
    pass(1);
    const { leases } = await after.claim(claim({ workerId: 'b', limit: 1_000 }));
    expect(leases).toHaveLength(301);
    expect(leases.filter(({ stalledCount }) => stalledCount > 0)).toMatchObject([
      { groupId: 'leased', stalledCount: 1 },
    ]);
    expect(await after.redrive('dead')).toBe(true);
    await after.close?.();

    const last = open();
    expect(await last.add(entry('dead'))).toBe('waiting');
    expect(await last.deadLetters(10)).toEqual([]);
    await last.close?.();
  });
});

describe.for(kinds.filter(({ isShared }) => isShared))(
  'several processes on one store in $name',
  ({ create: createLocation }) => {
    test('two processes never lease the same group at once', async () => {
      const open = createLocation();
      const [one, other] = [open(), open()];
      for (let index = 0; index < 50; index += 1) await one.add(entry(`k${index}`));
      const claims = await Promise.all(
        Array.from({ length: 20 }, (__, index) =>
          (index % 2 ? one : other).claim(claim({ workerId: `h${index}`, limit: 5 })),
        ),
      );
      const groupIds = claims.flatMap(({ leases }) => leases.map(({ groupId }) => groupId));
      expect(groupIds).toHaveLength(50);
      expect(new Set(groupIds).size).toBe(50);
      expect(await other.add(entry('k1'))).toBe('waiting');
      await one.close?.();
      await other.close?.();
    });
  },
);

test('a store can replace another one, also in the types', async () => {
  let store = memoryStore();
  expectTypeOf(store).toEqualTypeOf<NotificationStore>();
  store = sqliteStore({ path: 'never opened' });
  await store.close?.();
});

test('the memory store forgets the oldest processed notifications beyond its limit', async () => {
  const store = memoryStore({ maxRemembered: 1, maxDead: 1 });
  for (const key of ['a', 'b']) {
    await store.add(entry(key));
    await store.settle(settlement(await lease(store), { done: [key] }));
  }
  expect(await store.add(entry('b'))).toBe('processed');
  expect(await store.add(entry('a'))).toBe('added');
  for (const key of ['c', 'd']) {
    await store.add(entry(key));
    await store.settle(settlement(await lease(store, { groupId: key }), { deadLetter: { key, failure: '' } }));
  }
  expect(await store.deadLetters(10)).toMatchObject([{ entry: { key: 'd' } }]);
});
