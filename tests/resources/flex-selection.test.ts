import { expect, test } from 'vitest';
import { array, integer, nullish, preprocess, looseObject, string } from '../../src/core/schema/define.js';
import { applySelection } from '../../src/resources/flex/graphql/selection.js';
import type { AppliedSelection } from '../../src/resources/flex/graphql/selection.js';

const price = looseObject({ amount: integer, currency: nullish(string) });
const shop = looseObject({
  id: integer,
  prices: nullish(array(price)),
  best: preprocess(price, (value) => (typeof value === 'number' ? { amount: value } : value)),
});

const applied = (select: unknown): AppliedSelection => applySelection(shop, select, ['select']);

test('a selection is printed as GraphQL, with every field of a selected object', () => {
  expect(applied(true).graphql).toBe('{id prices{amount currency} best{amount currency}}');
  expect(applied({ best: { amount: true }, id: true }).graphql).toBe('{best{amount} id}');
});

test('a schema that reads several shapes still does after a selection', () => {
  const found = applied({ best: { amount: true }, prices: { currency: true } })
    .schema()
    .safeParse({
      id: 1,
      best: 7,
      prices: [{ amount: '3', currency: 'ARS' }, { amount: 4 }],
    });
  expect(found).toEqual({ success: true, data: { best: { amount: 7 }, prices: [{ currency: 'ARS' }, {}] } });
});

test('a selected field is required in the response', () => {
  const found = applied({ best: { amount: true } })
    .schema()
    .safeParse({ best: {} });
  expect(found.success ? [] : found.error.issues.map(({ path }) => path)).toEqual([['best', 'amount']]);
});

test('a selection of an unknown field has issues', () => {
  expect(applied({ best: { amount: true } }).issues).toEqual([]);
  expect(applied({ best: { tax: true }, id: null }).issues.map(({ path }) => path)).toEqual([
    ['select', 'best', 'tax'],
    ['select', 'id'],
  ]);
});
