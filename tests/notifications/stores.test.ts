import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Keyv from 'keyv';
import { ConfigurationError } from 'marketplace-seller-sdk';
import {
  StoreFullError,
  keyValueStore,
  memoryStore,
  redisStore,
  sqliteStore,
} from 'marketplace-seller-sdk/notifications';
import type { Claim, QueuedNotification, NotificationStore, Settlement } from 'marketplace-seller-sdk/notifications';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis, startRedis } from '../support/redis.ts';
import type { OwnRedis } from '../support/redis.ts';

const folder = mkdtempSync(join(tmpdir(), 'stores-'));
let redis: OwnRedis;
let locations = 0;
beforeAll(async () => {
  if (hasRedis) redis = await startRedis();
});
afterAll(async () => {
  if (hasRedis) await redis.stop();
  rmSync(folder, { recursive: true });
});

/** Creates an empty location and returns a function that opens it: two calls are two processes. */
type Location = () => () => NotificationStore;

const memory: Location = () => {
  const store = memoryStore();
  return () => store;
};
const keyv: Location = () => {
  const values = new Keyv();
  return () => keyValueStore(values);
};
const map: Location = () => {
  const values = new Map<string, unknown>();
  return () => keyValueStore(values);
};
const sqlite: Location = () => {
  const path = join(folder, `${++locations}.db`);
  return () => sqliteStore({ path });
};
const inRedis: Location = () => {
  const prefix = `{location-${++locations}}`;
  return () => {
    const client = redis.connect();
    return redisStore({ prefix, send: (command, ...args) => client.call(command, ...args) });
  };
};

const all: [string, Location][] = [
  ['memory', memory],
  ['Keyv', keyv],
  ['a Map', map],
  ['SQLite', sqlite],
  ...(hasRedis ? ([['Redis', inRedis]] satisfies [string, Location][]) : []),
];
const durable = all.filter(([name]) => name !== 'memory');
const shared = all.filter(([name]) => name === 'SQLite' || name === 'Redis');

function entry(key: string, groupId = key, sentAt = 1): QueuedNotification {
  return {
    key,
    groupId,
    sentAt,
    notification: {
      known: true,
      topic: 'questions',
      question_id: 1,
      user_id: 7,
      resource: '/questions/1',
      application_id: '1234567890123456789',
    },
  };
}

const claim = (more: Partial<Claim> = {}): Claim => ({
  workerId: 'a',
  limit: 10,
  leaseMs: 60_000,
  coalesce: false,
  ...more,
});
const settlement = (groupId: string, more: Partial<Settlement> = {}): Settlement => ({
  workerId: 'a',
  groupId,
  done: [],
  deduplicationMs: 60_000,
  ...more,
});

