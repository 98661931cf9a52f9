import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, inspect } from 'node:util';
import { InvalidInputError } from 'marketplace-seller-sdk';
import type { Drift } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { Paged, withPage } from '../../src/core/paging/paged.js';
import type { EarlyEnd, Page } from '../../src/core/paging/page-reader.js';
import { fc } from '../support/fast-check.ts';
import { MovingList, plain } from '../support/moving-list.ts';
import type { Edit, PagingStyle } from '../support/moving-list.ts';
import { errorOf, stubbed } from '../support/stubs.ts';

const edit: fc.Arbitrary<Edit> = fc.record({ kind: fc.constantFrom('remove', 'insert'), at: fc.nat(80) });
const style: fc.Arbitrary<PagingStyle> = fc
  .record<PagingStyle>({
    cap: fc.oneof(fc.constant(100), fc.integer({ min: 2, max: 6 })),
    limit: fc.constantFrom('honest', 'absent', 'as asked'),
    total: fc.constantFrom('honest', 'absent', 'zero', 'of the page', 'too large'),
    empty: fc.constantFrom('null', 'empty', 'absent'),
  })
  // A service that says of a page cut short that it is short, and the whole list, leaves nothing to go by.
  .filter(({ cap, limit, total }) => cap === 100 || limit !== 'as asked' || total !== 'of the page');

/** What the loop body does with an entry: leave it, remove it (an answered question), or change the list elsewhere. */
type LoopBody = 'leave' | 'remove' | Edit;
const deed: fc.Arbitrary<LoopBody> = fc.oneof(fc.constantFrom<LoopBody>('leave', 'remove'), edit);

const scenarios = {
  length: fc.nat(60),
  // A page of one entry cannot overlap the one before.
  limit: fc.option(fc.integer({ min: 2, max: 5 }), { nil: undefined }),
  offset: fc.oneof(fc.constant(0), fc.nat(20)),
  style,
};

async function collect(list: MovingList, paged: Paged<number>, actions: readonly LoopBody[] = []): Promise<number[]> {
  const delivered: number[] = [];
  for await (const item of paged) {
    const todo = actions[delivered.length];
    delivered.push(item);
    if (todo === 'remove') list.remove(item);
    else if (typeof todo === 'object') list.edit(todo);
    if (delivered.length > 5000) throw new Error('the iteration does not end');
  }
  return delivered;
}

