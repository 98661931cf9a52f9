import {
  AccessTokenError,
  ConnectionError,
  GrantRevokedError,
  InvalidInputError,
  OutcomeUnknownError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
  refreshingToken,
} from 'marketplace-seller-sdk';
import type { SellerClient, TokenSet } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf } from '../support/stubs.ts';
import { breaks, createApplication, losesResponse, errorResponse } from './application.ts';
import type { TokenFault } from './application.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const search = (seller: SellerClient): Promise<unknown> =>
  seller.questions.search({ seller_id: 7 }).toArray({ max: 1 });

/** An application whose access token has expired. */
async function createExpired() {
  const application = await createApplication();
  application.marketplace.accounts.expireToken(application.store.tokens.accessToken);
  return application;
}

const nothingDone: readonly (readonly [string, TokenFault])[] = [
  ['a 503', errorResponse(503, 'temporarily_unavailable')],
  ['a 503 with a page', () => new Response('<h1>Busy</h1>', { status: 503 })],
  ['a 503 with a time', errorResponse(503, 'temporarily_unavailable', { 'retry-after': '2' })],
  ['a 429', errorResponse(429, 'too_many_requests')],
  ['a 429 with a time', errorResponse(429, 'too_many_requests', { 'retry-after': '3' })],
  ['a connection that fails', breaks('ECONNREFUSED', 'connect')],
  ['an unknown host', breaks('ENOTFOUND', 'connect')],
  ['a timeout while connecting', breaks('UND_ERR_CONNECT_TIMEOUT', 'connect')],
];

const perhapsDone: readonly (readonly [string, TokenFault, abstract new (...args: never[]) => Error])[] = [
  ['a lost response', losesResponse, OutcomeUnknownError],
  ['a reset after the request', breaks('ECONNRESET', 'read'), OutcomeUnknownError],
  ['no response', () => new Promise<Response>(() => undefined), OutcomeUnknownError],
  [
    'a body that breaks off',
    () => new Response(new ReadableStream({ pull: (body) => body.error(new TypeError('terminated')) })),
    OutcomeUnknownError,
  ],
  ['a 500', errorResponse(500, 'server_error'), ServerError],
  ['a 502', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), ServerError],
  ['a 504', errorResponse(504, 'timeout'), ServerError],
  ['a page as success', () => new Response('<h1>Hello</h1>'), UnexpectedResponseError],
  ['no body', () => new Response(null, { status: 204 }), UnexpectedResponseError],
  ['a success without token', () => Response.json({ ok: true }), UnexpectedResponseError],
  ['a token that is a number', () => Response.json({ access_token: 5 }), UnexpectedResponseError],
];

describe.each([1, 10])('%i calls that wait for a token', (count) => {
  const callAll = (seller: SellerClient): Promise<PromiseSettledResult<unknown>[]> =>
    advanceUntilSettled(Promise.allSettled(Array.from({ length: count }, () => search(seller))));
  const fulfilled = (results: readonly PromiseSettledResult<unknown>[]): number =>
    results.filter(({ status }) => status === 'fulfilled').length;

  test.each(nothingDone)('all survive %s, and another one after it', async (_, fault) => {
    const { start, forms, fail } = await createExpired();
    fail(fault, fault);
    expect(fulfilled(await callAll(start()))).toBe(count);
    expect(forms.map((form) => form.get('grant_type'))).toEqual(Array(3).fill('refresh_token'));
  });

  test.each(perhapsDone)('all fail with %s, which is not retried', async (_, fault, Class) => {
    const { start, forms, fail } = await createExpired();
    fail(fault);
    const results = await callAll(start());
    expect(forms).toHaveLength(1);
    for (const result of results) {
      const reason: unknown = (result as PromiseRejectedResult).reason;
      expect(reason).toBeInstanceOf(AccessTokenError);
      const { cause } = reason as { cause: Error };
      expect(cause).toBeInstanceOf(Class);
      expect(cause.message).toContain('the grant is lost');
    }
  });

  test.each([
    ['invalid_grant', errorResponse(400, 'invalid_grant')],
    ['invalid_grant as 401', errorResponse(401, 'invalid_grant')],
    ['invalid_grant as a success', errorResponse(200, 'invalid_grant')],
  ])('all fail with a GrantRevokedError after %s', async (_, fault) => {
    const { start, forms, fail } = await createExpired();
    fail(fault);
    const results = await callAll(start());
    expect(forms).toHaveLength(1);
    for (const result of results) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(GrantRevokedError);
  });
});

