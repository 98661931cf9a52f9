import { runInNewContext } from 'node:vm';
import { ConnectionError } from 'marketplace-seller-sdk';
import type { ApiError, ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { userTexts } from '../../src/core/errors/redactor.js';
import { errorOf, stubbed } from '../support/stubs.ts';

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
    ['with a date', 'since 2026-11-05 10:00', 'since 2026-11-05 10:00'],
    ['with the address of a machine', 'from 192.168.100.200 it', 'from 192.168.100.200 it'],
    ['with a bearer token masked', 'got Bearer  abc.def~1+/=- here', 'got Bearer [redacted] here'],
    ['with an e-mail address masked', 'to a.b+c-d@mail-1.example.com now', 'to [redacted] now'],
    ['with an echo masked', `no ${address} please`, 'no [redacted] please'],
    ['with an echo at its end masked', `no ${address}`, 'no [redacted]'],
    ['with two echoes masked', `${address} and ${address}!`, '[redacted] and [redacted]!'],
    ['with an echo masked as far as it goes', 'no Calle Falsa 123 or 4', 'no [redacted] or 4'],
    ['with less than twelve characters of an echo', 'no Calle Falsa!', 'no Calle Falsa!'],
  ])('%s', async (_, said, expected) => {
    expect(await shown(said)).toBe(expected);
  });

  test('with the echo of a text of four characters masked, and of three characters shown', async () => {
    expect(await shown('no hola here', 'hola')).toBe('no [redacted] here');
    expect(await shown('no hoy here', 'hoy')).toBe('no hoy here');
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

describe('a network error', () => {
  async function causeOf(thrown: unknown): Promise<unknown> {
    const fetch = (): Promise<Response> => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a fetch of the user may do that
      return Promise.reject(thrown);
    };
    const { sellerClient } = stubbed([], { fetch, accessToken: token, maxRetries: 0 });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    return error.cause;
  }
  const fault = (parts: object): Error => Object.assign(new RangeError('failed'), parts);

  test.each<[string, object]>([
    ['nothing secret', { note: 'a', list: [1, null], at: new URL('https://api.test/') }],
    ['a Map, a Set and bytes without a secret', { a: new Map([['k', 'v']]), b: new Set(['v']), c: new Uint8Array(9) }],
    ['65536 bytes', { bytes: new Uint8Array(65_536) }],
    ['4000 values', { list: Array.from({ length: 2000 }, (_, at) => `value ${at}`) }],
    ['bytes beside the secret', { bytes: new Uint8Array(new TextEncoder().encode(`${token}1234`).buffer, 6, 8) }],
  ])('is the cause as it is with %s', async (_, parts) => {
    const thrown = fault(parts);
    expect(await causeOf(thrown)).toBe(thrown);
  });

  const unreadable = {
    get broken(): string {
      throw new Error('cannot be read');
    },
  };

  test.each<[string, object]>([
    ['the key of a Map', { a: new Map([[token, 1]]) }],
    ['the name of a symbol', { [Symbol(token)]: 1 }],
    ['Headers', { headers: new Headers({ 'x-any': token }) }],
    ['the URL of a Request', { request: new Request(`https://api.test/${token}`) }],
    ['the headers of a Request', { request: new Request('https://api.test/', { headers: { 'x-any': token } }) }],
    ['the headers of a Response', { response: new Response(null, { headers: { 'x-any': token } }) }],
    ['URLSearchParams', { query: new URLSearchParams({ a: token }) }],
    ['bytes in the middle of a buffer', { a: new Uint8Array(new TextEncoder().encode(`12${token}`).buffer, 2) }],
    ['65537 bytes, which are not searched', { bytes: new Uint8Array(65_537) }],
    ['6000 values, which are not searched', { list: Array.from({ length: 6000 }, (_, at) => `value ${at}`) }],
    ['a value that cannot be read', unreadable],
  ])('is copied without what it holds in %s', async (_, parts) => {
    const thrown = fault({});
    Object.defineProperties(thrown, Object.getOwnPropertyDescriptors(parts));
    const cause = await causeOf(thrown);
    expect(cause === thrown).toBe(false);
    expect(cause).toMatchObject({ name: 'RangeError', message: 'failed' });
    expect(Reflect.ownKeys(cause as object).sort()).toEqual(['message', 'name', 'stack']);
  });

  test('keeps its name, its code and its causes, masked', async () => {
    const inner = Object.assign(new Error(`inner ${token}`), { code: 7 });
    const thrown = Object.assign(new TypeError(`outer ${token}`, { cause: inner }), { code: `E-${token}` });
    const cause = (await causeOf(thrown)) as Error & { code: string; cause: Error };
    expect(cause).toMatchObject({ name: 'TypeError', message: 'outer [redacted]', code: 'E-[redacted]' });
    expect(cause.stack).toContain('TypeError: outer [redacted]');
    expect(cause.stack).not.toContain(token);
    expect(cause.cause).toMatchObject({ name: 'Error', message: 'inner [redacted]' });
    expect('code' in cause.cause).toBe(false);
    expect('cause' in cause.cause).toBe(false);
  });

  test('keeps eight causes', async () => {
    const chain = Array.from({ length: 12 }).reduce<Error | undefined>(
      (cause) => new Error(token, { cause }),
      undefined,
    );
    let count = 0;
    for (let each = await causeOf(chain); each instanceof Error; each = each.cause) count += 1;
    expect(count).toBe(8);
  });

  test('that is no error is not shown', async () => {
    expect(await causeOf({ token })).toMatchObject({ message: 'the thrown value contained a secret and is not shown' });
  });
});

describe('a secret is found', () => {
  test.each([
    ['of four characters', 'a/b1', 'x a/b1 y'],
    ['in a URL', 'a b+c/d=e', 'x a%20b%2Bc%2Fd%3De y'],
    ['in a URL, in lower case', 'a b+c/d=e', 'x a%20b%2bc%2fd%3de y'],
    ['in a form', 'a b+c/d=e', 'x a+b%2Bc%2Fd%3De y'],
    ['in JSON', 'a"b\\c', 'x a\\"b\\\\c y'],
    ['in JSON with escaped slashes', 'a/b/c', 'x a\\/b\\/c y'],
    ['in base64', 'secret-77??>>', 'x c2VjcmV0LTc3Pz8+Pg'],
    ['in base64 after one character', 'secret-77', `x ${btoa('1secret-77').slice(2, -3)}`],
    ['in base64 after two characters', 'secret-77', `x ${btoa('12secret-77').slice(3, -2)}`],
    ['in base64 for URLs', '>>>???>>>', `x ${btoa('>>>???>>>').replaceAll('+', '-').replaceAll('/', '_')}`],
  ])('%s', async (_, secret, said) => {
    const { message } = (await rejected({ message: said }, address, { headers: { 'x-api-key': secret } })) as Error;
    expect(message).toMatch(/: x \[redacted\]( y|g)?$/);
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