describe('paginating a list that changes', () => {
  test('every entry that stays in the list is delivered exactly once, in order, and the iteration ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ...scenarios,
          actions: fc.array(deed, { maxLength: 80 }),
          others: fc.array(fc.array(edit, { maxLength: 3 }), { maxLength: 40 }),
        }),
        async ({ length, limit, offset, style, actions, others }) => {
          const list = new MovingList(length, style, others);
          const delivered = await collect(list, list.paginate({ offset, ...(limit && { limit }) }), actions);
          expect(new Set(delivered).size).toBe(delivered.length);
          const stayed = new Set(list.stayed);
          expect(delivered.filter((item) => stayed.has(item))).toEqual(list.stayed);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('the number of requests', () => {
  const sizes = [1, 2, 3, 5, 50, 99, 100];
  const lengths = [0, 1, 2, 5, 49, 50, 51, 99, 100, 101, 250, 251];
  /** Each page after the first has one entry that was delivered before. */
  const pagesFor = (length: number, size: number): number =>
    Math.max(1, size === 1 ? length : 1 + Math.ceil((length - size) / (size - 1)));
  const cases = sizes.flatMap((size) => lengths.map((length) => ({ size, length })));

  test.each(cases)(
    'a list of $length by $size takes its pages, and one more request to see its end',
    async ({ size, length }) => {
      for (const total of ['honest', 'absent', 'too large'] as const) {
        for (const limit of ['honest', 'absent'] as const) {
          const list = new MovingList(length, { ...plain, total, limit });
          expect(await collect(list, list.paginate({ limit: size }))).toEqual(list.items);
          expect(list.requests.length).toBeLessThanOrEqual(pagesFor(length, size) + (total === 'too large' ? 2 : 1));
        }
      }
    },
  );

  test('a list that fits into a page takes one request where the service says so', async () => {
    const list = new MovingList(3);
    expect(await collect(list, list.paginate({ limit: 50 }))).toEqual([0, 1, 2]);
    expect(list.requests).toHaveLength(1);
  });

  test.each(cases)(
    'a loop that removes each of $length by $size takes at most two requests more',
    async ({ size, length }) => {
      const list = new MovingList(length);
      const all = [...list.items];
      expect(
        await collect(
          list,
          list.paginate({ limit: size }),
          all.map(() => 'remove'),
        ),
      ).toEqual(all);
      expect(list.requests.length).toBeLessThanOrEqual(pagesFor(length, size) + 2);
    },
  );

  test('a loop that removes every third entry learns how the list shrinks', async () => {
    const list = new MovingList(1000);
    const actions = list.items.map((item): LoopBody => (item % 3 === 0 ? 'remove' : 'leave'));
    expect(await collect(list, list.paginate({ limit: 50 }), actions)).toHaveLength(1000);
    expect(list.requests.length).toBeLessThanOrEqual(25);
  });

  const removed = (count: number): Edit[] => Array<Edit>(count).fill({ kind: 'remove', at: 0 });
  const inserted = (count: number): Edit[] => Array<Edit>(count).fill({ kind: 'insert', at: 0 });
  const nothing = (count: number): Edit[][] => Array<Edit[]>(count).fill([]);
  test.each<[string, Edit[][], requests: number, withoutTotal: number]>([
    ['nothing changes', [], 23, 24],
    ['3 removed', [...nothing(1), removed(3)], 24, 25],
    ['30 removed', [...nothing(6), removed(30)], 25, 31],
    ['95 removed', [...nothing(12), removed(95)], 25, 30],
    ['3 inserted', [...nothing(1), inserted(3)], 23, 24],
    ['30 inserted before the second page', [...nothing(1), inserted(30)], 29, 30],
    ['95 inserted', [...nothing(11), inserted(95)], 30, 31],
    ['60 inserted and, during the search, removed', [...nothing(4), inserted(60), removed(30), removed(30)], 27, 28],
    ['40 removed and, during the search, inserted', [...nothing(8), removed(40), inserted(40)], 34, 25],
  ])('few find the place where others change the list: %s', async (_, others, ...expected) => {
    for (const [at, total] of (['honest', 'absent'] as const).entries()) {
      const list = new MovingList(200, { ...plain, total }, others);
      await collect(list, list.paginate({ limit: 10 }));
      expect(list.requests.length).toBeLessThanOrEqual(expected[at]!);
    }
  });

  test('a service with one entry per page, whatever the limit, is read to its end', async () => {
    const list = new MovingList(7, { ...plain, cap: 1 });
    expect(await collect(list, list.paginate({ limit: 3 }))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

async function pagesOf(paged: Paged<number>): Promise<Page<number>[]> {
  const pages: Page<number>[] = [];
  for await (const page of paged.pages()) pages.push(page);
  return pages;
}

describe('pages', () => {
  test('a page begins where the last one ended and is never longer than its limit', async () => {
    const list = new MovingList(12);
    const pages = await pagesOf(list.paginate({ limit: 5 }));
    expect(pages).toEqual([
      { items: [0, 1, 2, 3, 4], offset: 0, limit: 5, total: 12 },
      { items: [5, 6, 7, 8], offset: 5, limit: 5, total: 12 },
      { items: [9, 10, 11], offset: 9, limit: 5, total: 12 },
    ]);
  });

  test('without a limit the service decides the length of a page', async () => {
    const list = new MovingList(8, plain, [], 3);
    const pages = await pagesOf(list.paginate());
    expect(pages.map(({ items }) => items.length)).toEqual([3, 2, 2, 1]);
    expect(list.requests.map(({ limit }) => limit)).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('an empty list has one empty page', async () => {
    for (const empty of ['null', 'empty', 'absent'] as const) {
      const list = new MovingList(0, { ...plain, empty });
      const pages = await pagesOf(list.paginate({ limit: 5 }));
      expect(pages).toMatchObject([{ items: [], offset: 0, limit: 5 }]);
      expect(list.requests).toHaveLength(1);
    }
  });

  test.each([1, 2, 5, 50, 100, 1000])('a limit of %i is never exceeded', async (limit) => {
    const list = new MovingList(250, { ...plain, cap: 1000 });
    expect(await collect(list, list.paginate({ limit }))).toEqual(list.items);
    expect(Math.max(...list.requests.map((request) => request.limit ?? Infinity))).toBe(limit);
  });

  test.each([undefined, 3, 4])('a service that rejects a limit above its own is read to its end: %s', async (limit) => {
    const all = Array.from({ length: 11 }, (_, index) => index);
    const paged = new Paged<number>({
      offset: 0,
      limit,
      key: (item) => item,
      fetch: async ({ offset, limit: size = 4 }) => {
        if (size > 4) throw new Error('invalid limit');
        return { items: all.slice(offset, offset + size), extra: {} };
      },
    });
    expect(await paged.toArray()).toEqual(all);
  });

  test('an entry that the service repeats is delivered once', async () => {
    const fetch = async () => ({ items: [1, 1, 2], limit: 50, total: 3, extra: {} });
    const paged = new Paged<number>({ offset: 0, limit: 50, key: (item) => item, fetch });
    expect(await paged.toArray()).toEqual([1, 2]);
  });
});

describe("entries without an id (responseValidation: 'report')", () => {
  /** The questions that a service with this list delivers, and the number of requests. */
  async function search(
    questions: readonly unknown[],
    options: { limit?: number | undefined; total?: number | null } = {},
  ) {
    const { limit, total = questions.length } = options;
    const { sellerClient, sent } = stubbed(
      [
        (request) => {
          const { searchParams } = new URL(request.url);
          const from = Number(searchParams.get('offset') ?? 0);
          const size = Number(searchParams.get('limit') ?? 50);
          return Response.json({ questions: questions.slice(from, from + size), limit: size, total });
        },
      ],
      { responseValidation: 'report' },
    );
    return { read: await sellerClient.questions.search({ seller_id: 7, limit }).toArray(), requests: sent.length };
  }

  test.each([undefined, 4, 2, 1])('are all delivered (limit %s)', async (limit) => {
    const questions = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((text) => ({ question_id: 1, text }));
    expect((await search(questions, { limit })).read).toEqual(questions);
    expect((await search(questions, { limit, total: null })).read).toEqual(questions);
  });

  test('are delivered between entries with an id, each once', async () => {
    const questions = [{ id: 1 }, { text: 'a' }, { id: null }, { id: 2 }, { id: 2 }, { text: 'a' }, { id: 3 }];
    const { read } = await search(questions, { limit: 3, total: null });
    expect(read).toEqual([{ id: 1 }, { text: 'a' }, { id: null }, { id: 2 }, { id: 3 }]);
  });

  test.each([null, 1_000_000])('do not keep the iteration going if the service repeats a page (%s)', async (total) => {
    const questions = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
    const { sellerClient, sent } = stubbed([() => Response.json({ questions, limit: 3, total })], {
      responseValidation: 'report',
    });
    const read: unknown[] = [];
    for await (const question of sellerClient.questions.search({ seller_id: 7, limit: 3 })) read.push(question);
    expect(read).toEqual(questions);
    expect(sent.length).toBeLessThan(10);
  });
});

describe('a list that ends before its total', () => {
  const paging = (
    pages: readonly (readonly number[])[],
    total: number | undefined,
    onEarlyEnd: (end: EarlyEnd) => void = () => undefined,
  ): Paged<number> => {
    let requests = 0;
    return new Paged<number>({
      onEarlyEnd,
      offset: 0,
      limit: 2,
      key: (item) => item,
      fetch: async () => ({ items: pages[requests++] ?? [], total, limit: 2, extra: {} }),
    });
  };

  test.each([
    ['an empty first page', [[]], 130, []],
    ['an empty page after the first', [[0, 1], []], 6, [0, 1]],
    [
      'recorded pages that do not overlap',
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
      6,
      [0, 1, 4, 5],
    ],
    [
      'the same page again',
      [
        [0, 1],
        [0, 1],
        [0, 1],
        [0, 1],
        [0, 1],
        [0, 1],
      ],
      6,
      [0, 1],
    ],
  ])('%s: the entries are delivered, and the early end is reported', async (_, pages, total, delivered) => {
    const ends: EarlyEnd[] = [];
    const read: number[] = [];
    let last: Page<number> | undefined;
    for await (const page of paging(pages, total, (end) => ends.push(end)).pages()) {
      read.push(...page.items);
      last = page;
    }
    expect(read).toEqual(delivered);
    expect(ends).toEqual([{ delivered: delivered.length, total }]);
    expect(last).toMatchObject({ endedEarly: true, total });
  });

  test('a total that is no number says nothing, and neither does such a limit', async () => {
    const pages = [[0, 1], [1, 2], []];
    const paged = new Paged<number>({
      offset: 0,
      limit: 2,
      key: (item) => item,
      fetch: async () => ({ items: pages.shift() ?? [], total: '9' as never, limit: '0' as never, extra: {} }),
    });
    const read = [];
    for await (const page of paged.pages()) read.push([page.items, page.total, page.limit]);
    expect(read).toEqual([
      [[0, 1], undefined, 2],
      [[2], undefined, 2],
    ]);
  });

  test('a list that moved just ends, although its total stayed', async () => {
    const items = [0, 1, 2, 3, 4, 5];
    const paged = new Paged<number>({
      offset: 0,
      limit: 3,
      key: (item) => item,
      fetch: async ({ offset, limit }) => {
        const page = items.slice(offset, offset + limit!);
        // Others remove entries that were read; the service counts them still.
        if (offset === 0) items.splice(0, 1);
        return { items: page, total: 6, limit: 3, extra: {} };
      },
    });
    expect(await paged.toArray()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('pages that overlap are no sign that the list moved', async () => {
    const ends: EarlyEnd[] = [];
    const pages = paging([[0, 1], [1, 2], [2, 3], [3]], 6, (end) => ends.push(end));
    expect(await pages.toArray()).toEqual([0, 1, 2, 3]);
    expect(ends).toEqual([{ delivered: 4, total: 6 }]);
  });

  test('a page that the service cuts short is not the end where its total says so', async () => {
    const all = Array.from({ length: 12 }, (_, index) => index);
    const paged = new Paged<number>({
      offset: 0,
      limit: 5,
      key: (item) => item,
      fetch: async ({ offset }) => {
        const items = all.slice(offset, offset === 4 ? 5 : offset + 5);
        return { items, total: 12, limit: 5, extra: {} };
      },
    });
    expect(await paged.toArray()).toEqual(all);
  });

  test('a list that shrank meanwhile just ends', async () => {
    const list = new MovingList(10);
    const read: number[] = [];
    for await (const item of list.paginate({ limit: 4 })) {
      read.push(item);
      if (item === 2) for (const gone of [7, 8, 9]) list.remove(gone);
    }
    expect(read).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('first() returns nothing where the first page is empty, whatever its total is', async () => {
    expect(await paging([[]], 130).first()).toBeUndefined();
    expect(await paging([[]], undefined).first()).toBeUndefined();
  });

  test('onDrift and the logger hear of it, and every first page is returned', async () => {
    const drifts: Drift[] = [];
    const warnings: string[] = [];
    const none = (): void => undefined;
    const { sellerClient } = stubbed(
      [Response.json({ messages: [], conversation_status: { status: 'blocked' }, paging: { total: 4 } })],
      {
        onDrift: (drift) => drifts.push(drift),
        logger: { debug: none, info: none, warn: (message) => warnings.push(message), error: none },
      },
    );
    const pages = [];
    for await (const page of sellerClient.messages.conversation({ pack_id: '1', user_id: 7 }).pages()) pages.push(page);
    expect(pages).toMatchObject([{ items: [], conversation_status: { status: 'blocked' }, endedEarly: true }]);
    const expected = '`total` is 4, but the list ended after 0 entries';
    expect(drifts).toMatchObject([{ path: ['total'], expected, received: 'number' }]);
    expect(warnings).toEqual([`GET /messages/packs/{pack_id}/sellers/{user_id}: ${expected}`]);
  });
});

test.each(['offset', 'limit'])('`query.%s` is rejected in a list: every page would be the same', async (name) => {
  const { sellerClient, sent } = stubbed([Response.json({ questions: [{ id: 1 }] })]);
  const lists = [
    sellerClient.questions.search({ seller_id: 7 }, { query: { [name]: 10 } }),
    sellerClient.messages.conversation({ pack_id: 1, user_id: 7 }, { query: { [name]: 10 } }),
    sellerClient.sites.search({ site_id: 'MLA', q: 'lamp' }, { query: { [name]: 10 } }),
    sellerClient.questions.blacklist.list({ seller_id: 7 }, { query: { [name]: 10 } }),
  ];
  for (const list of lists) {
    const error = await errorOf<InvalidInputError>(list.toArray());
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.issues).toEqual([
      { path: ['query', name], message: `\`query.${name}\` selects one page; give \`${name}\` in the input` },
    ]);
  }
  expect(sent).toHaveLength(0);
});

describe('lazy reading', () => {
  test('nothing is sent before the first entry is read', async () => {
    const list = new MovingList(20);
    const paged = list.paginate({ limit: 5 });
    expect(list.requests).toHaveLength(0);
    for await (const item of paged) {
      if (item === 4) break;
    }
    expect(list.requests).toHaveLength(1);
  });

  test('first() requests one page, and toArray() no more than it needs', async () => {
    const list = new MovingList(20);
    expect(await list.paginate({ limit: 5 }).first()).toBe(0);
    expect(list.requests).toHaveLength(1);
    expect(await list.paginate({ limit: 5 }).toArray({ max: 6 })).toEqual([0, 1, 2, 3, 4, 5]);
    expect(list.requests).toHaveLength(3);
    expect(await list.paginate({ limit: 5 }).toArray({ max: 0 })).toEqual([]);
    expect(list.requests).toHaveLength(3);
    expect(await new MovingList(0).paginate().first()).toBeUndefined();
  });
});

describe('the call of a page', () => {
  test('has the offset of all pages but the first, and the limit', () => {
    expect(withPage({ a: 1 }, { offset: 0, limit: 5 })).toEqual({ a: 1, offset: undefined, limit: 5 });
    expect(withPage({ a: 1 }, { offset: 3, limit: undefined })).toEqual({ a: 1, offset: 3, limit: undefined });
  });
});

describe('the total of a list', () => {
  test('is asked for with one page of one entry, whatever the size of a page', async () => {
    const { sellerClient, sent } = stubbed([Response.json({ questions: [{ id: 1 }], total: 812, limit: 1 })]);
    const search = sellerClient.questions.search({ seller_id: 7, limit: 50 });
    expect(await search.total()).toBe(812);
    expect(sent.map(({ url }) => new URL(url).searchParams.get('limit'))).toEqual(['1']);
  });

  test.each([
    [{ questions: [], total: 0 }, 0],
    [{ questions: null }, undefined],
  ])('of %j is %s', async (body, total) => {
    const { sellerClient } = stubbed([Response.json(body)]);
    expect(await sellerClient.questions.search({ seller_id: 7 }).total()).toBe(total);
  });
});

describe('a list that a program awaits', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guide/pagination.md'), 'utf8');
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const client = marketplace.clientFor(seller);
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id: marketplace.addUser().user_id });
  const lists = {
    'questions.search': () => client.questions.search({ seller_id: seller.user_id }),
    'questions.blacklist.list': () => client.questions.blacklist.list({ seller_id: seller.user_id }),
    'messages.conversation': () =>
      client.messages.conversation({ pack_id: pack.pack_id ?? pack.order_ids[0] ?? 0, user_id: seller.user_id }),
    'sites.search': () => client.sites.search({ site_id: 'MLA', q: 'lamp' }),
  };

  test.each(Object.entries(lists))('sends nothing, and says what to do: %s', async (_, list) => {
    const before = marketplace.requests.all.length;
    // oxlint-disable-next-line typescript/await-thenable -- this is the mistake
    const awaited: unknown = await list();
    const { said } = JSON.parse(JSON.stringify({ said: awaited })) as { said: string };
    expect(said).toMatch(/is not a promise.*`list\.page\(\)`/);
    expect(guide).toContain(said);
    for (const shown of [inspect(awaited), inspect({ of: [awaited] }), format('%o', awaited)])
      expect(shown).toContain(said);
    expect(marketplace.requests.all).toHaveLength(before);
  });

  test.each(Object.entries(lists))('has its first page for one request: %s', async (_, list) => {
    const before = marketplace.requests.all.length;
    const page = await list().page();
    expect(marketplace.requests.all).toHaveLength(before + 1);
    for await (const first of list().pages()) {
      expect(page).toEqual(first);
      return;
    }
  });

  test.each(Object.entries(lists))('has on each page its response: %s', async (_, list) => {
    for await (const page of list().pages()) {
      const { status, headers, url, attempts, requestId } = page.response;
      const { path, response } = marketplace.requests.all.at(-1)!;
      expect([status, attempts, new URL(url).pathname]).toEqual([response?.status, 1, path]);
      expect(headers.get('content-type')).toContain('json');
      expect(requestId).toBe(headers.get('x-request-id') ?? undefined);
      expect(Object.keys(page)).not.toContain('response');
      expect(JSON.stringify(page)).not.toContain('durationMs');
    }
  });

  test('has the attempts of each page, also of one that was asked for again', async () => {
    const shop = marketplace.addUser();
    const item = marketplace.addItem({ seller_id: shop.user_id });
    const buyer = marketplace.addUser();
    for (const text of ['A?', 'B?', 'C?']) marketplace.ask({ from: buyer, item_id: item.item_id, text });
    const list = marketplace.clientFor(shop).questions.search({ seller_id: shop.user_id, limit: 2 });
    marketplace.faults.inject({ endpoint: 'questions.search', status: 429, skip: 1 });
    const attempts: number[] = [];
    for await (const { response } of list.pages()) attempts.push(response.attempts);
    expect(attempts[0]).toBe(1);
    expect(attempts[1]).toBe(2);
  });

  test('has the error of its first page', async () => {
    marketplace.faults.inject({ endpoint: 'questions.search', status: 403 });
    await expect(lists['questions.search']().page()).rejects.toMatchObject({ status: 403 });
  });
});