describe.each(all)('a store in %s', (_, createLocation) => {
  test('a notification is added once, and known while it waits, while it is leased and when it is processed', async () => {
    const store = createLocation()();
    expect(await store.add(entry('k'))).toBe('added');
    expect(await store.add(entry('k'))).toBe('waiting');
    const { leases } = await store.claim(claim());
    expect(leases).toEqual([{ groupId: 'k', entry: entry('k'), attempt: 1, coalescedKeys: [] }]);
    expect(await store.add(entry('k'))).toBe('waiting');
    expect(await store.settle(settlement('k', { done: ['k'] }))).toBe(true);
    expect(await store.add(entry('k'))).toBe('processed');
    expect(await store.claim(claim())).toEqual({ leases: [] });
    await store.close?.();
  });

  test('a notification that is delivered twice at the same moment is added once', async () => {
    const store = createLocation()();
    expect((await Promise.all([store.add(entry('k')), store.add(entry('k'))])).sort()).toEqual(['added', 'waiting']);
    await store.close?.();
  });

  test('a processed notification is deleted after the deduplication time', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    await store.claim(claim());
    await store.settle(settlement('k', { done: ['k'], deduplicationMs: 20 }));
    await pause(40);
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
    for (let claimed = await store.claim(claim()); claimed.leases[0]; claimed = await store.claim(claim())) {
      order.push(claimed.leases[0].entry.key);
      expect((await store.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
      await store.settle(settlement('group', { done: [claimed.leases[0].entry.key] }));
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
    const { leases } = await store.claim(claim({ coalesce: true }));
    expect(leases).toMatchObject([{ entry: { key: 'k3' }, coalescedKeys: ['k1', 'k2'] }]);
    await store.settle(settlement('group', { done: ['k1', 'k2', 'k3'] }));
    expect(await store.claim(claim())).toEqual({ leases: [] });
    await store.close?.();
  });

  test('a failed group is not leased until its retry time, unless it is named', async () => {
    const store = createLocation()();
    await store.add(entry('k'));
    await store.claim(claim());
    expect((await store.claim(claim({ groupId: 'k' }))).leases).toEqual([]);
    await store.settle(settlement('k', { retryInMs: 30_000 }));
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
    await store.claim(claim({ leaseMs: 20 }));
    expect(await store.renew('a', ['k'], 40)).toEqual([]);
    expect((await store.claim(claim({ workerId: 'b' }))).leases).toEqual([]);
    await pause(80);
    expect((await store.claim(claim({ workerId: 'b' }))).leases).toMatchObject([{ attempt: 2 }]);
    expect(await store.renew('a', ['k'], 60_000)).toEqual(['k']);
    expect(await store.settle(settlement('k', { done: ['k'] }))).toBe(false);
    expect(await store.settle(settlement('k', { workerId: 'b', done: ['k'] }))).toBe(true);
    await store.close?.();
  });

  test('dead letters stay until they are redriven or removed', async () => {
    const store = createLocation()();
    for (const key of ['a', 'b']) {
      await store.add(entry(key));
      await store.claim(claim());
      await store.settle(settlement(key, { deadLetter: { key, failure: 'Error: "no"\n' } }));
      await pause(2);
    }
    expect(await store.add(entry('a'))).toBe('processed');
    expect(await store.claim(claim())).toEqual({ leases: [] });
    const letters = await store.deadLetters(10);
    expect(letters).toMatchObject([
      { entry: entry('a'), attempts: 1, failure: 'Error: "no"\n' },
      { entry: entry('b') },
    ]);
    expect(Math.abs(Date.now() - letters[0]!.deadLetteredAt)).toBeLessThan(5_000);
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
    await store.claim(claim());
    await store.settle(settlement('group', { deadLetter: { key: 'a', failure: '' } }));
    expect((await store.claim(claim())).leases).toMatchObject([{ entry: { key: 'b' } }]);
    await store.close?.();
  });
});

describe.each(durable)('a store in %s', (_, createLocation) => {
  test('a restart loses nothing', async () => {
    const open = createLocation();
    const before = open();
    for (const key of ['done', 'dead', 'leased', ...Array.from({ length: 300 }, (__, index) => `w${index}`)]) {
      await before.add(entry(key));
    }
    for (const groupId of ['done', 'dead', 'leased']) await before.claim(claim({ groupId, leaseMs: 1 }));
    await before.settle(settlement('done', { done: ['done'] }));
    await before.settle(settlement('dead', { deadLetter: { key: 'dead', failure: 'x' } }));
    await before.close?.();

    const after = open();
    expect(await after.add(entry('done'))).toBe('processed');
    expect(await after.add(entry('dead'))).toBe('processed');
    expect(await after.add(entry('w7'))).toBe('waiting');
    expect(await after.deadLetters(10)).toHaveLength(1);
    await pause(5);
    const { leases } = await after.claim(claim({ workerId: 'b', limit: 1_000 }));
    expect(leases).toHaveLength(301);
    expect(await after.redrive('dead')).toBe(true);
    await after.close?.();

    const last = open();
    expect(await last.add(entry('dead'))).toBe('waiting');
    expect(await last.deadLetters(10)).toEqual([]);
    await last.close?.();
  });
});

describe.each(shared)('several processes on one store in %s', (_, createLocation) => {
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
});

describe('a store on a key-value store', () => {
  test('a failed write is not acknowledged', async () => {
    const values = new Map<string, unknown>();
    const store = keyValueStore({
      get: (key) => values.get(key),
      set: (key, value) => (key.includes(':entry:') ? false : values.set(key, value)),
      delete: (key) => values.delete(key),
    });
    await expect(store.add(entry('k'))).rejects.toThrow('did not store');
    expect(await store.claim(claim())).toEqual({ leases: [] });
  });

  test('a failed read at the start is retried', async () => {
    const values = new Map<string, unknown>();
    let away = true;
    const get = (key: string): unknown => {
      if (away) throw new Error('away');
      return values.get(key);
    };
    const store = keyValueStore({
      get,
      set: (key, value) => values.set(key, value),
      delete: (key) => values.delete(key),
    });
    await expect(store.add(entry('k'))).rejects.toThrow('away');
    away = false;
    expect(await store.add(entry('k'))).toBe('added');
  });

  test('an entry that was settled before a crash is dropped', async () => {
    const values = new Map<string, unknown>();
    await keyValueStore(values).add(entry('k'));
    values.set('notifications:seen:k', Date.now() + 60_000);
    expect(await keyValueStore(values).claim(claim())).toEqual({ leases: [] });
    expect([...values.keys()].filter((key) => key.includes(':entry:'))).toEqual([]);
  });

  test('the store rejects notifications beyond its limit', async () => {
    const store = keyValueStore(new Map(), { maxWaiting: 1, prefix: 'mine' });
    await store.add(entry('a'));
    await expect(store.add(entry('b'))).rejects.toThrow(StoreFullError);
  });

  test('a wrong option of the key-value store is a ConfigurationError', () => {
    expect(() => keyValueStore({} as Map<string, unknown>)).toThrow(ConfigurationError);
  });
});

describe('a store in SQLite', () => {
  test('a database path that cannot be opened is named', async () => {
    const store = sqliteStore({ path: join(folder, 'no', 'such', 'folder.db') });
    await expect(store.add(entry('k'))).rejects.toThrow(/its folder must exist/);
    expect(() => sqliteStore({ path: '' })).toThrow(ConfigurationError);
    await store.close?.();
  });
});

test('the memory store forgets the oldest processed notifications beyond its limit', async () => {
  const store = memoryStore({ maxRemembered: 1, maxDead: 1 });
  for (const key of ['a', 'b']) {
    await store.add(entry(key));
    await store.claim(claim());
    await store.settle(settlement(key, { done: [key] }));
  }
  expect(await store.add(entry('b'))).toBe('processed');
  expect(await store.add(entry('a'))).toBe('added');
  for (const key of ['c', 'd']) {
    await store.add(entry(key));
    await store.claim(claim({ groupId: key }));
    await store.settle(settlement(key, { deadLetter: { key, failure: '' } }));
  }
  expect(await store.deadLetters(10)).toMatchObject([{ entry: { key: 'd' } }]);
});
