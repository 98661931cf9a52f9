import { createInbox, openInbox } from 'marketplace-seller-sdk/inbox';
import { postgresStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { Pool } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deliverUntilAccepted } from '../support/deliveries.ts';
import { hasPostgres } from '../support/postgres.ts';
import { sharedPostgres } from '../support/shared-postgres.ts';
import { silentLogger } from '../support/silent.ts';
import { lease, work } from '../support/work.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const used = (pool: Pool): number => pool.totalCount - pool.idleCount;

/** Waits until a pool has given out this many connections. */
async function untilUsed(pool: Pool, count: number): Promise<void> {
  while (used(pool) !== count) await pause(10);
}

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

  test('need a pool of three', async () => {
    for (const max of [1, 2]) {
      const pool = await poolOf(max);
      expect(() => postgresStore({ pool })).toThrow(`which has ${max} (\`max\`); give it at least 3`);
      await pool.end();
    }
    expect(postgresStore({ pool: { connect: () => Promise.reject(new Error('away')) } })).toBeDefined();
  });
});
