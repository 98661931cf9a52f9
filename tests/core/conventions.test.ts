import { fc } from '../support/fast-check.ts';
import { ApiError, InvalidInputError, ServerError, UnexpectedResponseError, readJsonp } from 'marketplace-seller-sdk';
import { endpoints, question } from 'marketplace-seller-sdk/schemas';
import type { CallOptions, Endpoint } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

// Spec: Common conventions.
describe('attributes', () => {
  const { get, search } = endpoints.questions;
  const reduced = (attributes: readonly unknown[]) => ({ attributes }) as CallOptions;

  test.each([
    ['none at all', [], '`attributes` is empty; leave it out for every field'],
    ['what would end the list', ['id,text'], '`attributes` takes names of fields'],
    ['what would end the query', ['id&limit=1'], '`attributes` takes names of fields'],
  ])('%s is not sent', async (_, attributes, sentence) => {
    const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
    const error = await errorOf(sellerClient.call(get, { question_id: 42 }, reduced(attributes)));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: [{ path: ['attributes'], message: sentence }] });
    expect(sent).toEqual([]);
  });

  test.each<readonly [string, Endpoint, object, readonly string[], unknown, unknown]>([
    [
      'of an object',
      get,
      { question_id: 42 },
      ['id', 'text'],
      { id: '42', text: 'Hi', hold: true },
      { id: 42, text: 'Hi' },
    ],
    [
      'of each entry of a list',
      endpoints.actionGuide.caps,
      { pack_id: 1 },
      ['cap_available'],
      [{ option_id: 'OTHER', cap_available: '1' }],
      [{ cap_available: 1 }],
    ],
    [
      'of an object that may have another shape',
      endpoints.contacts.questions.ofUser,
      { user_id: 7, date_from: '2026-03-01', date_to: '2026-03-02' },
      ['total'],
      { total: '3', user_id: 7 },
      { total: 3 },
    ],
    [
      'of an object in a list',
      endpoints.contacts.questions.windowOfItem,
      { item_id: 'MLA1', last: 1, unit: 'day' },
      ['total', 'added_since'],
      [{ item_id: 'MLA1', total: '5', added_since: '6' }],
      { total: 5, added_since: '6' },
    ],
    [
      'of an object of another shape, which is not documented,',
      endpoints.contacts.questions.ofUser,
      { user_id: 7, date_from: '2026-03-01', date_to: '2026-03-02' },
      ['total'],
      [{ total: 3 }, { total: 4 }],
      [{ total: 3 }, { total: 4 }],
    ],
  ])(
    'the fields %s are read as documented, and no others are delivered',
    async (_, endpoint, input, attributes, body, data) => {
      const { sellerClient } = stubbed([Response.json(body)]);
      expect(await sellerClient.call(endpoint, input, reduced(attributes))).toEqual(data);
    },
  );

  test.each(Object.getOwnPropertyNames(Object.prototype))(
    '`%s`, which every object inherits, is not sent',
    async (name) => {
      const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
      const error = await errorOf(sellerClient.call(get, { question_id: 42 }, reduced(['id', name])));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(sent).toEqual([]);
    },
  );

  test('an endpoint whose list would lose its entries rejects attributes', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ questions: [] })]);
    const error = await errorOf(sellerClient.call(search, { seller_id: 7 }, reduced(['total'])));
    expect(error.message).toContain('a reduced response could not be read');
    expect(sent).toEqual([]);
  });

  test('attributes reduce a union schema and an entity of another package', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 42, extra: 1, text: 'x' })]);
    const loose = { ...get, output: z.unknown() };
    expect(await sellerClient.call(loose, { question_id: 42 }, reduced(['id', 'extra']))).toEqual({ id: 42, extra: 1 });
    expect(new URL(sent[0]!.url).searchParams.get('attributes')).toBe('id,extra');
  });
});

/** Numbers that lose nothing as numbers: longer ones are delivered as their digits. */
const exactJson = fc.jsonValue().filter((value) => !/\d{16}/.test(JSON.stringify(value)));