test.each([
  ['503', errorResponse(503, 'temporarily_unavailable'), ServerError],
  ['429', errorResponse(429, 'too_many_requests'), RateLimitError],
  ['a connection that fails', breaks('ECONNREFUSED', 'connect'), ConnectionError],
])('%s that stays ends after four retries, and the grant is not lost', async (_, fault, Class) => {
  const { oauth, store, fail, forms } = await createApplication();
  fail(...Array<TokenFault>(5).fill(fault));
  const error = await advanceUntilSettled(errorOf(oauth.refresh(store.tokens)));
  expect(error).toBeInstanceOf(Class);
  expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  expect(error).toMatchObject({ attempts: 5 });
  expect(error.message).not.toContain('lost');
  expect(forms).toHaveLength(5);
  expect(await oauth.refresh(store.tokens)).toMatchObject({ user_id: 7 });
});

test('a Retry-After of more than 20 seconds is left to the caller', async () => {
  const { oauth, store, fail, forms } = await createApplication();
  fail(errorResponse(429, 'too_many_requests', { 'retry-after': '60' }));
  const error = await errorOf(oauth.refresh(store.tokens));
  expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs: 60_000 });
  expect(forms).toHaveLength(1);
});

test('the JSON of a limit of the service is a RateLimitError', async () => {
  const { oauth, store, fail } = await createApplication();
  const body = { status: 429, message: 'local_rate_limited', error: 'rate_limited' };
  fail(() => Response.json(body, { status: 429, headers: { 'retry-after': '60' } }));
  const error = await errorOf(oauth.refresh(store.tokens));
  expect(error).toBeInstanceOf(RateLimitError);
  expect(error).toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 60_000 });
  expect(error.message).toContain('local_rate_limited');
});

test.each(['urn:ml:mktp:all:/read-write offline_access', ['urn:ml:all'], null, 5, ''])(
  'a refresh succeeds with any scope: %j',
  async (scope) => {
    const { oauth, store, fail } = await createApplication();
    fail(() => Response.json({ access_token: 'new', refresh_token: 'r', token_type: 'Bearer', expires_in: 60, scope }));
    expect(await oauth.refresh(store.tokens)).toMatchObject({ accessToken: 'new', refreshToken: 'r' });
  },
);

test('a refresh keeps what else is stored, and a server that sends no new refresh token keeps the old one', async () => {
  const { oauth, store, fail } = await createApplication();
  const stored = { ...store.tokens, nickname: 'SHOP' };
  const next = await oauth.refresh(stored);
  expect(next).toMatchObject({ user_id: 7, nickname: 'SHOP' });
  expect(next.refreshToken).not.toBe(stored.refreshToken);
  fail(() => Response.json({ access_token: 'new', refresh_token: null, expires_in: '3600', token_type: null }));
  const last = await oauth.refresh(next);
  expect(last).toEqual({ ...next, accessToken: 'new', expiresAt: Date.now() + 3_600_000 });
});

test.each([undefined, null, '', 5])('a token set whose refresh token is %j is rejected', async (refreshToken) => {
  const { oauth, store, forms } = await createApplication();
  const error = await errorOf(oauth.refresh({ ...store.tokens, refreshToken: refreshToken as string }));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error).toMatchObject({ issues: [{ path: ['refreshToken'] }] });
  expect(forms).toEqual([]);
});

