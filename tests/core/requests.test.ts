import { InvalidInputError } from 'marketplace-seller-sdk';
import type { Endpoint, SellerClient, StandardSchema } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { array, boolean, optional, strictObject, record, string, unknown } from '../../src/core/schema/define.js';
import { encode } from '../../src/core/request/encode.js';
import { decode } from '../../src/testing/operations/operation.js';
import { errorOf, stubbed } from '../support/stubs.ts';

const fields = { id: string, tags: optional(array(string)), deep: optional(boolean), filters: optional(record) };
const base = { name: 'own.call', path: '/own/{id}', input: strictObject(fields), output: unknown, errors: [] } as const;
const bare: Endpoint<Record<string, unknown>> = { ...base, method: 'GET', retry: 'safe' };
const read: typeof bare = { ...bare, query: { tag: 'post_sale' } };
const write: Endpoint<Record<string, unknown>> = { ...base, method: 'POST', retry: 'unsafe' };

/** The path and query that a call with this input sends. */
const targetOf = (endpoint: Endpoint, input: object): string => encode(endpoint, { ...input }).target;

/** Makes a call that sends nothing. @returns what it says is wrong with its input */
async function issuesOf(endpoint: Endpoint, input: object): Promise<InvalidInputError['issues']> {
  const { sellerClient, sent } = stubbed([Response.json({})]);
  const error = await errorOf<InvalidInputError>(sellerClient.call(endpoint, { id: '7', ...input }));
  expect(error).toBeInstanceOf(InvalidInputError);
  expect(sent).toEqual([]);
  return error.issues;
}

describe('an input is distributed to path, query, headers and body', () => {
  test.each<readonly [string, Endpoint, object, object]>([
    ['a path alone', bare, { id: '7' }, { target: '/own/7', headers: {} }],
    ['a query of the endpoint', read, { id: '7' }, { target: '/own/7?tag=post_sale' }],
    ['the query of a read', read, { id: '7', deep: false }, { target: '/own/7?tag=post_sale&deep=false' }],
    ['the query of a DELETE', { ...write, method: 'DELETE' }, { id: '7', n: 1 }, { target: '/own/7?n=1' }],
    ['the body of a write', write, { id: '7', n: null }, { target: '/own/7', body: { n: null } }],
    ['the body of a PUT', { ...write, method: 'PUT' }, { id: '7', n: [1] }, { target: '/own/7', body: { n: [1] } }],
    ['no body where there is nothing to send', write, { id: '7', n: undefined }, { target: '/own/7', body: undefined }],
    [
      'the query of a write',
      { ...write, inQuery: ['n'] },
      { id: '7', n: 1, m: 2 },
      { target: '/own/7?n=1', body: { m: 2 } },
    ],
    [
      'a header',
      { ...write, inHeader: { n: 'x-n' } },
      { id: '7', n: 5 },
      { target: '/own/7', headers: { 'x-n': '5' }, body: undefined },
    ],
    ['nothing, as an empty text', bare, { id: '7', n: null }, { target: '/own/7?n=' }],
    ['a Date', bare, { id: '7', n: new Date(0) }, { target: '/own/7?n=1970-01-01T00%3A00%3A00.000Z' }],
  ])('%s', (_, endpoint, input, parts) => {
    expect(encode(endpoint, { ...input })).toMatchObject(parts);
  });

  test.each([
    [{ since: new Date('2026-03-01T00:00:00Z') }, 'since=2026-03-01T00%3A00%3A00.000Z'],
    [{ ids: [1, 'b', true] }, 'ids=1%2Cb%2Ctrue'],
    [{ id_from: String(2n ** 64n) }, 'id_from=18446744073709551616'],
    [{ a: undefined, b: null, c: 0, d: '' }, 'c=0&d='],
    [{ toString: 'x', constructor: 'y' }, 'toString=x&constructor=y'],
  ])('the entries of %j become parameters of their own', (filters, query) => {
    expect(targetOf(read, { id: '7', filters })).toBe(`/own/7?tag=post_sale&${query}`);
  });

  const notInList = 'takes text, a number, a boolean, a valid Date, or a list of these';
  const odd = [{}, Number.NaN, Infinity, new Date(Number.NaN), [[1]], [null], [undefined], () => 1, 3n];
  test.each<readonly [string, unknown, string]>([
    ['callback', 'f', 'makes the response JSONP; see readJsonp'],
    [
      'attributes',
      'id',
      'removes fields that the client needs; use the call option `attributes` where a method offers it',
    ],
    ['deep', true, 'is a separate field: pass it as `deep`'],
    ['tag', 'x', 'is a separate field: pass it as `tag`'],
    ...odd.map((value) => ['price.max', value, notInList] as const),
  ])('the filter %s with %o is not sent', async (name, value, why) => {
    expect(await issuesOf(read, { filters: { [name]: value } })).toEqual([
      { path: ['filters', name], message: `\`filters.${name}\` ${why}` },
    ]);
  });

  test.each([
    [['a,b', 'c'], 0],
    [['a', 'b', ','], 2],
  ])('a comma in an entry of the list %j is not sent', async (tags, at) => {
    const message = `\`tags.${at}\` contains a comma, which separates entries`;
    expect(await issuesOf(read, { tags })).toEqual([{ path: ['tags', at], message }]);
  });
});

