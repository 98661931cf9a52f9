import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  array,
  boolean,
  enumOf,
  int64,
  integer,
  looseObject,
  nullish,
  number,
  optional,
  record,
  refine,
  strictObject,
  string,
  union,
  unknown,
} from '../../src/core/schema/define.js';
import type { Schema } from '../../src/core/schema/schema.js';
import { fc } from '../support/fast-check.ts';

/** The sentences about a value that does not fit. */
function messagesOf(schema: unknown, value: unknown): string[] {
  const result = (schema as Schema).safeParse(value);
  expect(result.success).toBe(false);
  return result.success ? [] : result.error.issues.map(({ message }) => message);
}

const even = refine(integer, (value) => (value % 2 === 0 ? undefined : '`v` is odd'));
const entry = looseObject({ id: integer, tags: nullish(array(string)) });
const beyond = '`v` is beyond 2^53 and would be rounded';

describe('a message names the field and what it takes', () => {
  test.each<readonly [string, Schema, unknown, string]>([
    ['a number for a string', string, 7, '`v` takes a string'],
    ['text for a boolean', boolean, 'true', '`v` takes a boolean'],
    ['text for an integer', integer, 'seven', '`v` takes an integer'],
    ['a fraction for an integer', integer, 1.5, '`v` takes an integer'],
    ['a fraction as text for an integer', integer, '1.5', '`v` takes an integer'],
    ['a fraction for an integer of 64 bits', int64, 1.5, '`v` takes an integer'],
    ['infinity for an integer', integer, Infinity, '`v` takes an integer'],
    ['a comma in a number', number, '1,5', '`v` takes a number'],
    ['a number with a unit', number, '1.5kb', '`v` takes a number'],
    ['a number that is none', number, Number.NaN, '`v` takes a number'],
    ['text for a list', array(string), 'a', '`v` takes an array'],
    ['a list for an object', entry, [], '`v` takes an object'],
    ['a list for a record', record, [], '`v` takes a record'],
    ['null for a record', record, null, '`v` takes a record'],
    ['another value than the only one', enumOf('day'), 'week', '`v` takes "day"'],
    ['another value than two', enumOf('day', 'hour'), 'week', '`v` takes "day" or "hour"'],
    ['nothing for a string', string, undefined, '`v` is missing; it takes a string'],
    ['nothing for one of two values', enumOf('day', 'hour'), undefined, '`v` is missing; it takes "day" or "hour"'],
    ['nothing for any value', unknown, undefined, '`v` is missing; it takes a value'],
    ['an integer that would be rounded', integer, 2 ** 53, beyond],
    ['a negative one', integer, -(2 ** 53), beyond],
    ['one in digits', integer, '9007199254740993', beyond],
    ['a negative one in digits', integer, '-9007199254740993', beyond],
    ['a rounded integer of 64 bits', int64, 2 ** 60, beyond],
    ['a rule of its own', even, 3, '`v` is odd'],
    ['neither of two', union(integer, string), true, '`v` takes an integer or a string'],
    ['neither of two of a type', union(even, integer), 'x', '`v` takes an integer'],
    ['neither a type nor a value', union(boolean, enumOf('headers')), 7, '`v` takes a boolean or "headers"'],
    ['none of three', union(union(integer, boolean), string), null, '`v` takes an integer or a boolean or a string'],
    ['nothing for one of two', union(integer, string), undefined, '`v` is missing; it takes an integer or a string'],
    ['a wrong field of an option', union(string, entry), { id: 'x' }, '`v.id` takes an integer'],
    ['a broken rule of an option', union(even, string), 3, '`v` is odd'],
    ['what would be rounded by an option', union(integer, boolean), 2 ** 60, beyond],
    ['a wrong entry', array(entry), [{ id: 1 }, { id: 2, tags: ['a', 1] }], '`v.1.tags.1` takes a string'],
  ])('%s', (_, of, value, message) => {
    expect(messagesOf(strictObject({ v: of }), value === undefined ? {} : { v: value })).toEqual([message]);
  });

  test('a value that is no object at all is named as such', () => {
    expect(messagesOf(strictObject({ v: string }), 7)).toEqual(['the value takes an object with `v`']);
    expect(messagesOf(entry, undefined)).toEqual(['the value is missing; it takes an object']);
  });

  test('each field that there is not is named with its path', () => {
    const schema = strictObject({ at: strictObject({ v: optional(string) }) });
    expect(messagesOf(schema, { at: { w: 1, x: 2 } })).toEqual([
      '`at.w` is not a field here',
      '`at.x` is not a field here',
    ]);
  });

  test('a rule that names its field, or none, gets the whole path', () => {
    const schema = (message: string): Schema =>
      strictObject({ at: strictObject({ v: refine(integer, () => message) }) });
    const wrong = { at: { v: 1 } };
    expect(messagesOf(schema('`v` is odd'), wrong)).toEqual(['`at.v` is odd']);
    expect(messagesOf(schema('a size is even'), wrong)).toEqual(['`at.v`: a size is even']);
    expect(messagesOf(schema('a size is not `at.v`'), wrong)).toEqual(['a size is not `at.v`']);
    expect(
      messagesOf(
        refine(strictObject({}), () => 'give `a` or `b`'),
        {},
      ),
    ).toEqual(['give `a` or `b`']);
  });

  test('a rule can name a field of its value', () => {
    const range = refine(strictObject({ from: integer, to: integer }), ({ from, to }) =>
      to < from ? { path: ['to'], message: '`to` is before `from`' } : undefined,
    );
    const result = strictObject({ at: range }).safeParse({ at: { from: 9, to: 8 } });
    expect(result).toMatchObject({
      success: false,
      error: { issues: [{ path: ['at', 'to'], message: '`at.to` is before `from`' }] },
    });
  });
});