describe('readJsonp()', () => {
  test.each<[string, unknown]>([
    ['no text', 5],
    ['no value', undefined],
    ['no call', '[200, {}, {}]'],
    ['a call with something else', 'show({"id": 1})'],
    ['a call without a status', 'show([null, {}, {}])'],
    ['a call that is broken off', 'show([200, {}, {"id": 1'],
    ['nothing', ''],
  ])('text that is %s is an UnexpectedResponseError', (_, text) => {
    expect(() => readJsonp(text as string)).toThrow(UnexpectedResponseError);
    expect(() => readJsonp(text as string)).toThrow('it takes callback([status, headers, body])');
  });

  test.each([
    ['a callback with a path', 'a.b[0]["c"]([200, {}, {"id": 1}])'],
    ['a name of $ and _', '$_([200, {}, {"id": 1}])'],
    ['spaces and a semicolon', '  show ([200, {}, {"id": 1}]) ; \n'],
    ['a comment before it', '/**/ show([200, {}, {"id": 1}]);'],
    ['a semicolon inside', '/* ; */show([200, {}, {"id": 1}])'],
    ['a name of 999 characters', `${'a'.repeat(999)}([200, {}, {"id": 1}])`],
    ['headers of null', 'show([200, null, {"id": 1}])'],
    ['the last status of a success', 'show([299, {}, {"id": 1}])'],
  ])('%s is read', (_, text) => {
    expect(readJsonp(text)).toEqual({ id: 1 });
  });

  test.each([
    ['a name of 1000 characters', `${'a'.repeat(1000)}([200, {}, {}])`],
    ['no name', '([200, {}, {}])'],
    ['more than a call', 'show([200, {}, {}]) + 1'],
    ['an operator', 'a+b([200, {}, {}])'],
    ['only the end of a call', '[200])'],
    ['a name after a space', 'new show([200, {}, {}])'],
    ['a status as text', 'show(["200", {}, {}])'],
    ['a status with a fraction', 'show([200.5, {}, {}])'],
  ])('%s is an UnexpectedResponseError with the text as its body', (_, text) => {
    expect(() => readJsonp(text)).toThrow(
      expect.objectContaining({ name: 'UnexpectedResponseError', body: text, issues: [] }),
    );
  });

  test.each([199, 300])('the status %i is the one of an error', (status) => {
    expect(() => readJsonp(`show([${status}, {}, {"message": "No"}])`)).toThrow(
      expect.objectContaining({ status, message: `GET /jsonp failed with ${status}: No` }),
    );
  });

  test('the error inside a JSONP response is kept without a body and with invalid headers', () => {
    expect(() => readJsonp('show([503])')).toThrow(ServerError);
    expect(() => readJsonp('show([503])')).toThrow('GET /jsonp failed with 503: the service gave no reason');
    let caught: unknown;
    try {
      readJsonp('show([429, {"retry-after": 2, "not a name": "x"}, {"message": "slow down"}])');
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ name: 'RateLimitError', retryAfterMs: 2000, body: { message: 'slow down' } });
  });

  test('any status and body give the body or the error of that status', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 599 }), exactJson, (status, body) => {
        const text = `call([${status}, {}, ${JSON.stringify(body)}]);`;
        if (status < 300) expect(readJsonp(text)).toEqual(JSON.parse(JSON.stringify(body)));
        else expect(() => readJsonp(text)).toThrow(ApiError);
      }),
    );
  });
});

describe('a schema parses a value from elsewhere, such as a cache', () => {
  test('a valid value is delivered', () => {
    expect(question.parse({ ...wireQuestion, id: '42' })).toMatchObject({ id: 42 });
  });

  test('an invalid value is rejected with its issues', () => {
    expect(() => question.parse({ ...wireQuestion, id: 'x' })).toThrow(InvalidInputError);
    expect(() => question.parse(null)).toThrow('The value does not fit');
  });
});

