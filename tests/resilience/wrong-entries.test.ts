import { inspect } from 'node:util';
import type { Drift, Endpoint, StandardSchema, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { array, integer, nullish, strictObject, record, refine, looseObject } from '../../src/core/schema/define.js';
import { errorOf, stubbed } from '../support/stubs.ts';

/** An endpoint whose response is a list of entries that `check` judges. */
function listing(check: () => string | undefined): Endpoint<object> {
  const output = looseObject({ entries: nullish(array(refine(record, check))) });
  return {
    name: 'lists.get',
    method: 'GET',
    path: '/lists',
    input: strictObject({}),
    output,
    retry: 'safe',
    errors: [],
  };
}

async function checksFor(entries: number, responseValidation: 'throw' | 'report'): Promise<number> {
  const check = vi.fn(() => 'is wrong');
  const { sellerClient } = stubbed([Response.json({ entries: Array(entries).fill({}) })], { responseValidation });
  await sellerClient.call(listing(check), {}).catch(() => undefined);
  return check.mock.calls.length;
}

describe('a list in which every entry is wrong', () => {
  test.each(['throw', 'report'] as const)('is not read to its end (%s)', async (responseValidation) => {
    const [few, many] = [await checksFor(3000, responseValidation), await checksFor(90_000, responseValidation)];
    expect(many).toBe(few);
    expect(few).toBeGreaterThan(0);
  });

  test.each([
    ['without an id', { text: 7 }],
    ['no object', 7],
    ['with wrong lists', { id: [], from: [], answer: [1] }],
  ])('rejects with the first thousand entries (%s)', async (_, entry) => {
    const { sellerClient } = stubbed([Response.json({ total: 9, questions: Array(20_000).fill(entry) })]);
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.search({ seller_id: 7 }).first());
    expect(error.name).toBe('UnexpectedResponseError');
    expect(error.message.length).toBeLessThan(600);
    expect(error.message).toContain('`questions.0');
    expect(new Set(error.issues.map(({ path }) => path[1])).size).toBe(1000);
  });
});

/** Ten right entries, and `wrong` ones behind them. */
const withWrong = (wrong: number): object[] => [...Array<object>(10).fill({ id: 1 }), ...Array<object>(wrong).fill({})];

/** What comes of a body, how many entries it loses or issues its error has, and how many places are reported, from where to where. */
async function outcomeOf(body: object, output: Endpoint['output'], responseValidation: 'throw' | 'report') {
  const places: string[] = [];
  const onDrift = ({ path }: Drift): void => void places.push(path.map(String).join('.'));
  const { sellerClient } = stubbed([Response.json(body)], { responseValidation, onDrift });
  const endpoint: Endpoint<object> = { ...listing(() => undefined), output };
  const { data, response } = await sellerClient
    .call(endpoint, {})
    .withResponse()
    .catch((error: unknown) => {
      const { name, issues } = error as UnexpectedResponseError;
      return { data: name, response: { leftOut: issues.length } };
    });
  return { data, leftOut: response.leftOut, drift: [places.length, places[0], places.at(-1)] };
}

