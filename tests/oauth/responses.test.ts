import { getEventListeners } from 'node:events';
import {
  AuthorizationCallbackError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  GrantRevokedError,
  InvalidInputError,
  OutcomeUnknownError,
  ServerError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import type { OAuthOptions } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, receiving } from '../support/stubs.ts';
import { breaks } from './application.ts';
import type { TokenFault } from './application.ts';

const options: OAuthOptions = {
  clientId: '500',
  clientSecret: 'the-secret-of-application-500',
  redirectUri: 'https://bot.example.com/callback',
  authorizationUrl: 'https://auth.example.com/authorization',
  tokenUrl: 'https://auth.example.com/oauth/token?lang=es',
};
const request = 'POST https://auth.example.com/oauth/token';
const lostRefreshToken =
  'The refresh token may have been used, and then the grant is lost: the next refresh fails with a GrantRevokedError';
const lostCode = 'The code may have been used, and then its grant is lost: start again with start()';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An application whose token endpoint acts like this, at the last like its last act; `sent` is what it was asked. */
function applicationWith(...acts: TokenFault[]) {
  const sent: { request: Request; at: number }[] = [];
  const fetch = receiving((request) => {
    sent.push({ request: request.clone(), at: Date.now() });
    const act = acts[Math.min(sent.length, acts.length) - 1]!;
    return Promise.resolve(act(request, () => Promise.reject(new Error('there is no marketplace'))));
  });
  const oauth = createOAuth({ ...options, fetch });
  const held = { accessToken: 'old-access', refreshToken: 'old-refresh' };
  const callback = { url: '/callback?code=TG-12345678&state=our-state', state: 'our-state', verifier: 'v'.repeat(43) };
  return {
    sent,
    refresh: (signal?: AbortSignal) => advanceUntilSettled(oauth.refresh(held, { signal })),
    failedRefresh: (signal?: AbortSignal) => advanceUntilSettled(errorOf(oauth.refresh(held, { signal }))),
    exchange: () => advanceUntilSettled(oauth.exchange(callback)),
    failedExchange: (query?: string) =>
      advanceUntilSettled(
        errorOf(oauth.exchange({ ...callback, ...(query !== undefined && { url: `/callback?${query}` }) })),
      ),
  };
}
const json =
  (status: number, body: unknown): TokenFault =>
  () =>
    Response.json(body, { status });
const page =
  (status: number): TokenFault =>
  () =>
    new Response('<h1>Busy</h1>', { status });

