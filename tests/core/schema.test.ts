import { ConfigurationError, InvalidInputError } from 'marketplace-seller-sdk';
import type { Endpoint, StandardSchema } from 'marketplace-seller-sdk';
import * as schemas from 'marketplace-seller-sdk/schemas';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { inspect, shapeOf, LazySchema } from '../../src/core/schema/schema.js';
import { int64, longInt } from '../../src/core/schema/define.js';
import * as build from '../../src/core/schema/define.js';
import { validate } from '../../src/core/schema/read.js';
import type { Schema } from '../../src/core/schema/schema.js';
import { errorOf, stubbed } from '../support/stubs.ts';

type AnySchema = Pick<LazySchema, 'safeParse' | '~standard'>;

const optionalEntry = { id: build.int, note: build.optional(build.string) };

const isSchema = (value: unknown): value is AnySchema => value instanceof LazySchema;
const exported = Object.entries<unknown>(schemas).filter((entry): entry is [string, AnySchema] => isSchema(entry[1]));

describe('a value', () => {
  test.each<readonly [string, StandardSchema, readonly unknown[], readonly unknown[]]>([
    ['a string', build.string, ['', 'a'], [1, null, undefined, ['a']]],
    ['a boolean', build.boolean, [true, false], ['true', 1, 0, null]],
    ['an integer of an input', build.int, [0, -1, 2 ** 53 - 1], [1.5, 2 ** 53, NaN, Infinity, '1', null]],
    ['an integer of a response', build.integer, [0, -1, 2 ** 53 - 1], [1.5, 2 ** 53, NaN, Infinity, '', null]],
    ['a number', build.number, [0, -1.5, 2 ** 60], [Infinity, NaN, 'one', null]],
    ['any value', build.unknown, [null, undefined, 0, {}], []],
    ['a record', build.record, [{}, { a: null }], [null, undefined, [], 'a', new Date(0)]],
    ['one of two values', build.enumOf('a', 'b'), ['a', 'b'], ['c', '', null, ['a']]],
    ['a known or later value', build.openEnum('a'), ['a', 'c'], [1, null]],
    ['a list', build.array(build.string), [[], ['a', 'b']], [['a', 1], 'a', null, { length: 0 }]],
    ['what may be absent', build.optional(build.string), [undefined, 'a'], [null, 1]],
    ['what may be null', build.nullish(build.string), [undefined, null, 'a'], [1, false]],
    ['one of two', build.union(build.int, build.string), [1, '1', 'a'], [null]],
    ['a refined value', build.refine(build.int, (n) => (n > 1 ? undefined : 'small')), [2], [1, '2']],
    [
      'a response',
      build.looseObject(optionalEntry),
      [{ id: 1 }, { id: 1, more: 2 }],
      [{}, { id: 1, note: 2 }, null, []],
    ],
    ['an input', build.strictObject(optionalEntry), [{ id: 1 }, { id: 1, note: 'a' }], [{ id: 1, more: 2 }, 'a']],
    ['a reduced object', build.object(optionalEntry), [{ id: 1 }], [{ note: 'a' }, null]],
    ['a field of any value', build.looseObject({ id: build.unknown }), [{ id: null }], [{}]],
  ])('%s is delivered as it is, and no other', (_, schema, fitting, others) => {
    for (const value of fitting) expect(validate(schema, value)).toEqual({ success: true, data: value });
    for (const value of others) expect(validate(schema, value).success).toBe(false);
  });

  test('loses a field that a reduced object does not have, and a key named __proto__', () => {
    expect(build.object({ id: build.integer }).parse({ id: 1, more: 2 })).toEqual({ id: 1 });
    const value: unknown = JSON.parse('{"id":1,"__proto__":{"id":2}}');
    const read = schemas.question.parse(value);
    expect(read).toEqual({ id: 1 });
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
  });
});

