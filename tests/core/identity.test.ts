import type { Endpoint } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { inspect, shapeOf } from '../../src/core/schema/describe.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { configurationOf } from '../../src/resources/flex/configuration-of.js';
import { identityMismatch } from '../../src/core/response/identity.js';
import { everyEndpoint } from '../support/every-endpoint.ts';

const named = everyEndpoint.flatMap(({ name, endpoint, input }) =>
  Object.entries(endpoint.identity ?? {}).map(([field, path]) => ({ name, endpoint, field, path, input })),
);

/** An output that has a value at a path, and nothing else. */
function outputWith(path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (step === '*') return [outputWith(rest, value)];
  const [field = '', wanted] = step.split('=');
  if (wanted === undefined) return { [field]: outputWith(rest, value) };
  return [{ [field]: wanted, ...(outputWith(rest, value) as object) }];
}

/** The schemas at a path of an output: those of each choice of a union. */
function schemasAt(schema: StandardSchema | undefined, path: readonly string[]): StandardSchema[] {
  if (!schema) return [];
  const found = inspect(schema);
  if (found.kind === 'union') return found.of.flatMap((each) => schemasAt(each, path));
  if (found.kind === 'preprocess') return schemasAt(found.of, path);
  if (found.kind === 'optional' || found.kind === 'nullable') return schemasAt(found.of, path);
  const [step, ...rest] = path;
  if (step === undefined) return [schema];
  if (step === '*' || step.includes('=')) return schemasAt(found.kind === 'array' ? found.of : schema, rest);
  return found.kind === 'object' ? schemasAt(found.shape[step], rest) : [];
}

const idOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

describe.each(named)('$name: $field is $path of the output', ({ endpoint, field, path, input }) => {
  const steps = path.split('.');
  const asked = { [field]: input[field] ?? 'MLA100' };
  const id = idOf(asked[field]);

  test('both exist', () => {
    expect(Object.keys(shapeOf(endpoint.input))).toContain(field);
    if (endpoint.name !== 'flex.configuration') expect(schemasAt(endpoint.output, steps)).not.toEqual([]);
  });

  test.each([id, String(id), String(id).toLowerCase(), `${typeof id === 'number' ? '0' : ''}${String(id)}`])(
    'a response that repeats %j is of this call',
    (value) => {
      expect(identityMismatch(endpoint, asked, outputWith(steps, value))).toBeUndefined();
    },
  );

  const another = /^\d+$/.test(String(id)) ? 9_007_199_254_740_000 : 'MLB9';

  test.each([`${String(id)}1`, another])('a response with %j there is of another call', (value) => {
    const message = `\`${path}\` is ${String(value).toUpperCase()}, not the \`${field}\` of the call`;
    expect(identityMismatch(endpoint, asked, outputWith(steps, value))).toEqual({ path: steps, message });
  });

  test.each([undefined, null, '', {}])('a response with %j there says nothing', (value) => {
    expect(identityMismatch(endpoint, asked, outputWith(steps, value))).toBeUndefined();
    expect(identityMismatch(endpoint, {}, outputWith(steps, id))).toBeUndefined();
  });
});

test.each([undefined, null, 7, 'OK', [], [null], {}, { questions: null }, { messages: [null, 5] }])(
  'an output of %j has no other identity',
  (output) => {
    for (const { endpoint, input } of everyEndpoint) expect(identityMismatch(endpoint, input, output)).toBeUndefined();
  },
);

test('one other entry in a list is enough, and entries without the id do not count', () => {
  const questions = (...items: (string | null)[]): object => ({ questions: items.map((item_id) => ({ item_id })) });
  const { endpoint } = everyEndpoint.find(({ name }) => name === 'questions.search')!;
  expect(identityMismatch(endpoint, { item: 'MLA1' }, questions('MLA1', null, 'MLA1'))).toBeUndefined();
  expect(identityMismatch(endpoint, { item_id: 'MLA1' }, questions('MLA1', 'MLA2'))?.message).toBe(
    '`questions.*.item_id` is MLA2, not the `item_id` of the call',
  );
});

test('of several items, each entry is one of those asked for', () => {
  const { endpoint } = everyEndpoint.find(({ name }) => name === 'contacts.questions.windowOfItem')!;
  const asked = { item_id: 'MLA1', ids: ['MLA1', 'MLA2'] };
  expect(identityMismatch(endpoint, asked, [{ item_id: 'MLA2' }, { item_id: 'MLA1' }])).toBeUndefined();
  expect(identityMismatch(endpoint, asked, { item_id: 'MLA2' })).toBeUndefined();
  expect(identityMismatch(endpoint, asked, [{ item_id: 'MLA3' }])?.message).toMatch(/MLA3, not the `item_id` or `ids`/);
});

/** Fields of an output with the name of a field of the input that identify something else, or are left to the caller. */
const others: Readonly<Record<string, string>> = {
  'currencies.get: id': 'an unknown code is a new value',
  'messages.send: client_id': 'the application, not the conversation',
};

test('what an output repeats by the same name is compared', () => {
  const isId = (field: string): boolean => /(^|_)id$/.test(field);
  const silent = everyEndpoint.flatMap(({ name, endpoint }: { name: string; endpoint: Endpoint }) =>
    Object.keys(shapeOf(endpoint.input))
      .filter((field) => isId(field) && field !== 'site_id' && endpoint.identity?.[field] === undefined)
      .filter((field) => [[field], ['*', field]].some((path) => schemasAt(endpoint.output, path).length > 0))
      .map((field) => `${name}: ${field}`),
  );
  expect(silent.filter((each) => others[each] === undefined)).toEqual([]);
});

test('a configuration is of the user and the service in its query', () => {
  const asked = { site_id: 'MLA', user_id: 7, service_id: '1001', selection: '{zones{id}}' };
  const output = (subscription: object): object => ({ configuration: { subscription } });
  expect(identityMismatch(configurationOf, asked, output({ user_id: '7', service_id: 1001 }))).toBeUndefined();
  expect(identityMismatch(configurationOf, asked, output({}))).toBeUndefined();
  for (const [name, other] of Object.entries({ user_id: 8, service_id: 1002 }))
    expect(identityMismatch(configurationOf, asked, output({ [name]: other }))?.message).toContain(
      `not the \`${name}\``,
    );
});
