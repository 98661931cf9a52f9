import {
  ApiError,
  AuthenticationError,
  AuthorizationCallbackError,
  BadRequestError,
  ConfigurationError,
  InvalidInputError,
  OutcomeUnknownError,
  SellerError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { AuthorizationCallback, OAuthOptions } from 'marketplace-seller-sdk/oauth';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../support/stubs.ts';
import { clientSecret, createApplication, losesResponse, errorResponse } from './application.ts';
import type { TestApplication } from './application.ts';

const options: OAuthOptions = {
  clientId: '500',
  clientSecret,
  redirectUri: 'https://bot.example.com/callback',
  authorizationUrl: 'https://auth.example.com/authorization?lang=es',
  tokenUrl: 'https://auth.example.com/oauth/token',
};

describe('start()', () => {
  test('returns the address of the authorisation page, with PKCE (S256)', async () => {
    const { url, state, verifier } = await createOAuth(options).start();
    const { origin, pathname, searchParams } = new URL(url);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)));
    expect(origin + pathname).toBe('https://auth.example.com/authorization');
    expect(Object.fromEntries(searchParams)).toEqual({
      lang: 'es',
      response_type: 'code',
      client_id: '500',
      redirect_uri: 'https://bot.example.com/callback',
      state,
      code_challenge: Buffer.from(hash).toString('base64url'),
      code_challenge_method: 'S256',
    });
    expect(url).not.toContain(verifier);
    expect(url).not.toContain(clientSecret);
  });

  test('never returns a state or a verifier twice', async () => {
    const { start } = createOAuth(options);
    const all = await Promise.all(Array.from({ length: 20 }, () => start()));
    expect(new Set(all.flatMap(({ state, verifier }) => [state, verifier])).size).toBe(40);
  });
});

