import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigurationError, GrantRevokedError, SellerClient } from 'marketplace-seller-sdk';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { TokenStore } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

// Who has authorised the application, whose grant has ended, and since when: what an operator's page shows.

const began = Date.parse('2030-01-01T12:00:00Z');
const [hour, day] = [3_600_000, 86_400_000];
beforeEach(() => void vi.useFakeTimers({ now: began, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sellers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'tokens.db');
}

function open(path: string): TokenStore {
  const tokens = sqliteTokens(path);
  onTestFinished(() => tokens.close?.());
  return tokens;
}

function sellersOn(tokens: TokenStore, refresh?: () => never) {
  const marketplace = new FakeMarketplace();
  const client = new SellerClient({ baseUrl: marketplace.baseUrl, fetch: marketplace.fetch });
  return createSellers({ client, tokens, ...(refresh && { refresh }) });
}

test('a seller is connected since the authorisation, revoked since the grant ended, and connected anew', async () => {
  const path = newFile();
  const revoked = (): never => {
    throw new GrantRevokedError('The refresh token is not valid any more');
  };
  const sellers = sellersOn(open(path), revoked);
  expect(await sellers.list()).toEqual([]);
  await sellers.add({ user_id: 8, accessToken: 'a', refreshToken: 'r' });
  await sellers.add({ user_id: 7, accessToken: 'a', refreshToken: 'r', expiresAt: began + hour });
  vi.setSystemTime(began + day);
  const call = (await sellers.for(7))!.questions.search({ seller_id: 7 }).first();
  await expect(call).rejects.toThrow(GrantRevokedError);
  const seven = { user_id: 7, state: 'revoked', since: began + day };
  const eight = { user_id: 8, state: 'connected', since: began };
  // Another process, and one that is started later, show the same.
  vi.setSystemTime(began + 2 * day);
  const other = sellersOn(open(path));
  expect(await other.list()).toEqual([seven, eight]);
  expect(await other.list({ state: 'revoked' })).toEqual([seven]);
  expect(await other.list({ state: 'connected' })).toEqual([eight]);
  expect(await other.ids()).toEqual([8]);
  await other.add({ user_id: 7, accessToken: 'b', refreshToken: 's' });
  expect(await sellers.list()).toEqual([{ user_id: 7, state: 'connected', since: began + 2 * day }, eight]);
});

test('a refresh, a second authorisation and a second mark change no time', async () => {
  const tokens = open(newFile());
  await tokens.save(7, { accessToken: 'a', refreshToken: 'r' });
  vi.setSystemTime(began + hour);
  await tokens.save(7, { accessToken: 'b', refreshToken: 's' });
  expect(await tokens.list?.()).toEqual([{ user_id: 7, state: 'connected', since: began }]);
  expect(await tokens.revoke(7, { accessToken: 'b', refreshToken: 's' })).toBe(true);
  vi.setSystemTime(began + day);
  expect(await tokens.revoke(7, { accessToken: 'b', refreshToken: 's' })).toBe(false);
  expect(await tokens.list?.()).toEqual([{ user_id: 7, state: 'revoked', since: began + hour }]);
  await tokens.remove(7);
  expect(await tokens.list?.()).toEqual([]);
});

test('a file of an earlier version opens with its tokens, also while its processes use it', async () => {
  const path = newFile();
  const old = new DatabaseSync(path);
  onTestFinished(() => old.close());
  old.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE seller_tokens (user_id INTEGER PRIMARY KEY, tokens TEXT NOT NULL, refresh_token TEXT,
      revoked INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE seller_lock (user_id INTEGER PRIMARY KEY, holder TEXT NOT NULL, until INTEGER NOT NULL);
    INSERT INTO seller_tokens VALUES (7, '{"accessToken":"a","refreshToken":"r"}', 'r', 0), (8, '{"accessToken":"a"}', NULL, 1)`);
  const [tokens, second] = [open(path), open(path)];
  const unknown = [
    { user_id: 7, state: 'connected' },
    { user_id: 8, state: 'revoked' },
  ];
  expect(await tokens.list?.()).toEqual(unknown);
  // The statement with which the earlier version stores tokens.
  const insert = 'INSERT OR REPLACE INTO seller_tokens (user_id, tokens, refresh_token) VALUES (?, ?, ?)';
  old.prepare(insert).all(7, '{"accessToken":"b","refreshToken":"s"}', 's');
  expect(await second.load(7)).toEqual({ tokens: { accessToken: 'b', refreshToken: 's' }, isRevoked: false });
  expect(await second.revoke(7, { accessToken: 'b', refreshToken: 's' })).toBe(true);
  await second.save(8, { accessToken: 'c' });
  expect(await tokens.list?.()).toEqual([
    { user_id: 7, state: 'revoked', since: began },
    { user_id: 8, state: 'connected', since: began },
  ]);
});

test('what cannot be listed is said', async () => {
  await expect(sellersOn(withoutList(open(newFile()))).list()).rejects.toThrow(
    '`tokens` of createSellers has no `list`',
  );
  const sellers = sellersOn(open(newFile()));
  await expect(sellers.list({ state: 'dead' } as never)).rejects.toThrow(ConfigurationError);
  await expect(sellers.list({ status: 'revoked' } as never)).rejects.toThrow('status');
});

function withoutList(store: TokenStore): TokenStore {
  return {
    load: (id) => store.load(id),
    save: (id, tokens) => store.save(id, tokens),
    revoke: (id, tokens) => store.revoke(id, tokens),
    remove: (id) => store.remove(id),
    sellers: () => store.sellers(),
    lock: (id, work) => store.lock(id, work),
  };
}