describe('an error says what was tried, what happened and what to do', () => {
  const long = 'because '.repeat(50);
  test.each<[string, TokenFault, string]>([
    ['a description', json(400, { error: 'odd', error_description: 'why' }), 'failed with 400 (odd): why'],
    [
      'a description and a message',
      json(400, { message: 'what', error: 'odd', error_description: 'why' }),
      'failed with 400 (odd): why',
    ],
    ['a message', json(400, { error: 'odd', error_description: '', message: 'why' }), 'failed with 400 (odd): why'],
    ['only a code', json(400, { error: 'odd', message: 5 }), 'failed with 400 (odd): odd'],
    ['only a message', json(422, { error: { code: 1 }, message: 'why' }), 'failed with 422: why'],
    ['nothing that is a text', json(400, { error_description: 5 }), 'failed with 400: the server gave no reason'],
    ['a list', json(400, ['why']), 'failed with 400: the server gave no reason'],
    ['a page', page(403), 'failed with 403: the server gave no reason'],
    [
      'lines',
      json(400, { error: 'odd', error_description: ' first\nsecond ' }),
      expect.stringMatching(/^failed with 400 \(odd\): first.second$/) as string,
    ],
    ['a long text', json(400, { message: long }), `failed with 400: ${long.slice(0, 200)}`],
    [
      'a wrong secret',
      json(401, { error: 'invalid_client', message: 'no' }),
      'failed with 401 (invalid_client): no; check `clientId` and `clientSecret`',
    ],
    ['a redirect', page(300), 'failed with 300: `tokenUrl` redirects; is it right?'],
    ['another redirect', json(399, { message: 'why' }), 'failed with 399: `tokenUrl` redirects; is it right?'],
    ['a failure', json(500, { message: 'why' }), `failed with 500: why. ${lostRefreshToken}`],
    ['a server that cannot refresh', json(501, { message: 'why' }), 'failed with 501: why'],
    ['an error as a success', json(200, { error: 'odd' }), 'failed with 400 (odd): odd'],
    ['an error as another success', json(299, { error: 'odd' }), 'failed with 400 (odd): odd'],
  ])('%s', async (_, act, message) => {
    const { failedRefresh, sent } = applicationWith(act);
    const error = await failedRefresh();
    if (typeof message === 'string') expect(error.message).toBe(`${request} ${message}`);
    else expect(error.message.slice(request.length + 1)).toEqual(message);
    expect(error).toMatchObject({ causes: [], attempts: 1 });
    expect(sent).toHaveLength(1);
  });

  test('a grant that is not valid has the error of the response as its cause', async () => {
    const revoked = applicationWith(json(400, { error: 'invalid_grant', message: 'used' }));
    expect(await revoked.failedRefresh()).toMatchObject({
      name: 'GrantRevokedError',
      message:
        'The refresh token is not valid any more (invalid_grant): used. Ask the seller to authorise the application again',
      cause: { status: 400, code: 'invalid_grant', message: `${request} failed with 400 (invalid_grant): used` },
    });
    expect(await revoked.failedExchange()).toMatchObject({
      name: 'AuthorizationCallbackError',
      message: 'The code was not accepted (invalid_grant): used',
      code: 'invalid_grant',
      cause: { status: 400 },
    });
  });

  test.each([500, 502])('a server that fails with %i does not judge a grant', async (status) => {
    const { failedRefresh } = applicationWith(json(status, { error: 'invalid_grant' }));
    const error = await failedRefresh();
    expect(error).toBeInstanceOf(ServerError);
    expect(error).not.toBeInstanceOf(GrantRevokedError);
  });

  test('a success without tokens says what is wrong with it, and shows none of it', async () => {
    const wrong = async (body: TokenFault): Promise<[string, unknown]> => {
      const error = await applicationWith(body).failedRefresh();
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error).toMatchObject({ status: 200, body: undefined, issues: [] });
      return [error.message, await applicationWith(body).failedExchange()];
    };
    const notAnObject = 'responded 200 with a body that is not a JSON object.';
    for (const body of [json(200, ['new-access']), page(200), json(200, null)]) {
      const [message, ofExchange] = await wrong(body);
      expect(message).toBe(`${request} ${notAnObject} ${lostRefreshToken}`);
      expect(ofExchange).toMatchObject({ message: `${request} ${notAnObject} ${lostCode}` });
    }
    const [message] = await wrong(json(200, { access_token: 5 }));
    expect(message).toMatch(/responded 200 with a body that is not as OAuth requires: .*access_token/);
  });

  test.each<[string, string, string | undefined]>([
    [
      'state=other&code=TG-1',
      'The state of the callback is not that of this authorisation: start again with start()',
      undefined,
    ],
    ['state=our-state', 'The authorisation failed: the callback contains not one code', undefined],
    ['state=our-state&code=', 'The authorisation failed: the callback contains not one code', undefined],
    ['state=our-state&code=a&code=b', 'The authorisation failed: the callback contains not one code', undefined],
    [
      'state=our-state&error=access_denied&error_description=Not+today',
      'The authorisation failed (access_denied): Not today',
      'access_denied',
    ],
  ])('a callback with %s', async (query, message, code) => {
    const { failedExchange, sent } = applicationWith(page(500));
    const error = await failedExchange(query);
    expect(error).toBeInstanceOf(AuthorizationCallbackError);
    expect(error).toMatchObject({ message, code });
    expect(sent).toEqual([]);
  });

  test.each<[Partial<Record<keyof OAuthOptions, unknown>>, string]>([
    [{ clientId: '' }, '`clientId` takes a text'],
    [{ clientSecret: 5 }, '`clientSecret` takes a text'],
    [{ redirectUri: 5 }, '`redirectUri` takes an absolute URL'],
    [{ authorizationUrl: 5 }, '`authorizationUrl` takes an absolute URL'],
    [{ tokenUrl: '/token' }, '`tokenUrl` takes an absolute URL'],
    [{ tokenUrl: 'https://me@a.test/' }, '`tokenUrl` takes a URL without user name, password and fragment'],
    [{ tokenUrl: 'https://:secret@a.test/' }, '`tokenUrl` takes a URL without user name, password and fragment'],
    [{ tokenUrl: 'https://a.test/#top' }, '`tokenUrl` takes a URL without user name, password and fragment'],
    [{ tokenUrl: 'http://a.test/' }, '`tokenUrl` takes an https: URL; http: only of this machine'],
    [{ tokenUrl: 'ftp://localhost/' }, '`tokenUrl` takes an https: URL; http: only of this machine'],
  ])('an application with %j', (change, message) => {
    const create = (): unknown => createOAuth({ ...options, ...change } as OAuthOptions);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
    expect(create).toThrow(/createOAuth/);
  });

  test.each<[string, unknown, string]>([
    ['url', 5, '`url` takes a text'],
    ['state', new URL('https://a.test'), '`state` takes a text'],
    ['verifier', '', '`verifier` takes a text'],
    ['url', 'http://[', '`url` is not a URL'],
  ])('a callback whose `%s` is %j', async (name, value, message) => {
    const oauth = createOAuth(options);
    const callback = { url: '/callback', state: 'a', verifier: 'b', [name]: value as string };
    const error = await errorOf<InvalidInputError>(oauth.exchange(callback));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toEqual([{ path: [name], message }]);
  });
});