describe('an input is checked before it is sent', () => {
  const inputOf = { ...endpoints.questions, list: endpoints.questions.blacklist.list };
  const items = (ids: readonly unknown[]): unknown => ({ ids });
  const answer = (text: string): unknown => ({ question_id: 42, text });
  test.each<readonly [string, Endpoint, unknown, string | undefined]>([
    ['an id', inputOf.get, { question_id: 42 }, undefined],
    ['an id in digits', inputOf.get, { question_id: '2000000012345678901' }, undefined],
    ['the id 0', inputOf.get, { question_id: 0 }, undefined],
    ['a negative id', inputOf.get, { question_id: -1 }, '`question_id`: an id is not negative'],
    [
      'a negative id in digits',
      inputOf.get,
      { question_id: '-2000000012345678901' },
      '`question_id`: an id is not negative',
    ],
    ['the id of an item as text', endpoints.items.status, items(['MLA1']), undefined],
    ['the id of an item as a number', endpoints.items.status, items([7]), undefined],
    ['an empty id of an item', endpoints.items.status, items(['']), '`ids.0`: an id is not empty'],
    ['an id of an item that is neither', endpoints.items.status, items([true]), '`ids.0` takes a string or an integer'],
    ['a text of one character', inputOf.answer, answer('y'), undefined],
    ['the longest text', inputOf.answer, answer('ñ'.repeat(1999) + '😀'), undefined],
    ['no text', inputOf.answer, answer(''), '`text` is blank; an answer takes 1 to 2000 characters'],
    ['blanks', inputOf.answer, answer(' \n'), '`text` is blank; an answer takes 1 to 2000 characters'],
    [
      'a longer text',
      inputOf.answer,
      answer('ñ'.repeat(2001)),
      '`text` has 2001 characters; an answer takes at most 2000',
    ],
    [
      'half a character',
      inputOf.answer,
      answer('a\ud83d'),
      '`text` contains half a surrogate pair, which UTF-8 cannot encode',
    ],
    ['the first page', inputOf.search, { seller_id: 7, offset: 0, limit: 1 }, undefined],
    ['a page of nothing', inputOf.search, { seller_id: 7, limit: 0 }, '`limit` is at least 1'],
    ['a page before the first', inputOf.search, { seller_id: 7, offset: -1 }, '`offset` is at least 0'],
    ['a site', endpoints.sites.search, { site_id: 'MLA', q: 'x' }, undefined],
    ['a site of another country', endpoints.sites.search, { site_id: 'xx1', q: 'x' }, undefined],
    ['no site', endpoints.sites.search, { site_id: '', q: 'x' }, '`site_id` takes a site code such as "MLA"'],
    [
      'a path for a site',
      endpoints.sites.search,
      { site_id: 'MLA/x', q: 'x' },
      '`site_id` takes a site code such as "MLA"',
    ],
    [
      'a path before a site',
      endpoints.sites.search,
      { site_id: '../MLA', q: 'x' },
      '`site_id` takes a site code such as "MLA"',
    ],
  ])('%s', (_, { input }, value, message) => {
    if (message !== undefined) expect(messagesOf(input, value)).toEqual([message]);
    else expect((input as Schema).safeParse(value)).toMatchObject({ success: true });
  });
});

describe('a schema of zod within one of this package', () => {
  test.each<readonly [string, z.ZodMiniType, unknown, string]>([
    ['a maximum', z.number().check(z.maximum(5)), 6, '`v` does not fit'],
    ['a minimum', z.string().check(z.minLength(3)), 'ab', '`v` does not fit'],
    ['an integer that zod would round', z.int(), 2 ** 53, beyond],
    ['a literal that JSON does not have', z.literal([1n, null]), 2, '`v` takes 1 or null'],
    ['a union of literals and types', z.union([z.literal('a'), z.number()]), true, '`v` takes "a" or a number'],
    ['a union without a name for its options', z.union([z.never(), z.custom(() => false)]), 1, '`v`: Invalid input'],
  ])('%s: the message does not claim what it cannot know', (_, of, value, message) => {
    expect(messagesOf(strictObject({ v: of as never }), { v: value })).toEqual([message]);
  });

  test('the language of zod does not change a message', () => {
    z.config(z.locales.de());
    try {
      expect(messagesOf(strictObject({ v: union(integer, string) }), { v: true })).toEqual([
        '`v` takes an integer or a string',
      ]);
    } finally {
      z.config(z.locales.en());
    }
  });
});

test('a message contains no value', () => {
  const schema = strictObject({
    v: union(strictObject({ id: integer, unit: enumOf('day') }), array(even)),
    name: integer,
  });
  const secret = fc.stringMatching(/^[a-z]{12}$/);
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, secret, tie('list'), tie('object')),
    list: fc.array(tie('value'), { maxLength: 2 }),
    object: fc.record({ id: tie('value'), unit: tie('value') }, { requiredKeys: [] }),
  }));
  fc.assert(
    fc.property(value, secret, (v, name) => {
      expect(messagesOf(schema, { v, name }).join(' ')).not.toMatch(/[a-z]{12}/);
    }),
  );
});