describe('a value of an own endpoint that cannot be sent as it is', () => {
  const any: StandardSchema = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } };
  const own: Endpoint = { ...bare, input: any };
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  const tooLarge = 2 ** 60;

  test.each<readonly [string, Partial<Endpoint>, object, PropertyKey[], string]>([
    ['a Set in the query', {}, { n: new Set(['a']) }, ['n'], '`n` takes text, a number'],
    ['a bigint in the query', {}, { n: 5n }, ['n'], '`n` takes'],
    ['a bigint in a path', {}, { id: 5n }, ['id'], '`id` takes'],
    ['a Map in the query', {}, { n: new Map([['a', 1]]) }, ['n'], '`n` takes'],
    ['an invalid Date in the query', {}, { n: new Date(Number.NaN) }, ['n'], '`n` takes'],
    ['NaN in the query', {}, { n: Number.NaN }, ['n'], '`n` takes'],
    ['a symbol in the query', {}, { n: Symbol('a') }, ['n'], '`n` takes'],
    ['a function in the query', {}, { n: () => 1 }, ['n'], '`n` takes'],
    ['an object in a list of the query', {}, { n: [1, {}] }, ['n'], '`n` takes'],
    ['an integer beyond 2^53 in the query', {}, { n: tooLarge }, ['n'], 'pass it as a string'],
    ['the same in a list', {}, { n: [tooLarge] }, ['n'], 'pass it as a string'],
    ['the same in a record', {}, { n: { m: tooLarge } }, ['n', 'm'], 'pass it as a string'],
    ['the same in a path', {}, { id: tooLarge }, ['id'], 'pass it as a string'],
    ['NaN in a path', {}, { id: Number.NaN }, ['id'], '`id` takes text, a number or a boolean'],
    ['a Set in a header', { inHeader: { n: 'x-n' } }, { n: new Set() }, ['n'], '`n` takes text'],
    ['a field that another field has too', {}, { m: { n: 1 }, n: 2 }, ['n'], '`n` is also in another field'],
  ])('%s rejects the call', async (_, change, input, path, why) => {
    const issues = await issuesOf({ ...own, ...change }, input);
    expect(issues).toMatchObject([{ path, message: expect.stringContaining(why) as string }]);
  });

  // What JSON would write as something else.
  const bytes = [new Uint8Array(2), Buffer.from('a'), new ArrayBuffer(2), new DataView(new ArrayBuffer(2))];
  const ofTheWeb = [new Blob(['a']), new URLSearchParams('a=1'), new Headers(), Promise.resolve(1)];
  const lost = [new Set(['a']), new Map(), new WeakMap(), ...bytes, ...ofTheWeb, /a/, new Error('a'), Symbol('a')];
  const rounded = 'is beyond 2^53 and would be rounded; pass it as a string';
  type Lost = [value: unknown, within: (string | number)[], why?: string];
  test.each<Lost>([
    ...lost.map((value): Lost => [[value], [0]]),
    [{ m: 5n }, ['m']],
    [[1, 2 ** 53], [1], rounded],
    [[1, undefined], [1]],
    [Number.NaN, []],
    [new Date(Number.NaN), []],
    [() => 1, []],
    [{ c: 'd', e: [], m: [1, { k: Number.NaN }] }, ['m', 1, 'k']],
  ])('%o in a body rejects the call', async (n, within, why = 'has a value that JSON cannot contain') => {
    const path = ['n', ...within];
    for (const method of ['POST', 'PUT'] as const)
      expect(await issuesOf({ ...own, method }, { a: null, n })).toMatchObject([
        { path, message: `\`${path.join('.')}\` ${why}` },
      ]);
  });

  test('a body that contains itself rejects the call', async () => {
    const [issue] = await issuesOf({ ...own, method: 'POST' }, { n: circular });
    expect(issue?.message).toContain('contains itself');
  });

  test.each<readonly [string, () => unknown]>([
    ['lists', (): unknown => JSON.parse('['.repeat(200_000) + ']'.repeat(200_000))],
    ['objects', (): unknown => JSON.parse('{"a":'.repeat(200_000) + '1' + '}'.repeat(200_000))],
  ])('200,000 %s in each other are an InvalidInputError', async (_, nested) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    for (const method of ['POST', 'GET'] as const) {
      const error = await errorOf(sellerClient.call({ ...own, method }, { id: '7', n: nested() }));
      expect(error).toBeInstanceOf(InvalidInputError);
    }
    expect(await errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text: nested() as string }))).toBeInstanceOf(
      InvalidInputError,
    );
    expect(sent).toEqual([]);
  });

  test('what JSON can contain is sent in a body', async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const input = {
      id: '7',
      at: new Date(0),
      none: null,
      left: undefined,
      deep: [{ a: 1.5 }, true],
      own: { toJSON: () => 2 },
    };
    await sellerClient.call({ ...own, method: 'POST' }, input);
    expect(await sent[0]!.json()).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      none: null,
      deep: [{ a: 1.5 }, true],
      own: 2,
    });
  });
});

