import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { postgresStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PostgresConnection } from '../../src/work/postgres-connections.js';
import { deliverUntilAccepted } from '../support/deliveries.ts';
import { hasPostgres } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { silentLogger } from '../support/silent.ts';
import { claim, done, lease, work } from '../support/work.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const used = (pool: Pool): number => pool.totalCount - pool.idleCount;

/** Waits until a pool has given out this many connections. */
async function untilUsed(pool: Pool, count: number): Promise<void> {
  while (used(pool) !== count) await pause(10);
}

test('a connection that is kept lets the process end but while it is used, also one that was taken anew', async () => {
  const clients: { isAlive: boolean; onLost?: (error: Error) => void; releases: number }[] = [];
  const connect = async () => {
    const own: (typeof clients)[number] = { isAlive: true, releases: 0 };
    clients.push(own);
    return {
      query: async () => own.isAlive,
      release: () => (own.releases += 1),
      on: (_: 'error', listener: (error: Error) => void) => (own.onLost = listener),
      unref: () => (own.isAlive = false),
      ref: () => (own.isAlive = true),
    };
  };
  const connection = new PostgresConnection({ connect });
  connection.keep();
  for (const count of [1, 2, 3]) {
    await vi.waitFor(() => expect(clients.map(({ isAlive }) => isAlive)).toEqual(Array(count).fill(false)));
    expect(await connection.use(async (client) => client.query(''))).toBe(true);
    const [last] = clients.slice(-1);
    for (const lost of ['once', 'twice']) last!.onLost?.(new Error(lost));
  }
  expect(clients.map(({ releases }) => releases)).toEqual([1, 1, 1, 0]);
});