describe('a number that comes as text', () => {
  const { integer, number } = build;
  test.each<readonly [string, Schema, unknown]>([
    ...['0', '42', '-42', '007'].flatMap((text) =>
      [integer, int64, number].map((of) => [text, of, Number(text)] as const),
    ),
    ...['1.5', '-10.25', '3.0'].map((text) => [text, number, Number(text)] as const),
    ['9007199254740993', int64, '9007199254740993'],
    ['-9007199254740993', int64, '-9007199254740993'],
  ])('%s is read', (text, of, value) => {
    expect(of.safeParse(text)).toEqual({ success: true, data: value });
  });

  test.each(['', '-', 'x', '42x', 'x42', '4 2', ' 42', '1e3', '0x1f', '1.', '.5', '1.5.2', '1.x', '1,5', '--1', '٤٢'])(
    'no number is %j',
    (text) => {
      for (const of of [integer, int64, number]) expect(of.safeParse(text).success).toBe(false);
    },
  );

  test.each(['1.5', '-10.25'])('no integer is %s', (text) => {
    for (const of of [integer, int64]) expect(of.safeParse(text).success).toBe(false);
  });
});

test('a record has every field but one named __proto__', () => {
  const value: unknown = JSON.parse('{"a":1,"__proto__":{"b":2},"constructor":3}');
  const data: unknown = JSON.parse('{"a":1,"constructor":3}');
  expect(build.record.safeParse(value)).toEqual({ success: true, data });
});

describe('the structure of a schema is known', () => {
  const { string, integer } = build;
  const shape = { id: integer };
  const reader = String;
  test.each<readonly [string, StandardSchema | undefined, object]>([
    ['text', string, { kind: 'string' }],
    ['a date', build.dateTime, { kind: 'string' }],
    ['an integer', build.int, { kind: 'integer' }],
    ['a long integer', longInt, { kind: 'int64' }],
    ['true or false', build.boolean, { kind: 'boolean' }],
    ['a record', build.record, { kind: 'record' }],
    ['any value', build.unknown, { kind: 'unknown' }],
    ['known values', build.enumOf('a', 'b'), { kind: 'enum', values: ['a', 'b'], open: false }],
    ['known and later values', build.openEnum('a', 'b'), { kind: 'enum', values: ['a', 'b'], open: true }],
    ['a list', build.array(string), { kind: 'array', of: string }],
    ['what may be absent', build.optional(string), { kind: 'optional', of: string }],
    ['one of two', build.union(integer, string), { kind: 'union', of: [integer, string] }],
    ['what is changed first', build.preprocess(string, reader), { kind: 'preprocess', of: string, reader }],
    ['a response', build.looseObject(shape), { kind: 'object', shape, unknownKeys: 'keep' }],
    ['an input', build.strictObject(shape), { kind: 'object', shape, unknownKeys: 'reject' }],
    ['a reduced object', build.object(shape), { kind: 'object', shape, unknownKeys: 'drop' }],
    ['another kind of zod', z.date(), { kind: 'unknown' }],
    ['nothing', undefined, { kind: 'unknown' }],
  ])('%s', (_, schema, structure) => {
    expect(inspect(schema)).toEqual(structure);
  });

  test('also of what may be absent or null', () => {
    const found = inspect(build.nullish(string));
    expect(found).toMatchObject({ kind: 'optional' });
    expect('of' in found && inspect(found.of as StandardSchema)).toEqual({ kind: 'nullable', of: string });
  });

  test('the fields of an object are found behind what changes it first, and nowhere else', () => {
    const of = build.looseObject(shape);
    expect(shapeOf(of)).toEqual(shape);
    expect(shapeOf(build.preprocess(of, reader))).toEqual(shape);
    for (const schema of [string, build.array(of), build.optional(of)]) expect(shapeOf(schema)).toEqual({});
  });
});

test('the fields of an object are part of another object', () => {
  const { id, text } = schemas.question.shape;
  const note = build.looseObject({ id, text, by: build.integer });
  expect(note.parse({ id: '42', text: 'Hi', by: '7' })).toEqual({ id: 42, text: 'Hi', by: 7 });
});

