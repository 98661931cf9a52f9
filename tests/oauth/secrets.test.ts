import { inspect } from 'node:util';
import { AuthorizationCallbackError, SellerError } from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf, receiving } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const secret = fc.stringMatching(/^[A-Za-z0-9+/=_~ñ"\\&-]{12,40}$/);
const statuses = [200, 201, 204, 302, 400, 401, 403, 404, 418, 429, 500, 502, 503] as const;

/** All that an error shows: to a person, to a log, to somebody who looks into it. */
function shown(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause) {
    const fields = Object.getOwnPropertyNames(each).map((name) => (each as unknown as Record<string, unknown>)[name]);
    const headers = fields.flatMap((value) => (value instanceof Headers ? [...value].flat() : []));
    texts.push(String(each.stack), inspect(each, { showHidden: true, depth: 6 }), JSON.stringify(each), ...headers);
    if (each instanceof SellerError) texts.push(String(each.toCurl({ texts: true })));
  }
  return texts.join('\n');
}

test('no error of any response, failure or callback contains a secret', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        clientSecret: secret,
        code: secret,
        verifier: secret,
        state: secret,
        refreshToken: secret,
        newToken: secret,
        status: fc.constantFrom(...statuses),
        kind: fc.constantFrom('json', 'fields', 'text', 'header', 'network', 'cause', 'success', 'callback'),
        error: fc.constantFrom('invalid_grant', 'invalid_client', 'unknown', undefined),
      }),
      async ({ kind, status, error, newToken, ...secrets }) => {
        const { clientSecret, code, verifier, state, refreshToken } = secrets;
        // What the server may echo: it knows the secrets of this request.
        let all: string[] = [];
        const body = (request: string): BodyInit | null => {
          if (status === 204) return null;
          if (kind === 'text') return `<h1>${all.join(' ')} ${request}</h1>`;
          if (kind === 'fields')
            return JSON.stringify({ error: all[0], message: all, cause: all, ...secrets, request });
          if (kind === 'success') return JSON.stringify({ access_token: { newToken }, refresh_token: newToken });
          return JSON.stringify({ error, error_description: `${request} ${all.join(' and ')}` });
        };
        const oauth = createOAuth({
          clientId: '500',
          clientSecret,
          redirectUri: 'https://bot.example.com/callback',
          authorizationUrl: 'https://auth.example.com/authorization',
          tokenUrl: 'https://auth.example.com/token',
          fetch: receiving(async (request) => {
            const text = await request.text();
            if (kind === 'network') throw new TypeError(`failed: ${text} ${all.join(' ')}`);
            if (kind === 'cause')
              throw new TypeError('failed', { cause: Object.assign(new Error(text), { all, text }) });
            const headers: Record<string, string> =
              kind === 'header' ? { location: `https://x.test/?${new URLSearchParams({ code })}`, 'x-echo': text } : {};
            return new Response(body(text), { status, headers });
          }),
        });
        const url = `/callback?${new URLSearchParams({
          code,
          state,
          ...(kind === 'callback' && { error: clientSecret, error_description: `${code} ${state} ${clientSecret}` }),
        })}`;
        const refresh = (): Promise<unknown> => oauth.refresh({ accessToken: 'a', refreshToken });
        const exchange = (): Promise<unknown> => oauth.exchange({ url, state, verifier });
        for (const [work, known] of [
          [refresh, [clientSecret, refreshToken]],
          [exchange, [clientSecret, code, verifier, state]],
        ] as const) {
          all = [...known];
          const thrown = await advanceUntilSettled(errorOf(work()));
          expect(thrown).toBeInstanceOf(SellerError);
          const text = shown(thrown);
          for (const each of [...all, newToken]) expect(text.includes(each), `${each} in ${text}`).toBe(false);
          for (const each of all) expect(text.includes(encodeURIComponent(each)), each).toBe(false);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a callback of somebody else, with our code in it, is told without the code', async () => {
  const oauth = createOAuth({
    clientId: '500',
    clientSecret: 'secret-secret',
    redirectUri: 'https://bot.example.com/callback',
    authorizationUrl: 'https://auth.example.com/authorization',
    tokenUrl: 'https://auth.example.com/token',
  });
  const url = '/callback?code=TG-12345678&state=theirs&error=TG-12345678';
  const error = await errorOf(oauth.exchange({ url, state: 'our-own-state', verifier: 'v'.repeat(43) }));
  expect(error).toBeInstanceOf(AuthorizationCallbackError);
  expect(shown(error)).not.toMatch(/TG-12345678|our-own-state|theirs/);
});
