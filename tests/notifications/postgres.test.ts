import { randomBytes } from 'node:crypto';
import { StoreFullError, createReceiver, openInbox, postgresStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, QueuedNotification, StoreLimits } from 'marketplace-seller-sdk/notifications';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import type { OwnPostgres } from '../support/postgres.ts';
import { storeConformance } from '../support/store-conformance.ts';
import { claim, entry, lease, settlement } from '../support/stored.ts';

describe.skipIf(!hasPostgres)('a store in PostgreSQL', () => {
  let postgres: OwnPostgres;
  let pool: Pool;
  beforeAll(async () => {
    postgres = await startPostgres();
    pool = new Pool({ connectionString: postgres.connectionString });
  });
  afterAll(async () => {
    await pool.end();
    await postgres.stop();
  });

  const open = async (limits: StoreLimits = {}): Promise<NotificationStore> => {
    await pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    return postgresStore({ pool, ...limits });
  };
  test.each(storeConformance(open, open).map(({ name, run }) => [name, run] as const))('%s', (_, run) => run());

  const of = (user_id: number, key: string): QueuedNotification => {
    const plain = entry(key);
    return { ...plain, notification: { ...plain.notification, user_id } };
  };

  test('processes that start at once create the tables once', async () => {
    await open();
    const stores = Array.from({ length: 8 }, () => postgresStore({ pool }));
    const states = await Promise.all(stores.map((store) => store.add(entry('k'))));
    expect(states.sort()).toEqual(['added', ...Array<string>(7).fill('waiting')]);
  });

  test('several processes handle each notification once, one at a time per resource, whatever they do at once', async () => {
    const stores = [await open(), postgresStore({ pool }), postgresStore({ pool })];
    const [first] = stores as [NotificationStore];
    const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
    const running = new Set<string>();
    const handled: string[] = [];
    const overlaps: string[] = [];
    const work = async (store: NotificationStore): Promise<void> => {
      while (handled.length < keys.length) {
        const { leases } = await store.claim(claim({ limit: 5 }));
        await Promise.all(
          leases.map(async (leased) => {
            if (running.has(leased.groupId)) overlaps.push(leased.groupId);
            running.add(leased.groupId);
            handled.push(leased.entry.key);
            running.delete(leased.groupId);
            await store.settle(settlement(leased, { done: [leased.entry.key] }));
          }),
        );
      }
    };
    const adding = keys.flatMap((key, index) =>
      stores.slice(0, 2).map((store) => store.add(entry(key, `g${index % 7}`, index))),
    );
    await Promise.all([...adding, ...stores.map(work)]);
    expect(handled.toSorted()).toEqual(keys.toSorted());
    expect(overlaps).toEqual([]);
    expect(await first.stats?.()).toMatchObject({ waiting: 0, running: 0, topics: {} });
    expect((await pool.query('SELECT 1 FROM seller_inbox_group')).rows).toEqual([]);
  });

  test('a late run whose lease another process has taken can note nothing', async () => {
    const store = await open();
    await store.add(entry('k'));
    const former = await lease(store, { leaseMs: 0 });
    const results = await Promise.all([
      store.claim(claim({ workerId: 'b' })),
      store.note?.(former, [{ id: 'a', target: 'answer', input: {}, sentAt: 1, state: 'sent' }]),
    ]);
    const [{ leases }, isNoted] = results;
    const [again] = leases.length > 0 ? leases : (await store.claim(claim({ workerId: 'c' }))).leases;
    expect(again?.writes?.length ?? 0).toBe(isNoted ? 1 : 0);
  });

  test('users take turns: many notifications of one user do not delay those of others', async () => {
    const store = await open();
    for (let index = 0; index < 20; index += 1) await store.add(of(1, `flood-${index}`));
    const first = await lease(store);
    await store.settle(settlement(first, { retryInMs: 1 }));
    for (const key of ['a', 'b']) await store.add(of(2, key));
    const claimed = async () => (await store.claim(claim({ limit: 3 }))).leases.map(({ groupId }) => groupId);
    expect([...(await claimed()), ...(await claimed())].filter((id) => ['a', 'b'].includes(id))).toEqual(['a', 'b']);
  });

  test('a full store rejects more entries, until one of them is handled; the oldest dead letters are deleted', async () => {
    await open();
    const store = postgresStore({ pool, maxWaiting: 2, maxDead: 1 });
    await store.add(entry('a'));
    await store.add(entry('b'));
    await expect(store.add(entry('c'))).rejects.toThrow(StoreFullError);
    expect(await store.add(entry('b'))).toBe('waiting');
    for (const key of ['a', 'b'])
      await store.settle(settlement(await lease(store), { deadLetter: { key, failure: 'no \0' } }));
    expect(await store.deadLetters(10)).toMatchObject([{ entry: entry('b'), failure: 'no \uFFFD' }]);
    expect((await store.claim(claim())).problems).toEqual([expect.stringContaining('maxDead')]);
    expect(await store.add(entry('c'))).toBe('added');
  });

  test('what a room holds is what was counted, whatever several processes do at once', async () => {
    const limits = { maxWaiting: 12, maxAgeMs: 40 };
    const stores = [await open(limits), ...[1, 2].map(() => postgresStore({ pool, ...limits }))];
    let next = 0;
    const random = (below: number): number => Math.floor(Math.random() * below);
    const work = async (store: NotificationStore): Promise<void> => {
      for (let round = 0; round < 60; round += 1) {
        const key = `k${next++}`;
        const topic = ['questions', 'Questions', 'items'][random(3)] ?? '';
        const odd = { ...entry(key, `g${random(20)}`), notification: { known: false, user_id: random(3), topic, resource: '/1' } } as const; // prettier-ignore
        await store.add({ ...odd, caughtUp: random(3) === 0 }).catch(() => undefined);
        const { leases } = await store.claim(claim({ limit: 2 }));
        for (const leased of leases) {
          const failed = { confirmed: random(2) === 0, retryInMs: 0 };
          const results = [failed, failed, { done: [leased.entry.key] }, { deadLetter: { key: leased.entry.key, failure: 'no' } }]; // prettier-ignore
          await store.settle(settlement(leased, results[random(4)]));
        }
        const [letter] = await store.deadLetters(1);
        if (letter && random(2) === 0) await store.redrive(letter.entry.key);
        if (random(4) === 0) await store.removeWaiting?.(key);
      }
    };
    await Promise.all([...stores, ...stores].map(work));
    const counted = 'SELECT room, entries, bytes, unconfirmed, unconfirmed_bytes FROM seller_inbox_room ORDER BY room';
    const truth = `SELECT room, (count(*) FILTER (WHERE confirmed IS NOT FALSE))::integer AS entries,
        coalesce(sum(octet_length(entry)) FILTER (WHERE confirmed IS NOT FALSE), 0)::float8 AS bytes,
        (count(*) FILTER (WHERE confirmed IS FALSE))::integer AS unconfirmed,
        coalesce(sum(octet_length(entry)) FILTER (WHERE confirmed IS FALSE), 0)::float8 AS unconfirmed_bytes
      FROM seller_inbox_waiting GROUP BY room ORDER BY room`;
    expect((await pool.query(counted)).rows).toEqual((await pool.query(truth)).rows);
    expect((await stores[0]?.stats?.())?.expired).toBeGreaterThan(0);
  });

  test('a topic that is longer than an index takes has a room as well', async () => {
    const store = await open({ maxWaiting: 1 });
    const of = (key: string) => ({ ...entry(key), notification: { known: false, user_id: 7, topic: randomBytes(9_000).toString('hex').slice(0, 9_000) + key, resource: '/1' } }) as const; // prettier-ignore
    expect(await store.add(of('a'))).toBe('added');
    expect(await store.add(of('b'))).toBe('added');
  });

  test('a row that somebody has damaged is set aside, and its resource goes on', async () => {
    const store = await open();
    await store.add(entry('a', 'g', 1));
    await store.add(entry('b', 'g', 2));
    await pool.query("UPDATE seller_inbox_waiting SET entry = '{' WHERE key = 'a'");
    expect(await store.claim(claim())).toMatchObject({ leases: [], problems: [expect.stringContaining('damaged')] });
    expect(await lease(store)).toMatchObject({ entry: { key: 'b' } });
  });

  test('what somebody has damaged of the writes or the last error of a row stops nothing', async () => {
    const store = await open();
    await store.add(entry('a', 'g', 1));
    await store.add(entry('b', 'g', 2));
    await pool.query("UPDATE seller_inbox_waiting SET writes = '{' WHERE key = 'a'");
    await pool.query("UPDATE seller_inbox_waiting SET last_failure = '{' WHERE key = 'b'");
    expect((await openInbox(store).waiting.list()).map((each) => each.entry.key)).toEqual(['b']);
    expect(await store.claim(claim())).toMatchObject({ leases: [], problems: [expect.stringContaining('damaged')] });
    expect(await lease(store)).toMatchObject({ entry: { key: 'b' } });
  });

  test('all dead letters are replayed, also behind damaged ones', async () => {
    const store = await open();
    const keys = Array.from({ length: 150 }, (_, index) => `k${index}`);
    await Promise.all(keys.map((key) => store.add(entry(key))));
    const { leases } = await store.claim(claim({ limit: 150 }));
    await Promise.all(
      leases.map((each) => store.settle(settlement(each, { deadLetter: { key: each.entry.key, failure: 'no' } }))),
    );
    await pool.query("UPDATE seller_inbox_dead SET entry = '{' WHERE number IN (1, 50)");
    await pool.query("UPDATE seller_inbox_dead SET writes = '{' WHERE number = 120");
    const inbox = openInbox(store);
    expect(await inbox.deadLetters.replayAll()).toBe(147);
    expect(await inbox.stats()).toMatchObject({ waiting: 147, dead: 3 });
  });

  test('it is known when the last notification of a topic came, also after it was handled', async () => {
    const store = await open();
    await store.add(entry('a'));
    const topics = async () => (await openInbox(postgresStore({ pool })).stats()).topics;
    await expect.poll(topics).toMatchObject({ questions: { waiting: 1 } });
    await store.settle(settlement(await lease(store), { done: ['a'] }));
    await expect.poll(topics).toMatchObject({ questions: { waiting: 0, lastArrivalAt: expect.any(Number) as number } });
    expect((await topics()).questions?.oldestAgeMs).toBeUndefined();
  });

  test('a topic with characters that PostgreSQL has no place for is stored', async () => {
    const store = await open();
    const odd = { ...entry('a'), notification: { known: false, user_id: 7, topic: 'a\0b', resource: '\0' } } as const;
    expect(await store.add(odd)).toBe('added');
    expect((await lease(store)).entry).toEqual(odd);
  });

  test('what fails in a transaction leaves nothing behind, and the next one succeeds', async () => {
    const store = await open();
    await store.add(entry('a'));
    await pool.query('ALTER TABLE seller_inbox_waiting RENAME TO away');
    await expect(store.add(entry('b'))).rejects.toThrow('seller_inbox_waiting');
    await pool.query('ALTER TABLE away RENAME TO seller_inbox_waiting');
    expect((await pool.query('SELECT group_id FROM seller_inbox_group')).rows).toEqual([{ group_id: 'a' }]);
    expect(await store.add(entry('b'))).toBe('added');
  });

  test('an operator looks at an inbox that is there, and creates none', async () => {
    const store = await open();
    await expect(openInbox(store).stats()).rejects.toThrow('there is no inbox in this database');
    expect((await pool.query("SELECT to_regclass('seller_inbox_group') AS found")).rows).toEqual([{ found: null }]);
    await postgresStore({ pool }).add(entry('a'));
    expect(await openInbox(postgresStore({ pool })).stats()).toMatchObject({ waiting: 1 });
  });

  test('tables of a newer version are left alone', async () => {
    await (await open()).add(entry('a'));
    await pool.query('UPDATE seller_inbox_version SET version = 99');
    await expect(postgresStore({ pool }).add(entry('b'))).rejects.toThrow('update the package');
  });

  test('two receivers share the work, and their counts are those of both', async () => {
    await open();
    const handled: string[] = [];
    const receivers = [0, 1].map((index) =>
      createReceiver({
        store: postgresStore({ pool }),
        acceptTimeoutMs: 15_000,
        pollMs: 20,
        on: { questions: ({ question_id }) => void handled.push(`${index} ${question_id}`) },
      }),
    );
    const [one, other] = receivers as [(typeof receivers)[0], (typeof receivers)[0]];
    const deliveries = [1, 2, 3, 4].flatMap((id) => [deliver(one, about(id)), deliver(other, about(id))]);
    expect(new Set(await Promise.all(deliveries))).toEqual(new Set([200]));
    await expect.poll(async () => (await one.stats()).waiting + (await one.stats()).running).toBe(0);
    await Promise.all(receivers.map((receiver) => receiver.close()));
    expect(handled.map((line) => line.split(' ')[1]).sort()).toEqual(['1', '2', '3', '4']);
  });
});
