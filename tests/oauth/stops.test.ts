import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessTokenError, GrantRevokedError, SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import type { TokenSet } from 'marketplace-seller-sdk';
import { createOAuth, createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { Sellers, TokenStore } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The same numbers in each run, from 0 to 1. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A service whose token endpoint takes up to 100 ms before and after it has used up a refresh token. */
function createService(random: () => number) {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser({ user_id: 7 });
  const { refresh } = createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization',
    tokenUrl: `${marketplace.baseUrl}/oauth/token`,
    fetch: async (url, init) => {
      await pause(random() * 100);
      const response = await marketplace.fetch(url, init);
      await pause(random() * 100);
      return response;
    },
  });
  const firstTokens = (leftMs: number): TokenSet => ({
    accessToken: marketplace.tokenFor({ user_id }),
    refreshToken: marketplace.accounts.issueRefreshToken(user_id),
    expiresAt: Date.now() + leftMs,
  });
  const used = (): number => marketplace.requests.filter({ path: '/oauth/token' }).length;
  return { marketplace, refresh, firstTokens, used };
}

const search = (seller: SellerClient | undefined) => seller!.questions.search({ seller_id: 7 }).first();

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stops-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'tokens.db');
}

test('40 stops at any moment of a refresh lose no grant', async () => {
  const random = numbersOf(60);
  const path = newFile();
  // Keeps the log of the file: it is not written anew with each stop.
  const keeper = sqliteTokens(path);
  const refreshes = { before: 0, after: 0 };
  for (let stop = 0; stop < 40; stop += 1) {
    const { marketplace, refresh, firstTokens, used } = createService(random);
    const start = (): { tokens: TokenStore; sellers: Sellers } => {
      const tokens = sqliteTokens(path);
      const client = new SellerClient({ baseUrl: marketplace.baseUrl, fetch: marketplace.fetch });
      return { tokens, sellers: createSellers({ client, tokens, refresh }) };
    };
    // In the background, or while a call waits for it.
    const leftMs = stop % 2 === 0 ? 30_000 : -1;
    const { tokens, sellers } = start();
    await tokens.save(7, firstTokens(leftMs));
    const call = search(await sellers.for(7)).catch(() => undefined);
    await vi.advanceTimersByTimeAsync(random() * 220);
    const close = async (): Promise<void> => {
      // Some programs close only the store.
      if (stop % 4 < 2) await sellers.close();
      await tokens.close?.();
    };
    await advanceUntilSettled(close());
    refreshes.before += used();
    // What this process does from here on is not seen: it has ended.
    const next = start();
    await advanceUntilSettled(
      next.tokens.load(7).then((stored) => next.tokens.save(7, { ...stored!.tokens, expiresAt: Date.now() })),
    );
    await advanceUntilSettled(search(await next.sellers.for(7)));
    await advanceUntilSettled(next.tokens.close!());
    refreshes.after += used();
    await advanceUntilSettled(call);
  }
  await keeper.close?.();
  // Otherwise it tests nothing: most stops came after the request had arrived.
  expect(refreshes.before).toBeGreaterThan(24);
  expect(refreshes.after).toBeGreaterThan(refreshes.before);
});