describe('a list with up to 1,001 wrong entries', () => {
  const entry = looseObject({ id: integer });
  const right = Array<object>(10).fill({ id: 1 });

  test.each([
    ['throw', 1, right, 1, [1, 'list.10.id', 'list.10.id']],
    ['throw', 999, right, 999, [999, 'list.10.id', 'list.1008.id']],
    ['throw', 1000, 'UnexpectedResponseError', 1000, [0, undefined, undefined]],
    ['throw', 1001, 'UnexpectedResponseError', 1000, [0, undefined, undefined]],
    ['report', 1, withWrong(1), 0, [1, 'list.10.id', 'list.10.id']],
    ['report', 999, withWrong(999), 0, [999, 'list.10.id', 'list.1008.id']],
    ['report', 1000, 'UnexpectedResponseError', 1000, [0, undefined, undefined]],
    ['report', 1001, 'UnexpectedResponseError', 1000, [0, undefined, undefined]],
  ] as const)('%s: of the content of a response, with %i', async (mode, wrong, data, leftOut, drift) => {
    const list = nullish(array(entry), { list: 'main' });
    const found = await outcomeOf({ list: withWrong(wrong) }, looseObject({ list }), mode);
    expect(found).toEqual({ data: typeof data === 'string' ? data : { list: data }, leftOut, drift });
  });

  test.each([
    ['throw', 1, right, [1, 'list.10.id', 'list.10.id']],
    ['throw', 999, right, [999, 'list.10.id', 'list.1008.id']],
    ['throw', 1000, 'UnexpectedResponseError', [0, undefined, undefined]],
    ['throw', 1001, 'UnexpectedResponseError', [0, undefined, undefined]],
    ['report', 1, withWrong(1), [1, 'list.10.id', 'list.10.id']],
    ['report', 999, withWrong(999), [999, 'list.10.id', 'list.1008.id']],
    ['report', 1000, withWrong(1000), [1000, 'list.10.id', 'list.1009.id']],
    ['report', 1001, withWrong(1001), [1000, 'list.10.id', 'list.1009.id']],
  ] as const)('%s: beside other fields, with %i', async (mode, wrong, data, drift) => {
    const found = await outcomeOf({ list: withWrong(wrong) }, looseObject({ list: nullish(array(entry)) }), mode);
    const isError = typeof data === 'string';
    expect(found).toEqual({ data: isError ? data : { list: data }, leftOut: isError ? 1000 : 0, drift });
  });

  test.each([
    [999, 999, 0],
    // The thousandth was the last that was read.
    [1000, 1000, 1],
    [1001, 1000, 1],
  ])('%i in one list are %i issues, and of the list behind it %i is unread', (wrong, expected, unread) => {
    const output = looseObject({ list: nullish(array(entry)), next: nullish(array(entry)) });
    const result = output.safeParse({ list: Array<object>(wrong).fill({}), next: [{}] });
    const issues = result.success ? [] : result.error.issues;
    const inNext = issues.filter(({ path }) => path[0] === 'next');
    expect([issues.length, inNext.length]).toEqual([expected + 1, 1]);
    expect(inNext.filter(({ message }) => message.includes('was not read'))).toHaveLength(unread);
  });
});

describe('a body of 2 MiB with hundreds of thousands of wrong entries', () => {
  const size = 2 * 2 ** 20;
  const fill = (entry: string, bytes = size): string =>
    `[${Array(Math.floor(bytes / (entry.length + 1)))
      .fill(entry)
      .join(',')}]`;
  const nested = `{"id":1,"answer":{},"message_attachments":${fill('0', 4000)}}`;

  test.each([
    ['a list of numbers', `{"questions":${fill('{}')}}`],
    ['a bare list', fill('0')],
    ['wrong after a thousand right ones', `{"questions":[${'{"id":1},'.repeat(1000)}${fill('[]').slice(1)}}`],
  ])('%s: has at most two thousand issues', async (_, body) => {
    const { sellerClient } = stubbed([new Response(body, { headers: { 'content-type': 'application/json' } })]);
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.search({ seller_id: 7 }).first());
    expect(error.name).toBe('UnexpectedResponseError');
    expect(error.issues.length).toBeLessThanOrEqual(2000);
  });

  test.each([
    ['lists in the entries of a list', `{"messages":${fill(nested)}}`],
    ['one list in one entry', `{"messages":[{"id":1,"message_attachments":${fill('0')}}]}`],
  ])('%s: are bounded together', (_, body) => {
    const result = endpoints.messages.conversation.output.safeParse(JSON.parse(body));
    expect(result.success).toBe(false);
    expect(result.success ? [] : result.error.issues.length).toBeLessThanOrEqual(4000);
  });

  test('each entry is looked at once, and those after a thousand wrong ones not at all', () => {
    let looks = 0;
    const entry = refine(record, () => ((looks += 1) > 1500 ? 'is wrong' : undefined));
    const lists = looseObject({ lists: array(looseObject({ list: array(entry) })) });
    const value = { lists: Array.from({ length: 3000 }, () => ({ list: Array(1000).fill({}) as object[] })) };
    expect(lists.safeParse(value).success).toBe(false);
    expect(looks).toBeGreaterThan(2400);
    expect(looks).toBeLessThanOrEqual(2500);
  });
});

