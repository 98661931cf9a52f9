import { SellerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { ClientOptions, Drift, Endpoint, SellerClient, StandardSchema } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { nullishArray } from '../../src/resources/fields.js';
import { array, integer, nullish, strictObject, looseObject } from '../../src/core/schema/define.js';
import { fc } from '../support/fast-check.ts';
import { goodResponses } from '../support/good-responses.ts';
import type { GoodResponse } from '../support/good-responses.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const every = Object.entries(goodResponses);
/** Those of a response that is about its list. */
const mainLists = every.filter(([name]) => name !== 'flex.configuration');

function clientOf(body: unknown, options: Partial<ClientOptions> = {}): { client: SellerClient; drifts: string[] } {
  const drifts: string[] = [];
  const onDrift = ({ path, received }: Drift): void => void drifts.push(`${path.map(String).join('.')}: ${received}`);
  const { sellerClient } = stubbed([Response.json(body)], { maxRetries: 0, onDrift, ...options });
  return { client: sellerClient, drifts };
}

/** A copy in which no two places are the same object. */
function copyOf<T>(body: T): T {
  return JSON.parse(JSON.stringify(body)) as T;
}

/** The list in a body, or in a copy of it. */
function listIn({ list }: GoodResponse, body: unknown): Record<string, unknown>[] {
  return list.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], body) as Record<string, unknown>[];
}

/** Makes one field, at any depth, something else: drops it, gives it another type, nests it, doubles it. */
function mutate(entry: Record<string, unknown>, picks: readonly number[], how: string, other: unknown): void {
  let at: Record<string, unknown> | unknown[] = entry;
  for (const pick of picks) {
    const keys = Object.keys(at);
    const key = keys[pick % keys.length];
    if (key === undefined) return;
    const value: unknown = at[key];
    const isLast = pick === picks.at(-1) || typeof value !== 'object' || value === null;
    if (!isLast) at = value as Record<string, unknown>;
    else {
      const changed = { retype: other, nest: { value }, double: [value, value] }[how];
      if (how === 'drop') Reflect.deleteProperty(at, key);
      else at[key] = changed;
      return;
    }
  }
}

