import { SellerClient, refreshingToken } from 'marketplace-seller-sdk';
import { GrantRevokedError, createOAuth } from 'marketplace-seller-sdk/oauth';
import type { OAuth } from 'marketplace-seller-sdk/oauth';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { controlled } from '../support/control-calls.ts';
import type { ControlledServer } from '../support/control-calls.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';

const redirectUri = 'http://127.0.0.1:1/callback';
const open: ControlledServer[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const server of open.splice(0)) await server.end();
});

async function served(): Promise<ControlledServer> {
  const server = await controlled();
  open.push(server);
  return server;
}

function applicationOf(url: string): OAuth {
  const clientSecret = 'any';
  const urls = { authorizationUrl: `${url}/authorization`, tokenUrl: `${url}/oauth/token` };
  return createOAuth({ clientId: '500', clientSecret, redirectUri, ...urls });
}

/** Presses the button of the authorisation page. @returns where the browser goes */
async function agree(address: string, user_id: number, headers: Record<string, string> = {}): Promise<Response> {
  const body = new URLSearchParams({ user_id: String(user_id) });
  return fetch(address, { method: 'POST', body, headers, redirect: 'manual' });
}

async function tokenResponse(url: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const body = new URLSearchParams({ client_id: '500', client_secret: 'any', ...fields });
  return (await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json()) as Record<string, unknown>;
}

describe('the authorisation page', () => {
  test('lets a user agree, and the application gets tokens of this user', async () => {
    const { url } = await served();
    const oauth = applicationOf(url);
    const { url: address, state, verifier } = await oauth.start();
    const page = await (await fetch(address)).text();
    expect(page.match(/<button>/g)).toHaveLength(1);
    expect(page).toContain('<option value="1001">MATE_AND_CO (1001)</option>');
    const agreed = await agree(address, 1001);
    expect(agreed.status).toBe(302);
    const tokens = await oauth.exchange({ url: agreed.headers.get('location') ?? '', state, verifier });
    const seller = new SellerClient({ baseUrl: url, accessToken: tokens.accessToken });
    expect(tokens.user_id).toBe(1001);
    await expect(seller.questions.search({ seller_id: 1001 }).first()).resolves.toBeDefined();
  });

  test('gives a code only to the application that asked for it', async () => {
    const { url } = await served();
    const { url: address, state } = await applicationOf(url).start();
    const { headers } = await agree(address, 1001);
    const stolen = applicationOf(url).exchange({ url: headers.get('location') ?? '', state, verifier: 'w'.repeat(43) });
    await expect(stolen).rejects.toThrow('invalid_grant');
  });

  const parameters = { response_type: 'code', client_id: '500', redirect_uri: redirectUri };
  test.each([
    ['response_type', { response_type: 'token' }],
    ['response_type', { response_type: undefined }],
    ['client_id', { client_id: 'me' }],
    ['client_id', { client_id: undefined }],
    ['redirect_uri', { redirect_uri: undefined }],
    ['redirect_uri', { redirect_uri: '/callback' }],
    ['code_challenge', { code_challenge: 'short', code_challenge_method: 'S256' }],
    ['code_challenge_method', { code_challenge: 'c'.repeat(43), code_challenge_method: 'plain' }],
    ['code_challenge_method', { code_challenge: 'c'.repeat(43) }],
  ])('rejects a wrong %s: %j', async (name, change) => {
    const marketplace = new FakeMarketplace();
    const { user_id } = marketplace.addUser();
    const given = Object.entries({ ...parameters, ...change }).filter(([, value]) => value !== undefined);
    const address = `${marketplace.baseUrl}/authorization?${new URLSearchParams(given as [string, string][]).toString()}`;
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? new URLSearchParams({ user_id: String(user_id) }) : null;
      const response = await marketplace.fetch(address, { method, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ message: expect.stringContaining(`\`${name}\``) as unknown });
    }
    expect(() => marketplace.authorize({ user_id }, address)).toThrow(FakeMarketplaceError);
  });

  test('rejects an unknown user, and a button on a page of another site', async () => {
    const { url } = await served();
    const { url: address } = await applicationOf(url).start();
    const unknown = await agree(address, 1);
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining('user_id')]);
    expect((await agree(address, 1001, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });

  test('shows names and addresses as text', async () => {
    const marketplace = new FakeMarketplace();
    marketplace.addUser({ nickname: `<img src=x onerror="alert('1')">` });
    const redirect_uri = `https://bot.example.com/?<script>alert(1)</script>`;
    const query = new URLSearchParams({ ...parameters, redirect_uri }).toString();
    const page = await (await marketplace.fetch(`${marketplace.baseUrl}/authorization?${query}`)).text();
    expect(page).not.toMatch(/<img|<script/);
  });

  test('authorize() says what is wrong with an address', () => {
    const marketplace = new FakeMarketplace();
    const { user_id } = marketplace.addUser();
    expect(() => marketplace.authorize({ user_id }, 'the page')).toThrow(FakeMarketplaceError);
  });
});

