import { createInbox } from 'marketplace-seller-sdk/inbox';
import { postgresStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deliverUntilAccepted } from '../support/deliveries.ts';
import { hasPostgres, startPostgres } from '../support/postgres.ts';
import type { OwnPostgres } from '../support/postgres.ts';
import { silentLogger } from '../support/silent.ts';

const count = 200;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasPostgres)('an inbox whose connections to PostgreSQL are lost', () => {
  let postgres: OwnPostgres;
  beforeEach(async () => {
    postgres = await startPostgres();
  });
  afterEach(() => postgres.stop());

  /** Buyers write in packs while something happens to the connections. Returns how often each was answered. */
  const answersWhile = async (harm: (round: number) => Promise<void>): Promise<readonly number[]> => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const pool = new Pool({ connectionString: postgres.connectionString });
    pool.on('error', () => undefined);
    const inbox = createInbox({
      store: postgresStore({ pool }),
      clientFor: (user_id) =>
        user_id === seller.user_id ? marketplace.clientFor(seller, { timeoutMs: 20_000 }) : undefined,
      logger: silentLogger,
      // real: a lease that ends is given out again, whatever takes longer.
      leaseMs: 2_000,
      retry: { firstDelayMs: 50, maxDelayMs: 500 },
      on: { messages: (_, { reply }) => reply('Tomorrow') },
    });
    inbox.start();
    const packs = Array.from({ length: count }, () =>
      marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id }),
    );
    const state = { isOver: false };
    const harming = (async () => {
      for (let round = 0; !state.isOver; round += 1) await harm(round);
    })();
    const delivered = packs.map(async (pack, index) => {
      await pause(index * 10);
      const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
      return deliverUntilAccepted(inbox, { user_id: seller.user_id, topic: 'messages', resource: id, _id: id });
    });
    expect(await Promise.all(delivered)).toEqual(packs.map(() => 200));
    state.isOver = true;
    await harming;
    while ((await inbox.stats()).waiting > 0 || (await inbox.stats()).running > 0) await pause(100);
    expect(await inbox.stats()).toMatchObject({ dead: 0, rejected: 0 });
    await inbox.close();
    await pool.end();
    const { messages } = marketplace.clientFor(seller);
    const { user_id } = seller;
    const answers = packs.map(async ({ pack_id }) => {
      const found = await messages.conversation({ pack_id: pack_id!, user_id, mark_as_read: false }).toArray();
      return found.filter(({ from }) => from?.user_id === user_id).length;
    });
    return Promise.all(answers);
  };

  const once = Array.from({ length: count }, () => 1);

  test('goes on while the server ends them again and again, and answers each message once', async () => {
    const admin = new Pool({ connectionString: postgres.connectionString, max: 1 });
    const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()';
    const answers = await answersWhile(async (round) => {
      await pause(100 + ((round * 37) % 100));
      await admin.query(`${terminate} AND backend_type = 'client backend'`);
    });
    await admin.end();
    expect(answers).toEqual(once);
  });

  test('goes on after immediate restarts of the server', async () => {
    const answers = await answersWhile(async () => {
      await pause(400);
      await postgres.restart();
    });
    expect(answers).toEqual(once);
  });
});
