import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GrantRevokedError, SellerClient } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { createOAuth, createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import type { SellersOptions, TokenStore } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { tokenStoreConformance } from '../support/token-store-conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
let files = 0;
const newPath = (): string => join(folder, `${(files += 1)}.db`);
const opened: TokenStore[] = [];
const open = (path: string): TokenStore => {
  const store = sqliteTokens(path);
  opened.push(store);
  return store;
};
afterAll(async () => {
  for (const store of opened) await store.close?.();
  rmSync(folder, { recursive: true });
});

describe('sqliteTokens keeps the rules of a store of tokens', () => {
  for (const { name, run } of tokenStoreConformance(() => sqliteTokens(newPath()))) test(name, run);
});

test('two processes share the tokens and the lock of a file', async () => {
  const path = newPath();
  const [first, second] = [open(path), open(path)];
  await first.save(7, { accessToken: 'a', refreshToken: 'r' });
  expect(await second.load(7)).toEqual({ tokens: { accessToken: 'a', refreshToken: 'r' }, isRevoked: false });
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push(`${name} ends`);
  };
  await Promise.all([first.lock(7, work('one')), second.lock(7, work('two'))]);
  expect([['one', 'two'], ['two', 'one']].map((names) => names.flatMap((name) => [`${name} begins`, `${name} ends`]))).toContainEqual(order); // prettier-ignore
});

/** An application with a seller whose tokens are in a file, as two processes see them. */
async function application() {
  const marketplace = new FakeMarketplace();
  const account = marketplace.addUser({ user_id: 7 });
  const oauth = createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization',
    tokenUrl: `${marketplace.baseUrl}/oauth/token`,
    fetch: marketplace.fetch,
  });
  const authorize = async () => {
    const { url, state, verifier } = await oauth.start();
    return oauth.exchange({ url: marketplace.authorize(account, url), state, verifier });
  };
  const path = newPath();
  const revoked: number[] = [];
  const start = (options: Partial<SellersOptions> = {}) => {
    const client = new SellerClient({ baseUrl: marketplace.baseUrl, fetch: marketplace.fetch });
    const onRevoked = ({ user_id, error }: { user_id: number; error: GrantRevokedError }): void => {
      expect(error).toBeInstanceOf(GrantRevokedError);
      revoked.push(user_id);
    };
    return createSellers({ client, tokens: open(path), refresh: oauth.refresh, onRevoked, ...options });
  };
  const refreshes = () => marketplace.requests.filter({ path: '/oauth/token' }).length;
  return { marketplace, account, authorize, revoked, start, refreshes, openStore: () => open(path) };
}

const search = (seller: SellerClient | undefined) => seller!.questions.search({ seller_id: 7 }).first();

test('a seller has one client from the authorisation on, and nobody else has any', async () => {
  const { authorize, start } = await application();
  const sellers = start();
  expect(await sellers.for(7)).toBeUndefined();
  await sellers.add(await authorize());
  const seller = await sellers.for(7);
  expect(await sellers.for(7)).toBe(seller);
  expect(await sellers.for(8)).toBeUndefined();
  expect(await sellers.ids()).toEqual([7]);
  await search(seller);
});

test('each of two sellers has a client with tokens of its own, asked for in any order', async () => {
  const { marketplace, start } = await application();
  const sellers = start();
  for (const user_id of [7, 8]) {
    const account = marketplace.accounts.get(user_id) ?? marketplace.addUser({ user_id });
    await sellers.add({ user_id, accessToken: marketplace.tokenFor(account) });
  }
  expect((await sellers.ids()).toSorted()).toEqual([7, 8]);
  for (const user_id of [7, 8, 8, 7]) {
    const client = await sellers.for(user_id);
    await client!.questions.search({ seller_id: user_id }).first();
    expect(marketplace.requests.last?.user_id).toBe(user_id);
  }
});

test('two processes with an expired token refresh it once', async () => {
  const { marketplace, authorize, start, refreshes } = await application();
  const [first, second] = [start(), start()];
  const tokens = await authorize();
  await first.add(tokens);
  marketplace.accounts.expireToken(tokens.accessToken);
  const before = refreshes();
  const clients = [await first.for(7), await second.for(7)];
  await Promise.all([...clients, ...clients].map(search));
  expect(refreshes() - before).toBe(1);
});