describe('an id that is text', () => {
  test.each<readonly [string, (client: SellerClient, id: number) => PromiseLike<unknown>, string]>([
    ['in a path', (client, id) => client.messages.get({ message_id: id }), '`message_id` takes a string'],
    ['in a query', (client, id) => client.items.status({ ids: [id] }), '`ids.0` takes a string'],
  ])('is not taken from a number that is not exact (%s)', async (_, call, why) => {
    const { sellerClient, sent } = stubbed([Response.json([])]);
    for (const id of [12_345_678_901_234_567_890, Number.NaN, Infinity, 1.5]) {
      const error = await errorOf(call(sellerClient, id));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.message).toContain(why);
    }
    expect(sent).toEqual([]);
    await call(sellerClient, Number.MAX_SAFE_INTEGER).then(undefined, () => undefined);
    expect(sent[0]!.url).toContain('9007199254740991');
  });
});

describe('the input is read back from a request, as the fake does', () => {
  const decoded = (endpoint: Endpoint, query = '', body?: unknown, headers = {}): object =>
    decode(endpoint, { path: '/own/7', query: new URLSearchParams(query), headers: new Headers(headers), body });

  test.each<readonly [string, Endpoint, string, object]>([
    ['the fields of a query', read, 'deep=true&tags=a,b', { id: '7', deep: true, tags: ['a', 'b'] }],
    ['an empty list', read, 'tags=', { id: '7', tags: [] }],
    ['false', read, 'deep=false', { id: '7', deep: false }],
    ['what is neither true nor false', read, 'deep=maybe', { id: '7', deep: 'maybe' }],
    ['all other parameters', read, 'a=1&b=2', { id: '7', filters: { a: '1', b: '2' } }],
    ['no parameter that the endpoint sends by itself', read, 'tag=post_sale', { id: '7' }],
    ['no parameter of a write', write, 'deep=true&a=1', { id: '7' }],
    ['a parameter of a write that it names', { ...write, inQuery: ['deep'] }, 'deep=true&a=1', { id: '7', deep: true }],
    [
      'no other parameter where no field takes them',
      { ...read, input: strictObject({ id: string }) },
      'a=1',
      { id: '7' },
    ],
  ])('%s', (_, endpoint, query, input) => {
    expect(decoded(endpoint, query)).toStrictEqual(input);
  });

  test('a body, whose fields do not replace those of the path', () => {
    expect(decoded(write, '', { id: '8', deep: true })).toEqual({ id: '7', deep: true });
    for (const body of [null, 'text', 7, undefined]) expect(decoded(write, '', body)).toStrictEqual({ id: '7' });
  });

  test('a header, if it is there', () => {
    const endpoint = { ...write, inHeader: { client_id: 'x-client-id' } };
    expect(decoded(endpoint, '', undefined, { 'x-client-id': '5' })).toStrictEqual({ id: '7', client_id: '5' });
    expect(decoded(endpoint)).toStrictEqual({ id: '7' });
  });
});

test('a retry sends what the call was made with, also if the caller has changed the input since', async () => {
  const { sellerClient, sent } = stubbed([new Response('{}', { status: 429 }), Response.json({})]);
  const input = { pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hola', attachments: ['a'] };
  const call = sellerClient.messages.send(input);
  Object.assign(input, { text: 'Adiós', pack_id: 2 });
  input.to.user_id = 32;
  input.attachments.push('b');
  await call.then(undefined, () => undefined);
  const bodies = await Promise.all(sent.map((request) => request.json() as Promise<unknown>));
  expect(sent.every(({ url }) => url.includes('/packs/1/'))).toBe(true);
  for (const body of bodies) expect(body).toMatchObject({ to: { user_id: 31 }, text: 'Hola', attachments: ['a'] });
  expect(bodies).toHaveLength(2);
});
