/**
 * Tokens in a database, shared by several processes. A refresh token works only once, so a lock guards it.
 *
 *   node examples/token-in-a-database.ts
 */
import { DatabaseSync } from 'node:sqlite';
import { refreshingToken } from 'marketplace-seller-sdk';
import type { TokenSet } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

const marketplace = new FakeMarketplace();
const account = marketplace.addUser();

// With a file instead of ':memory:', several processes share it, and BEGIN IMMEDIATE is their lock.
const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE tokens (seller INTEGER PRIMARY KEY, body TEXT NOT NULL)');
const put = database.prepare('INSERT OR REPLACE INTO tokens VALUES (?, ?)');
const take = database.prepare('SELECT body FROM tokens WHERE seller = ?');
put.run(account.user_id, JSON.stringify({ accessToken: 'expired', refreshToken: 'refresh-1', expiresAt: 0 }));

const accessToken = refreshingToken<TokenSet>({
  load: () => JSON.parse(String(take.get(account.user_id)?.body)) as TokenSet,
  save: (tokens) => void put.run(account.user_id, JSON.stringify(tokens)),
  // Call your authorisation server here. A refresh token works only once.
  refresh: ({ refreshToken }) => {
    console.log(`refreshed once, with ${String(refreshToken)}`);
    return {
      accessToken: marketplace.tokenFor(account),
      refreshToken: 'refresh-2',
      expiresAt: Date.now() + 6 * 3_600_000,
    };
  },
  // Other processes wait here, then load the tokens that this one saved.
  lock: async (work) => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = await work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  },
});

const seller = marketplace.clientFor(account, { accessToken });
const found = await Promise.all([1, 2, 3].map(() => seller.questions.search({ seller_id: account.user_id }).toArray()));
console.log(`${found.length} searches, one refresh`);