test.each(['load', 'save'] as const)(
  'a store whose `%s` fails for a moment after a refresh loses no grant',
  async (failing) => {
    const { marketplace, authorize, start, refreshes, revoked, openStore } = await application();
    const store = openStore();
    const tokens = await authorize();
    await store.save(7, tokens);
    const before = refreshes();
    let left = 3;
    const fail = (): void => {
      if (refreshes() > before && (left -= 1) >= 0) throw new Error('the database restarts');
    };
    const unsteady: TokenStore = {
      load: async (user_id) => (failing === 'load' && fail(), store.load(user_id)),
      save: async (user_id, next) => (failing === 'save' && fail(), store.save(user_id, next)),
      revoke: (user_id, next) => store.revoke(user_id, next),
      remove: (user_id) => store.remove(user_id),
      sellers: () => store.sellers(),
      lock: (user_id, work) => store.lock(user_id, work),
    };
    const clients = [await start({ tokens: unsteady }).for(7), await start().for(7)];
    marketplace.accounts.expireToken(tokens.accessToken);
    const first = search(clients[0]);
    await expect.poll(refreshes).toBeGreaterThan(before);
    await Promise.all([first, search(clients[1])]);
    expect(left).toBeLessThanOrEqual(0);
    expect({ revoked, sellers: await store.sellers(), refreshes: refreshes() - before }).toEqual({
      revoked: [],
      sellers: [7],
      refreshes: 1,
    });
  },
);

test('a revoked grant is told once over all processes, marks the seller, and a new authorisation clears it', async () => {
  const { marketplace, authorize, revoked, start } = await application();
  const [first, second] = [start(), start()];
  const tokens = await authorize();
  await first.add({ ...tokens, refreshToken: 'revoked at the service' });
  marketplace.accounts.expireToken(tokens.accessToken);
  const clients = [await first.for(7), await second.for(7)];
  for (const client of [...clients, ...clients]) await expect(search(client)).rejects.toThrow(GrantRevokedError);
  expect(revoked).toEqual([7]);
  expect(await first.for(7)).toBeUndefined();
  expect(await second.ids()).toEqual([]);
  await second.add(await authorize());
  await search(await first.for(7));
  await search(clients[1]);
  expect(revoked).toEqual([7]);
});

test('what an inbox looks for by itself tells a revoked grant, and then leaves the seller out', async () => {
  const { account, authorize, marketplace, revoked, start } = await application();
  const sellers = start();
  await sellers.add(await authorize());
  marketplace.accounts.endGrant(account);
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const inbox = createInbox({
    clientFor: sellers.for,
    sellers: sellers.ids,
    on: { questions: () => {} },
    logger,
  });
  inbox.start();
  await vi.waitFor(() => expect(logger.error).toHaveBeenCalledOnce());
  expect(revoked).toEqual([7]);
  expect(await inbox.catchUp()).toEqual({ found: 0, added: 0, failed: [] });
  await inbox.close();
});

/** A seller whose tokens have expired, and whose refresh the service rejects after `meanwhile`. */
async function rejectedSeller(meanwhile: (store: TokenStore) => unknown, onRevoked: (store: TokenStore) => unknown) {
  const store = open(newPath());
  await store.save(7, { accessToken: 'old', refreshToken: 'r1', expiresAt: Date.now() - 1 });
  const refresh = async () => {
    await meanwhile(store);
    throw new GrantRevokedError('revoked');
  };
  const fetch = () => Promise.resolve(Response.json({ questions: [], total: 0 }));
  const client = new SellerClient({ baseUrl: 'https://api.test', fetch });
  const sellers = createSellers({ client, tokens: store, refresh, onRevoked: () => onRevoked(store) });
  return { store, sellers, call: async () => search(await sellers.for(7)) };
}
const anew = { accessToken: 'anew', refreshToken: 'r2' };

test('tokens that are authorised anew while the refresh of the old ones fails are used, and nothing is told', async () => {
  const onRevoked = vi.fn();
  const { store, call } = await rejectedSeller((tokens) => tokens.save(7, anew), onRevoked);
  await call();
  expect(await store.load(7)).toEqual({ tokens: anew, isRevoked: false });
  expect(onRevoked).not.toHaveBeenCalled();
});

