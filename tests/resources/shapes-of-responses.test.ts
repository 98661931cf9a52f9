import { askerId, packOf, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { service } from '../support/service.ts';
import { stubbed } from '../support/stubs.ts';

// The shapes in which the service says the same. Of two values that mean the same, that of the entity and the named one count.

interface Rule {
  readonly what: string;
  /** What is read of a response. */
  readonly read: (client: SellerClient, body: never) => unknown;
  readonly shapes: readonly (readonly [body: unknown, expected: unknown])[];
}

const [packs, orders] = [
  { id: '1', name: 'packs' },
  { id: '2', name: 'orders' },
];
const window = (item_id: string): object => ({ item_id, total: 1, results: [] });
const entry = (id: string, text: string): object => ({ id, from: { user_id: 7 }, text });
const all = [entry('a', 'One'), entry('b', 'Two'), entry('c', 'Three')] as const;
const item = { site_id: 'MLA', item_id: 'MLA1' };
const file = { site_id: 'MLA', file: new Uint8Array([1]), filename: 'a.pdf' };
const legacy = { message_id: 'm1', from: { user_id: 7 }, text: 'Hello' };
const users = (...ids: number[]): object[] => ids.map((user_id) => ({ user_id }));

const rules: readonly Rule[] = [
  {
    what: 'the id of a question',
    read: async ({ questions }) => (await questions.get({ question_id: 42 })).id,
    shapes: [
      [{ id: 42 }, 42],
      [{ question_id: 42, text: 'New?' }, 42],
      [{ id: 42, question_id: 43 }, 42],
      [{ id: null, question_id: 42 }, 42],
      [{ question: { id: 42 }, question_id: 43 }, 42],
      [[{ id: 42, question_id: 43 }], 42],
    ],
  },
  {
    what: 'the id of a blocked user',
    read: async ({ questions }) => (await questions.blacklist.list({ seller_id: 7 }).first())?.id,
    shapes: [
      [[31], 31],
      [[{ id: 31 }], 31],
      [[{ user_id: 31 }], 31],
      [[{ id: 31, user_id: 32 }], 31],
    ],
  },
  {
    what: 'who has asked',
    read: (_, question: object) => askerId(question),
    shapes: [
      [{ from: { id: 31 } }, 31],
      [{ buyer_id: 31 }, 31],
      [{ from: { id: 31 }, buyer_id: 32 }, 31],
      [{ from: null, buyer_id: 31 }, 31],
      [{}, undefined],
    ],
  },
  {
    what: 'the pack of an order or a message',
    read: (_, orderOrMessage: { id: number }) => packOf(orderOrMessage),
    shapes: [
      [{ id: 2 }, 2],
      [{ id: 2, pack_id: 1 }, 1],
      [{ id: 2, pack_id: null }, 2],
      [{ message_resources: [packs] }, '1'],
      [{ message_resources: [orders] }, '2'],
      [{ message_resources: [packs, orders] }, '1'],
      [{ message_resources: [orders, packs] }, '1'],
    ],
  },
  {
    what: 'the windows of items',
    read: async ({ contacts }) => {
      const found = await contacts.phoneViews.windowOfItems({ ids: ['A', 'B'], last: 1, unit: 'day' });
      return found.map(({ item_id }) => item_id);
    },
    shapes: [
      [null, []],
      [[], []],
      [window('A'), ['A']],
      [
        [window('A'), window('B')],
        ['A', 'B'],
      ],
      [{ windows: [] }, []],
      [{ windows: [window('A'), window('B')] }, ['A', 'B']],
      [{ results: [window('A'), window('B')] }, ['A', 'B']],
      [{ results: [window('B')], windows: [window('A')] }, ['A']],
    ],
  },
  {
    what: 'the total of a list',
    read: ({ questions }) => questions.search({ seller_id: 7 }).total(),
    shapes: ['questions', 'results'].flatMap((list) => [
      [{ [list]: [] }, undefined],
      [{ [list]: [], total: 2 }, 2],
      [{ [list]: [], paging: { total: 3 } }, 3],
      [{ [list]: [], paging: { total: 3 }, total: 2 }, 2],
      [{ [list]: [], paging: { total: null }, total: 2 }, 2],
      [{ [list]: [], paging: null, total: 2 }, 2],
      [{ [list]: [], total: 0, paging: { total: 3 } }, 0],
    ]),
  },
  {
    what: 'currencies',
    read: async ({ currencies }) => (await currencies.list()).map(({ id }) => id),
    shapes: [
      [null, []],
      [{ id: 'BRL' }, ['BRL']],
      [
        [{ id: 'BRL' }, { id: 'ARS' }],
        ['BRL', 'ARS'],
      ],
      [{ currencies: [{ id: 'BRL' }] }, ['BRL']],
      [{ results: [{ id: 'BRL' }] }, ['BRL']],
    ],
  },
  {
    what: 'whether an item is in Flex',
    read: ({ flex }) => flex.items.isEnabled(item),
    shapes: [
      ...[{}, true, { has_flex: true }, { enabled: true }, { active: true }, { status: 'in' }].map(
        (body) => [body, true] as const,
      ),
      ...[
        false,
        { has_flex: false },
        { enabled: false },
        { active: false },
        { has_flex: true, active: false },
        { status: 'out' },
      ].map((body) => [body, false] as const),
    ],
  },
  {
    what: 'the id of an upload',
    read: ({ messages }) =>
      messages.upload(file).then(
        ({ id }) => id,
        (error: unknown) => (error as Error).name,
      ),
    shapes: [
      ['a.pdf', 'a.pdf'],
      [['a.pdf'], 'a.pdf'],
      [[{ id: 'a.pdf' }], 'a.pdf'],
      [{ attachment_id: 'a.pdf' }, 'a.pdf'],
      [{ id: 'a.pdf', attachment_id: 'b.pdf' }, 'a.pdf'],
      [['a.pdf', 'b.pdf'], 'UnexpectedResponseError'],
      [[], 'UnexpectedResponseError'],
    ],
  },
  {
    what: 'the message that is asked for, among others',
    read: async ({ messages }) => (await messages.get({ message_id: 'b' })).text,
    shapes: [
      all[1],
      [all[1]],
      [all[1], all[0]],
      [all[0], all[1]],
      all,
      [{ from: { user_id: 7 }, text: 'None' }, all[1]],
      [{ from: { user_id: 7 }, text: 'Two' }],
      { messages: all },
      { results: all },
      { message: all[1] },
    ].map((body) => [body, 'Two'] as const),
  },
  {
    what: 'the receivers of a message in the legacy shape',
    read: async ({ messages }) => {
      const { to, recipients } = await messages.get({ message_id: 'm1' });
      return [to?.user_id, recipients?.map(({ user_id }) => user_id)];
    },
    shapes: [
      [{ ...legacy, to: users(1) }, [1, undefined]],
      [{ ...legacy, to: users(1, 2) }, [1, [1, 2]]],
      [{ ...legacy, to: users(1, 2, 3) }, [1, [1, 2, 3]]],
    ],
  },
  {
    what: 'the resource of a message in the legacy shape',
    read: async ({ messages }) => (await messages.get({ message_id: 'm1' })).message_resources,
    shapes: ['packs', 'orders', 'sellers'].map((resource) => [
      { ...legacy, resource, resource_id: 2_000_000_001 },
      [{ id: '2000000001', name: resource }],
    ]),
  },
];

test.each(rules)('$what', async ({ read, shapes }) => {
  for (const [body, expected] of shapes) {
    const { client } = service(() => body);
    expect(await read(client, body as never), JSON.stringify(body)).toEqual(expected);
  }
});

test('a message in the legacy shape has each of its dates in the field of that date, and no other', async () => {
  const at = (hour: number): string => `2026-03-02T0${hour}:00:00.000Z`;
  const names = {
    date: 'created',
    date_received: 'received',
    date_available: 'available',
    date_notified: 'notified',
    date_read: 'read',
  };
  const dates = Object.keys(names).map((name, index) => [name, at(index + 1)] as const);
  for (const left of [undefined, ...Object.keys(names)]) {
    const some = Object.fromEntries(dates.filter(([name]) => name !== left));
    const { sellerClient } = stubbed([Response.json({ ...legacy, ...some })]);
    const { message_date } = await sellerClient.messages.get({ message_id: 'm1' });
    for (const [name, field] of Object.entries(names))
      expect(message_date?.[field as 'read'] ?? undefined, `${field} without ${left}`).toBe(some[name]);
  }
});

test.each(['messages', 'results'])('what stands beside the list `%s` of a conversation stays', async (list) => {
  const beside = { conversation_status: { status: 'blocked' }, seller_max_message_length: 200 };
  const { client } = service(() => ({ ...beside, [list]: [], paging: { total: 0 } }));
  const pages: object[] = [];
  for await (const page of client.messages.conversation({ pack_id: 1, user_id: 7 }).pages()) pages.push(page);
  expect(pages).toMatchObject([{ ...beside, items: [], total: 0 }]);
});

describe('an entry that cannot be read', () => {
  test.each([0, 1, 2])('makes a window of three intervals unreadable: number %i', async (wrong) => {
    const interval = (n: number) => ({ date: `2026-03-0${n + 1}T00:00:00Z`, total: n === wrong ? 'many' : 1 });
    const { client } = service(() => ({ item_id: 'A', total: 3, results: [0, 1, 2].map(interval) }));
    const window = client.contacts.phoneViews.windowOfItem({ item_id: 'A', last: 3, unit: 'day' });
    await expect(window).rejects.toBeInstanceOf(UnexpectedResponseError);
  });

  test('is left out and reported, and the others are delivered: a subscription without a service', async () => {
    const flex = { service_id: 738216, mode: 'FLEX', status: { id: 'in' } };
    const paths: unknown[] = [];
    const { sellerClient } = stubbed([Response.json([{ id: 1, mode: 'TURBO' }, flex])], {
      onDrift: ({ path }) => void paths.push(path),
    });
    const { data, response } = await sellerClient.flex.subscriptions({ site_id: 'MLA', user_id: 7 }).withResponse();
    expect([data, response.leftOut]).toEqual([[flex], 1]);
    expect(paths).toEqual([[0, 'service_id']]);
  });

  test.each([0, 1, 2])('is left out of the unread conversations: number %i', async (wrong) => {
    const resourceOf = (n: number): string | null => (n === wrong ? null : `/packs/${n}/sellers/7`);
    const results = [0, 1, 2].map((n) => ({ resource: resourceOf(n), count: n }));
    const { client } = service(() => ({ user_id: 7, results }));
    const found = (await client.messages.unread()).results;
    expect(found.map(({ pack_id }) => pack_id)).toEqual([0, 1, 2].filter((n) => n !== wrong));
  });
});

test('two listings of one title are two, also on two pages', async () => {
  const listings = ['A', 'B', 'C'].map((id) => ({ id, title: 'Chair' }));
  const { client } = service((_, { url }) => {
    const offset = Number(new URL(url).searchParams.get('offset'));
    return { results: listings.slice(offset, offset + 2), paging: { total: 3, limit: 2, offset } };
  });
  const found = await client.sites.search({ site_id: 'MLA', q: 'chair' }).toArray({ max: 9 });
  expect(found.map(({ id }) => id)).toEqual(['A', 'B', 'C']);
});

test.each([
  [0, 1, 0],
  [1, 1, 1],
  [49, 1, 49],
  [50, 2, undefined],
])(
  'a blacklist without a total, with %i users, is read in %i requests and has the total %s',
  async (count, requests, total) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const { client, paths } = service((_, { url }) => ids.slice(Number(new URL(url).searchParams.get('offset'))));
    const list = () => client.questions.blacklist.list({ seller_id: 7 });
    expect(await list().toArray({ max: 100 })).toHaveLength(count);
    expect(paths.length).toBe(requests);
    expect(await list().total()).toBe(total);
  },
);

test('two selections of one client have their own fields', async () => {
  const place = { site_id: 'MLA', user_id: 7, service_id: 3 };
  const zones = [{ id: 'a', selected: true }];
  const subscription = { user_id: 7, service_id: 3 };
  const { client } = service(() => ({ configuration: { subscription, delivery_window: 'same_day', zones } }));
  for (let turn = 0; turn < 2; turn += 1) {
    const window = await client.flex.configuration({ ...place, select: { delivery_window: true } });
    expect(window).toEqual({ delivery_window: 'same_day' });
    expect(await client.flex.configuration({ ...place, select: { zones: { id: true } } })).toEqual({
      zones: [{ id: 'a' }],
    });
  }
});
