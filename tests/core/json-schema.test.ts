import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { StandardSchema } from 'marketplace-seller-sdk';
import { inspect, shapeOf } from '../../src/core/schema/schema.js';
import { everyEndpoint } from '../support/every-endpoint.ts';

interface Json {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Json;
  readonly [keyword: string]: unknown;
}

function jsonSchemaOf(schema: StandardSchema): Json {
  return z.toJSONSchema(schema as unknown as z.ZodMiniType, { io: 'input' }) as Json;
}

const input = (name: string): Json => jsonSchemaOf(everyEndpoint.find((each) => each.name === name)!.endpoint.input);
const field = (name: string, key: string): Json | undefined => input(name).properties?.[key];

/** The fields about which JSON Schema says nothing: a file, and what another rule of the client checks. */
const unsaid = new Set(['messages.upload.file']);
/** The endpoints whose rules between fields stand in the description. */
const described = [
  'actionGuide.send',
  'messages.send',
  'questions.search',
  'flex.setDelivery',
  'contacts.questions.ofItem',
  'contacts.questions.ofUser',
  'contacts.phoneViews.ofItem',
  'contacts.phoneViews.ofUser',
];

test.each(everyEndpoint)("$name: zod's JSON Schema describes the input", ({ name, endpoint }) => {
  const schema = jsonSchemaOf(endpoint.input);
  const shape = Object.entries(shapeOf(endpoint.input));
  expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
  expect(Object.keys(schema.properties ?? {})).toEqual(shape.map(([key]) => key));
  expect(schema.required ?? []).toEqual(
    shape.filter(([, each]) => inspect(each).kind !== 'optional').map(([key]) => key),
  );
  for (const [key, found] of Object.entries(schema.properties ?? {})) {
    if (unsaid.has(`${name}.${key}`)) continue;
    expect(found.type ?? found.anyOf ?? found.enum, key).toBeDefined();
  }
  expect(schema.description !== undefined).toBe(described.includes(name));
});

describe('the limits of a field', () => {
  test.each<readonly [string, string, object]>([
    ['questions.get', 'question_id', { type: ['integer', 'string'], minimum: 0 }],
    ['questions.answer', 'text', { type: 'string', minLength: 1, maxLength: 2000 }],
    ['questions.ask', 'item_id', { type: ['string', 'integer'], minLength: 1 }],
    ['questions.search', 'limit', { type: 'integer', minimum: 1 }],
    ['questions.search', 'offset', { type: 'integer', minimum: 0 }],
    [
      'questions.search',
      'sort_fields',
      { type: 'array', items: { enum: expect.arrayContaining(['date_created']) as unknown } },
    ],
    ['messages.send', 'text', { type: 'string', minLength: 1, maxLength: 350 }],
    ['messages.send', 'attachments', { type: 'array', maxItems: 25 }],
    ['actionGuide.send', 'text', { type: 'string', maxLength: 350 }],
    ['contacts.questions.ofItem', 'date_from', { type: 'string', format: 'date-time' }],
    ['contacts.phoneViews.windowOfItems', 'ids', { type: 'array', minItems: 1 }],
    ['contacts.phoneViews.windowOfItem', 'last', { type: 'integer', minimum: 1 }],
    ['contacts.phoneViews.windowOfItem', 'unit', { enum: ['day', 'hour'] }],
    ['flex.addZones', 'zones', { type: 'array', minItems: 1, items: { required: ['id'] } }],
    ['sites.search', 'site_id', { pattern: '^[A-Za-z0-9]+$' }],
    ['describe', 'path', { type: 'string', minLength: 1 }],
  ])('%s: %s', (name, key, expected) => {
    expect(field(name, key)).toMatchObject(expected);
  });

  test('of a field in a list in an object', () => {
    const ranges = field('flex.setDelivery', 'delivery_ranges')?.properties?.week?.items?.properties;
    expect(ranges).toMatchObject({ from: { minimum: 0, maximum: 24 }, capacity: { minimum: 1 } });
  });
});

/** The kinds of all schemas that a schema is made of. */
function kindsIn(schema: StandardSchema): string[] {
  const found = inspect(schema);
  const inner = found.kind === 'object' ? Object.values(found.shape) : 'of' in found ? [found.of].flat() : [];
  return [found.kind, ...inner.flatMap(kindsIn)];
}

test('no input changes a value while it is checked', () => {
  for (const { endpoint } of everyEndpoint) expect(kindsIn(endpoint.input)).not.toContain('preprocess');
});
