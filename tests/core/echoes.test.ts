import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import type { ApiError } from 'marketplace-seller-sdk';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const text = 'Vivo en Calle Falsa 123 & mi perro es "Toby" <3, señor';
const echoes: Record<string, string> = {
  'as it is': text,
  'in upper case': text.toUpperCase(),
  'in lower case': text.toLowerCase(),
  'URL-encoded': encodeURIComponent(text),
  'in a form': new URLSearchParams({ text }).toString(),
  'as JSON': JSON.stringify({ text }),
  twice: `${text}; ${text}`,
};

describe('a text of a user is not in the message of an error', () => {
  test.each(Object.keys(echoes))('%s', async (name) => {
    const body = { message: `not acceptable: ${echoes[name]!} (end)`, error: 'bad_request', status: 400 };
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const { sellerClient } = stubbed([Response.json(body, { status: 400 })], {
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const error = await errorOf<ApiError>(sellerClient.questions.answer({ question_id: 1, text }));
    const shown = (error.message + JSON.stringify(lines) + JSON.stringify(error)).toLowerCase();
    for (const word of ['falsa', 'perro', 'toby']) expect(shown).not.toContain(word);
    expect(error.message).toContain('not acceptable:');
    expect(error.message).toContain('(end)');
    expect(error.body).toEqual(body);
    expect(Object.keys(error)).not.toContain('body');
  });

  test('and other texts are shown as they are, also a part of it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[a-z ]{12,60}$/), async (said) => {
        const shown = said.replace(/ +/g, ' ').trim();
        fc.pre(shown.length > 0);
        const { sellerClient } = stubbed([Response.json({ message: said }, { status: 400 })]);
        const error = await errorOf(sellerClient.questions.answer({ question_id: 1, text: `${said}!` }));
        expect(error.message).toBe(`POST /answers failed with 400: ${shown}`);
      }),
      { numRuns: 30 },
    );
  });
});

describe('a secret is not shown', () => {
  test.each([
    'token',
    'security_token',
    'X-Amz-Security-Token',
    'X-Amz-Signature',
    'X-Amz-Credential',
    'password',
    'id_token',
    'api_key',
    'sig',
  ])('as the query parameter %s', async (name) => {
    const { sellerClient } = stubbed([Response.json({ message: 'no: s3cr3t-value' }, { status: 400 })]);
    const call = sellerClient.questions.get({ question_id: 1 }, { query: { [name]: 's3cr3t-value', page: 'shown' } });
    const error = await errorOf<ApiError>(call);
    for (const shown of [error.url, error.toCurl(), error.message]) expect(shown).not.toContain('s3cr3t');
    expect(error.url).toContain('page=shown');
  });

  test('as the header x-amz-security-token', async () => {
    const { sellerClient } = stubbed([Response.json({ message: 'no: S3CR3T-VALUE' }, { status: 400 })]);
    const headers = { 'x-amz-security-token': 's3cr3t-value' };
    const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 1 }, { headers }));
    expect((error.toCurl() ?? '') + error.message).not.toMatch(/s3cr3t/i);
  });

  test.each([(token: string) => token.toUpperCase(), (token: string) => token.toLowerCase()])(
    'as an echo of the token in another case',
    async (change) => {
      const accessToken = 'APP_USR-1234-AbCdEf';
      const { sellerClient } = stubbed([Response.json({ message: `bad ${change(accessToken)}` }, { status: 400 })], {
        accessToken,
      });
      const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 1 }));
      expect(error.message + JSON.stringify(error.body)).not.toMatch(/abcdef/i);
    },
  );
});

test('the logger is called in the async context of its own call', async () => {
  vi.useFakeTimers();
  try {
    const storage = new AsyncLocalStorage<number>();
    const seen: [unknown, unknown][] = [];
    const note = (_message: string, fields?: { readonly waitMs?: number }): void =>
      void seen.push([storage.getStore(), fields?.waitMs]);
    const slow = Response.json({}, { status: 429, headers: { 'retry-after': '1' } });
    const { sellerClient } = stubbed([slow, Response.json(wireQuestion)], {
      concurrency: 1,
      logger: { debug: note, info: note, warn: note, error: note },
    });
    const calls = [1, 2, 3, 4].map((id) =>
      storage.run(id, () => sellerClient.questions.get({ question_id: id }).withResponse()),
    );
    await vi.advanceTimersByTimeAsync(5000);
    await Promise.all(calls);
    const waited = seen.filter(([, waitMs]) => waitMs !== undefined).map(([id]) => id);
    expect(waited.sort()).toEqual([1, 2, 3, 4]);
    expect(seen.map(([id]) => id)).not.toContain(undefined);
  } finally {
    vi.useRealTimers();
  }
});
