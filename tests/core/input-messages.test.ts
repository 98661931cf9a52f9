import { InvalidInputError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { inspect } from '../../src/core/schema/schema.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { validate } from '../../src/core/schema/read.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

type Path = readonly (string | number)[];

/** The paths of all fields of an input, with the first entry of each list. */
function fieldsOf(schema: StandardSchema, path: Path = []): Path[] {
  const found = inspect(schema);
  switch (found.kind) {
    case 'object':
      return Object.entries(found.shape).flatMap(([name, field]) => [
        [...path, name],
        ...fieldsOf(field, [...path, name]),
      ]);
    case 'array':
      return [[...path, 0], ...fieldsOf(found.of, [...path, 0])];
    case 'optional':
    case 'nullable':
    case 'preprocess':
      return fieldsOf(found.of, path);
    default:
      return [];
  }
}

/** A copy of a value with another value at a path. */
function withValue(root: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (typeof key === 'number') return [withValue((root as unknown[] | undefined)?.[key], rest, value)];
  return {
    ...(root as object | undefined),
    [key]: withValue((root as Record<string, unknown> | undefined)?.[key], rest, value),
  };
}

/** Values that most fields do not take. */
const wrongValues = [
  true,
  null,
  Symbol('a'),
  {},
  [],
  Number.NaN,
  -1,
  0.5,
  99,
  2 ** 60,
  '',
  ' ',
  '-1',
  'x',
  '../x',
  'a,b',
  '\ud800',
  '2026-02-30',
  '2026-03-01 00:00:00',
  new Date(Number.NaN),
];

/** Fields that take any value as far as the schema says: they are checked elsewhere. */
const anyValue = new Set(['file', 'select', 'filters', 'query']);

const fields = everyEndpoint.flatMap(({ name, endpoint, input }) =>
  fieldsOf(endpoint.input).map((path) => ({ name, path, field: path.join('.'), endpoint, input })),
);

test.each(fields)('$name: a message about `$field` names it', ({ path, field, endpoint, input }) => {
  let rejections = 0;
  for (const value of wrongValues) {
    const result = validate(endpoint.input, withValue(input, path, value));
    if (result.success) continue;
    for (const issue of result.issues) {
      if (issue.path.length === 0) continue;
      if (issue.path.join('.') === field) rejections += 1;
      expect(issue.message).toContain(`\`${issue.path.join('.')}\``);
    }
  }
  if (!anyValue.has(field)) expect(rejections).toBeGreaterThan(0);
});

test('a message about an input that is no object says so', async () => {
  const { sellerClient, sent } = stubbed([Response.json({})]);
  for (const { endpoint } of everyEndpoint) {
    const error = await errorOf<InvalidInputError>(sellerClient.call(endpoint, 42));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toMatch(/^Not sent: the input takes an object/);
  }
  expect(sent).toEqual([]);
});

describe('a date that is no ISO 8601 date is not sent', () => {
  const takes = [
    '2026-02-28',
    '2024-02-29',
    '2026-03-01T00:00:00Z',
    '2026-03-01T24:00Z',
    '2026-12-31T23:59:59.999-03:00',
  ];
  const rejects = [
    ...['2026-02-29', '2026-02-30', '2026-04-31', '2026-00-10', '2026-13-01', '2026-01-00', '2026-01-32'],
    ...['2026-02-30T10:00:00Z', '2026-02-30T23:00:00-03:00', '2026-03-01 00:00:00', '2026-03-01 00:00:00Z', '2026-3-1'],
  ];
  const ofItem = everyEndpoint.find(({ name }) => name === 'contacts.questions.ofItem')!.endpoint;
  const succeeds = (date: string): boolean =>
    validate(ofItem.input, { item_id: 'MLA1', date_from: date, date_to: '2026-12-31T23:59:59.999-03:00' }).success;

  test.each(takes)('%s is sent', (date) => {
    expect(succeeds(date)).toBe(true);
  });

  test.each(rejects)('%s is not', (date) => {
    expect(succeeds(date)).toBe(false);
  });
});
