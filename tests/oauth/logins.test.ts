import { AuthorizationCallbackError, ConfigurationError, InvalidInputError } from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { LoginStore } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorOf } from '../support/stubs.ts';

// An application that keeps its logins in a store: it keeps no verifier, and each login is finished once.

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A process of an application that keeps its logins in this store. */
function application(logins: LoginStore, marketplace = new FakeMarketplace()) {
  const user = marketplace.accounts.get(7) ?? marketplace.addUser({ user_id: 7 });
  const oauth = createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization',
    tokenUrl: `${marketplace.baseUrl}/oauth/token`,
    fetch: marketplace.fetch,
    logins,
  });
  /** Begins a login, and lets the seller agree. */
  const login = async (): Promise<{ url: string; state: string }> => {
    const { url, state } = await oauth.start();
    return { url: marketplace.authorize(user, url), state };
  };
  const requests = (): number => marketplace.requests.filter({ path: '/oauth/token' }).length;
  return { marketplace, oauth, login, requests };
}

const expired = /^No authorisation that waits has the state of this callback/;

/** What people have: a map, what answers later and knows times, what returns the object of a text. */
const stores: Readonly<Record<string, () => LoginStore>> = {
  'a Map': () => new Map<string, string>(),
  'an asynchronous store': () => {
    const kept = new Map<string, { value: string; until: number }>();
    return {
      get: async (key) => {
        const found = kept.get(key);
        return found && found.until > Date.now() ? found.value : null;
      },
      set: async (key, value, forMs) => void kept.set(key, { value, until: Date.now() + forMs }),
      delete: async (key) => kept.delete(key),
    };
  },
  'a store that parses JSON': () => {
    const kept = new Map<string, unknown>();
    return {
      get: (key) => kept.get(key),
      set: (key, value) => void kept.set(key, JSON.parse(value)),
      delete: (key) => kept.delete(key),
    };
  },
};

describe.each(Object.entries(stores))('%s', (_, open) => {
  test('keeps the verifier of a login, which another process finishes once', async () => {
    const logins = open();
    const { marketplace, login, requests } = application(logins);
    const callback = await login();
    const other = application(logins, marketplace);
    await expect(other.oauth.exchange(callback)).resolves.toMatchObject({ user_id: 7 });
    const error = await errorOf(other.oauth.exchange(callback));
    expect(error).toBeInstanceOf(AuthorizationCallbackError);
    expect(error.message).toMatch(expired);
    expect(requests()).toBe(1);
  });

  test('keeps a login for an hour', async () => {
    const { oauth, login } = application(open());
    const [first, second] = [await login(), await login()];
    vi.setSystemTime(Date.now() + 3_599_999);
    await expect(oauth.exchange(first)).resolves.toMatchObject({ user_id: 7 });
    vi.setSystemTime(Date.now() + 1);
    await expect(oauth.exchange(second)).rejects.toThrow(expired);
  });
});

test('without the state of the browser, a callback has to be of a login that has begun', async () => {
  const { oauth, login, requests } = application(new Map());
  const { url } = await login();
  await expect(oauth.exchange({ url })).resolves.toMatchObject({ user_id: 7 });
  for (const query of ['code=TG-1', 'code=TG-1&state=', `code=TG-1&state=${'x'.repeat(43)}`, 'error=access_denied'])
    await expect(oauth.exchange({ url: `/callback?${query}` })).rejects.toThrow(expired);
  expect(requests()).toBe(1);
});

test('a browser without the cookie is not one that may go without', async () => {
  const logins = new Map<string, string>();
  const { oauth, login } = application(logins);
  const { url } = await login();
  await expect(oauth.exchange({ url, state: '' })).rejects.toThrow('The state of the callback');
  await expect(oauth.exchange({ url, state: undefined } as never)).rejects.toThrow('`state` takes a text');
  expect(logins.size).toBe(1);
});

