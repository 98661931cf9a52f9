import { inspect } from 'node:util';
import {
  AccessTokenError,
  ConfigurationError,
  GrantRevokedError,
  SellerClient,
  SellerError,
  refreshingToken,
} from 'marketplace-seller-sdk';
import type { TokenProvider, TokenSet } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { fc } from '../support/fast-check.ts';
import { errorOf } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What a function of the user may throw about a text. */
const thrown: Readonly<Record<string, (text: string) => unknown>> = {
  message: (text) => new Error(`rejected: ${text}`),
  cause: (text) => new Error('rejected', { cause: new TypeError(`the request was ${text}`) }),
  'parameters of a statement': (text) => Object.assign(new Error('insert failed'), { parameters: [text], code: text }),
  'a request': (text) =>
    Object.assign(new Error('failed'), {
      config: { headers: new Headers({ authorization: encodeURIComponent(text) }) },
    }),
  AccessTokenError: (text) => new AccessTokenError(`no token: ${text}`, { cause: new Error(text) }),
  GrantRevokedError: (text) => new GrantRevokedError(`revoked: ${JSON.stringify(text)}`),
  ConfigurationError: (text) => new ConfigurationError(`wrong: ${encodeURIComponent(text)}`),
  'a text': (text) => text,
};

/** All that an error shows: to a person, to a log, to somebody who looks into it. */
function shown(error: unknown): string {
  const texts: string[] = [];
  for (let each = error; each instanceof Error; each = each.cause)
    texts.push(String(each.stack), inspect(each, { showHidden: true, depth: 8 }), JSON.stringify(each), String(each));
  return texts.join('\n');
}

const token = fc.stringMatching(/^[A-Za-z0-9-]{16,40}$/);
const runs = Number(process.env.MASKED_ERRORS ?? 150);

test('no printed error of a function of the user shows a token of the set', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('load', 'refresh', 'save', 'lock', 'store', 'accessToken'),
      fc.constantFrom(...Object.keys(thrown)),
      fc.uniqueArray(token, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      async (where, what, [a1 = '', r1 = '', a2 = '', r2 = ''], isInBackground) => {
        const stored: TokenSet = {
          accessToken: a1,
          refreshToken: r1,
          expiresAt: Date.now() + (isInBackground ? 1000 : -1),
        };
        // What the function knows when it fails.
        const known =
          where === 'accessToken' ? [a1] : where === 'save' || where === 'store' ? [a1, r1, a2, r2] : [a1, r1];
        const fail = (): never => {
          throw thrown[what]!(`${known.join(' and ')} by ${known.at(-1)}`);
        };
        let loads = 0;
        const told: unknown[] = [];
        const options = {
          load: () => ((loads += 1) > 1 && where === 'load' ? fail() : stored),
          refresh: () => (where === 'refresh' ? fail() : { accessToken: a2, refreshToken: r2 }),
          save: () => (where === 'save' ? fail() : undefined),
          lock: <R>(work: () => Promise<R>): Promise<R> => (where === 'lock' ? fail() : work()),
          onRefreshFailed: (error: unknown) => told.push(error),
        };
        let asked = 0;
        const provider: TokenProvider = () => ((asked += 1) > 1 ? fail() : a1);
        const fetch = () => Promise.resolve(Response.json({ error: 'invalid_token' }, { status: 401 }));
        const client = new SellerClient({ baseUrl: 'https://api.test', fetch, maxRetries: 0 });
        const logged: string[] = [];
        const log = (...texts: unknown[]): void =>
          void logged.push(texts.map((each) => inspect(each, { depth: 8 })).join(' '));
        let seller: SellerClient | undefined;
        if (where === 'store') {
          const tokens = sqliteTokens(':memory:');
          await tokens.save(7, stored);
          const sellers = createSellers({
            client,
            tokens: Object.assign(Object.create(tokens), {
              load: (id: number) => tokens.load(id),
              sellers: () => tokens.sellers(),
              lock: <R>(id: number, work: () => Promise<R>) => tokens.lock(id, work),
              revoke: () => fail(),
              save: () => fail(),
            }) as typeof tokens,
            refresh: options.refresh,
          });
          seller = await sellers.for(7);
        } else {
          const accessToken = where === 'accessToken' ? provider : refreshingToken(options);
          seller = client.withOptions({ accessToken });
        }
        const used = seller!;
        const failed = Promise.withResolvers<unknown>();
        const inbox = createInbox({
          clientFor: () => used,
          on: { questions: async (_, { read }) => void (await read()) },
          logger: { debug: log, info: log, warn: log, error: log },
          onFailure: ({ error }) => failed.resolve(error),
        });
        const error = await advanceUntilSettled(errorOf(used.questions.get({ question_id: 1 })));
        expect(error).toBeInstanceOf(SellerError);
        await inbox.add({ user_id: 7, topic: 'questions', resource: '/questions/1' });
        const failure = await advanceUntilSettled(failed.promise);
        await inbox.close();
        const text = [error, ...told, failure].map(shown).join('\n') + logged.join('\n');
        for (const each of [a1, r1, a2, r2]) expect(text.includes(each), `${each} in ${text}`).toBe(false);
      },
    ),
    { numRuns: runs },
  );
});

test.each(Object.keys(thrown))('a store that fails to add tokens shows none of them: %s', async (what) => {
  const added = { accessToken: 'access-0123456789', refreshToken: 'refresh-0123456789' };
  const store = sqliteTokens(':memory:');
  const tokens = Object.assign(Object.create(store) as typeof store, {
    save: () => Promise.reject(thrown[what]!(JSON.stringify(added)) as Error),
  });
  const client = new SellerClient({ baseUrl: 'https://api.test' });
  const error = await createSellers({ client, tokens })
    .add({ user_id: 7, ...added })
    .catch((each: unknown) => each);
  expect(shown(error) + String(error)).not.toMatch(/access-0|refresh-0/);
  await store.close?.();
});

test('an error without a token stays as it is, with its class', async () => {
  const reason = Object.assign(new RangeError('no disk'), { code: 'ENOSPC', file: 'tokens.db' });
  for (const given of [
    reason,
    new AccessTokenError('not today'),
    new GrantRevokedError('revoked', { cause: reason }),
  ]) {
    const accessToken = refreshingToken({
      load: () => ({ accessToken: 'access-1', refreshToken: 'refresh-1', expiresAt: Date.now() - 1 }),
      refresh: () => Promise.reject(given),
      save: () => undefined,
      lock: (work) => work(),
    });
    const client = new SellerClient({
      baseUrl: 'https://api.test',
      accessToken,
      fetch: () => Promise.reject(new Error('no')),
    });
    const error = await advanceUntilSettled(errorOf(client.questions.get({ question_id: 1 })));
    expect(given === reason ? error.cause : error).toBe(given);
  }
});

test('an error of the package that shows a token keeps its class, and a long message is not cut in a token', async () => {
  const accessToken = refreshingToken({
    load: () => ({ accessToken: 'access-0123456789', refreshToken: 'refresh-0123456789', expiresAt: Date.now() - 1 }),
    refresh: ({ refreshToken }) => Promise.reject(new Error(`${'x'.repeat(290)} ${refreshToken}`)),
    save: () => undefined,
  });
  const client = new SellerClient({
    baseUrl: 'https://api.test',
    accessToken,
    fetch: () => Promise.reject(new Error('no')),
  });
  const error = await advanceUntilSettled(errorOf(client.questions.get({ question_id: 1 })));
  expect(error).toBeInstanceOf(AccessTokenError);
  expect(shown(error)).not.toContain('refresh-0');
});
