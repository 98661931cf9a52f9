import { ConfigurationError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { createTools } from 'marketplace-seller-sdk/tools';
import type { Tool } from 'marketplace-seller-sdk/tools';
import { describe, expect, test } from 'vitest';
import { compactJson } from '../src/tools/compact.js';
import { documentedResponses } from './support/documented-responses.ts';
import { everyEndpoint } from './support/every-endpoint.ts';
import { createMarketplace } from './support/marketplace.ts';
import { stubbed } from './support/stubs.ts';

// What a model gets of a response fits into its limit: the beginning of it, whole entries, and how to get the rest.

/** A response with 60 entries in each list, 12 in those inside, and texts that are longer than any that is kept. */
function grown(value: unknown, entries = 60): unknown {
  if (Array.isArray(value)) return Array.from({ length: entries }, () => grown(value[0], 12));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    name === 'text' ? 'so '.repeat(400) : grown(each, entries),
  ]);
  return Object.fromEntries(fields) as unknown;
}

/** A response whose list has many entries. */
function withMany(body: unknown, count: number): unknown {
  if (Array.isArray(body)) return Array.from({ length: count }, () => (body as unknown[])[0]);
  const fields = Object.entries(body as object);
  const [list] = fields.find(([name, each]) => Array.isArray(each) && !/filters|sorts/.test(name)) ?? [];
  return Object.fromEntries(
    fields.map(([name, each]) => [name, name === list ? withMany(each, count) : (each as unknown)]),
  );
}

/** The tool of an operation whose service responds as given. */
function toolOf(operation: string, body: unknown, maxChars?: number): Tool {
  const { sellerClient } = stubbed([() => Response.json(body)], { maxRetries: 0 });
  return createTools(sellerClient, { maxChars }).find((each) => each.operation === operation)!;
}

/** Whether `part` has only what `whole` begins with, and at least one entry of each list and one field of each object. */
function isBeginningOf(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string')
    return whole.startsWith(String(part).replace(/»? \(\d+ more characters left out\)$/, ''));
  if (typeof whole !== 'object' || whole === null) return whole === part;
  if (typeof part !== 'object' || part === null) return false;
  const [of, all] = [Object.entries(part), Object.entries(whole)];
  const isCut = Array.isArray(part)
    ? part.length <= all.length && String(part.at(-1)).includes('entries left out')
    : 'leftOut' in part;
  const kept = isCut ? of.slice(0, -1) : of;
  const isComplete = isCut ? kept.length > 0 : kept.length === all.length;
  return (
    isComplete && kept.every(([name, each], index) => all[index]?.[0] === name && isBeginningOf(all[index][1], each))
  );
}

