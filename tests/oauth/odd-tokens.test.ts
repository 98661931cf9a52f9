import { SellerClient, InvalidInputError, UnexpectedResponseError, refreshingToken } from 'marketplace-seller-sdk';
import { createOAuth, createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../support/stubs.ts';

// A token that no request can have is rejected where it comes in: nothing stores it.

const baseUrl = 'https://api.example.com';
/** An application whose token endpoint responds with these tokens. */
const applicationWith = (access_token: string, refresh_token: string) =>
  createOAuth({
    clientId: '500',
    clientSecret: 'secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization',
    tokenUrl: 'https://auth.example.com/oauth/token',
    fetch: async () => Response.json({ access_token, refresh_token, token_type: 'bearer', user_id: 7 }),
  });

const controls = ['\n', '\r\n', '\0', '\t', '\x1b[2J', '\x7f', '\x85'];
const odd: [string, { access?: string; refresh?: string }][] = [
  ...controls.map((text): [string, object] => [
    `an access token with ${JSON.stringify(text)}`,
    { access: `a${text}b` },
  ]),
  ...controls.map((text): [string, object] => [
    `a refresh token with ${JSON.stringify(text)}`,
    { refresh: `a${text}b` },
  ]),
  ['an access token that ends with a line', { access: 'secret-a\n' }],
  ['an access token with its scheme', { access: 'Bearer secret-a' }],
  ['an access token of other letters', { access: 'secret-ñ' }],
];

describe.each(odd)('%s', (_, { access = 'secret-a', refresh = 'secret-r' }) => {
  const expectMasked = ({ message }: Error): void => {
    expect(message).not.toContain('secret-');
    expect(message).not.toMatch(/\p{Cc}/u);
  };

  test('is rejected by exchange and by refresh, which say that the grant may be lost', async () => {
    const oauth = applicationWith(access, refresh);
    for (const call of [oauth.exchange({ code: 'TG-1' }), oauth.refresh({ accessToken: 'old', refreshToken: 'old' })]) {
      const error = await errorOf(call);
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error.message).toMatch(/with (?:an access|a refresh) token .*grant is lost/);
      expectMasked(error);
    }
  });

  test('is rejected by add, and nothing is stored', async () => {
    const tokens = sqliteTokens(':memory:');
    const sellers = createSellers({ client: new SellerClient({ baseUrl }), tokens });
    const error = await errorOf(sellers.add({ user_id: 7, accessToken: access, refreshToken: refresh }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expectMasked(error);
    expect(await tokens.load(7)).toBeUndefined();
    await tokens.close?.();
  });

  test('of a refresh of your own is not saved', async () => {
    const saved: unknown[] = [];
    const accessToken = refreshingToken({
      load: () => ({ accessToken: 'old', refreshToken: 'old', expiresAt: Date.now() - 1 }),
      refresh: () => ({ accessToken: access, refreshToken: refresh }),
      save: (tokens) => void saved.push(tokens),
    });
    const error = await errorOf(Promise.resolve(accessToken({ signal: new AbortController().signal })));
    expect(error.message).toMatch(/`refresh` of refreshingToken returned (?:an access|a refresh) token/);
    expectMasked(error);
    expect(saved).toEqual([]);
    await accessToken.close();
  });
});

test('a refresh token with control characters is not sent', async () => {
  const error = await errorOf(applicationWith('a', 'r').refresh({ accessToken: 'a', refreshToken: 'secret-r\n' }));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(error.message).toContain('`refreshToken` takes a text, not a refresh token with control characters');
  expect(error.message).not.toContain('secret-r');
});

test.each([
  [{ expiresAt: Math.round(Date.now() / 1000) }, '`expiresAt` is not a time in milliseconds since 1970'],
  [{ refreshToken: 5 }, '`refreshToken` takes a text'],
])('add rejects what loading would reject: %j', async (given, message) => {
  const tokens = sqliteTokens(':memory:');
  const sellers = createSellers({ client: new SellerClient({ baseUrl }), tokens });
  await expect(sellers.add({ user_id: 7, accessToken: 'a', ...given } as never)).rejects.toThrow(message);
  expect(await tokens.load(7)).toBeUndefined();
  await tokens.close?.();
});

test('a refresh token may have spaces and other letters, which a form can carry', async () => {
  const { accessToken, refreshToken } = await applicationWith('a', 'r ñ').exchange({ code: 'TG-1' });
  expect({ accessToken, refreshToken }).toEqual({ accessToken: 'a', refreshToken: 'r ñ' });
});