describe('close()', () => {
  const expired = (): TokenSet => ({ accessToken: 'old', refreshToken: 'r1', expiresAt: Date.now() - 1 });
  const signal = new AbortController().signal;

  test('of a token waits for the refresh in the background, and no other one begins', async () => {
    const random = numbersOf(1);
    const { refresh, firstTokens, used } = createService(random);
    const store = { tokens: firstTokens(30_000) };
    const first = store.tokens;
    const token = refreshingToken({ load: () => store.tokens, save: (next) => void (store.tokens = next), refresh });
    expect(await token({ signal })).toBe(first.accessToken);
    await vi.advanceTimersByTimeAsync(0);
    await advanceUntilSettled(token.close());
    expect(store.tokens.refreshToken).not.toBe(first.refreshToken);
    store.tokens = { ...store.tokens, expiresAt: Date.now() + 1 };
    const other = refreshingToken({ load: () => store.tokens, save: () => undefined, refresh });
    await other.close();
    expect(await other({ signal })).toBe(store.tokens.accessToken);
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await errorOf(Promise.resolve(other({ signal })))).message).toContain('it was closed');
    expect(used()).toBe(1);
  });

  test('of a token ends the search for one that another process has stored', async () => {
    const refresh = () => Promise.reject(new GrantRevokedError('no'));
    const token = refreshingToken({ load: expired, save: () => undefined, refresh });
    const failing = errorOf(Promise.resolve(token({ signal })));
    await vi.advanceTimersByTimeAsync(1000);
    await token.close();
    await vi.advanceTimersByTimeAsync(1000);
    expect(vi.getTimerCount()).toBe(0);
    expect((await failing).message).toContain('it was closed');
  });

  test('saves what could not be saved before, or says that it cannot', async () => {
    let isFull = true;
    const saved: TokenSet[] = [];
    const next = { accessToken: 'new', refreshToken: 'r2' };
    const token = refreshingToken({
      load: expired,
      save: (tokens) => {
        if (isFull) throw new Error('the disk is full');
        saved.push(tokens);
      },
      refresh: () => next,
    });
    await advanceUntilSettled(errorOf(Promise.resolve(token({ signal }))));
    expect((await advanceUntilSettled(errorOf(token.close()))).message).toContain('the disk is full');
    isFull = false;
    await token.close();
    await token.close();
    expect(saved).toEqual([next]);
  });

  test('of a store lets no other refresh begin', async () => {
    const tokens = sqliteTokens(newFile());
    await tokens.save(7, expired());
    const client = new SellerClient({ baseUrl: 'https://api.test', fetch: () => Promise.reject(new Error('no')) });
    const refresh = vi.fn(() => Promise.resolve({ accessToken: 'new', refreshToken: 'r2' }));
    const sellers = createSellers({ client, tokens, refresh });
    const seller = await sellers.for(7);
    const held = Promise.withResolvers<undefined>();
    const holding = tokens.lock(8, () => held.promise);
    await vi.advanceTimersByTimeAsync(10);
    const closing = tokens.close!();
    const error = await advanceUntilSettled(errorOf(search(seller)));
    expect(error.message).toContain('its store was closed');
    expect(refresh).not.toHaveBeenCalled();
    held.resolve(undefined);
    await advanceUntilSettled(Promise.all([holding, closing]));
  });

  test('of sellers gives up after 20 seconds, and names those whose grant may be lost', async () => {
    const path = newFile();
    const tokens = sqliteTokens(path);
    for (const user_id of [7, 8, 9, 10]) await tokens.save(user_id, expired());
    const fetch = () => Promise.resolve(Response.json({ questions: [], total: 0 }));
    const client = new SellerClient({ baseUrl: 'https://api.test', fetch });
    const refresh = (): Promise<TokenSet> => new Promise(() => undefined);
    const sellers = createSellers({ client, tokens, refresh });
    await tokens.lock(9, () => Promise.resolve());
    for (const user_id of [7, 8]) search(await sellers.for(user_id)).catch(() => undefined);
    await sellers.for(9);
    await vi.advanceTimersByTimeAsync(100);
    const startedAt = Date.now();
    const closing = errorOf(sellers.close());
    expect((await advanceUntilSettled(errorOf(search(await sellers.for(10))))).message).toContain('it was closed');
    const error = await advanceUntilSettled(closing);
    expect(error).toBeInstanceOf(AccessTokenError);
    expect(error.message).toMatch(/sellers were not stored: 7, 8\. .*the grant is lost/);
    expect((await advanceUntilSettled(errorOf(tokens.close!()))).message).toMatch(/for 20000 ms: 7, 8\./);
    expect(Date.now() - startedAt).toBeLessThan(41_000);
    await expect(tokens.sellers()).rejects.toThrow();
  });
});