describe('a small result', () => {
  const list = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`.padEnd(200, 'x'));

  test('is whole if it fits exactly', () => {
    const whole = compactJson(list(60), Infinity);
    expect(compactJson(list(60), whole.length)).toBe(whole);
    expect(compactJson(list(60), whole.length - 1)).toContain('entries left out');
  });

  test.each([2, 10, 49, 50, 60])('keeps as many whole entries as fit: %i of 60', (count) => {
    const left = `${60 - count} of 60 entries left out: the service has no pages of this list`;
    const kept = [...list(count).map((each) => `«${each}»`), ...(count < 60 ? [left] : [])];
    const room = compactJson(list(count), Infinity).length + (count < 60 ? left.length + 3 : 0);
    expect(JSON.parse(compactJson(list(60), room))).toMatchObject({ result: kept });
    expect((JSON.parse(compactJson(list(60), room - 1)) as { result: unknown[] }).result.length).toBeLessThan(
      kept.length + (count < 60 ? 0 : 1),
    );
  });

  test('gives what is over to the fields that need it, in equal parts', () => {
    const { result } = JSON.parse(compactJson({ a: list(60), b: 'short', c: list(60) }, 4000)) as {
      result: Record<string, unknown[]>;
    };
    expect(result.b).toBe('«short»');
    expect(result.a).toHaveLength(result.c?.length ?? 0);
    expect(result.a?.length).toBeGreaterThan(7);
    const few = JSON.parse(compactJson({ a: list(60), c: list(3) }, 4000)) as { result: Record<string, unknown[]> };
    expect(few.result.c).toHaveLength(3);
    expect(few.result.a?.length).toBeGreaterThan(14);
  });

  test('uses almost all of the room for a long text, whatever its characters take in JSON', () => {
    for (const unit of ['a', '"', '\n', 'é', '\u0001'])
      for (const maxChars of [500, 777, 8000]) {
        const json = compactJson({ id: 1, text: unit.repeat(20_000) }, maxChars);
        expect(json.length).toBeLessThanOrEqual(maxChars);
        expect(json.length).toBeGreaterThan(maxChars - 12);
        const { result } = JSON.parse(json) as { result: { text: string } };
        expect(result.text).toMatch(/^«[^»]*» \(\d+ more characters left out\)$/);
      }
  });

  test.each([-1, 0, 50, 499, 500.5, NaN, Infinity, '500', null])('has no maxChars of %s', (maxChars) => {
    const { sellerClient } = createMarketplace();
    const message = 'createTools: `maxChars` takes an integer, at least 500';
    expect(() => createTools(sellerClient, { maxChars: maxChars as number })).toThrow(new ConfigurationError(message));
    // @ts-expect-error: a misspelt option.
    expect(() => createTools(sellerClient, { maxChar: 500 })).toThrow('did you mean `maxChars`?');
  });

  test.each(Object.keys(documentedResponses))('of %s begins as its response, also in 500 characters', (name) => {
    const many = grown(documentedResponses[name]?.body);
    const { result: whole } = JSON.parse(compactJson(many, Infinity)) as { result: unknown };
    for (const maxChars of [500, 700, 1000, 2000, 4000, 8000]) {
      const json = compactJson(many, maxChars);
      expect(json.length).toBeLessThanOrEqual(maxChars);
      const { result } = JSON.parse(json) as { result: unknown };
      expect(result).toSatisfy((each) => isBeginningOf(whole, each));
    }
  });

  test.each([
    ['questions.search', 'offset 7+'],
    ['questions.blacklist.list', 'offset 7+'],
    ['messages.conversation', 'offset 7+'],
    ['sites.search', 'offset 7+'],
    ['contacts.questions.windowOfItem', 'offset 7+'],
    ['contacts.questions.windowOfUser', 'offset 7+'],
    ['contacts.phoneViews.windowOfItem', 'offset 7+'],
    ['contacts.phoneViews.windowOfUser', 'offset 7+'],
    ['contacts.phoneViews.windowOfItems', 'ask for fewer ids'],
    ['items.status', 'ask for fewer ids'],
    ['messages.unread', 'no pages'],
    ['currencies.list', 'no pages'],
    ['actionGuide.options', 'no pages'],
    ['actionGuide.caps', 'no pages'],
  ])('of %s keeps whole entries, and says how to get the next: %s', async (operation, next) => {
    const { input } = everyEndpoint.find(({ name }) => name === operation)!;
    const listIn = (result: unknown): unknown[] =>
      Array.isArray(result) ? result : ((Object.values(result as object).find(Array.isArray) ?? []) as unknown[]);
    const of = async (maxChars?: number): Promise<unknown[]> => {
      const tool = toolOf(operation, withMany(documentedResponses[operation]?.body, 200), maxChars);
      const { text } = await tool.run({ ...input, ...(next.startsWith('offset') && { offset: 7 }) });
      return listIn((JSON.parse(text) as { result: unknown }).result);
    };
    const whole = await of(10_000_000);
    const cut = await of(3000);
    const kept = cut.slice(0, -1);
    expect(whole).toHaveLength(200);
    expect(kept.length).toBeGreaterThan(1);
    expect(whole.slice(0, kept.length)).toEqual(kept);
    expect(cut.at(-1)).toMatch(new RegExp(`^${200 - kept.length} of 200 entries left out: `));
    expect(cut.at(-1)).toContain(next.replace('7+', String(7 + kept.length)));
  });

  test('of an error keeps its fields, and says first that a write must not be repeated', async () => {
    const { sellerClient, marketplace, question_id } = createMarketplace();
    const message = 'no '.repeat(2000);
    marketplace.failNext(endpoints.questions.answer, { status: 409, code: 'conflict', message });
    marketplace.faults.inject({ endpoint: 'questions.hide', reset: 'after', times: 3 });
    const tools = createTools(sellerClient, { maxChars: 500 });
    for (const [name, input, expected] of [
      [
        'questions_answer',
        { question_id, text: 'Yes.' },
        { class: 'ConflictError', code: 'conflict', outcomeUnknown: false },
      ],
      [
        'questions_hide',
        { question_id },
        { outcomeUnknown: true, whatToDo: expect.stringMatching(/^Do not repeat it/) as string },
      ],
    ] as const) {
      const { text } = await tools.find((each) => each.name === name)!.run(input);
      expect(text.length).toBeLessThanOrEqual(500);
      expect((JSON.parse(text) as { error: object }).error).toMatchObject(expected);
    }
  });

  test('has what is 0 or false, and nothing that is empty', () => {
    const given = { a: '', b: [], c: {}, d: null, e: undefined, f: 0, g: false, h: { i: '' } };
    expect(JSON.parse(compactJson(given, 8000))).toEqual({ result: { f: 0, g: false } });
  });

  test('keeps the mark at the end of a text that is cut', () => {
    const text = compactJson({ text: 'a b '.repeat(1000), more: 'c'.repeat(9000) }, 3000);
    expect(text).toMatch(/«[^»]*» \(\d+ more characters left out\)/);
  });
});
