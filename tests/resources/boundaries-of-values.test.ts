import { InvalidInputError, UnexpectedResponseError, askerId, deliveryPromise, packOf } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { service } from '../support/service.ts';
import { errorOf } from '../support/stubs.ts';

// Two fields that mean the same, two of a thing, the first and the last value, and the second call of a method.

describe('of two ids, the one of the entity counts', () => {
  test.each([
    [{ id: 42 }],
    [{ question_id: 42, text: 'New?' }],
    [{ id: 42, question_id: 43 }],
    [{ id: null, question_id: 42 }],
    [{ question: { id: 42 }, question_id: 43 }],
    [[{ id: 42, question_id: 43 }]],
  ])('a question: %j', async (body) => {
    const { client } = service(() => body);
    expect((await client.questions.get({ question_id: 42 })).id).toBe(42);
  });

  test.each([[31], [{ id: 31 }], [{ user_id: 31 }], [{ id: 31, user_id: 32 }]])('a blocked user: %j', async (entry) => {
    const { client } = service(() => [entry]);
    expect((await client.questions.blacklist.list({ seller_id: 7 }).toArray({ max: 2 })).map(({ id }) => id)).toEqual([
      31,
    ]);
  });

  test.each([
    [{ from: { id: 31 } }, 31],
    [{ buyer_id: 31 }, 31],
    [{ from: { id: 31 }, buyer_id: 32 }, 31],
    [{ from: null, buyer_id: 31 }, 31],
    [{}, undefined],
  ])('an asker: %j', (question, expected) => {
    expect(askerId(question)).toBe(expected);
  });

  const packs = { id: '1', name: 'packs' };
  const orders = { id: '2', name: 'orders' };
  test.each([
    [{ id: 2 }, 2],
    [{ id: 2, pack_id: 1 }, 1],
    [{ id: 2, pack_id: null }, 2],
    [{ message_resources: [packs] }, '1'],
    [{ message_resources: [orders] }, '2'],
    [{ message_resources: [packs, orders] }, '1'],
    [{ message_resources: [orders, packs] }, '1'],
  ])('a pack: %j', (orderOrMessage, expected) => {
    expect(packOf(orderOrMessage)).toBe(expected);
  });
});

test.each<[unknown, boolean]>([
  [-1, false],
  ['-1', false],
  [0, true],
  ['0', true],
  [1, true],
  ['', false],
  ['1.5', false],
  ['1e3', false],
])('the id %j of an input is right: %s', async (question_id, isRight) => {
  const { client, paths } = service(() => ({ id: question_id, text: 'New?' }));
  const error: unknown = await client.questions
    .get({ question_id: question_id as number })
    .catch((each: unknown) => each);
  expect(error instanceof InvalidInputError).toBe(!isRight);
  expect(paths.length).toBe(Number(isRight));
});

describe('of two lists or two totals in one response, the named one and the outer one count', () => {
  const window = (item_id: string): object => ({ item_id, total: 1, results: [] });
  test.each<[unknown, string[]]>([
    [null, []],
    [[], []],
    [window('A'), ['A']],
    [
      [window('A'), window('B')],
      ['A', 'B'],
    ],
    [{ windows: [] }, []],
    [{ windows: [window('A')] }, ['A']],
    [{ windows: [window('A'), window('B')] }, ['A', 'B']],
    [{ results: [window('A'), window('B')] }, ['A', 'B']],
    [{ results: [window('B')], windows: [window('A')] }, ['A']],
  ])('windows: %j', async (body, expected) => {
    const { client } = service(() => body);
    const found = await client.contacts.phoneViews.windowOfItems({ ids: ['A', 'B'], last: 1, unit: 'day' });
    expect(found.map(({ item_id }) => item_id)).toEqual(expected);
  });

  test.each<[object, number | undefined]>([
    [{}, undefined],
    [{ total: 2 }, 2],
    [{ paging: { total: 3 } }, 3],
    [{ paging: { total: 3 }, total: 2 }, 2],
    [{ paging: { total: null }, total: 2 }, 2],
    [{ paging: null, total: 2 }, 2],
    [{ total: 0, paging: { total: 3 } }, 0],
  ])('total: %j', async (body, expected) => {
    for (const list of ['questions', 'results']) {
      const { client } = service(() => ({ [list]: [], ...body }));
      expect(await client.questions.search({ seller_id: 7 }).total()).toBe(expected);
    }
  });

  test.each(['messages', 'results'])('what stands beside `%s` stays', async (list) => {
    const beside = { conversation_status: { status: 'blocked' }, seller_max_message_length: 200 };
    const { client } = service(() => ({ ...beside, [list]: [], paging: { total: 0 } }));
    for await (const page of client.messages.conversation({ pack_id: 1, user_id: 7 }).pages())
      expect(page).toMatchObject({ ...beside, items: [], total: 0 });
    expect.assertions(1);
  });
});