describe('describe()', () => {
  test.each([
    ['/currencies/BRL', 'https://api.test/currencies/BRL'],
    ['currencies/BRL', 'https://api.test/currencies/BRL'],
    ['/questions', 'https://api.test/questions'],
  ])('reads the description of %s', async (path, url) => {
    const { sellerClient, sent } = stubbed([new Response(null, { status: 204 })]);
    expect(await sellerClient.describe({ path })).toEqual({});
    expect(sent.map((request) => [request.method, request.url])).toEqual([['OPTIONS', url]]);
  });

  test.each<readonly [unknown, string]>([
    ['', '`path` is empty; it takes one such as "/questions"'],
    ['/', '`path` is empty; it takes one such as "/questions"'],
    [5, '`path` takes a string'],
  ])('rejects the path %j', async (path, message) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const error = await errorOf(sellerClient.describe({ path: path as string }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(message);
    expect(sent).toEqual([]);
  });
});

describe('the filters of a search', () => {
  const searched = async (filters: Record<string, unknown>): Promise<URLSearchParams> => {
    const { sellerClient, sent } = stubbed([Response.json({ questions: [], total: 0 })]);
    await sellerClient.questions.search({ seller_id: 7, filters }).first();
    return new URL(sent[0]!.url).searchParams;
  };

  test('lists are joined by commas, and undefined and null are left out', async () => {
    const query = await searched({ status: ['A', 'B'], tags: undefined, api_version: 4, deep: true });
    expect(Object.fromEntries(query)).toEqual({ seller_id: '7', status: 'A,B', api_version: '4', deep: 'true' });
  });

  test.each([
    [{ colour: 'red' }, '`colour` is not a field here', '; give it in `filters`'],
    [{ seler_id: 7 }, '`seler_id` is not a field here; did you mean `seller_id`?', undefined],
    [{ seller_id: 'x y' }, '`seller_id` takes', undefined],
  ])('an unknown field is pointed to them, another mistake is not: %j', async (wrong, message, hint) => {
    const { sellerClient } = stubbed([Response.json({ questions: [], total: 0 })]);
    const error = await errorOf(sellerClient.questions.search({ seller_id: 7, ...wrong }).first());
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(message);
    if (hint === undefined) expect(error.message).not.toContain('filters');
    else expect(error.message).toContain(hint);
  });

  test('an unknown field of an input without filters is not pointed anywhere', async () => {
    const { sellerClient } = stubbed([Response.json(wireQuestion)]);
    const error = await errorOf(sellerClient.questions.get({ question_id: 42, colour: 'red' } as never));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).not.toContain('give it in');
  });

  test('a filter cannot replace a named parameter', async () => {
    const error = await errorOf(searched({ seller_id: 8 }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain('`filters.seller_id` is a separate field: pass it as `seller_id`');
  });

  test('a comma inside an entry of a list is rejected, because it would split the entry', async () => {
    const { sellerClient, sent } = stubbed([Response.json([])]);
    const error = await errorOf(sellerClient.items.status({ ids: ['MLA1', 'MLA2,MLA3'] }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  });
});

test('an input that is missing or of another type is named in the error', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  const error = await errorOf(sellerClient.questions.get({ question_id: true as never }));
  expect(error.message).toContain('`question_id` takes an integer');
  const missing = await errorOf(sellerClient.questions.get({} as never));
  expect(missing.message).toContain('`question_id` is missing');
  const none = await errorOf(sellerClient.questions.get(undefined as never));
  expect(none.message).toContain('`question_id` is missing');
});

describe('a response without its optional fields', () => {
  test('a null list is delivered as an empty one', async () => {
    const bare = (): ReturnType<typeof stubbed>['sellerClient'] => stubbed([Response.json({})]).sellerClient;
    expect(await bare().questions.blacklist.list({ seller_id: 7 }).toArray()).toEqual([]);
    expect(await bare().questions.search({ seller_id: 7 }).toArray()).toEqual([]);
    expect(await bare().messages.conversation({ pack_id: '1', user_id: 7 }).toArray()).toEqual([]);
  });

  test('an id that comes as a number is delivered as the documented string', async () => {
    const { sellerClient } = stubbed([Response.json({ results: [{ id: 7, title: 'Chair' }] })]);
    expect(await sellerClient.sites.search({ site_id: 'MLA', q: 'x' }).first()).toMatchObject({
      id: '7',
      title: 'Chair',
    });
  });
});