describe('a drifted entry', () => {
  test.each(every)('%s: keeps no other entry from being delivered', async (_, good) => {
    const untouched = await good.read(clientOf(good.body).client);
    expect(untouched).toHaveLength(3);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(2),
        fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('drop', 'retype', 'nest', 'double'),
        fc.oneof(fc.jsonValue(), fc.constantFrom('1.5kb', 7, true, null, [], {}, '')),
        fc.constantFrom('throw', 'report'),
        async (index, picks, how, other, responseValidation) => {
          const body = copyOf(good.body);
          mutate(listIn(good, body)[index]!, picks, how, other);
          const expected = untouched.filter((_, place) => place !== index);
          try {
            const delivered = await good.read(clientOf(body, { responseValidation }).client);
            expect(delivered).toEqual(expect.arrayContaining(expected));
          } catch (error) {
            // Another id at the place that repeats the one of the call is not drift: the response is another one's.
            if (!String(error).includes('got the response to another request')) throw error;
          }
        },
      ),
    );
  });

  test.each(mainLists)('%s: that is no entry at all is left out and reported', async (_, good) => {
    const body = copyOf(good.body);
    listIn(good, body)[1] = null as never;
    const { client, drifts } = clientOf(body);
    expect(await good.read(client)).toHaveLength(2);
    for (const drift of drifts) expect(drift).toMatch(new RegExp(`^${[...good.list, '1'].join('.')}.*: null$`));
    expect(drifts).not.toEqual([]);
  });

  test.each(mainLists)('%s: a list of which no entry fits is rejected', async (_, good) => {
    const body = copyOf(good.body);
    listIn(good, body).splice(0, 3, 'x' as never, 'y' as never);
    const error = await Promise.resolve(good.read(clientOf(body).client)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnexpectedResponseError);
  });

  test('an optional list with an entry of another type is delivered as it came', async () => {
    const configuration = { working_days: ['week', 3], delivery_ranges: { week: [{ from: 9, to: 13 }, 'all day'] } };
    const { client, drifts } = clientOf({ configuration });
    expect(await client.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1 })).toEqual(configuration);
    expect(drifts).toEqual(['configuration.delivery_ranges.week.1: string', 'configuration.working_days.1: number']);
  });

  /** An interval as the service sends it, and as it is delivered. */
  const [sent, read] = ['1', 1].map((total) => ({ date: '2026-03-01T00:00:00Z', total }));
  const wrong = { date: '2026-03-02T00:00:00Z' };

  // The intervals of a window count together: without one of them, its total would be that of others.
  test.each<[string, unknown, unknown, string[]]>([
    ['none', [], [], []],
    ['no list', null, null, []],
    ['one that fits', [sent], [read], []],
    ['a wrong one first', [wrong, sent], [wrong, read], ['results.0.total: nothing']],
    ['a wrong one last', [sent, wrong], [read, wrong], ['results.1.total: nothing']],
    [
      'two wrong ones',
      [wrong, sent, wrong],
      [wrong, read, wrong],
      ['results.0.total: nothing', 'results.2.total: nothing'],
    ],
    ['wrong ones alone', [wrong], [wrong], ['results.0.total: nothing']],
    ['a wrong field', [{ ...sent, total: 'many' }], [{ ...sent, total: 'many' }], ['results.0.total: string']],
    ['null among them', [sent, null], [read, null], ['results.1: null']],
    ['a number among them', [7, sent], [7, read], ['results.0: number']],
    ['a text in place of the list', 'none', 'none', ['results: string']],
  ])('a list that is right as a whole or not at all: %s', async (_, results, delivered, expected) => {
    const body = { total: 1, item_id: 'MLA1', results };
    const input = { item_id: 'MLA1', last: 1, unit: 'day' } as const;
    const lenient = clientOf(body, { responseValidation: 'report' });
    expect(await lenient.client.contacts.phoneViews.windowOfItem(input)).toEqual({ ...body, results: delivered });
    expect(lenient.drifts).toEqual(expected);
    const strict = clientOf(body);
    const call = strict.client.contacts.phoneViews.windowOfItem(input);
    if (expected.length === 0) expect(await call).toEqual({ ...body, results: delivered });
    else expect(await errorOf(call)).toBeInstanceOf(UnexpectedResponseError);
    expect(strict.drifts).toEqual([]);
  });

  test.each([
    ['throw', [0, 2]],
    ['report', [0, 1, 2]],
  ] as const)(
    'of several windows, those with a right list are delivered, and with %s the places %j',
    async (mode, places) => {
      const windowOf = (results: object[]) => (item_id: string, at: number) => ({
        total: 1,
        item_id,
        results: at === 1 ? [...results, wrong] : results,
      });
      const ids = ['MLA1', 'MLA2', 'MLA3'];
      const { client, drifts } = clientOf(ids.map(windowOf([sent!])), { responseValidation: mode });
      const found = await client.contacts.phoneViews.windowOfItems({ ids, last: 1, unit: 'day' });
      expect(found).toEqual(places.map((place) => ids.map(windowOf([read!]))[place]));
      expect(drifts).toEqual(['1.results.1.total: nothing']);
    },
  );

  test.each(every)('%s: any body ends as a list or as an error of the library', async (_, good) => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom('throw', 'report'), async (body, responseValidation) => {
        const { client } = clientOf(body, { responseValidation });
        const read = await Promise.resolve(good.read(client)).catch((thrown: unknown) => thrown);
        if (read instanceof Error) expect(read).toBeInstanceOf(SellerError);
      }),
    );
  });
});