test.each([0, 1, 2])('a window of three intervals whose entry %i cannot be read is not read', async (wrong) => {
  const interval = (index: number) => ({
    date: `2026-03-0${index + 1}T00:00:00Z`,
    total: index === wrong ? 'many' : 1,
  });
  const { client } = service(() => ({ item_id: 'A', total: 3, results: [0, 1, 2].map(interval) }));
  const window = client.contacts.phoneViews.windowOfItem({ item_id: 'A', last: 3, unit: 'day' });
  await expect(window).rejects.toBeInstanceOf(UnexpectedResponseError);
});

test.each([
  [0, 0, true],
  [1, 0, true],
  [1, 1, true],
  [2, 2, true],
  [0, 1, false],
  [1, 2, false],
  [2, 1, false],
])('%i fields to sort by with %i directions', async (fields, types, isRight) => {
  const { client, paths } = service(() => ({ questions: [], total: 0 }));
  const search = client.questions.search({
    seller_id: 7,
    ...(fields > 0 && { sort_fields: (['date_created', 'item_id'] as const).slice(0, fields) }),
    ...(types > 0 && { sort_types: (['ASC', 'DESC'] as const).slice(0, types) }),
  });
  const error = await search.first().catch((each: unknown) => each);
  expect(error instanceof InvalidInputError).toBe(!isRight);
  expect(paths.length).toBe(Number(isRight));
});

test.each([
  [0, 0, true],
  [0, 24, true],
  [23, 24, true],
  [24, 24, true],
  [-1, 13, false],
  [9, 25, false],
])('a delivery promise from %i to %i', async (from, to, isRight) => {
  const { client, paths } = service(() => ({ id: 'm' }));
  const sent = client.actionGuide.send({ pack_id: 1, ...deliveryPromise({ from, to }) });
  const error = await sent.then(
    () => undefined,
    (each: unknown) => each,
  );
  expect(error instanceof InvalidInputError).toBe(!isRight);
  expect(paths.length).toBe(Number(isRight));
});

test.each<[string[], boolean]>([
  [[], false],
  [['INIT'], false],
  [['LIMIT'], false],
  [['INIT', 'LIMIT'], true],
  [['LIMIT', 'INIT'], true],
  [['INIT', 'INIT'], false],
  [['LIMIT', 'LIMIT'], false],
  [['INIT', 'LIMIT', 'INIT'], false],
  [['INIT', 'LIMIT', 'LIMIT'], false],
  [['INIT', 'LIMIT', 'MIDDLE'], false],
  [['INIT', 'MIDDLE'], false],
])('a delivery promise with the variables %j is sent: %s', async (names, isRight) => {
  const { client, paths } = service(() => ({ id: 'm' }));
  const template_id = 'TEMPLATE___DELIVERY_PROMISE___1';
  const vars = names.map((name) => ({ id: `${template_id}___VAR___${name}`, value: 9 }));
  const option = { pack_id: 1, option_id: 'DELIVERY_PROMISE' as string, template_id, vars };
  const sent: unknown = await client.actionGuide.send(option).catch((error: unknown) => error);
  expect(sent instanceof InvalidInputError).toBe(!isRight);
  expect(paths.length).toBe(Number(isRight));
}); // prettier-ignore

