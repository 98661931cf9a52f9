import { InvalidInputError, deliveryPromise } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { service } from '../support/service.ts';

// An input is sent if it is right, and rejected before anything is sent if it is not: each rule at the last right value and the first wrong one.

interface Rule {
  readonly what: string;
  readonly call: (client: SellerClient, value: never) => PromiseLike<unknown>;
  readonly right: readonly unknown[];
  readonly wrong: readonly unknown[];
}

const message = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Hello' };
const fields = ['date_created', 'item_id'] as const;
const directions = ['ASC', 'DESC'] as const;
const template_id = 'TEMPLATE___DELIVERY_PROMISE___1';
const promise = (names: readonly string[]) => {
  const vars = names.map((name) => ({ id: `${template_id}___VAR___${name}`, value: 9 }));
  return { pack_id: 1, option_id: 'DELIVERY_PROMISE' as string, template_id, vars };
};
const files = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}.pdf`);

const rules: readonly Rule[] = [
  {
    what: 'an id is an integer from 0 on, as a number or in digits',
    call: (client, question_id: number) => client.questions.get({ question_id }),
    right: [0, '0', 1],
    wrong: [-1, '-1', '', '1.5', '1e3'],
  },
  {
    what: 'a list is sorted by fields in no direction, or in one for each',
    call: (client, [by, types]: [number, number]) =>
      client.questions
        .search({
          seller_id: 7,
          ...(by > 0 && { sort_fields: fields.slice(0, by) }),
          ...(types > 0 && { sort_types: directions.slice(0, types) }),
        })
        .first(),
    right: [
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 2],
    ],
    wrong: [
      [0, 1],
      [1, 2],
      [2, 1],
    ],
  },
  {
    what: 'questions are searched by one of seller, item and item_id, those of a user by an item',
    call: (client, input: never) => client.questions.search(input).first(),
    right: [{ seller_id: 7 }, { item: 'A' }, { item_id: 'A' }, { item: 'A', from: 31 }, { item_id: 'A', from: 31 }],
    wrong: [{}, { seller_id: 7, from: 31 }, { from: 31 }, { item: 'A', item_id: 'A' }, { seller_id: 7, item: 'A' }],
  },
  {
    what: 'a delivery promise lies within a day, and does not end before it begins',
    call: (client, hours: string) => {
      const [from, to] = hours.split(' to ').map(Number);
      return client.actionGuide.send({ pack_id: 1, ...deliveryPromise({ from: from!, to: to! }) });
    },
    right: ['0 to 0', '0 to 24', '23 to 24', '24 to 24'],
    wrong: ['-1 to 13', '9 to 25'],
  },
  {
    what: 'a delivery promise has each of its variables once',
    call: (client, names: string) => client.actionGuide.send(promise(names.match(/\w+/g) ?? [])),
    right: ['INIT LIMIT', 'LIMIT INIT'],
    wrong: ['', 'INIT', 'LIMIT', 'INIT INIT', 'INIT LIMIT INIT', 'INIT LIMIT MIDDLE', 'INIT MIDDLE'],
  },
  {
    what: 'a message has at most 25 files',
    call: (client, count: number) => client.messages.send({ ...message, attachments: files(count) }),
    right: [0, 1, 25],
    wrong: [26],
  },
  {
    what: 'a filter has no empty entry, which would find nothing',
    call: (client, status: string) => client.questions.search({ seller_id: 7, filters: { status } }).toArray(),
    right: ['A', '', 0, false, null, undefined, ['A'], [1, true]],
    wrong: [[], [''], ['', 'A'], ['A', ''], [null], [{}], [Number.NaN]],
  },
];

test.each(rules)('$what', async ({ call, right, wrong }) => {
  for (const [values, isRight] of [
    [right, true],
    [wrong, false],
  ] as const)
    for (const value of values) {
      const { client, paths } = service(() => ({}));
      const error: unknown = await call(client, value as never).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      const shown = JSON.stringify(value);
      expect(error instanceof InvalidInputError, shown).toBe(!isRight);
      expect(paths.length, shown).toBe(Number(isRight));
    }
});

test.each<[unknown, string | null]>([
  ['A', 'A'],
  ['', ''],
  [0, '0'],
  [false, 'false'],
  [null, null],
  [['A', 'B'], 'A,B'],
  [['A,B', 'C'], 'A,B,C'],
  [[1, true], '1,true'],
  [[new Date(0)], '1970-01-01T00:00:00.000Z'],
])('the filter %j is sent as %j', async (status, sent) => {
  const { client, paths } = service(() => ({ questions: [], total: 0 }));
  await client.questions.search({ seller_id: 7, filters: { status } as { status?: string } }).toArray();
  expect(paths.map((path) => new URLSearchParams(path.split('?')[1]).get('status'))).toEqual([sent]);
});

test.each<[object, object]>([
  [{}, { from: { user_id: 7 } }],
  [{ from: undefined }, { from: { user_id: 7 } }],
  [{ from: { user_id: 8 } }, { from: { user_id: 8 } }],
  [{ attachments: files(2) }, { attachments: files(2) }],
])('a message with %j has the body %j', async (more, expected) => {
  const bodies: object[] = [];
  const { client } = service(async (_, request) => {
    bodies.push((await request.json()) as object);
    return { id: 'm' };
  });
  await client.messages.send({ ...message, ...more });
  expect(bodies).toMatchObject([expected]);
  expect(bodies.some((body) => 'attachments' in body)).toBe('attachments' in more);
});
