import { SellerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { ClientOptions, Drift, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { goodResponses } from '../support/good-responses.ts';
import type { GoodResponse } from '../support/good-responses.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const runs = { numRuns: Math.ceil(Number(process.env.FUZZ_CASES ?? 4000) / 40) };
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
        fc.constantFrom('throw', 'report', 'off'),
        async (index, picks, how, other, responseValidation) => {
          const body = copyOf(good.body);
          mutate(listIn(good, body)[index]!, picks, how, other);
          const delivered = await good.read(clientOf(body, { responseValidation }).client);
          const expected = untouched.filter((_, place) => place !== index);
          expect(delivered).toEqual(expect.arrayContaining(expected));
        },
      ),
      runs,
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

  test.each(every)('%s: any body ends as a list or as an error of the library', async (_, good) => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.constantFrom('throw', 'report', 'off'), async (body, responseValidation) => {
        const { client } = clientOf(body, { responseValidation });
        const read = await Promise.resolve(good.read(client)).catch((thrown: unknown) => thrown);
        if (read instanceof Error) expect(read).toBeInstanceOf(SellerError);
      }),
      runs,
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

describe.each(['report', 'off'] as const)('responseValidation: %j', (responseValidation) => {
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
    expect(drifts).toEqual(responseValidation === 'report' ? ['id: string'] : []);
  });
});