describe('the tokens of a response', () => {
  const tokens = { access_token: 'new-access', refresh_token: 'new-refresh', user_id: 7 };

  test.each<[unknown, number | undefined]>([
    [7, 7],
    ['7', 7],
    ['1234567890', 1234567890],
    ['7x', undefined],
    ['x7', undefined],
    ['', undefined],
    [7.5, undefined],
    [2 ** 53, undefined],
    ['9007199254740993', undefined],
    [[7], undefined],
    [null, undefined],
  ])('are of the user %j', async (user_id, expected) => {
    const application = applicationWith(json(200, { ...tokens, user_id }));
    if (expected === undefined) {
      expect(await application.failedExchange()).toMatchObject({
        name: 'UnexpectedResponseError',
        message: `${request} responded 200 with a body without a \`user_id\`. ${lostCode}`,
      });
    } else expect(await application.exchange()).toMatchObject({ user_id: expected });
    expect('user_id' in (await application.refresh())).toBe(expected !== undefined);
  });

  test.each<[unknown, number | undefined]>([
    [3600, 3_600_000],
    ['3600', 3_600_000],
    [0, undefined],
    [-1, undefined],
    ['soon', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('expire in %j seconds', async (expires_in, ms) => {
    const startedAt = Date.now();
    const { expiresAt } = await applicationWith(json(200, { ...tokens, expires_in })).exchange();
    expect(expiresAt).toBe(ms === undefined ? undefined : startedAt + ms);
  });

  test.each<[unknown, string | undefined]>([
    ['next', 'next'],
    ['', undefined],
    [null, undefined],
    [5, undefined],
    [undefined, undefined],
  ])('have the refresh token %j, or the one before', async (refresh_token, expected) => {
    const application = applicationWith(json(200, { ...tokens, refresh_token }));
    expect((await application.refresh()).refreshToken).toBe(expected ?? 'old-refresh');
    const exchanged = await application.exchange();
    expect('refreshToken' in exchanged).toBe(expected !== undefined);
    expect(exchanged.refreshToken).toBe(expected);
  });

  test('count also beside an error of another kind', async () => {
    const { refresh } = applicationWith(json(200, { ...tokens, error: 'deprecated', token_type: 'odd' }));
    expect(await refresh()).toMatchObject({ accessToken: 'new-access', refreshToken: 'new-refresh', user_id: 7 });
  });
});

describe('a request to the token endpoint', () => {
  test('is a form, asks for JSON and follows no redirect', async () => {
    const { failedRefresh, sent } = applicationWith(page(400));
    await failedRefresh();
    const { method, url, headers, redirect } = sent[0]!.request;
    expect([method, url, redirect]).toEqual(['POST', options.tokenUrl, 'manual']);
    expect(headers.get('accept')).toBe('application/json');
    expect(headers.get('content-type')).toBe('application/x-www-form-urlencoded');
  });

  test('goes over http: to a server on this machine', async () => {
    const oauth = createOAuth({
      ...options,
      tokenUrl: 'http://127.0.0.1:4000/token',
      fetch: (url) => Promise.resolve(Response.json({ access_token: url })),
    });
    const { accessToken } = await oauth.refresh({ accessToken: 'old', refreshToken: 'old-refresh' });
    expect(accessToken).toBe('http://127.0.0.1:4000/token');
  });

  test('without a connection says why, and names `tokenUrl`', async () => {
    const { failedRefresh, sent } = applicationWith(breaks('ECONNREFUSED', 'connect'));
    const error = await failedRefresh();
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toMatch(
      /^POST https:\/\/auth\.example\.com\/oauth\/token got no response: fetch failed \(.*ECONNREFUSED.*\); check host and port of `tokenUrl`$/,
    );
    expect(sent).toHaveLength(5);
  });

  test('that can never be sent is not sent again', async () => {
    const { failedRefresh, sent } = applicationWith(breaks('ERR_INVALID_CHAR', 'connect'));
    expect(await failedRefresh()).toBeInstanceOf(ConnectionError);
    expect(sent).toHaveLength(1);
  });

  test.each<[string, TokenFault, string]>([
    ['an error', breaks('ECONNRESET', 'read'), 'fetch failed (ECONNRESET)'],
    ['an error without a cause', () => Promise.reject(new TypeError('no luck')), 'no luck'],
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a `fetch` of the user may reject with anything
    ['no error', () => Promise.reject('no luck'), 'fetch rejected with no error'],
  ])('that ends with %s after it was sent may have been carried out', async (_, act, reason) => {
    const error = await applicationWith(act).failedRefresh();
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toBe(
      `${request}: the response was lost (${request} got no response: ${reason}). ${lostRefreshToken}`,
    );
    expect(error).toMatchObject({ attempts: 1, cause: { name: 'ConnectionError', attempts: 1 } });
  });

  test('ends after 15 seconds', async () => {
    // The whole request: the platform aborts the signal only of one that is still referred to.
    let pending: Request | undefined;
    const { failedRefresh, sent } = applicationWith((given) => {
      pending = given;
      return new Promise<Response>(() => undefined);
    });
    const startedAt = Date.now();
    const error = await failedRefresh();
    expect(Date.now() - startedAt).toBeLessThan(15_100);
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(15_000);
    expect(error).toMatchObject({
      name: 'OutcomeUnknownError',
      cause: { name: 'TimeoutError', message: `${request} got no complete response within 15000 ms` },
    });
    expect([sent.length, pending?.signal.aborted]).toEqual([1, true]);
    expect(vi.getTimerCount()).toBe(0);
  });

  const broken =
    (status: number): TokenFault =>
    () =>
      new Response(new ReadableStream({ pull: (body) => body.error(new TypeError('terminated')) }), { status });
  test('whose response breaks off has the class of its status, if that is an error', async () => {
    expect(await applicationWith(broken(200)).failedRefresh()).toMatchObject({
      name: 'OutcomeUnknownError',
      status: 200,
    });
    const error = await applicationWith(broken(400)).failedRefresh();
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toBe(`${request} failed with 400: the server gave no reason`);
  });
});

describe('a retry', () => {
  const busy =
    (headers: Record<string, string> = {}): TokenFault =>
    () =>
      new Response('', { status: 503, headers });
  const pauses = (sent: readonly { at: number }[]): number[] =>
    sent.slice(1).map(({ at }, index) => at - sent[index]!.at);

  test.each([
    [0, [125, 250, 500, 1000]],
    [1, [250, 500, 1000, 2000]],
  ])('waits twice as long each time, and by chance half of it: %d', async (random, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(random);
    const { failedRefresh, sent } = applicationWith(busy());
    await failedRefresh();
    expect(pauses(sent)).toEqual(expected);
  });

  test.each([
    ['2', [2000, 2000, 2000, 2000]],
    ['20', [20_000, 20_000, 20_000, 20_000]],
    ['21', []],
  ])('waits as long as the server asks, up to 20 seconds: %s', async (seconds, expected) => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { failedRefresh, sent } = applicationWith(busy({ 'retry-after': seconds }));
    expect(await failedRefresh()).toMatchObject({ retryAfterMs: Number(seconds) * 1000 });
    expect(pauses(sent)).toEqual(expected);
  });

  test('is not waited for after an abort, and leaves nothing on the signal', async () => {
    const controller = new AbortController();
    const { failedRefresh, sent } = applicationWith(busy({ 'retry-after': '20' }));
    setTimeout(() => controller.abort(new Error('closing')), 5000);
    const startedAt = Date.now();
    const error = await failedRefresh(controller.signal);
    expect(Date.now() - startedAt).toBeLessThan(5100);
    expect(error).toMatchObject({
      name: 'AbortError',
      message: `${request} was aborted before it was sent`,
      attempts: 1,
      cause: { message: 'closing' },
    });
    expect(sent).toHaveLength(1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that succeeds leaves nothing on the signal', async () => {
    const { signal } = new AbortController();
    const { refresh, sent } = applicationWith(busy(), json(200, { access_token: 'new-access' }));
    expect(await refresh(signal)).toMatchObject({ accessToken: 'new-access' });
    expect(sent).toHaveLength(2);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('of a signal that has aborted already sends nothing', async () => {
    const { failedRefresh, sent } = applicationWith(busy());
    expect(await failedRefresh(AbortSignal.abort())).toMatchObject({ name: 'AbortError', attempts: 0 });
    expect(sent).toEqual([]);
  });
});