describe('two processes without a lock', () => {
  test('both succeed, in whichever order they save and load', async () => {
    for (const savingMs of [0, 1, 100, 900]) {
      const { start, store, marketplace, forms } = await createExpired();
      const save = async (tokens: typeof store.tokens): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, savingMs));
        store.tokens = tokens;
      };
      const processes = [start({ save }), start({ save })];
      await advanceUntilSettled(Promise.all(processes.map(search)));
      expect(forms).toHaveLength(2);
      expect(marketplace.accounts.bearerOf(store.tokens.accessToken)).toBeDefined();
    }
  });

  test.each([1100, 5000, 20_000])('the token set that another one saves after %i ms is used', async (savingMs) => {
    const { start, store, marketplace } = await createExpired();
    const save = async (tokens: typeof store.tokens): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, savingMs));
      store.tokens = tokens;
    };
    await advanceUntilSettled(Promise.all([start({ save }), start({ save })].map(search)));
    expect(marketplace.accounts.bearerOf(store.tokens.accessToken)).toBeDefined();
  });

  test.each([
    ['alone', 'this process alone has replaced the token set', 2_000],
    ['others', 'another process has replaced it before', 27_000],
    ['late', 'a refresh of this process may still save its own', 27_000],
  ])('a revoked grant is reported after some time (%s): %s', async (who, _, limitMs) => {
    let stored: TokenSet = { accessToken: 't0', refreshToken: 'r0', expiresAt: Date.now() - 1 };
    let refreshes = 0;
    const token = refreshingToken({
      load: () => stored,
      save: (next) => void (stored = next),
      refresh: async () => {
        refreshes += 1;
        if (who === 'late' && refreshes === 2) return new Promise<TokenSet>(() => undefined);
        if (refreshes > 1) throw new GrantRevokedError('revoked');
        return { accessToken: 't1', refreshToken: 'r1', expiresAt: Date.now() + 1_000 };
      },
    });
    const ask = async (signal = new AbortController().signal): Promise<string> => token({ signal });
    expect(await advanceUntilSettled(ask())).toBe('t1');
    await vi.advanceTimersByTimeAsync(1_000);
    if (who === 'others') stored = { accessToken: 't2', refreshToken: 'r2', expiresAt: Date.now() - 1 };
    if (who === 'late') await errorOf(ask(AbortSignal.timeout(0)));
    const began = Date.now();
    expect(await advanceUntilSettled(errorOf(ask()))).toBeInstanceOf(GrantRevokedError);
    expect(Date.now() - began).toBeLessThanOrEqual(limitMs);
    expect(Date.now() - began).toBeGreaterThan(limitMs / 2);
  });

  test('a store without a newer token set is read with growing pauses before the seller is asked', async () => {
    const { start, store, fail } = await createExpired();
    let loads = 0;
    const seller = start({
      load: () => {
        loads += 1;
        return store.tokens;
      },
    });
    fail(errorResponse(400, 'invalid_grant'));
    const error = await advanceUntilSettled(errorOf(search(seller)));
    expect(error).toBeInstanceOf(GrantRevokedError);
    expect(error.message).toContain('Ask the seller to authorise the application again');
    expect(loads).toBeLessThan(15);
  });
});

test('a revoked grant is remembered until the store holds another token set', async () => {
  const { start, store, forms, fail, oauth } = await createExpired();
  const stored = store.tokens;
  const seller = start({ lock: (work) => work() });
  fail(errorResponse(400, 'invalid_grant'));
  for (let call = 0; call < 3; call += 1) {
    const began = Date.now();
    expect(await advanceUntilSettled(errorOf(search(seller)))).toBeInstanceOf(GrantRevokedError);
    expect(Date.now() - began).toBeLessThan(1000);
  }
  expect(forms).toHaveLength(1);
  store.tokens = await oauth.refresh(stored);
  await advanceUntilSettled(search(seller));
});

