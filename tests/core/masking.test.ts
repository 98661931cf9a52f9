import { runInNewContext } from 'node:vm';
import type { ApiError, ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { userTexts } from '../../src/core/errors/redactor.js';
import { fc } from '../support/fast-check.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

// What is masked in an error: secrets and texts of people, in whatever form a service or a network repeats them.

const token = 'APP_USR-1234567890';
const address = 'Calle Falsa 123, piso 2';

/** The error of a question whose text the service rejects with this body. */
async function rejected(
  body: unknown,
  text: string = address,
  options: Partial<ClientOptions> = {},
): Promise<ApiError> {
  const { sellerClient } = stubbed([() => Response.json(body, { status: 400 })], { accessToken: token, ...options });
  return errorOf<ApiError>(sellerClient.questions.ask({ item_id: 'MLA1', text }));
}

async function shown(message: string, text?: string, options?: Partial<ClientOptions>): Promise<string> {
  return (await rejected({ message }, text, options)).message.replace('POST /questions failed with 400: ', '');
}

describe('a message of the service is shown', () => {
  test.each([
    ['with a telephone number of eight digits masked', 'call 4 555-1234 now', 'call [redacted] now'],
    ['with a number of seven digits', 'size 4 55-1234 now', 'size 4 55-1234 now'],
    ['with a telephone number after a plus masked', 'call +54 11 4555 1234', 'call [redacted]'],
    ['with a telephone number in brackets masked', 'call (011) 4555-1234.', 'call [redacted].'],
    ['with a date', 'since 2026-11-05 10:00:00', 'since 2026-11-05 10:00:00'],
    ['with an id', 'order 2000001234567890 is', 'order 2000001234567890 is'],
    ['with the address of a machine', 'on 192.168.100.200:8080 it', 'on 192.168.100.200:8080 it'],
    ['with what is said of a signature', 'invalid signature: expired', 'invalid signature: expired'],
    ['with a bearer token masked', 'got Bearer  abc.def~1+/=- here', 'got Bearer [redacted] here'],
    ['with an e-mail address masked', 'to a.b+c-d@mail-1.example.com now', 'to [redacted] now'],
    ['with an echo masked', `no ${address} please`, 'no [redacted] please'],
    ['with an echo at its end masked', `no ${address}`, 'no [redacted]'],
    ['with two echoes masked', `${address} and ${address}!`, '[redacted] and [redacted]!'],
    ['with a part of an echo', 'no Calle Falsa 123 or 4', 'no Calle Falsa 123 or 4'],
  ])('%s', async (_, said, expected) => {
    expect(await shown(said)).toBe(expected);
  });

  test('with the echo of a text of four characters masked, and of three characters shown', async () => {
    expect(await shown('no hola here', 'hola')).toBe('no [redacted] here');
    expect(await shown('no hoy here', 'hoy')).toBe('no hoy here');
    expect(await shown('abc is not found', undefined, { accessToken: 'abc' })).toBe('abc is not found');
  });

  test('with the credentials of an authorization header masked, also without their scheme', async () => {
    const options = { accessToken: undefined, headers: { authorization: 'Basic  dXNlcjpwYXNz' } };
    expect(await shown('got dXNlcjpwYXNz and Basic', address, options)).toBe('got [redacted] and Basic');
  });
});

test.each([
  ['access_token=abc', 'access_token=[redacted]'],
  ['access-token: abc', 'access-token: [redacted]'],
  ['accessToken="abc"', 'accessToken="[redacted]"'],
  ['{"refresh_token" : "abc", "a": 1}', '{"refresh_token" : "[redacted]", "a": 1}'],
  ['{\\"client_secret\\":\\"abc\\"}', '{\\"client_secret\\":\\"[redacted]\\"}'],
  ['api-key=abc&limit=1', 'api-key=[redacted]&limit=1'],
  ['authorization: Basic  abc', 'authorization: [redacted]'],
  ['Set-Cookie: sid=abc, next', 'Set-Cookie: [redacted], next'],
  ['auth_token=abc other', 'auth_token=[redacted] other'],
  ['sig=abc&limit=1', 'sig=[redacted]&limit=1'],
  ['{"signature" : "abc"}', '{"signature" : "[redacted]"}'],
  ['my-sig=abc', 'my-sig=abc'],
  ['signature: expired', 'signature: expired'],
])('a secret field in a text is masked: %s', async (said, expected) => {
  expect((await rejected({ detail: said })).body).toEqual({ detail: expected });
});

test('texts of people are found in lists and plain objects, also of another realm, and nowhere else', () => {
  expect(userTexts([{ text: 'a' }, Object.assign(Object.create(null), { text: 'b' })])).toEqual(['a', 'b']);
  expect(userTexts(runInNewContext('({ message: { text: "c" } })'))).toEqual(['c']);
  expect(userTexts({ file: Object.assign(new Blob(), { text: 'd' }) })).toEqual([]);
});

test.each(['sid=SEKRET-VALUE-1; theme=dark', 'theme=dark;sid = SEKRET-VALUE-1 ;x', 'SEKRET-VALUE-1'])(
  'the value of a cookie in %s is masked where the service repeats it alone',
  async (cookie) => {
    const said = 'bad session SEKRET-VALUE-1 of the dark theme';
    expect(await shown(said, undefined, { headers: { cookie } })).toBe('bad session [redacted] of the dark theme');
  },
);

describe('the body of an error', () => {
  test('has the values of secret fields masked, with their names in any spelling', async () => {
    const names = ['x-api-key', 'API_KEY', 'apiKey', 'X_Auth-Token', 'cookie', 'proxy-authorization', 'setCookie'];
    const body = Object.fromEntries(names.map((name) => [name, ['abc', { list: 'def' }]]));
    const masked = Object.fromEntries(names.map((name) => [name, ['[redacted]', { list: 'def' }]]));
    expect((await rejected(body)).body).toEqual(masked);
  });

  test('shows fields with other names', async () => {
    const body = { ax_api_key: 'a', api: 'b', cookies: 'c', [`x-${'-'.repeat(39)}sig`]: 'd', none: null, number: 7 };
    expect((await rejected(body)).body).toEqual(body);
  });

  test.each([
    ['objects', (inner: unknown) => ({ inner })],
    ['lists', (inner: unknown) => [inner]],
  ])('is cut below 200 nested %s', async (_, nest) => {
    const nested = (depth: number, end: unknown): unknown =>
      Array.from({ length: depth }).reduce<unknown>((inner) => nest(inner), end);
    expect((await rejected({ at: nested(198, { end: 'shown' }) })).body).toEqual({ at: nested(198, { end: 'shown' }) });
    expect((await rejected({ at: nested(199, { end: 'hidden' }) })).body).toEqual({ at: nested(199, '[redacted]') });
  });
});

describe('a secret is found', () => {
  test.each([
    ['of four characters', 'a/b1', 'x a/b1 y'],
    ['of four characters in a URL, in lower case', 'a/b1', 'x a%2fb1 y'],
    ['in upper case', 'APP_USR-1234-AbCdEf', 'x APP_USR-1234-ABCDEF y'],
    ['in lower case', 'APP_USR-1234-AbCdEf', 'x app_usr-1234-abcdef y'],
    ['in a URL', 'a b+c/d=e', 'x a%20b%2Bc%2Fd%3De y'],
    ['in a URL, in lower case', 'a b+c/d=e', 'x a%20b%2bc%2fd%3de y'],
    ['in a form', 'a b+c/d=e', 'x a+b%2Bc%2Fd%3De y'],
    ['in JSON', 'a"b\\c', 'x a\\"b\\\\c y'],
    ['in JSON with escaped slashes', 'a/b/c', 'x a\\/b\\/c y'],
  ])('%s', async (_, secret, said) => {
    const { message } = (await rejected({ message: said }, address, { headers: { 'x-api-key': secret } })) as Error;
    expect(message).toMatch(/: x \[redacted\] y$/);
  });

  test('in its longest spelling first', async () => {
    expect(
      await shown('x secret-77-and-more y', address, {
        headers: { cookie: 'secret-77-and-more' },
        accessToken: 'secret-77',
      }),
    ).toBe('x [redacted] y');
  });
});

const living = 'Vivo en Calle Falsa 123 & mi perro es "Toby" <3, señor';
const echoes: Record<string, string> = {
  'as it is': living,
  'in upper case': living.toUpperCase(),
  'in lower case': living.toLowerCase(),
  'URL-encoded': encodeURIComponent(living),
  'in a form': new URLSearchParams({ text: living }).toString(),
  'as JSON': JSON.stringify({ text: living }),
  twice: `${living}; ${living}`,
};

describe('a text of a user is not in the message of an error', () => {
  test.each(Object.keys(echoes))('%s', async (name) => {
    const body = { message: `not acceptable: ${echoes[name]!} (end)`, error: 'bad_request', status: 400 };
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const { sellerClient } = stubbed([Response.json(body, { status: 400 })], {
      logger: { debug: log, info: log, warn: log, error: log },
    });
    const error = await errorOf<ApiError>(sellerClient.questions.answer({ question_id: 1, text: living }));
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

  test.each([
    'Hello,\nplease call me at home',
    'Hello\r\n\r\nplease call me at home',
    'a long first line of text\n  please call me at home',
    '\thello\u2028please call me  at  home\n',
    'hello \u200fplease call me at home',
  ])('a text of several lines is redacted in whatever form the service repeats it: %j', async (text) => {
    for (const repeated of [text, text.trim(), text.replace(/\s+/g, ' '), text.replace(/\r?\n/g, '\r\n')]) {
      const body = { message: `rejected: "${repeated}"`, cause: [{ code: 'x', message: repeated }] };
      const { sellerClient } = stubbed([() => Response.json(body, { status: 400 })]);
      const error = await errorOf<ApiError>(sellerClient.questions.ask({ item_id: 'MLA1', text }));
      expect(error.message).toMatch(/^POST \/questions failed with 400: rejected: " ?\[redacted\] ?"$/);
      expect(error.causes).toEqual([{ code: 'x', message: '[redacted]' }]);
    }
  });

  test('a text with quotes, brackets and line ends is redacted too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 16, maxLength: 300, unit: 'binary-ascii' }), async (text) => {
        // Spaces in a row become one in a message; what is left of a text may then be too short to be recognised.
        const shown = text.replace(/\s+/g, ' ').trim();
        fc.pre(shown.length >= 16 && !/[\0-\x08]/.test(text));
        const { sellerClient } = stubbed([() => Response.json({ message: `rejected: ${text}` }, { status: 400 })]);
        const error = await errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text }));
        if (error.name === 'InvalidInputError') return;
        expect(error.message).not.toContain(shown);
        expect(JSON.stringify(error)).not.toContain(JSON.stringify(text).slice(1, -1));
      }),
      { numRuns: 200 },
    );
  });
});