test.each([
  [0, true],
  [1, true],
  [25, true],
  [26, false],
])('a message with %i files is sent: %s', async (count, isRight) => {
  const bodies: { attachments?: unknown }[] = [];
  const { client } = service(async (_, request) => {
    bodies.push((await request.json()) as object);
    return { id: 'm' };
  });
  const attachments = Array.from({ length: count }, (_, index) => `${index}.pdf`);
  const input = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Hello', attachments };
  const error: unknown = await client.messages.send(input).catch((each: unknown) => each);
  expect(error instanceof InvalidInputError).toBe(!isRight);
  const sent = count === 0 ? undefined : attachments;
  expect(bodies.map((body) => body.attachments)).toEqual(isRight ? [sent] : []);
});

test.each<[object, boolean]>([
  [{}, false],
  [{ seller_id: 7 }, true],
  [{ item: 'A' }, true],
  [{ item_id: 'A' }, true],
  [{ item: 'A', from: 31 }, true],
  [{ item_id: 'A', from: 31 }, true],
  [{ seller_id: 7, from: 31 }, false],
  [{ from: 31 }, false],
  [{ item: 'A', item_id: 'A' }, false],
  [{ seller_id: 7, item: 'A' }, false],
])('a search with %j is right: %s', async (input, isRight) => {
  const { client, paths } = service(() => ({ questions: [], total: 0 }));
  const error: unknown = await client.questions
    .search(input as never)
    .first()
    .catch((each: unknown) => each);
  expect(error instanceof InvalidInputError).toBe(!isRight);
  expect(paths.length).toBe(Number(isRight));
});

test.each<[object, string | number]>([
  [{}, 7],
  [{ from: undefined }, 7],
  [{ from: { user_id: 8 } }, 8],
])('a message with the sender %j is from %s', async (from, expected) => {
  const bodies: object[] = [];
  const { client } = service(async (_, request) => {
    bodies.push((await request.json()) as object);
    return { id: 'm' };
  });
  await client.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 9 }, text: 'Hello', ...from });
  expect(bodies).toMatchObject([{ from: { user_id: expected } }]);
});

test.each<[unknown, string[]]>([
  [null, []],
  [{ id: 'BRL' }, ['BRL']],
  [
    [{ id: 'BRL' }, { id: 'ARS' }],
    ['BRL', 'ARS'],
  ],
  [{ currencies: [{ id: 'BRL' }] }, ['BRL']],
  [{ results: [{ id: 'BRL' }] }, ['BRL']],
])('currencies in %j', async (body, expected) => {
  const { client } = service(() => body);
  expect((await client.currencies.list()).map(({ id }) => id)).toEqual(expected);
});

test.each([0, 1, 2])('of three unread conversations, entry %i cannot be read, and the others are', async (wrong) => {
  const results = [1, 2, 3].map((id, index) => ({
    resource: index === wrong ? null : `/packs/${id}/sellers/7`,
    count: id,
  }));
  const { client } = service(() => ({ user_id: 7, results }));
  const found = (await client.messages.unread()).results;
  expect(found.map(({ pack_id, count }) => [pack_id, count])).toEqual(
    [1, 2, 3].filter((_, index) => index !== wrong).map((id) => [id, id]),
  );
});

test('two listings of one title are two, also on two pages', async () => {
  const all = ['A', 'B', 'C'].map((id) => ({ id, title: 'Chair' }));
  const { client } = service((_, { url }) => {
    const offset = Number(new URL(url).searchParams.get('offset'));
    return { results: all.slice(offset, offset + 2), paging: { total: 3, limit: 2, offset } };
  });
  const found = await client.sites.search({ site_id: 'MLA', q: 'chair' }).toArray({ max: 9 });
  expect(found.map(({ id }) => id)).toEqual(['A', 'B', 'C']);
});