describe('exchange()', () => {
  test('returns the tokens with the id of the seller', async () => {
    const { oauth, authorize, marketplace, user_id, forms } = await createApplication();
    const callback = await authorize();
    const tokens = await oauth.exchange(callback);
    expect(tokens.user_id).toBe(user_id);
    expect(marketplace.accounts.bearerOf(tokens.accessToken)).toMatchObject({ user_id, application_id: 500 });
    expect(tokens.expiresAt! - Date.now()).toBeGreaterThan(5 * 3_600_000);
    expect(Object.fromEntries(forms[0]!)).toEqual({
      grant_type: 'authorization_code',
      code: new URL(String(callback.url)).searchParams.get('code'),
      redirect_uri: 'https://bot.example.com/callback',
      code_verifier: callback.verifier,
      client_id: '500',
      client_secret: clientSecret,
    });
  });

  test('takes the relative address that an HTTP server passes', async () => {
    const { oauth, authorize, user_id } = await createApplication();
    const callback = await authorize();
    const { pathname, search } = new URL(String(callback.url));
    await expect(oauth.exchange({ ...callback, url: pathname + search })).resolves.toMatchObject({ user_id });
  });

  test('ignores which server the callback names: there is only one', async () => {
    const { oauth, authorize, user_id } = await createApplication();
    const callback = await authorize();
    const url = `${String(callback.url)}&iss=https%3A%2F%2Fauth.example.com`;
    await expect(oauth.exchange({ ...callback, url })).resolves.toMatchObject({ user_id });
  });

  /** What the browser brings back for an application that does not use PKCE. */
  const withoutPkce = ({ marketplace, user_id }: TestApplication, state: string): string => {
    const url = new URL('https://auth.example.com/authorization?client_id=500&response_type=code');
    url.searchParams.set('redirect_uri', 'https://bot.example.com/callback');
    url.searchParams.set('state', state);
    return marketplace.authorize({ user_id }, url.href);
  };

  test('takes a callback without PKCE, and compares its state', async () => {
    const application = await createApplication();
    const { oauth, user_id, forms } = application;
    const url = withoutPkce(application, 'our-own-state');
    for (const state of ['another-state', 'our-own-stat', 'undefined'])
      expect(await errorOf(oauth.exchange({ url, state }))).toBeInstanceOf(AuthorizationCallbackError);
    expect(forms).toEqual([]);
    await expect(oauth.exchange({ url, state: 'our-own-state' })).resolves.toMatchObject({ user_id });
    expect([...forms[0]!.keys()].toSorted()).toEqual([
      'client_id',
      'client_secret',
      'code',
      'grant_type',
      'redirect_uri',
    ]);
  });

  test('takes a code that was pasted, with and without PKCE, once', async () => {
    const application = await createApplication();
    const { oauth, user_id, authorize } = application;
    const codeOf = (url: string | URL): string => new URL(url).searchParams.get('code') ?? '';
    const code = codeOf(withoutPkce(application, 'any'));
    await expect(oauth.exchange({ code: ` ${code}\n` })).resolves.toMatchObject({ user_id });
    expect(await errorOf(oauth.exchange({ code }))).toMatchObject({ code: 'invalid_grant' });
    const { url, verifier } = await authorize();
    await expect(oauth.exchange({ code: codeOf(url), verifier })).resolves.toMatchObject({ user_id });
    expect(await errorOf(oauth.exchange({ code: codeOf((await authorize()).url) }))).toMatchObject({
      code: 'invalid_grant',
    });
  });

  test.each<readonly [string, object]>([
    ['is an address', { code: 'https://bot.example.com/callback?code=TG-1&state=a' }],
    ['comes with a state, which nothing would compare', { code: 'TG-1', state: 'a' }],
    ['comes with an address', { code: 'TG-1', url: '/callback?code=TG-1' }],
    ['is empty', { code: '' }],
    ['is a number', { code: 5 }],
  ])('a code that %s is not sent', async (_, input) => {
    const { oauth, forms } = await createApplication();
    const error = await errorOf(oauth.exchange(input as { code: string }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: [{ path: ['code'] }] });
    expect(forms).toEqual([]);
  });

  const other = (change: (url: URL) => void) => (callback: AuthorizationCallback) => {
    const url = new URL(String(callback.url));
    change(url);
    return { ...callback, url };
  };
  test.each<readonly [string, (callback: AuthorizationCallback) => AuthorizationCallback, string | undefined]>([
    ['another state', (callback) => ({ ...callback, state: 'another-state' }), undefined],
    ['no state', other((url) => url.searchParams.delete('state')), undefined],
    ['an empty state', other((url) => url.searchParams.set('state', '')), undefined],
    ['two states', other((url) => url.searchParams.append('state', 'b')), undefined],
    ['no code', other((url) => url.searchParams.delete('code')), undefined],
    ['two codes', other((url) => url.searchParams.append('code', 'b')), undefined],
    ['an error of the server', other((url) => url.searchParams.set('error', 'access_denied')), 'access_denied'],
    [
      'an error that is meant for somebody else',
      other((url) => {
        url.searchParams.set('error', 'access_denied');
        url.searchParams.set('state', 'another');
      }),
      undefined,
    ],
  ])('%s is an AuthorizationCallbackError, and nothing is sent', async (_, change, code) => {
    const { oauth, authorize, forms } = await createApplication();
    const error = await errorOf(oauth.exchange(change(await authorize())));
    expect(error).toBeInstanceOf(AuthorizationCallbackError);
    expect(error).toMatchObject({ code });
    expect(forms).toEqual([]);
  });

  test.each<readonly [string, (callback: AuthorizationCallback) => AuthorizationCallback]>([
    ['another verifier', (callback) => ({ ...callback, verifier: 'v'.repeat(43) })],
    ['another code', other((url) => url.searchParams.set('code', 'TG-1'))],
  ])('%s is an AuthorizationCallbackError of the server', async (_, change) => {
    const { oauth, authorize } = await createApplication();
    const error = await errorOf(oauth.exchange(change(await authorize())));
    expect(error).toBeInstanceOf(AuthorizationCallbackError);
    expect(error).toMatchObject({ code: 'invalid_grant', cause: { status: 400 } });
  });

  test('a code works once', async () => {
    const { oauth, authorize } = await createApplication();
    const callback = await authorize();
    await oauth.exchange(callback);
    expect(await errorOf(oauth.exchange(callback))).toBeInstanceOf(AuthorizationCallbackError);
  });

  test('a wrong secret is no fault of the seller', async () => {
    const { oauth, authorize, fail } = await createApplication();
    fail(errorResponse(401, 'invalid_client'));
    const error = await errorOf(oauth.exchange(await authorize()));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toContain('check `clientId` and `clientSecret`');
  });

  test('a lost response is not retried: the code may have been used', async () => {
    const { oauth, authorize, fail, forms } = await createApplication();
    fail(losesResponse);
    const error = await errorOf(oauth.exchange(await authorize()));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('start again');
    expect(forms).toHaveLength(1);
  });

  test('without a user id nothing can be done with the tokens', async () => {
    const { oauth, authorize, fail } = await createApplication();
    fail(() => Response.json({ access_token: 'secret-access', token_type: 'bearer' }));
    const error = await errorOf(oauth.exchange(await authorize()));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('`user_id`');
  });

  test.each([
    ['url', 5],
    ['url', undefined],
    ['url', 'http://['],
    ['state', ''],
    ['state', undefined],
    ['verifier', 5],
    ['verifier', ''],
    ['verifier', null],
    ['code', 'TG-1'],
  ])('a wrong `%s` (%j) is rejected with its name', async (name, value) => {
    const { oauth, authorize, forms } = await createApplication();
    const error = await errorOf(oauth.exchange({ ...(await authorize()), [name]: value as string }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: [{ path: [name] }] });
    expect(forms).toEqual([]);
  });
});

describe('createOAuth()', () => {
  test.each<readonly [string, unknown]>([
    ['tokenUrl', 'http://auth.example.com/oauth/token'],
    ['tokenUrl', 'ftp://auth.example.com/'],
    ['tokenUrl', '/oauth/token'],
    ['tokenUrl', 'https://user:password@auth.example.com/oauth/token'],
    ['authorizationUrl', 'http://auth.example.com/authorization'],
    ['redirectUri', 'callback'],
    ['clientId', ''],
    ['clientId', 500],
    ['clientSecret', undefined],
    ['fetch', 'fetch'],
    ['scope', 'read'],
  ])('rejects `%s`: %j', (name, value) => {
    const create = (): unknown => createOAuth({ ...options, [name]: value });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(`\`${name}\``);
  });

  test.each(['http://localhost:4000/token', 'http://127.0.0.1:4000/token', 'http://[::1]:4000/token'])(
    'accepts %s, which is this machine',
    (tokenUrl) => {
      expect(() => createOAuth({ ...options, tokenUrl })).not.toThrow();
    },
  );

  test('another error response has the class of its status', async () => {
    const { oauth, store, fail } = await createApplication();
    fail(errorResponse(400, 'unsupported_grant_type'));
    const error = await errorOf(oauth.refresh(store.tokens));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'unsupported_grant_type' });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(SellerError);
  });
});