describe('an optional field of another type', () => {
  test('is delivered as it came, and reported with its path', async () => {
    const { client, drifts } = clientOf({ ...wireQuestion, from: { answered_questions: 'many', id: '9' }, hold: 'no' });
    expect(await client.questions.get({ question_id: 42 })).toEqual({
      ...wireQuestion,
      from: { answered_questions: 'many', id: 9 },
      hold: 'no',
    });
    expect(drifts).toEqual(['hold: string', 'from.answered_questions: string']);
  });

  test('an odd size of an old attachment does not lose the conversation', async () => {
    const good = goodResponses['messages.conversation']!;
    const body = copyOf(good.body) as { messages: { message_attachments: { size: unknown }[] }[] };
    body.messages[0]!.message_attachments[0]!.size = '1.5kb';
    const { client, drifts } = clientOf(body);
    expect(await good.read(client)).toHaveLength(3);
    expect(drifts).toEqual(['messages.0.message_attachments.0.size: string']);
  });

  test('an odd total of a page is not believed', async () => {
    const good = goodResponses['questions.search']!;
    const { client } = clientOf({ ...good.body, total: 'three', limit: 'all' });
    const pages = [];
    for await (const page of client.questions.search({ seller_id: 7 }).pages()) pages.push(page);
    expect(pages).toMatchObject([{ total: undefined, items: [{ id: 1 }, { id: 2 }, { id: 3 }] }]);
  });

  test('a required field of a single object is not excused', async () => {
    const { client, drifts } = clientOf({ ...wireQuestion, id: 'x' });
    const error = await errorOf<UnexpectedResponseError>(client.questions.get({ question_id: 42 }));
    expect(error.issues).toEqual([{ path: ['id'], message: '`id` takes an integer' }]);
    expect(drifts).toEqual([]);
  });
});

/** Reads a body with an endpoint of the user. */
async function readWith(
  output: StandardSchema,
  body: unknown,
  options: Partial<ClientOptions> = {},
): Promise<{ data: unknown; drifts: string[] }> {
  const endpoint: Endpoint<object> = {
    ...{ name: 'own.get', method: 'GET', path: '/own', input: strictObject({}), retry: 'safe', errors: [] },
    output,
  };
  const { client, drifts } = clientOf(body, options);
  return { data: await client.call(endpoint, {}), drifts };
}

describe('a response of an endpoint of the user', () => {
  const entry = looseObject({ id: integer, size: nullish(integer) });
  const listing = looseObject({ list: nullish(array(entry)) });
  const series = looseObject({ id: integer, list: nullishArray(entry, 'whole') });

  test.each<readonly [string, StandardSchema, unknown, unknown, readonly string[]]>([
    [
      'keeps its other fields, and gets none that it does not have',
      entry,
      { id: '1', size: 'x', more: 2 },
      { id: 1, size: 'x', more: 2 },
      ['size: string'],
    ],
    [
      'gets no field that it does not have',
      looseObject({ ...entry.shape, note: nullish(integer) }),
      { id: 1, size: [] },
      { id: 1, size: [] },
      ['size: list'],
    ],
    [
      'keeps a list of which every entry counts, where one only differs',
      series,
      { id: 1, list: [{ id: '1', size: 'x' }, { id: 2 }] },
      { id: 1, list: [{ id: 1, size: 'x' }, { id: 2 }] },
      ['list.0.size: string'],
    ],
    [
      'loses an entry without what it needs',
      listing,
      { list: [{ id: '1' }, { size: 2 }, { id: '3' }] },
      { list: [{ id: 1 }, { id: 3 }] },
      ['list.1.id: nothing'],
    ],
    [
      'keeps an optional list as it came where an entry is no object',
      listing,
      { list: [{ id: '1' }, { size: 2 }, 'x', null] },
      { list: [{ id: '1' }, { size: 2 }, 'x', null] },
      ['list.1.id: nothing', 'list.2: string', 'list.3: null'],
    ],
    [
      'keeps an optional list as it came where it is no list',
      listing,
      { list: { id: 1 } },
      { list: { id: 1 } },
      ['list: object'],
    ],
    [
      'keeps a field that its schema does not allow',
      looseObject({ id: integer, own: strictObject({ size: nullish(integer) }) }),
      { id: '1', own: { size: '2', more: 3 } },
      { id: 1, own: { size: 2, more: 3 } },
      ['own.more: number'],
    ],
    [
      'that is a list loses its wrong entries',
      array(entry),
      [{ id: '1' }, 7, null],
      [{ id: 1 }],
      ['1: number', '2: null'],
    ],
  ])('%s', async (_, output, body, data, expected) => {
    const read = await readWith(output, body);
    expect(read.data).toStrictEqual(data);
    expect(read.drifts).toEqual(expected);
  });

  const odd: StandardSchema<number> = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: () => ({ issues: [{ message: 'is even', path: [{ key: 'n' }] }] }),
    },
  };
  test.each<readonly [string, StandardSchema, unknown, unknown, readonly string[]]>([
    ['of another type', entry, 'closed', 'closed', [': string']],
    ['without what it needs', entry, { size: '2', more: 3 }, { size: 2, more: 3 }, ['id: nothing']],
    [
      'with odd entries',
      listing,
      { list: [{ id: 'x', size: '2' }, null] },
      { list: [{ id: 'x', size: 2 }, null] },
      ['list.0.id: string', 'list.1: null'],
    ],
    [
      'that is a list, but for null',
      array(entry),
      [{ id: 'x', size: '2' }, 7, null],
      [{ id: 'x', size: 2 }, 7],
      ['2: null', '0.id: string', '1: number'],
    ],
    ['that a schema of another library rejects', odd, { n: 4 }, { n: 4 }, ['n: number']],
  ])("%s is delivered with responseValidation: 'report'", async (_, output, body, data, expected) => {
    const read = await readWith(output, body, { responseValidation: 'report' });
    expect(read.data).toStrictEqual(data);
    expect(read.drifts.toSorted()).toEqual(expected.toSorted());
  });

  test.each<readonly [string, StandardSchema, unknown]>([
    ['a list', array(entry), 'closed'],
    ['an object about a list', endpoints.questions.search.output, 'closed'],
    [
      'an object about a list, whose list is none',
      endpoints.questions.search.output,
      { questions: 'closed', total: 1 },
    ],
  ])("what is no list for %s is an error, also with responseValidation: 'report'", async (_, output, body) => {
    await expect(readWith(output, body, { responseValidation: 'report' })).rejects.toBeInstanceOf(
      UnexpectedResponseError,
    );
  });

  test('that is reduced has the named fields alone, also those that differ', async () => {
    const { client, drifts } = clientOf({ id: 'x', hold: 'no', text: 'Hi' }, { responseValidation: 'report' });
    const question = await client.questions.get({ question_id: 42 }, { attributes: ['id', 'hold'] });
    expect(question).toStrictEqual({ id: 'x', hold: 'no' });
    expect(drifts.toSorted()).toEqual(['hold: string', 'id: string']);
  });
});