test('a long list is delivered whole where each entry is converted', async () => {
  const questions = Array.from({ length: 3000 }, (_, id) => ({ id: String(id) }));
  const { sellerClient } = stubbed([Response.json({ questions })]);
  const { value: page } = await sellerClient.questions.search({ seller_id: 7 }).pages().next();
  expect(page?.items).toHaveLength(3000);
  expect(page?.items[2999]).toEqual({ id: 2999 });
});

test('one wrong entry among many leaves the others as they are', async () => {
  const questions = Array.from({ length: 5000 }, (_, id) => (id === 77 ? { text: 'no id' } : { id: String(id) }));
  const onDrift = vi.fn();
  const { sellerClient } = stubbed([Response.json({ questions })], { onDrift });
  const { value: page } = await sellerClient.questions.search({ seller_id: 7 }).pages().next();
  expect(page?.items).toHaveLength(4999);
  expect(page?.items[78]).toEqual({ id: 79 });
  expect(onDrift).toHaveBeenCalledTimes(1);
});

describe('a schema of another library', () => {
  /** An endpoint whose response is judged by `validate`. */
  function judgedBy(validate: () => ReturnType<StandardSchema['~standard']['validate']>): Endpoint<object> {
    const output: StandardSchema = { '~standard': { version: 1, vendor: 'mine', validate } };
    return { name: 'own.get', method: 'GET', path: '/own', input: strictObject({}), output, retry: 'safe', errors: [] };
  }

  test.each(['throw', 'report'] as const)('is asked once (%s)', async (responseValidation) => {
    const validate = vi.fn(() => ({ issues: Array<{ message: string }>(5001).fill({ message: 'is wrong' }) }));
    const { sellerClient } = stubbed([Response.json({})], { responseValidation });
    await sellerClient.call(judgedBy(validate), {}).catch(() => undefined);
    expect(validate).toHaveBeenCalledTimes(1);
  });

  const throwing = (error: Error) => (): never => {
    throw error;
  };
  /** What fails in a schema of another library, or of the user's own zod. */
  const failing = (error: Error): Endpoint<object>[] => [
    judgedBy(throwing(error)),
    { ...judgedBy(throwing(error)), output: z.object({}).check(throwing(error)) },
  ];

  test.each([
    ['an error', new TypeError('a bug of the schema')],
    ['a RangeError, as of a date that is none', new RangeError('Invalid time value')],
    ['a RangeError of the stack', new RangeError('Maximum call stack size exceeded')],
  ])('that throws %s ends the call, which names it and has it as its cause', async (_, own) => {
    const { sellerClient } = stubbed([Response.json({})]);
    for (const endpoint of failing(own)) {
      const error = await errorOf<UnexpectedResponseError>(sellerClient.call(endpoint, {}));
      expect(error.name).toBe('UnexpectedResponseError');
      expect(error.issues).toEqual([{ path: [], message: `its schema failed: ${own.message}` }]);
      expect(error.message).toContain(own.message);
      expect(error.cause).toBe(own);
    }
  });

  test('that repeats a text of the response in its error has that text masked', async () => {
    const text = 'Call me at 555 0100 after six';
    const { sellerClient } = stubbed([Response.json({ text })]);
    for (const endpoint of failing(new RangeError(`cannot parse ${text}`))) {
      const error = await errorOf<UnexpectedResponseError>(sellerClient.call(endpoint, {}));
      expect(inspect(error, { depth: 9 })).toContain('cannot parse');
      expect(inspect(error, { depth: 9 })).not.toContain('555 0100');
    }
  });

  test('of the input that throws a RangeError is a wrong schema, and no wrong input', async () => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const own = new RangeError('Invalid time value');
    const [foreign] = failing(own);
    const endpoint = { ...judgedBy(() => ({ value: {} })), input: foreign!.output as Endpoint<object>['input'] };
    expect(await errorOf(sellerClient.call(endpoint, {}))).toMatchObject({ name: 'ConfigurationError', cause: own });
    expect(sent).toEqual([]);
  });
});