test('tokens that are authorised anew just before the revoked grant would be told are not told of', async () => {
  const onRevoked = vi.fn();
  const { store, call } = await rejectedSeller((tokens) => {
    const load = tokens.load.bind(tokens);
    let looks = 0;
    // The first look after the refresh still finds the old ones.
    vi.spyOn(tokens, 'load').mockImplementation(async (user_id) => {
      if ((looks += 1) === 2) await tokens.save(7, anew);
      return load(user_id);
    });
  }, onRevoked);
  await expect(call()).rejects.toThrow(GrantRevokedError);
  expect(await store.load(7)).toEqual({ tokens: anew, isRevoked: false });
  expect(onRevoked).not.toHaveBeenCalled();
});

test('tokens that are authorised anew while the revoked grant is told are not marked', async () => {
  const { store, call } = await rejectedSeller(
    () => undefined,
    (tokens) => tokens.save(7, anew),
  );
  await expect(call()).rejects.toThrow(GrantRevokedError);
  expect(await store.load(7)).toEqual({ tokens: anew, isRevoked: false });
});

test('tokens of a new authorisation are not replaced by a refresh of the old ones', async () => {
  const store = open(newPath());
  await store.save(7, { accessToken: 'old', refreshToken: 'r1', expiresAt: Date.now() - 1 });
  const fetch = () => Promise.resolve(Response.json({ questions: [], total: 0 }));
  const client = new SellerClient({ baseUrl: 'https://api.test', fetch });
  const sellers = createSellers({
    client,
    tokens: store,
    refresh: async () => {
      await sellers.add({ user_id: 7, ...anew });
      return { accessToken: 'refreshed', refreshToken: 'r1b' };
    },
  });
  await search(await sellers.for(7));
  expect((await store.load(7))?.tokens).toEqual(anew);
});

test('a revoked grant is told again if the process ends while it is told', async () => {
  let toldTimes = 0;
  const told = Promise.withResolvers<undefined>();
  const { store, sellers, call } = await rejectedSeller(
    () => undefined,
    () => {
      toldTimes += 1;
      return told.promise;
    },
  );
  const failed = expect(call()).rejects.toThrow(GrantRevokedError);
  await expect.poll(() => toldTimes).toBe(1);
  // The process ends here: nothing is marked, so that another process tells it again.
  expect(await store.load(7)).toMatchObject({ isRevoked: false });
  expect(await sellers.ids()).toEqual([7]);
  told.resolve(undefined);
  await failed;
  expect(await sellers.ids()).toEqual([]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no mail');
    },
  ],
  ['rejects', () => Promise.reject(new Error('no mail'))],
])('an onRevoked that %s does not hide the error, and the seller is marked', async (_, onRevoked) => {
  const { store, call } = await rejectedSeller(() => undefined, onRevoked);
  await expect(call()).rejects.toThrow(GrantRevokedError);
  expect(await store.load(7)).toMatchObject({ isRevoked: true });
});

describe('a seller without a refresh token', () => {
  const sentence = 'Seller 7 has no refresh token: the seller has to authorise again';

  test.each([true, false])('whose access has expired has revoked the application; with `refresh`: %s', async (has) => {
    const { marketplace, authorize, revoked, start } = await application();
    const sellers = start(has ? {} : { refresh: undefined });
    const { refreshToken: _, ...tokens } = await authorize();
    await sellers.add({ ...tokens, expiresAt: Date.now() - 1 });
    const seller = await sellers.for(7);
    const failed = search(seller);
    await expect(failed).rejects.toThrow(GrantRevokedError);
    await expect(failed).rejects.toThrow(sentence);
    await expect(search(seller)).rejects.toThrow(sentence);
    expect([revoked, await sellers.ids(), await sellers.for(7)]).toEqual([[7], [], undefined]);
    expect(marketplace.requests.filter({ path: '/questions/search' })).toEqual([]);
  });

  test.each([undefined, 3_600_000])(
    'is used until a second 401, a minute after the first; %j ms left',
    async (leftMs) => {
      vi.useFakeTimers({ toFake: ['Date', 'performance'] });
      try {
        const { marketplace, authorize, revoked, start } = await application();
        const sellers = start();
        const { refreshToken: _, ...tokens } = await authorize();
        await sellers.add({ ...tokens, expiresAt: leftMs && Date.now() + leftMs });
        const seller = await sellers.for(7);
        await search(seller);
        marketplace.accounts.revokeToken(tokens.accessToken);
        for (const ms of [0, 1, 59_000]) {
          vi.advanceTimersByTime(ms);
          // The clock is set, which is no time that has passed.
          vi.setSystemTime(Date.now() + (ms === 1 ? 120_000 : 0));
          await expect(search(seller)).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 });
          expect([revoked, await sellers.ids()]).toEqual([[], [7]]);
        }
        vi.advanceTimersByTime(1_000);
        await expect(search(seller)).rejects.toThrow(sentence);
        expect([revoked, await sellers.ids(), await sellers.for(7)]).toEqual([[7], [], undefined]);
        await sellers.add(await authorize());
        await search(await sellers.for(7));
      } finally {
        vi.useRealTimers();
      }
    },
  );
});