describe('OPTIONS', () => {
  test('reads attributes that are a list, and a resource that has nothing to say', async () => {
    const { client, drifts } = clientOf({ name: 'questions', attributes: ['id', 'text'] });
    expect(await client.describe({ path: '/questions' })).toEqual({ name: 'questions', attributes: ['id', 'text'] });
    expect(drifts).toEqual(['attributes: list']);
    const { sellerClient } = stubbed([new Response(null, { status: 204 })]);
    expect(await sellerClient.describe({ path: '/questions' })).toEqual({});
  });
});

describe('contact metrics', () => {
  test('an interval without a total fails its window, and no other', async () => {
    const good = goodResponses['contacts.phoneViews.windowOfItems']!;
    const body = copyOf(good.body) as { results: { total: unknown }[] }[];
    body[1]!.results[0]!.total = 'few';
    const { client, drifts } = clientOf(body);
    expect(await good.read(client)).toMatchObject([{ item_id: 'MLA1' }, { item_id: 'MLA3' }]);
    expect(drifts).toEqual(['1.results.0.total: string']);
    const single = clientOf(body[1]).client.contacts.phoneViews.windowOfItem({ item_id: 'MLA2', last: 2, unit: 'day' });
    expect(await errorOf(single)).toBeInstanceOf(UnexpectedResponseError);
  });
});

describe("responseValidation: 'report'", () => {
  const responseValidation = 'report';

  test('still reads the shapes that the service is known to use', async () => {
    const results = [{ ...wireQuestion, id: '42' }];
    const { client } = clientOf({ results, paging: { total: 1 } }, { responseValidation });
    expect(await client.questions.search({ seller_id: 7 }).toArray()).toEqual([{ ...wireQuestion, id: 42 }]);
    const legacy = clientOf({ messages: [{ message_id: 'a' }, { message_id: 'b' }] }, { responseValidation });
    const found = await legacy.client.messages.conversation({ pack_id: 1, user_id: 7 }).toArray();
    expect(found.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('delivers what misses a required field', async () => {
    const { client, drifts } = clientOf({ id: 'x', text: 'Hi' }, { responseValidation });
    expect(await client.questions.get({ question_id: 42 })).toEqual({ id: 'x', text: 'Hi' });
    expect(drifts).toEqual(['id: string']);
  });
});
