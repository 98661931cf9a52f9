import type { Account } from 'marketplace-seller-sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import { buyer, marketplace, seller, serveShop, statusOf } from '../support/fake-shop.ts';

// Tokens of the fake end, and calls are limited and fail, at their moment and as often as it is said.

serveShop();

describe('tokens', () => {
  test.each(['authorization_code', 'refresh_token'] as const)('a %s works once, for its application', (kind) => {
    const { accounts } = marketplace;
    const value =
      kind === 'refresh_token' ? accounts.issueRefreshToken(7, 501) : accounts.issueAuthorizationCode(7, 501);
    const other = kind === 'refresh_token' ? 'authorization_code' : 'refresh_token';
    expect(accounts.redeem(kind, value, 500)).toBeUndefined();
    expect(accounts.redeem(other, value, 501)).toBeUndefined();
    expect(accounts.redeem(kind, value, 501)).toMatchObject({ user_id: 7, application_id: 501 });
    expect(accounts.redeem(kind, value, 501)).toBeUndefined();
  });

  test.each<[number | undefined, boolean[]]>([
    [undefined, [false, false, true]],
    [500, [false, true, true]],
    [501, [true, false, true]],
  ])('the end of the grant of application %j leaves those of others', (application_id, isLeft) => {
    const { accounts } = marketplace;
    const tokens = [accounts.issueToken(7, 500), accounts.issueToken(7, 501), accounts.issueToken(9, 500)];
    accounts.endGrant({ user_id: 7 }, application_id);
    expect(tokens.map((token) => accounts.bearerOf(token) !== undefined)).toEqual(isLeft);
  });

  test('have the lifetime that is set', async () => {
    marketplace.settings.accessTokenLifetimeSeconds = 60;
    const form = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: '500',
      client_secret: 'secret',
      refresh_token: marketplace.accounts.issueRefreshToken(7),
    });
    const response = await marketplace.fetch(`${marketplace.baseUrl}/oauth/token`, { method: 'POST', body: form });
    const { expires_in, access_token } = (await response.json()) as { expires_in: number; access_token: string };
    expect(expires_in).toBe(60);
    marketplace.clock.advance({ seconds: 60 });
    expect(marketplace.accounts.isExpired(access_token)).toBe(true);
  });
});

describe('a rate', () => {
  const currencies = async (as = seller): Promise<number> => statusOf('GET /currencies', undefined, as);

  test('of 2 a second and 5 a minute holds for both, to the millisecond', async () => {
    marketplace.rateLimiter.set({ perSecond: 2, perMinute: 5 });
    const after = async (ms: number): Promise<number> => {
      marketplace.clock.advance({ ms });
      return currencies();
    };
    expect([await after(0), await after(0), await after(0)]).toEqual([200, 200, 429]);
    expect([await after(999), await after(1), await after(0), await after(0)]).toEqual([429, 200, 200, 429]);
    expect([await after(1000), await after(0)]).toEqual([200, 429]);
    expect([await after(57_999), await after(1), await after(0), await after(0)]).toEqual([429, 200, 200, 429]);
  });

  test('remembers who has called within a minute, and nobody else', async () => {
    marketplace.rateLimiter.set({ perMinute: 9, per: 'user' });
    for (const as of [buyer, seller, buyer]) {
      expect(await currencies(as)).toBe(200);
      marketplace.clock.advance({ seconds: 20 });
    }
    const forgotten = vi.spyOn(Map.prototype, 'delete');
    await currencies(buyer);
    expect(forgotten).not.toHaveBeenCalledWith(`user ${seller.user_id}`);
    marketplace.clock.advance({ seconds: 20 });
    await currencies(buyer);
    expect(forgotten).toHaveBeenCalledWith(`user ${seller.user_id}`);
  });

  test.each([
    [0, '1'],
    [1, '1'],
    [999, '1'],
  ])('states whole seconds to wait after %i ms: %s', async (ms, seconds) => {
    marketplace.rateLimiter.set({ perSecond: 1, retryAfter: true });
    const token = marketplace.tokenFor(seller);
    const get = () =>
      marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers: { authorization: `Bearer ${token}` } });
    await get();
    marketplace.clock.advance({ ms });
    expect((await get()).headers.get('retry-after')).toBe(seconds);
  });

  test('counts tokens without an application by their user', async () => {
    marketplace.rateLimiter.set({ perMinute: 1 });
    const get = async (as: Account): Promise<number> => {
      const headers = { authorization: `Bearer ${marketplace.tokenFor(as, null)}` };
      return (await marketplace.fetch(`${marketplace.baseUrl}/currencies`, { headers })).status;
    };
    expect([await get(seller), await get(seller), await get(buyer)]).toEqual([200, 429, 200]);
  });
});

test.each([
  [{ times: 1 }, [503, 200, 200, 200]],
  [{ times: 2 }, [503, 503, 200, 200]],
  [{ skip: 1 }, [200, 503, 200, 200]],
  [{ skip: 2 }, [200, 200, 503, 200]],
  [{ skip: 1, times: 2 }, [200, 503, 503, 200]],
])('a fault with %j: %j', async (given, expected) => {
  marketplace.faults.inject({ status: 503, ...given });
  const statuses: number[] = [];
  for (let call = 0; call < 4; call += 1) statuses.push(await statusOf('GET /currencies'));
  expect(statuses).toEqual(expected);
});