describe.skipIf(!hasPostgres)('the connections of a store in PostgreSQL', () => {
  const createDatabase = sharedPostgres();
  const poolOf = async (max: number): Promise<Pool> => {
    const pool = new Pool({ connectionString: await createDatabase(), max });
    pool.on('error', () => undefined);
    return pool;
  };
  const quiet = { logger: silentLogger, leaseMs: 60_000 } satisfies Partial<InboxOptions>;

  test('handlers may hold all others while what they write waits for the store', async () => {
    const pool = await poolOf(10);
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const answered: string[] = [];
    const inbox = createInbox({
      ...quiet,
      store: postgresStore({ pool }),
      concurrency: 40,
      clientFor: () => marketplace.clientFor(seller),
      on: {
        messages: async ({ message_id }, { reply }) => {
          const client = await pool.connect();
          try {
            await client.query('BEGIN');
            await reply('Tomorrow');
            await client.query('COMMIT');
            answered.push(message_id);
          } finally {
            client.release();
          }
        },
      },
    });
    const packs = Array.from({ length: 40 }, () =>
      marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id }),
    );
    const delivered = packs.map(async (pack) => {
      const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      return deliverUntilAccepted(inbox, { user_id: seller.user_id, topic: 'messages', resource: id, _id: id });
    });
    expect(await Promise.all(delivered)).toEqual(packs.map(() => 200));
    await inbox.idle();
    expect(new Set(answered).size).toBe(40);
    await inbox.close();
    await pool.end();
  });

  test('are two while an inbox and an outbox run, whatever the number of their stores, and are given back', async () => {
    const pool = await poolOf(5);
    const [one, other] = [postgresStore({ pool }), postgresStore({ pool })];
    const inbox = createInbox({ ...quiet, store: one, fallback: () => undefined });
    const outbox = createOutbox({
      ...quiet,
      store: other,
      clientFor: () => new FakeMarketplace().clientFor({ user_id: 1 }),
    });
    expect(used(pool)).toBe(0);
    inbox.start();
    outbox.start();
    await untilUsed(pool, 2);
    await inbox.add({ user_id: 1, topic: 'orders_v2', resource: '/orders/1', _id: '1' });
    await inbox.idle();
    await untilUsed(pool, 2);
    await inbox.close();
    expect(used(pool)).toBe(2);
    await outbox.close();
    expect(used(pool)).toBe(0);
    await pool.end();
  });

  test('are none of those who only look', async () => {
    const pool = await poolOf(3);
    const store = postgresStore({ pool });
    await store.add(work('a'));
    await store.close?.();
    const [inbox, outbox] = [openInbox(postgresStore({ pool })), openOutbox(postgresStore({ pool }))];
    expect(await inbox.stats()).toMatchObject({ waiting: 1 });
    expect(await outbox.deadLetters.list()).toEqual([]);
    expect(used(pool)).toBe(0);
    await inbox.close();
    await outbox.close();
    await pool.end();
  });

  test('are taken anew when they are lost, also where others wait for one', async () => {
    const pool = await poolOf(3);
    const store = postgresStore({ pool });
    await store.add(work('a'));
    await untilUsed(pool, 2);
    const held = await pool.connect();
    const waiting = pool.connect();
    await held.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()',
    );
    expect(await store.note(await lease(store), { writes: 1 })).toBe(true);
    expect(await store.add(work('b'))).toBe('added');
    held.release();
    (await waiting).release();
    await store.close?.();
    await pool.end();
  });

  test('are given back also to a pool that is ended too early', async () => {
    const pool = await poolOf(3);
    const store = postgresStore({ pool });
    onTestFinished(() => store.close?.());
    await store.add(work('a'));
    await untilUsed(pool, 2);
    await pool.end();
    await expect(store.add(work('b'))).rejects.toThrow('after calling end');
  });

  /** Keeps a lock until what is returned is called. */
  const locked = async (pool: Pool, sql: string): Promise<() => Promise<void>> => {
    const client = await pool.connect();
    await client.query(`BEGIN; ${sql}`);
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  };
  const burst = Array.from({ length: 1_000 }, (_, index) => `delivered ${index}`);

  test('let deliveries be accepted while claims and results wait', async () => {
    const pool = await poolOf(5);
    const store = postgresStore({ pool });
    await store.add(work('a', { owner: 'full' }));
    const leased = await lease(store);
    const unlock = await locked(pool, "SELECT FROM seller_work WHERE key = 'a' FOR UPDATE");
    const order: string[] = [];
    const rest = [store.settle(leased, done), claim(store), store.get('a')];
    const others = Promise.all(rest).then(() => order.push('the rest'));
    expect(await Promise.all(burst.map((key) => store.add(work(key), 10_000)))).toEqual(burst.map(() => 'added'));
    // Also where there is no room: what is known is acknowledged, and the rest is delivered again.
    const full = async (key: string) => store.add(work(key, { owner: 'full' }), 1);
    expect([await full('b'), await full('b'), await full('a')]).toEqual(['full', 'full', 'known']);
    order.push('deliveries');
    await unlock();
    await others;
    expect(order).toEqual(['deliveries', 'the rest']);
    await store.close?.();
    await pool.end();
  });

  test('let the backlog be handled while deliveries wait', async () => {
    const pool = await poolOf(5);
    const store = postgresStore({ pool });
    await Promise.all(['a', 'b', 'c'].map((key) => store.add(work(key))));
    const unlock = await locked(pool, "SELECT pg_advisory_xact_lock(hashtextextended('delivered 0', 0))");
    const order: string[] = [];
    const deliveries = Promise.all(burst.map((key) => store.add(work(key)))).then(() => order.push('deliveries'));
    for (const key of ['a', 'b', 'c']) {
      const leased = await lease(store);
      expect([leased.key, await store.note(leased, { writes: 1 })]).toEqual([key, true]);
      expect([await store.renew([leased], 60_000), await store.settle(leased, done)]).toEqual([[], true]);
    }
    order.push('the backlog');
    await unlock();
    await deliveries;
    expect(order).toEqual(['the backlog', 'deliveries']);
    await store.close?.();
    await pool.end();
  });

  test('need a pool of three', async () => {
    for (const max of [1, 2]) {
      const pool = await poolOf(max);
      expect(() => postgresStore({ pool })).toThrow(`which has ${max} (\`max\`); give it at least 3`);
      await pool.end();
    }
    expect(postgresStore({ pool: { connect: () => Promise.reject(new Error('away')) } })).toBeDefined();
  });
});