test.each([
  ['another access token, expired too', { accessToken: 't1', refreshToken: 'r1' }],
  ['the same access token with another refresh token', { accessToken: 't0', refreshToken: 'r1' }],
])('after a revoked grant, %s is a new grant', async (_, tokens) => {
  let stored: TokenSet = { accessToken: 't0', refreshToken: 'r0', expiresAt: Date.now() - 1 };
  const refreshed: unknown[] = [];
  const token = refreshingToken({
    load: () => stored,
    refresh: ({ refreshToken }) => {
      refreshed.push(refreshToken);
      if (refreshToken === 'r0') throw new GrantRevokedError('revoked');
      return { accessToken: 'new', refreshToken: 'r2', expiresAt: Date.now() + 3_600_000 };
    },
    save: (next) => void (stored = next),
    lock: (work) => work(),
  });
  const ask = async (): Promise<string> => token({ signal: new AbortController().signal });
  for (const again of [1, 2]) {
    await expect(ask()).rejects.toThrow(GrantRevokedError);
    expect(refreshed.length * again).toBe(again);
  }
  stored = { ...tokens, expiresAt: Date.now() - 1 };
  expect([await ask(), refreshed]).toEqual(['new', ['r0', 'r1']]);
});

test('a refresh in the background that fails is told once, however many calls are made meanwhile', async () => {
  const told: unknown[] = [];
  const failing = Promise.withResolvers<TokenSet>();
  const token = refreshingToken({
    load: () => ({ accessToken: 't0', refreshToken: 'r0', expiresAt: Date.now() + 1_000 }),
    refresh: () => failing.promise,
    save: () => undefined,
    onRefreshFailed: (error) => told.push(error),
  });
  const ask = async (): Promise<string> => token({ signal: new AbortController().signal });
  expect([await ask(), await ask(), await ask()]).toEqual(['t0', 't0', 't0']);
  failing.reject(new Error('down'));
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toHaveLength(1);
  expect(await ask()).toBe('t0');
});

test('of a revoked grant, an access token that was rejected is not sent again; one that was not rejected is', async () => {
  const { start, store, marketplace, fail, oauth } = await createExpired();
  const { requests } = marketplace;
  const tokens = (store.tokens = await oauth.refresh(store.tokens));
  const seller = start({ lock: (work) => work() });
  fail(errorResponse(400, 'invalid_grant'));
  // It is refreshed in the background, before its end: that fails, and the token works until then.
  vi.setSystemTime(tokens.expiresAt! - 30_000);
  await advanceUntilSettled(search(seller));
  await advanceUntilSettled(search(seller));
  const { length } = requests.all;
  marketplace.accounts.revokeToken(tokens.accessToken);
  for (let call = 0; call < 3; call += 1)
    expect(await advanceUntilSettled(errorOf(search(seller)))).toBeInstanceOf(GrantRevokedError);
  expect(requests.all.slice(length)).toHaveLength(1);
});

test('a token that lives for a minute is refreshed in its last quarter, the second one too', async () => {
  let stored: TokenSet = { accessToken: 't0', refreshToken: 'r0', expiresAt: Date.now() - 1 };
  let refreshes = 0;
  const token = refreshingToken({
    load: () => Promise.resolve(stored),
    refresh: () => {
      refreshes += 1;
      const next = { accessToken: `t${refreshes}`, refreshToken: `r${refreshes}` };
      return Promise.resolve({ ...next, expiresAt: Date.now() + 60_000 });
    },
    save: (next) => void (stored = next),
  });
  const ask = async (): Promise<string> => token({ signal: new AbortController().signal });
  expect(await ask()).toBe('t1');
  for (const life of [1, 2]) {
    for (const [ms, expected] of [
      [30_000, life],
      [14_000, life],
      [2_000, life + 1],
    ] as const) {
      await vi.advanceTimersByTimeAsync(ms);
      // The refresh in the background is for the next call.
      await ask();
      await vi.advanceTimersByTimeAsync(0);
      expect(refreshes).toBe(expected);
    }
  }
});
