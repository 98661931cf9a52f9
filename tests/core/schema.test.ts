import { fc } from '../support/fast-check.ts';
import { ConfigurationError, InvalidInputError } from 'marketplace-seller-sdk';
import type { Endpoint, StandardSchema } from 'marketplace-seller-sdk';
import * as schemas from 'marketplace-seller-sdk/schemas';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { inspect, shapeOf } from '../../src/core/schema/inspect.js';
import { LazySchema } from '../../src/core/schema/lazy-schema.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

const runs = { numRuns: Math.ceil(Number(process.env.FUZZ_CASES ?? 4000) / 64) };

type AnySchema = Pick<LazySchema, 'zod' | 'fits' | 'safeParse' | '~standard'>;

const isSchema = (value: unknown): value is AnySchema => value instanceof LazySchema;
const exported = Object.entries<unknown>(schemas).filter((entry): entry is [string, AnySchema] => isSchema(entry[1]));
const ofEndpoints = everyEndpoint
  .flatMap(({ name, endpoint: { input, output } }): [string, unknown][] => [
    [`${name} input`, input],
    [`${name} output`, output],
  ])
  .filter((entry): entry is [string, AnySchema] => isSchema(entry[1]));
const everySchema = [...exported, ...ofEndpoints];

/** Values that fit a schema, most of the time: as documented, written as text, absent, or anything. */
function valueFor(schema: StandardSchema): fc.Arbitrary<unknown> {
  const found = inspect(schema);
  switch (found.kind) {
    case 'string':
      return fc.oneof(fc.string(), fc.constant('2026-03-01T00:00:00Z'), fc.constant('MLA'));
    case 'integer':
    case 'int64':
    case 'number':
      return fc.oneof(fc.maxSafeInteger(), fc.nat(24), fc.nat().map(String), fc.double(), fc.bigInt().map(String));
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.oneof(fc.constantFrom(...found.values), fc.string());
    case 'array':
      return fc.array(valueFor(found.of), { maxLength: 3 });
    case 'optional':
      return fc.option(valueFor(found.of), { nil: undefined });
    case 'nullable':
      return fc.option(valueFor(found.of));
    case 'preprocess':
      return fc.oneof(valueFor(found.of), fc.jsonValue());
    case 'union':
      return fc.oneof(...found.of.map(valueFor));
    case 'object':
      return fc
        .record(Object.fromEntries(Object.entries(found.shape).map(([name, field]) => [name, mostly(valueFor(field))])))
        .chain((value) => fc.jsonValue().map((extra) => (extra === null ? { ...value, unknown_field: 1 } : value)));
    default:
      return fc.jsonValue();
  }
}

function mostly(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });
}

