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

  test.each<readonly [string, object, readonly PropertyKey[], string]>([
    [
      'the callback of JSONP',
      { filters: { callback: 'f' } },
      ['filters', 'callback'],
      'makes the response JSONP; see readJsonp',
    ],
    [
      'the reduction of a response',
      { filters: { attributes: 'id' } },
      ['filters', 'attributes'],
      'removes fields that the client needs; use the call option `attributes` where a method offers it',
    ],
    ['a named field', { filters: { deep: true } }, ['filters', 'deep'], 'is a separate field: pass it as `deep`'],
    [
      'a parameter of the endpoint',
      { filters: { tag: 'x' } },
      ['filters', 'tag'],
      'is a separate field: pass it as `tag`',
    ],
    ...[{}, Number.NaN, Infinity, new Date(Number.NaN), [[1]], [null], [undefined], () => 1, 3n].map(
      (value) =>
        [
          'a value that would become another',
          { filters: { 'price.max': value } },
          ['filters', 'price.max'],
          'takes text, a number, a boolean, a valid Date, or a list of these',
        ] as const,
    ),
    ['a comma in the first entry', { tags: ['a,b', 'c'] }, ['tags', 0], 'contains a comma, which separates entries'],
    ['a comma in a later entry', { tags: ['a', 'b', ','] }, ['tags', 2], 'contains a comma, which separates entries'],
  ])('%s is not sent', async (_, input, path, why) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const error = await errorOf<InvalidInputError>(sellerClient.call(read, { id: '7', ...input }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toEqual([{ path, message: `\`${path.join('.')}\` ${why}` }]);
    expect(sent).toEqual([]);
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
    [
      'a bigint in a body',
      { method: 'POST' },
      { n: { m: 5n } },
      ['n', 'm'],
      '`n.m` has a value that JSON cannot contain',
    ],
    ...[
      new Set(['a']),
      new Map(),
      new WeakMap(),
      new Uint8Array(2),
      Buffer.from('a'),
      new ArrayBuffer(2),
      new DataView(new ArrayBuffer(2)),
      new Blob(['a']),
      new URLSearchParams('a=1'),
      new Headers(),
      Promise.resolve(1),
      /a/,
      new Error('a'),
      Symbol('a'),
    ].map((lost): readonly [string, Partial<Endpoint>, object, PropertyKey[], string] => [
      `what JSON would write as something else in a body (${Object.prototype.toString.call(lost)})`,
      { method: 'POST' },
      { n: [lost] },
      ['n', 0],
      '`n.0` has a value that JSON cannot contain',
    ]),
    [
      'an integer beyond 2^53 in a body',
      { method: 'POST' },
      { n: [1, 2 ** 53] },
      ['n', 1],
      '`n.1` is beyond 2^53 and would be rounded; pass it as a string',
    ],
    [
      'a gap in a list of a body',
      { method: 'POST' },
      { n: [1, undefined] },
      ['n', 1],
      '`n.1` has a value that JSON cannot contain',
    ],
    [
      'a field that an object of another field has too',
      {},
      { m: { n: 1 }, n: 2 },
      ['n'],
      '`n` is also in another field',
    ],
    ['NaN in a body', { method: 'POST' }, { n: Number.NaN }, ['n'], '`n` has a value that JSON cannot contain'],
    [
      'an invalid Date in a body',
      { method: 'PUT' },
      { n: new Date(Number.NaN) },
      ['n'],
      '`n` has a value that JSON cannot contain',
    ],
    ['a function in a body', { method: 'POST' }, { n: () => 1 }, ['n'], '`n` has a value that JSON cannot contain'],
    [
      'a value deep in a body',
      { method: 'POST' },
      { a: null, b: { c: 'd', e: [] }, n: { m: [1, { k: Number.NaN }] } },
      ['n', 'm', 1, 'k'],
      '`n.m.1.k` has a value that JSON cannot contain',
    ],
    ['a body that contains itself', { method: 'POST' }, { n: circular }, [], 'contains itself'],
  ])('%s rejects the call', async (_, change, input, path, why) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const error = await errorOf<InvalidInputError>(sellerClient.call({ ...own, ...change }, { id: '7', ...input }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toMatchObject([{ path }]);
    expect(error.message).toContain(why);
    expect(sent).toEqual([]);
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