describe('an authorization code from outside', () => {
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

  test('is proven by the verifier and the redirect URI', async () => {
    const { url, control } = await served();
    const issue = async (): Promise<string> => {
      const fields = { user_id: 1001, code_challenge: challenge, redirect_uri: redirectUri };
      return String((await control('POST', 'authorization-codes', fields)).body.code);
    };
    const exchange = async (fields: Record<string, string>) =>
      tokenResponse(url, { grant_type: 'authorization_code', code: await issue(), ...fields });
    expect(await exchange({ code_verifier, redirect_uri: redirectUri })).toMatchObject({ user_id: 1001 });
    expect(await exchange({ code_verifier: 'another', redirect_uri: redirectUri })).toMatchObject({
      error: 'invalid_grant',
    });
    expect(await exchange({ code_verifier })).toMatchObject({ error: 'invalid_grant' });
    expect(await exchange({ redirect_uri: redirectUri })).toMatchObject({ error: 'invalid_grant' });
  });

  test.each([
    ['user_id', { user_id: 1 }],
    ['code_challenge', { user_id: 1001, code_challenge: 'plain text' }],
    ['redirect_uri', { user_id: 1001, redirect_uri: 'callback' }],
    ['application_id', { user_id: 1001, application_id: 'mine' }],
  ])('is rejected with a wrong %s', async (name, body) => {
    const { control } = await served();
    const { status, body: rejection } = await control('POST', 'authorization-codes', body);
    expect([status, rejection.message]).toEqual([400, expect.stringContaining(`\`${name}\``)]);
  });
});

describe('a grant that has ended', () => {
  test('rejects the access token with 401 and the refresh with invalid_grant', async () => {
    const marketplace = new FakeMarketplace();
    const user = marketplace.addUser();
    const other = marketplace.tokenFor(marketplace.addUser());
    const oauth = createOAuth({
      ...{ clientId: '500', clientSecret: 'any', redirectUri, fetch: marketplace.fetch },
      authorizationUrl: `${marketplace.baseUrl}/authorization`,
      tokenUrl: `${marketplace.baseUrl}/oauth/token`,
    });
    const { url, state, verifier } = await oauth.start();
    let tokens = await oauth.exchange({ url: marketplace.authorize(user, url), state, verifier });
    const accessToken = refreshingToken({
      load: () => tokens,
      save: (saved) => void (tokens = saved),
      refresh: oauth.refresh,
    });
    const seller = new SellerClient({ baseUrl: marketplace.baseUrl, accessToken, fetch: marketplace.fetch });
    await seller.questions.search({ seller_id: user.user_id }).first();

    marketplace.accounts.endGrant(user);
    expect(marketplace.accounts.bearerOf(tokens.accessToken)).toBeUndefined();
    expect(marketplace.accounts.bearerOf(other)).toBeDefined();
    // Until the refresh times out, another process may have saved newer tokens.
    vi.useFakeTimers();
    const search = seller.questions.search({ seller_id: user.user_id }).first();
    await expect(advanceUntilSettled(search)).rejects.toBeInstanceOf(GrantRevokedError);
  });

  test('ends for one application only if it is named', () => {
    const { accounts } = new FakeMarketplace();
    const user = accounts.add();
    const tokens = [500, 42].map((application) => accounts.issueToken(user.user_id, application));
    const refresh = [500, 42].map((application) => accounts.issueRefreshToken(user.user_id, application));
    accounts.endGrant(user, 42);
    expect(tokens.map((token) => accounts.bearerOf(token)?.application_id)).toEqual([500, undefined]);
    expect(accounts.redeem('refresh_token', refresh[1]!, 42)).toBeUndefined();
    expect(accounts.redeem('refresh_token', refresh[0]!, 500)).toBeDefined();
    accounts.endGrant(user);
    expect(accounts.bearerOf(tokens[0]!)).toBeUndefined();
  });

  test('ends from outside', async () => {
    const { url, control } = await served();
    const { body } = await control('POST', 'authorization-codes', { user_id: 1001 });
    const tokens = await tokenResponse(url, { grant_type: 'authorization_code', code: String(body.code) });
    expect(await control('POST', 'ended-grants', { user_id: 1 })).toMatchObject({ status: 400 });
    expect(await control('POST', 'ended-grants', { user_id: 1001 })).toEqual({ status: 200, body: {} });
    const headers = { authorization: `Bearer ${String(tokens.access_token)}` };
    expect((await fetch(`${url}/questions/search?seller_id=1001`, { headers })).status).toBe(401);
    const fields = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) };
    expect(await tokenResponse(url, fields)).toMatchObject({ error: 'invalid_grant' });
  });
});