test('a grant that is revoked after its first refresh is told too', async () => {
  const { marketplace, account, authorize, revoked, start } = await application();
  const sellers = start();
  const tokens = await authorize();
  await sellers.add(tokens);
  const seller = await sellers.for(7);
  marketplace.accounts.expireToken(tokens.accessToken);
  await search(seller);
  expect(revoked).toEqual([]);
  marketplace.accounts.endGrant(account);
  await expect(search(seller)).rejects.toThrow(GrantRevokedError);
  expect([revoked, await sellers.ids()]).toEqual([[7], []]);
});

test('a revoked grant that only a refresh in the background has met is told, and the call succeeds', async () => {
  const { authorize, revoked, start } = await application();
  const sellers = start();
  const expiresAt = Date.now() + 30_000;
  await sellers.add({ ...(await authorize()), refreshToken: 'revoked at the service', expiresAt });
  await search(await sellers.for(7));
  await expect.poll(() => revoked).toEqual([7]);
  expect(await sellers.for(7)).toBeUndefined();
});

test.each([undefined, 'r'])(
  'of tokens with the refresh token %j, only these are marked, once',
  async (refreshToken) => {
    const store = open(newPath());
    const tokens = { accessToken: 'a', refreshToken };
    await store.save(7, tokens);
    await store.save(8, tokens);
    expect(await store.revoke(7, { accessToken: 'a', refreshToken: 'another' })).toBe(false);
    expect(await store.revoke(7, { accessToken: 'another', refreshToken })).toBe(false);
    expect([await store.revoke(7, tokens), await store.revoke(7, tokens)]).toEqual([true, false]);
    expect(await store.sellers()).toEqual([8]);
  },
);

test.each([
  [{ accessToken: 'a' }, '`user_id` takes an integer'],
  [{ user_id: '7', accessToken: 'a' }, '`user_id` takes an integer'],
  [{ user_id: NaN, accessToken: 'a' }, '`user_id` takes an integer'],
  [{ user_id: 7, accessToken: 5 }, '`accessToken` takes a text'],
  [{ user_id: 7, accessToken: '' }, '`accessToken` takes a text'],
  [{ user_id: 7 }, '`accessToken` takes a text'],
  [{}, '`user_id` takes an integer: the id of the seller; `accessToken` takes a text'],
])('adding %j is rejected, and nothing is stored', async (given, message) => {
  const { start } = await application();
  const sellers = start();
  await expect(sellers.add(given as never)).rejects.toThrow(message);
  expect(await sellers.ids()).toEqual([]);
});

test.each([undefined, null, '7', 7.5, {}])('the client of %j is rejected: it is no id', async (user_id) => {
  const { start } = await application();
  await expect(start().for(user_id as never)).rejects.toThrow('`user_id` takes an integer');
});

test('wrong options are named', () => {
  expect(() => createSellers({} as never)).toThrow('createSellers: `client` is missing; `tokens` is missing');
  expect(() => sqliteTokens('')).toThrow('sqliteTokens takes the name of a file');
  expect(() => sqliteTokens(join(folder, 'none', 'tokens.db'))).toThrow('sqliteTokens cannot open its database');
});