describe('Standard Schema', () => {
  test.each(exported)('%s is one', async (_, schema) => {
    const { version, vendor, validate } = schema['~standard'];
    expect({ version, vendor }).toEqual({ version: 1, vendor: 'zod' });
    const result = await validate(Symbol('no schema but that of any value takes it'));
    expect('value' in result || result.issues.length > 0).toBe(true);
  });

  test('says what is wrong, and where', () => {
    expect(schemas.endpoints.questions.answer.input['~standard'].validate({ question_id: 42, text: 7 })).toEqual({
      issues: [{ path: ['text'], message: '`text` takes a string' }],
    });
  });

  test('of any library fits an endpoint: its output is typed, its issues are reported', async () => {
    const even: StandardSchema<number> = {
      '~standard': {
        version: 1,
        vendor: 'mine',
        validate: (value) =>
          Number(value) % 2 === 0
            ? { value: Number(value) }
            : { issues: [{ message: 'is odd', path: [{ key: 'n' }] }] },
      },
    };
    const double: Endpoint<{ n: number }, number> = {
      name: 'double',
      method: 'GET',
      path: '/double',
      input: z.object({ n: z.number() }),
      output: even,
      retry: 'safe',
      errors: [],
    };
    const { sellerClient } = stubbed([Response.json(4), Response.json(3)]);
    const found = await sellerClient.call(double, { n: 2 });
    expectTypeOf(found).toEqualTypeOf<number>();
    expect(found).toBe(4);
    expect(await errorOf(sellerClient.call(double, { n: 2 }))).toMatchObject({
      issues: [{ path: ['n'], message: 'is odd' }],
    });
    expect(await errorOf(sellerClient.call(double, { n: 'two' } as never))).toBeInstanceOf(InvalidInputError);
  });

  const written = (output: Endpoint['output']): Endpoint<object> => {
    const input = z.object({});
    return { name: 'own', method: 'POST', path: '/own', input, output, retry: 'unsafe', errors: [] };
  };

  test.each([
    [
      'a pipe',
      z.pipe(
        z.string(),
        z.transform((text) => text.trim()),
      ),
    ],
    ['an asynchronous check', z.string().check(z.refine(() => Promise.resolve(true)))],
  ])('may contain %s: an optional field of another type is delivered as it is', async (_, note) => {
    const output = build.looseObject({ id: build.integer, note: build.nullish(note as never) });
    const { sellerClient } = stubbed([Response.json({ id: 1, note: 5 })]);
    expect(await sellerClient.call(written(output), {})).toEqual({ id: 1, note: 5 });
  });

  const fails = (): never => {
    throw new TypeError('no such colour');
  };

  test.each([
    ['validates asynchronously', z.unknown().check(z.refine(() => Promise.resolve(true))), 'Promise'],
    [
      'contains one that does',
      build.looseObject({ n: z.unknown().check(z.refine(async () => true)) as never }),
      'Promise',
    ],
    ['throws', { '~standard': { version: 1, vendor: 'own', validate: fails } }, 'no such colour'],
  ])('of a response that %s does not hide that the write was sent', async (_, output, why) => {
    const { sellerClient } = stubbed([Response.json({ n: 1 })]);
    const error = await errorOf(sellerClient.call(written(output as Endpoint['output']), {}));
    expect(error.name).toBe('UnexpectedResponseError');
    expect(error.message).toContain('the write was most likely carried out');
    expect(error.message).toContain(why);
  });

  test('a schema that validates asynchronously is rejected', async () => {
    const { sellerClient, sent } = stubbed([Response.json(4)]);
    const slow: Endpoint<{ n: number }> = {
      name: 'slow',
      method: 'GET',
      path: '/slow',
      input: z.object({ n: z.number().check(z.refine((n) => Promise.resolve(n > 0))) }),
      output: build.unknown,
      retry: 'safe',
      errors: [],
    };
    const error = await errorOf(sellerClient.call(slow, { n: 1 }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('asynchronous');
    expect(sent).toEqual([]);
  });
});