describe('a blacklist that states no total', () => {
  test.each([
    [0, 1, 0],
    [1, 1, 1],
    [49, 1, 49],
    [50, 2, undefined],
  ])('with %i users is read in %i requests, and has the total %s', async (count, requests, total) => {
    const users = Array.from({ length: count }, (_, index) => index + 1);
    const { client, paths } = service((_, { url }) => users.slice(Number(new URL(url).searchParams.get('offset'))));
    expect((await client.questions.blacklist.list({ seller_id: 7 }).toArray({ max: 100 })).length).toBe(count);
    expect(paths.length).toBe(requests);
    expect(await client.questions.blacklist.list({ seller_id: 7 }).total()).toBe(total);
  });
});

describe('the status of items', () => {
  const some = (count: number): string[] => Array.from({ length: count }, (_, index) => `MLA${index}`);
  const idsIn = (url: string): string[] => (new URL(url).searchParams.get('ids') ?? '').split(',');

  test.each([1, 20, 21, 41])(
    'without ids in the responses, of %i only one that was asked for alone is known',
    async (count) => {
      const { client, paths } = service((_, { url }) => idsIn(url).map(() => ({ status: 'active' })));
      const found = await client.items.status({ ids: some(count) });
      const isAlone = (index: number): boolean => index === count - 1 && count % 20 === 1;
      expect(found).toEqual(some(count).map((id, index) => ({ id, ...(isAlone(index) && { status: 'active' }) })));
      expect(paths.length).toBe(Math.floor(count / 20) * 2 + (count % 20));
    },
  );

  test.each([1, 20, 21])('%i ids that are numbers are asked for 20 at a time', async (count) => {
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    const { client, paths } = service((_, { url }) => idsIn(url).map((id) => ({ id, status: 'active' })));
    expect((await client.items.status({ ids })).map(({ id }) => id)).toEqual(ids.map(String));
    expect(paths.length).toBe(Math.ceil(count / 20));
  });

  test('an entry that cannot be named leaves those of another request as they are', async () => {
    const ids = some(22);
    const { client } = service((_, { url }) => {
      const asked = idsIn(url);
      return asked.length === 20 ? asked.map((id) => ({ id, status: 'active' })).toReversed() : [{ status: 'paused' }];
    });
    const found = await client.items.status({ ids });
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found.map(({ status }) => status)).toEqual([...Array<string>(20).fill('active'), undefined, undefined]);
  });

  test.each([
    [1, 1],
    [20, 20],
    [21, 1],
    [41, 1],
  ])('of %i items, the response is that of the last request, of %i', async (count, last) => {
    const { client } = service((_, { url }) => idsIn(url).map((id) => ({ id, status: 'active' })));
    const { data, response } = await client.items.status({ ids: some(count) }).withResponse();
    expect(data.length).toBe(count);
    expect(idsIn(response.url)).toEqual(some(count).slice(-last));
  });

  test.each([[['A', 'A']], [['A', 'B', 'A']], [['B', 'A', 'A']]])('of %j is asked for once each', async (ids) => {
    const { client, paths } = service((_, { url }) =>
      idsIn(url).map((id) => ({ code: 200, body: { id, status: id } })),
    );
    expect((await client.items.status({ ids })).map(({ id }) => id)).toEqual(ids);
    expect(paths.map((path) => idsIn(`https://api.test${path}`).length)).toEqual([new Set(ids).size]);
  });
});