describe('a value that fits', () => {
  test.each(everySchema)('%s: is accepted by zod too, which delivers an equal value', (_, schema) => {
    fc.assert(
      fc.property(valueFor(schema), (value) => {
        if (!schema.fits(value)) return;
        const parsed = z.safeParse(schema.zod, value);
        expect(parsed.error?.issues).toBeUndefined();
        expect(parsed.data).toEqual(value);
      }),
      runs,
    );
  });

  test('is delivered itself, without a copy', () => {
    const question = { id: 42, status: 'ANSWERED', from: { id: 9 }, answer: null, added_since: [1] };
    expect(schemas.question.parse(question)).toBe(question);
    const page = { total: 1, questions: [question] };
    const result = schemas.questionSearchResponse.safeParse(page);
    expect(result.success && result.data).toBe(page);
  });

  test.each([
    ['an integer written as text', schemas.integer, '42', 42],
    ['a text that an earlier option of a union reads', schemas.union(schemas.int64, schemas.string), '42', 42],
    ['an object with a field that is dropped', schemas.picked({ id: schemas.integer }), { id: 1, more: 2 }, { id: 1 }],
  ])('is not %s', (_, schema, value, delivered) => {
    expect((schema as unknown as LazySchema).fits(value)).toBe(false);
    expect(schema.safeParse(value)).toEqual({ success: true, data: delivered });
  });

  const optionalEntry = { id: schemas.integer, note: schemas.optional(schemas.string) };
  test.each<readonly [string, unknown, readonly unknown[], readonly unknown[]]>([
    ['a string', schemas.string, ['', 'a'], [1, null, undefined, ['a']]],
    ['a boolean', schemas.boolean, [true, false], ['true', 1, 0, null]],
    ['an integer', schemas.integer, [0, -1, 2 ** 53 - 1], [1.5, 2 ** 53, NaN, '1', null]],
    ['a number', schemas.number, [0, -1.5, 2 ** 60], [Infinity, NaN, '1', null]],
    ['any value', schemas.unknown, [null, undefined, 0, {}], []],
    ['a record', schemas.record, [{}, { a: null }], [null, undefined, [], 'a', new Date(0)]],
    ['one of two values', schemas.enumOf('a', 'b'), ['a', 'b'], ['c', '', null, ['a']]],
    ['a known or later value', schemas.openEnum('a'), ['a', 'c'], [1, null]],
    ['a list', schemas.array(schemas.string), [[], ['a', 'b']], [['a', 1], 'a', null, { length: 0 }]],
    ['what may be absent', schemas.optional(schemas.string), [undefined, 'a'], [null, 1]],
    ['what may be null', schemas.nullish(schemas.string), [undefined, null, 'a'], [1, false]],
    ['the first of two', schemas.union(schemas.integer, schemas.string), [1], ['1', 'a', null]],
    ['a refined value', schemas.refine(schemas.integer, (n) => (n > 1 ? undefined : 'small')), [2], [1, '2']],
    ['a value that a reader keeps', schemas.preprocess(schemas.string, String), ['a'], [1, null]],
    [
      'a response',
      schemas.response(optionalEntry),
      [{ id: 1 }, { id: 1, more: 2 }],
      [{}, { id: 1, note: 2 }, null, []],
    ],
    ['an input', schemas.params(optionalEntry), [{ id: 1 }, { id: 1, note: 'a' }], [{ id: 1, more: 2 }, 'a']],
    ['a reduced object', schemas.picked(optionalEntry), [{ id: 1 }], [{ id: 1, more: 2 }, { note: 'a' }]],
    ['a field of any value', schemas.response({ id: schemas.unknown }), [{ id: null }], [{}]],
  ])('%s: is recognized without zod, and no other value is', (_, schema, fitting, others) => {
    const { fits } = schema as LazySchema;
    expect(fitting.filter((value) => !fits(value))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  test('is not one with a key named __proto__, which zod drops', () => {
    const value: unknown = JSON.parse('{"id":1,"__proto__":{"id":2}}');
    expect((schemas.question as unknown as LazySchema).fits(value)).toBe(false);
    expect((schemas.record as unknown as LazySchema).fits(value)).toBe(false);
  });
});

describe('a number that comes as text', () => {
  const { integer, int64, number } = schemas;
  test.each<readonly [string, schemas.Schema, unknown]>([
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
  expect(schemas.record.safeParse(value)).toEqual({ success: true, data });
});

describe('the structure of a schema is known', () => {
  const { string, integer } = schemas;
  const shape = { id: integer };
  const reader = String;
  test.each<readonly [string, StandardSchema | undefined, object]>([
    ['text', string, { kind: 'string' }],
    ['a date', schemas.dateTime, { kind: 'string' }],
    ['an integer', integer, { kind: 'integer' }],
    ['a long integer', schemas.int64, { kind: 'int64' }],
    ['a number', schemas.number, { kind: 'number' }],
    ['true or false', schemas.boolean, { kind: 'boolean' }],
    ['a record', schemas.record, { kind: 'record' }],
    ['any value', schemas.unknown, { kind: 'unknown' }],
    ['known values', schemas.enumOf('a', 'b'), { kind: 'enum', values: ['a', 'b'], open: false }],
    ['known and later values', schemas.openEnum('a', 'b'), { kind: 'enum', values: ['a', 'b'], open: true }],
    ['a list', schemas.array(string), { kind: 'array', of: string }],
    ['what may be absent', schemas.optional(string), { kind: 'optional', of: string }],
    ['one of two', schemas.union(integer, string), { kind: 'union', of: [integer, string] }],
    ['what is changed first', schemas.preprocess(string, reader), { kind: 'preprocess', of: string, reader }],
    ['a response', schemas.response(shape), { kind: 'object', shape, unknownKeys: 'keep' }],
    ['an input', schemas.params(shape), { kind: 'object', shape, unknownKeys: 'reject' }],
    ['a reduced object', schemas.picked(shape), { kind: 'object', shape, unknownKeys: 'drop' }],
    ['another kind of zod', z.date(), { kind: 'unknown' }],
    ['nothing', undefined, { kind: 'unknown' }],
  ])('%s', (_, schema, structure) => {
    expect(inspect(schema)).toEqual(structure);
  });

  test('also of what may be absent or null', () => {
    const found = inspect(schemas.nullish(string));
    expect(found).toMatchObject({ kind: 'optional' });
    expect('of' in found && inspect(found.of as StandardSchema)).toEqual({ kind: 'nullable', of: string });
  });

  test('the fields of an object are found behind what changes it first, and nowhere else', () => {
    const of = schemas.response(shape);
    expect(shapeOf(of)).toEqual(shape);
    expect(shapeOf(schemas.preprocess(of, reader))).toEqual(shape);
    for (const schema of [string, schemas.array(of), schemas.optional(of)]) expect(shapeOf(schema)).toEqual({});
  });
});

test('the fields of an object are part of another object', () => {
  const { id, text } = schemas.question.shape;
  const note = schemas.response({ id, text, by: schemas.integer });
  expect(note.parse({ id: '42', text: 'Hi', by: '7' })).toEqual({ id: 42, text: 'Hi', by: 7 });
});

describe('Standard Schema', () => {
  test.each(exported)('%s is one', async (_, schema) => {
    const { version, vendor, validate } = schema['~standard'];
    expect({ version, vendor }).toEqual({ version: 1, vendor: 'marketplace-seller-sdk' });
    const result = await validate(Symbol('no schema but that of any value takes it'));
    expect('value' in result || result.issues.length > 0).toBe(true);
  });

  test('says what is wrong, and where', () => {
    expect(schemas.answerParams['~standard'].validate({ question_id: 42, text: 7 })).toEqual({
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
    const output = schemas.response({ id: schemas.integer, note: schemas.nullish(note as never) });
    const { sellerClient } = stubbed([Response.json({ id: 1, note: 5 })]);
    expect(await sellerClient.call(written(output), {})).toEqual({ id: 1, note: 5 });
  });

  const fails = (): never => {
    throw new TypeError('no such colour');
  };

  test.each([
    ['validates asynchronously', z.unknown().check(z.refine(() => Promise.resolve(true))), 'asynchronous'],
    [
      'contains one that does',
      schemas.response({ n: z.unknown().check(z.refine(async () => true)) as never }),
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
      output: schemas.unknown,
      retry: 'safe',
      errors: [],
    };
    const error = await errorOf(sellerClient.call(slow, { n: 1 }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toContain('asynchronous');
    expect(sent).toEqual([]);
  });
});
