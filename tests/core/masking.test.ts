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
    ['with a part of an echo', 'no Calle Falsa 123 or 4', 'no Calle Falsa 123 or 4'],
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
    ['nothing secret', { note: 'a', list: [1, null, { a: true }], at: new URL('https://api.test/') }],
    ['another error without a secret', { cause: Object.assign(new TypeError('inner'), { code: 'ECONNRESET' }) }],
    ['several errors', { errors: [new Error('a'), new Error('b')] }],
    ['a symbol', { [Symbol('kind')]: true }],
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
    ['an object', { config: { headers: { authorization: `Bearer ${token}` } } }],
    ['a list of lists', { list: [[[token]]] }],
    ['the name of a property', { seen: { [token]: 1 } }],
    ['the name of a symbol', { [Symbol(token)]: 1 }],
    ['a symbol', { [Symbol('state')]: { token } }],
    ['a symbol of an object', { state: { [Symbol('state')]: token } }],
    ['its cause', { cause: new Error(token) }],
    ['the cause of its cause', { cause: new Error('a', { cause: new DOMException(token) }) }],
    ['one of several errors', { errors: [new Error('a'), new Error(token)] }],
    ['a Map, which is not searched', { a: new Map([['k', 'v']]) }],
    ['Headers, which are not searched', { headers: new Headers({ 'x-any': token }) }],
    [
      'a Request, which is not searched',
      { request: new Request('https://api.test/', { headers: { 'x-any': token } }) },
    ],
    ['bytes, which are not searched', { a: new Uint8Array(2) }],
    ['a value that cannot be read', unreadable],
  ])('is copied without what it holds in %s', async (_, parts) => {
    const thrown = fault({});
    Object.defineProperties(thrown, Object.getOwnPropertyDescriptors(parts));
    const cause = await causeOf(thrown);
    expect(cause === thrown).toBe(false);
    expect(cause).toMatchObject({ name: 'RangeError', message: 'failed' });
    expect(Reflect.ownKeys(cause as object).sort()).toEqual(['message', 'name', 'stack']);
  });

  test('keeps its name, its code and its stack, masked', async () => {
    const inner = new Error(`inner ${token}`);
    const thrown = Object.assign(new TypeError(`outer ${token}`, { cause: inner }), { code: `E-${token}` });
    const cause = (await causeOf(thrown)) as Error & { code: string };
    expect(cause).toMatchObject({ name: 'TypeError', message: 'outer [redacted]', code: 'E-[redacted]' });
    expect(cause.stack).toContain('TypeError: outer [redacted]');
    expect(cause.stack).not.toContain(token);
    expect('cause' in cause).toBe(false);
    expect('code' in ((await causeOf(Object.assign(new Error(token), { code: 7 }))) as Error)).toBe(false);
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
