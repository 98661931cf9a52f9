import type { Endpoint } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { inspect, shapeOf } from '../../src/core/schema/schema.js';
import type { StandardSchema } from '../../src/core/schema/schema.js';
import { compareIds } from '../../src/core/response/read-output.js';
import { everyEndpoint } from '../support/every-endpoint.ts';

const kinds = ['identity', 'listOf', 'related'] as const;
const named = everyEndpoint.flatMap(({ name, endpoint, input }) =>
  kinds.flatMap((kind) =>
    Object.entries(endpoint[kind] ?? {}).map(([field, path]) => ({ name, endpoint, kind, field, path, input })),
  ),
);

const nothing = { differences: [] };
/** The endpoint of a name. */
const endpointOf = (wanted: string): Endpoint => everyEndpoint.find(({ name }) => name === wanted)!.endpoint;

/** An output that has a value at a path, and nothing else. */
function outputWith(path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  return step === '*' ? [outputWith(rest, value)] : { [step]: outputWith(rest, value) };
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
  if (step === '*') return schemasAt(found.kind === 'array' ? found.of : schema, rest);
  return found.kind === 'object' ? schemasAt(found.shape[step], rest) : [];
}

const idOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

describe.each(named)('$name: $field is $path of the output ($kind)', ({ endpoint, kind, field, path, input }) => {
  const steps = path.split('.');
  const [first = '', inside] = field.split('.');
  const given = input[first] ?? 'MLA100';
  const asked = { [first]: given };
  const id = idOf(inside === undefined ? given : (given as Record<string, unknown>)[inside]);
  const at = steps.map((step) => (step === '*' ? 0 : step));

  test('both exist', () => {
    expect(Object.keys(shapeOf(endpoint.input))).toContain(first);
    expect(schemasAt(endpoint.output, steps)).not.toEqual([]);
  });

  test.each([id, String(id), String(id).toLowerCase(), `${typeof id === 'number' ? '0' : ''}${String(id)}`])(
    'a response that repeats %j is of this call',
    (value) => {
      expect(compareIds(endpoint, asked, outputWith(steps, value))).toEqual(nothing);
    },
  );

  const another = /^\d+$/.test(String(id)) ? 9_007_199_254_740_000 : 'MLB9';

  test.each([`${String(id)}1`, another])(`%j there is ${kind === 'related' ? 'drift' : 'of another call'}`, (value) => {
    const found = compareIds(endpoint, asked, outputWith(steps, value));
    const name = `\`${at.join('.')}\``;
    const issue = { path: at, message: `${name} is ${value}, not the \`${field}\` of the call` };
    const message = `${name} takes the \`${field}\` of the call`;
    expect(found).toEqual(
      kind === 'related'
        ? { differences: [{ path: at, message, received: typeof value }] }
        : { ofAnother: issue, differences: [] },
    );
  });

  test.each([undefined, null, '', {}])('a response with %j there says nothing', (value) => {
    expect(compareIds(endpoint, asked, outputWith(steps, value))).toEqual(nothing);
    expect(compareIds(endpoint, {}, outputWith(steps, id))).toEqual(nothing);
  });
});

test.each([undefined, null, 7, 'OK', [], [null], {}, { questions: null }, { messages: [null, 5] }])(
  'an output of %j has no other identity',
  (output) => {
    for (const { endpoint, input } of everyEndpoint) expect(compareIds(endpoint, input, output)).toEqual(nothing);
  },
);

describe('a list of a user', () => {
  const search = endpointOf('questions.search');
  const questions = (...sellers: unknown[]): object => ({ questions: sellers.map((seller_id) => ({ seller_id })) });

  test('is of another call if no entry is of the user', () => {
    expect(compareIds(search, { seller_id: 7 }, questions(null, 8, 9)).ofAnother?.message).toBe(
      '`questions.1.seller_id` is 8, not the `seller_id` of the call',
    );
  });

  test('is drift at each entry of somebody else if another is of the user', () => {
    const { ofAnother, differences } = compareIds(search, { seller_id: '7' }, questions(8, 7, null, 9, '7'));
    expect(ofAnother).toBeUndefined();
    expect(differences.map(({ path }) => path.join('.'))).toEqual(['questions.0.seller_id', 'questions.3.seller_id']);
  });
});

test('one other entry is enough where each entry is asked for by its id', () => {
  const entries = (...ids: unknown[]): object[] => ids.map((id) => ({ id }));
  const status = endpointOf('items.status');
  expect(compareIds(status, { ids: ['MLA1', 'MLA2'] }, entries('MLA2', undefined, 'mla1'))).toEqual(nothing);
  expect(compareIds(status, { ids: ['MLA1', 'MLA2'] }, entries('MLA1', 'MLA3')).ofAnother?.message).toBe(
    '`1.id` is MLA3, not the `ids` of the call',
  );
});

test('of several items, each entry is one of those asked for', () => {
  const endpoint = endpointOf('contacts.questions.windowOfItem');
  const asked = { item_id: 'MLA1', ids: ['MLA1', 'MLA2'] };
  expect(compareIds(endpoint, asked, [{ item_id: 'MLA2' }, { item_id: 'MLA1' }])).toEqual(nothing);
  expect(compareIds(endpoint, asked, { item_id: 'MLA2' })).toEqual(nothing);
  expect(compareIds(endpoint, asked, [{ item_id: 'MLA3' }]).ofAnother?.message).toMatch(
    /MLA3, not the `item_id` or `ids`/,
  );
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
      .filter(
        (field) => isId(field) && field !== 'site_id' && kinds.every((kind) => endpoint[kind]?.[field] === undefined),
      )
      .filter((field) => [[field], ['*', field]].some((path) => schemasAt(endpoint.output, path).length > 0))
      .map((field) => `${name}: ${field}`),
  );
  expect(silent.filter((each) => others[each] === undefined)).toEqual([]);
});