test('a login is used up when the seller does not agree, and not by a callback for another browser', async () => {
  const logins = new Map<string, string>();
  const { oauth, login } = application(logins);
  const [mine, other] = [await login(), await login()];
  await expect(oauth.exchange({ url: mine.url, state: other.state })).rejects.toThrow('The state of the callback');
  expect(logins.size).toBe(2);
  const url = `/callback?error=access_denied&state=${other.state}`;
  await expect(oauth.exchange({ url, state: other.state })).rejects.toMatchObject({ code: 'access_denied' });
  expect(logins.size).toBe(1);
  await expect(oauth.exchange(mine)).resolves.toMatchObject({ user_id: 7 });
  expect(logins.size).toBe(0);
});

test('a login with a verifier of your own, or with a copied code, needs no store', async () => {
  const logins = new Map<string, string>();
  const { oauth, login, marketplace } = application(logins);
  const { url, state, verifier } = await oauth.start();
  const address = marketplace.authorize({ user_id: 7 }, url);
  logins.clear();
  await expect(oauth.exchange({ url: address, state, verifier })).resolves.toMatchObject({ user_id: 7 });
  const started = await login();
  const kept = JSON.parse(logins.get(started.state) ?? '') as { verifier: string };
  const code = new URL(started.url).searchParams.get('code') ?? '';
  await expect(oauth.exchange({ code, verifier: kept.verifier })).resolves.toMatchObject({ user_id: 7 });
});

test('what nobody finishes leaves a map when its time is over', async () => {
  const logins = new Map<string, string>();
  const { oauth } = application(logins);
  for (let index = 0; index < 50; index += 1) await oauth.start();
  vi.setSystemTime(Date.now() + 3_600_000);
  await oauth.start();
  expect(logins.size).toBe(1);
});

test.each(['junk', '{}', 'null', 5, { verifier: 5, startedAt: 5 }])('a store with %j has no login', async (kept) => {
  const logins = new Map<string, unknown>();
  const { oauth, login } = application(logins);
  const callback = await login();
  logins.set(callback.state, kept);
  await expect(oauth.exchange(callback)).rejects.toThrow(expired);
});

test('the store is asked only for what may be a state', async () => {
  const asked: string[] = [];
  const { oauth } = application({ get: (key) => void asked.push(key), set: () => 0, delete: () => 0 });
  for (const state of ['__proto__', 'x'.repeat(1e5), '../../etc', 'ñ'.repeat(43)])
    await expect(oauth.exchange({ url: `/callback?code=a&state=${encodeURIComponent(state)}` })).rejects.toThrow(
      expired,
    );
  expect(asked).toEqual([]);
});

test('the error of a store shows neither state nor verifier', async () => {
  const fail = (...shown: unknown[]): never => {
    throw new Error(`no connection: ${JSON.stringify(shown)}`);
  };
  const [writing, reading] = [new Map<string, string>(), new Map<string, string>()];
  const first = application(Object.assign(writing, { set: fail }));
  expect((await errorOf(first.oauth.start())).message).not.toMatch(/[\w-]{43}/);
  const second = application(Object.assign(reading, { get: fail }));
  const callback = await second.login();
  const error = await errorOf(second.oauth.exchange(callback));
  expect(error.message).toContain('no connection');
  expect(error.message).not.toContain(callback.state);
  // Nor is a login exchanged that could come back.
  const third = application(Object.assign(new Map<string, string>(), { delete: async () => fail() }));
  expect((await errorOf(third.oauth.exchange(await third.login()))).message).toContain('no connection');
});

test('without a store, and with one that is none', async () => {
  const create = (logins: unknown): unknown => application(logins as LoginStore);
  for (const wrong of [{}, 5, { get: () => 0, set: () => 0 }]) expect(() => create(wrong)).toThrow(ConfigurationError);
  const { oauth } = application(undefined as never);
  await expect(oauth.exchange({ url: '/callback?code=a&state=b' })).rejects.toThrow(InvalidInputError);
});