test.each<[unknown, boolean]>([
  [{}, true],
  [true, true],
  [{ has_flex: true }, true],
  [{ enabled: true }, true],
  [{ active: true }, true],
  [{ status: 'in' }, true],
  [false, false],
  [{ has_flex: false }, false],
  [{ enabled: false }, false],
  [{ active: false }, false],
  [{ has_flex: true, active: false }, false],
  [{ status: 'out' }, false],
])('an item with the response %j: in Flex is %s', async (body, expected) => {
  const { client } = service(() => body);
  expect(await client.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' })).toBe(expected);
});

test('two selections of one client have their own fields', async () => {
  const subscription = { site_id: 'MLA', user_id: 7, service_id: 3 };
  const { client } = service(() => ({
    configuration: {
      subscription: { user_id: 7, service_id: 3 },
      delivery_window: 'same_day',
      zones: [{ id: 'a', selected: true }],
    },
  }));
  const { configuration } = client.flex;
  for (let turn = 0; turn < 2; turn += 1) {
    expect(await configuration.call(client.flex, { ...subscription, select: { delivery_window: true } })).toEqual({
      delivery_window: 'same_day',
    });
    expect(await configuration.call(client.flex, { ...subscription, select: { zones: { id: true } } })).toEqual({
      zones: [{ id: 'a' }],
    });
  }
});

describe('what the first page of a conversation says of it holds', () => {
  const messages = Array.from({ length: 15 }, (_, index) => ({
    id: `m${index}`,
    from: { user_id: index === 0 ? 9 : 7 },
    to: { user_id: index === 0 ? 7 : 9 },
    text: 'Hello',
  }));
  const conversation = (first: object, later: object) =>
    service((_, { url }) => {
      const offset = Number(new URL(url).searchParams.get('offset'));
      const page = messages.slice(offset, offset + 10);
      return { messages: page, paging: { total: 15, limit: 10, offset }, ...(offset === 0 ? first : later) };
    }).client.messages.channel({ pack_id: 1, user_id: 7 });
  const blocked = { status: 'blocked', substatus: 'blocked_by_time' };

  test.each([{}, { conversation_status: null }])('it is blocked, also if the next page says %j', async (later) => {
    await expect(conversation({ conversation_status: blocked }, later)).rejects.toMatchObject({
      reason: 'blocked_by_time',
    });
  });

  test.each([
    [{}, 200],
    [{ seller_max_message_length: null }, 200],
    [{ seller_max_message_length: 100 }, 100],
  ])('a message has at most 200 characters, if the next page says %j: %i', async (later, expected) => {
    const { maxLength } = await conversation({ seller_max_message_length: 200 }, later);
    expect(maxLength).toBe(expected);
  });
});

test.each<[unknown, string | undefined]>([
  ['a.pdf', 'a.pdf'],
  [['a.pdf'], 'a.pdf'],
  [[{ id: 'a.pdf' }], 'a.pdf'],
  [{ attachment_id: 'a.pdf' }, 'a.pdf'],
  [{ id: 'a.pdf', attachment_id: 'b.pdf' }, 'a.pdf'],
  [['a.pdf', 'b.pdf'], undefined],
  [[], undefined],
])('an upload with the response %j has the id %s', async (body, expected) => {
  const { client } = service(() => body);
  const upload = client.messages.upload({ site_id: 'MLA', file: new Uint8Array([1]), filename: 'a.pdf' });
  const found = await upload.then(
    ({ id }) => id,
    (error: unknown) => (error as Error).name,
  );
  expect(found).toBe(expected ?? 'UnexpectedResponseError');
});

test.each(['7', 7])(
  'a reply to an own message goes to nobody, if the conversation shows nobody: seller %j',
  async (id) => {
    const { client } = service(() => ({ messages: [], paging: { total: 0 } }));
    const resources = [
      { id: '1', name: 'packs' },
      { id: String(id), name: 'sellers' },
    ];
    const own = { id: 'm', from: { user_id: 7 }, to: { user_id: 9 }, text: 'Hello', message_resources: resources };
    const error = await errorOf<InvalidInputError>(client.messages.reply(own, 'Hello again'));
    expect(error.issues.map(({ message }) => message)).toEqual([
      '`to` is missing, and the conversation shows nobody yet',
    ]);
  },
);

describe('one deadline, that of the call before that of the client, holds for all calls of a method', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }));
  afterEach(() => void vi.useRealTimers());
  const fromBuyer = { id: 'm', from: { user_id: 9 }, to: { user_id: 7 }, text: 'Hello' };
  const place = { pack_id: 1, user_id: 7 };
  const items = Array.from({ length: 21 }, (_, index) => `MLA${index}`);
  const bodyOf = (path: string, method: string, url: string): unknown => {
    if (path.includes('action_guide')) return { options: [{ id: 'OTHER', enabled: true, cap_available: 1 }] };
    if (path === '/items')
      return (new URL(url).searchParams.get('ids') ?? '').split(',').map((id) => ({ id, status: 'active' }));
    if (method === 'POST') return { id: 'sent' };
    return path.includes('/packs/2/')
      ? { messages: [], paging: {} }
      : { messages: [fromBuyer], paging: { total: 1, limit: 50 } };
  };

  test.each<[string, (client: SellerClient, deadlineMs: number) => PromiseLike<unknown>]>([
    ['contact', ({ messages }, deadlineMs) => messages.contact({ ...place, text: 'Hi' }, { deadlineMs })],
    [
      'contact through an option',
      ({ messages }, deadlineMs) => messages.contact({ ...place, pack_id: 2, text: 'Hi' }, { deadlineMs }),
    ],
    ['channel', ({ messages }, deadlineMs) => messages.channel({ ...place, pack_id: 2 }, { deadlineMs })],
    ['items.status', (client, deadlineMs) => client.items.status({ ids: items }, { deadlineMs })],
    [
      'flex.items.enable',
      ({ flex }, deadlineMs) =>
        flex.items.enable({ site_id: 'MLA', item_id: 'MLA1', requireActive: true }, { deadlineMs }),
    ],
  ])('%s', async (_, call) => {
    for (const [deadlineMs, isEnough] of [
      [1500, true],
      [1300, false],
    ] as const) {
      const { client, paths } = service(
        async (path, { method, url }) => {
          await new Promise((resolve) => setTimeout(resolve, 700));
          return bodyOf(path, method, url);
        },
        { maxRetries: 0, deadlineMs: 10_000 },
      );
      const error: unknown = await advanceUntilSettled(
        call(client, deadlineMs).then(
          () => undefined,
          (each: unknown) => each,
        ),
      );
      expect(paths.length).toBe(2);
      if (isEnough) expect(error).toBeUndefined();
      else expect(error).toBeInstanceOf(Error);
    }
  });
});

test.each<[unknown, string | null | undefined]>([
  ['A', 'A'],
  ['', ''],
  [0, '0'],
  [false, 'false'],
  [null, null],
  [undefined, null],
  [['A'], 'A'],
  [['A', 'B'], 'A,B'],
  [['A,B', 'C'], 'A,B,C'],
  [[1, true], '1,true'],
  [[new Date(0)], '1970-01-01T00:00:00.000Z'],
  // An empty entry finds nothing.
  [[], undefined],
  [[''], undefined],
  [['', 'A'], undefined],
  [['A', ''], undefined],
  [[null], undefined],
  [[{}], undefined],
  [[Number.NaN], undefined],
])('the filter %j is sent as %j, or rejected', async (status, sent) => {
  const { client, paths } = service(() => ({ questions: [], total: 0 }));
  const filters = { status } as { status?: string };
  const found: unknown = await client.questions.search({ seller_id: 7, filters }).toArray().catch((error: unknown) => error);
  expect(found instanceof InvalidInputError).toBe(sent === undefined);
  const queries = paths.map((path) => new URLSearchParams(path.split('?')[1]).get('status'));
  expect(queries).toEqual(sent === undefined ? [] : [sent]);
}); // prettier-ignore
