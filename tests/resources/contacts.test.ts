import { InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import type { ContactTotal, ContactWindow } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { goldenRequests } from '../support/golden-requests.ts';

function createShop() {
  const marketplace = new FakeMarketplace({ now: '2026-03-10T15:30:00Z' });
  const { user_id } = marketplace.addUser();
  const item = marketplace.addItem({ seller_id: user_id });
  const other = marketplace.addItem({ seller_id: user_id });
  const sellerClient = marketplace.clientFor({ user_id });
  return { marketplace, sellerClient, user_id, item, other, item_id: item.item_id };
}

const march = { date_from: '2026-03-01T00:00:00Z', date_to: new Date('2026-03-31T23:59:59.999Z') };

describe('totals', () => {
  test('a total counts the clicks of an item between two dates, both included', async () => {
    const { marketplace, sellerClient, item, other, item_id } = createShop();
    marketplace.viewPhone(item, { at: '2026-02-28T23:59:59.999Z' });
    marketplace.viewPhone(item, { at: '2026-03-01T00:00:00.000Z', times: 2 });
    marketplace.viewPhone(item, { at: '2026-03-31T23:59:59.999Z' });
    marketplace.viewPhone(item, { at: '2026-04-01T00:00:00.000Z' });
    marketplace.viewPhone(other);
    marketplace.guestQuestion(item);
    const found = await sellerClient.contacts.phoneViews.ofItem({ item_id, ...march });
    expectTypeOf(found).toEqualTypeOf<ContactTotal>();
    expect(found).toEqual({
      date_from: '2026-03-01T00:00:00Z',
      date_to: '2026-03-31T23:59:59.999Z',
      item_id,
      total: 3,
    });
  });

  test('the total of a user counts the clicks on all items', async () => {
    const { marketplace, sellerClient, item, other, user_id } = createShop();
    marketplace.viewPhone(item);
    marketplace.viewPhone(other);
    marketplace.viewPhone(marketplace.addItem({ seller_id: marketplace.addUser().user_id }));
    const found = await sellerClient.contacts.phoneViews.ofUser({ user_id, ...march }, { attributes: ['total'] });
    expectTypeOf(found).toEqualTypeOf<Pick<ContactTotal, 'total'>>();
    expect(found).toEqual({ total: 2 });
  });

  test('the questions of guests are counted apart from those of users', async () => {
    const { marketplace, sellerClient, item, item_id, user_id } = createShop();
    marketplace.guestQuestion(item, { times: 4 });
    marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Hay stock?' });
    expect(await sellerClient.contacts.questions.ofItem({ item_id, ...march })).toMatchObject({ item_id, total: 4 });
    expect(await sellerClient.contacts.questions.ofUser({ user_id, ...march })).toMatchObject({ user_id, total: 4 });
  });

  test('a total needs no token', async () => {
    const { sellerClient, item_id } = createShop();
    expect(await sellerClient.contacts.questions.ofItem({ item_id, ...march }, { accessToken: null })).toMatchObject({
      total: 0,
    });
  });

  test('dates are a Date or ISO text, and the start is not after the end', async () => {
    const { sellerClient, item_id } = createShop();
    const total = (date_from: Date | string, date_to: Date | string) =>
      sellerClient.contacts.phoneViews.ofItem({ item_id, date_from, date_to }).then(
        ({ total: found }) => found,
        (error: unknown) => (error instanceof InvalidInputError ? error.message : error),
      );
    const reversed = 'Not sent: `date_to` is before `date_from`';
    const noDate = 'Not sent: `date_from`: a date is a Date or ISO 8601 text such as "2026-03-01T00:00:00Z"';
    expect(await total('2026-03-02', '2026-03-02')).toBe(0);
    expect(await total('2026-03-02', '2026-03-01')).toBe(reversed);
    expect(await total(new Date('2026-03-02'), '2026-03-01T23:59:59.999Z')).toBe(reversed);
    expect(await total('2026-03-01T22:00:00-0400', '2026-03-02T01:59:00Z')).toBe(reversed);
    expect(await total('2026-03-01T22:00:00-04:00', '2026-03-02T02:00:00Z')).toBe(0);
    expect(await total('2026-03-02T01:00', '2026-03-02T00:30:00')).toBe(reversed);
    // Where only one names its zone, the order is unknown.
    expect(await total('2026-03-02T00:00:00Z', '2026-03-01T23:00:00')).toBe(0);
    expect(await total(new Date(Number.NaN), '2026-03-01')).toBe(noDate);
    expect(await total('yesterday', '2026-03-01')).toBe(noDate);
    expect(await total('2026-13-45', '2026-03-01')).toBe(noDate);
  });

  test('an empty response to the total of a user is undefined', async () => {
    const sellerClient = answering(new Response(null, { status: 204 }));
    const found = await sellerClient.contacts.questions.ofUser({ user_id: 7, ...march });
    expectTypeOf(found).toEqualTypeOf<ContactTotal | undefined>();
    expect(found).toBeUndefined();
  });
});

describe('time windows', () => {
  test('a window of days has one interval per day, the last of which holds the present', async () => {
    const { marketplace, sellerClient, item, item_id } = createShop();
    marketplace.viewPhone(item, { at: '2026-03-07T23:59:59Z' });
    marketplace.viewPhone(item, { at: '2026-03-08T00:00:00Z', times: 2 });
    marketplace.viewPhone(item, { at: '2026-03-10T15:29:00Z', times: 3 });
    marketplace.viewPhone(item, { at: '2026-03-10T15:31:00Z' });
    const found = await sellerClient.contacts.phoneViews.windowOfItem({ item_id, last: 3, unit: 'day' });
    expectTypeOf(found).toEqualTypeOf<ContactWindow>();
    expect(found).toEqual({
      item_id,
      total: 5,
      date_from: '2026-03-08T00:00:00Z',
      date_to: '2026-03-10T15:30:00Z',
      last: 3,
      unit: 'day',
      results: [
        { date: '2026-03-08T00:00:00Z', total: 2 },
        { date: '2026-03-09T00:00:00Z', total: 0 },
        { date: '2026-03-10T00:00:00Z', total: 3 },
      ],
    });
  });

  test('a window of hours has one interval per hour, up to its ending', async () => {
    const { marketplace, sellerClient, item, user_id } = createShop();
    marketplace.guestQuestion(item, { at: '2026-03-09T22:10:00Z' });
    marketplace.guestQuestion(item, { at: '2026-03-10T00:05:00Z' });
    const found = await sellerClient.contacts.questions.windowOfUser({
      user_id,
      last: 3,
      unit: 'hour',
      ending: new Date('2026-03-10T00:59:00Z'),
      order: 'desc',
    });
    expect(found).toMatchObject({ user_id, total: 2, last: 3, unit: 'hour' });
    expect(found.results).toEqual([
      { date: '2026-03-10T00:00:00Z', total: 1 },
      { date: '2026-03-09T23:00:00Z', total: 0 },
      { date: '2026-03-09T22:00:00Z', total: 1 },
    ]);
  });

  test('limit and offset give a part of a window', async () => {
    const { sellerClient, user_id } = createShop();
    const part = { user_id, last: 30, unit: 'day', limit: 2, offset: 1 } as const;
    const found = await sellerClient.contacts.phoneViews.windowOfUser(part);
    expect(found.results?.map(({ date }) => date)).toEqual(['2026-02-10T00:00:00Z', '2026-02-11T00:00:00Z']);
  });

  test('windowOfItems() gives one window per item', async () => {
    const { marketplace, sellerClient, item, other } = createShop();
    marketplace.viewPhone(item);
    marketplace.viewPhone(other, { times: 2 });
    const ids = [item.item_id, other.item_id];
    const found = await sellerClient.contacts.phoneViews.windowOfItems({ ids, last: 1, unit: 'day' });
    expect(found.map(({ item_id, total }) => [item_id, total])).toEqual([
      [item.item_id, 1],
      [other.item_id, 2],
    ]);
    const totals = await sellerClient.contacts.phoneViews.windowOfItems(
      { ids, last: 1, unit: 'day' },
      { attributes: ['total'] },
    );
    expectTypeOf(totals).toEqualTypeOf<Pick<ContactWindow, 'total'>[]>();
    expect(totals).toEqual([{ total: 1 }, { total: 2 }]);
  });

  test('a window of questions may add other items', async () => {
    const { marketplace, sellerClient, item, other, item_id } = createShop();
    marketplace.guestQuestion(item);
    marketplace.guestQuestion(other);
    const one = { item_id, last: 1, unit: 'day' } as const;
    expect(await sellerClient.contacts.questions.windowOfItem(one)).toMatchObject({ total: 1 });
    const both = { ...one, ids: [item_id, other.item_id] };
    expect(await sellerClient.contacts.questions.windowOfItem(both)).toMatchObject({ total: 2 });
  });

  test('last and unit are checked before sending', async () => {
    const { sellerClient, item_id } = createShop();
    const window = (input: object) => () =>
      sellerClient.contacts.phoneViews.windowOfItem({ item_id, last: 1, unit: 'day', ...input });
    await expect(window({ last: 'many' })).rejects.toThrow('`last` takes an integer');
    await expect(window({ last: 0 })).rejects.toThrow('`last` is at least 1');
    await expect(window({ unit: 'week' })).rejects.toThrow('`unit` takes "day" or "hour"');
    await expect(window({ order: 'up' })).rejects.toThrow('`order` takes "asc" or "desc"');
    await expect(window({ limit: 0 })).rejects.toThrow('`limit` is at least 1');
    await expect(sellerClient.contacts.phoneViews.windowOfItems({ ids: [], last: 1, unit: 'day' })).rejects.toThrow(
      '`ids` is empty',
    );
    await expect(
      sellerClient.contacts.phoneViews.windowOfItems({ ids: ['a,b'], last: 1, unit: 'day' }),
    ).rejects.toThrow('contains a comma');
    const never = () => [
      // @ts-expect-error -- a unit is a day or an hour
      sellerClient.contacts.phoneViews.windowOfItem({ item_id, last: 1, unit: 'week' }),
    ];
    expect(never).toBeTypeOf('function');
  });

  test('a window keeps dates without zone and unknown fields, and reads digits as numbers', async () => {
    const body = {
      item_id: 'MLA1',
      total: '3',
      last: '2',
      unit: 'day',
      date_from: '2026-03-09T00:00:00',
      results: [{ date: '2026-03-09T00:00:00.000', total: 3, trend: 'up' }],
    };
    const found = await answering(Response.json(body)).contacts.phoneViews.windowOfItem({
      item_id: 'MLA1',
      last: 2,
      unit: 'day',
    });
    expect(found).toEqual({ ...body, total: 3, last: 2 });
  });

  test('an unknown item or user is a NotFoundError', async () => {
    const { sellerClient } = createShop();
    const unknown = sellerClient.contacts.phoneViews.windowOfUser({ user_id: 1, last: 1, unit: 'day' });
    await expect(unknown).rejects.toMatchObject({ status: 404 });
    const nothing = sellerClient.contacts.questions.ofItem({ item_id: 'MLA1', ...march });
    await expect(nothing).rejects.toMatchObject({ status: 404 });
  });
});

/** A client of a service that gives this one answer. */
function answering(answer: Response): SellerClient {
  return new SellerClient({ baseUrl: 'https://api.example.com', maxRetries: 0, fetch: async () => answer });
}

const inMarch = { date_from: '2026-03-01T00:00:00Z', date_to: '2026-03-31T23:59:59Z' } as const;
const marchInQuery = 'date_from=2026-03-01T00%3A00%3A00Z&date_to=2026-03-31T23%3A59%3A59Z';

goldenRequests<typeof endpoints.contacts>({
  questions: {
    ofItem: {
      call: (client) => client.contacts.questions.ofItem({ item_id: 'MLA100', ...inMarch }),
      request: [`GET /items/MLA100/contacts/questions?${marchInQuery}`],
    },
    ofUser: {
      call: (client) => client.contacts.questions.ofUser({ user_id: 7, ...inMarch }),
      request: [`GET /users/7/contacts/questions?${marchInQuery}`],
    },
    windowOfItem: {
      call: (client) =>
        client.contacts.questions.windowOfItem({
          item_id: 'MLA100',
          last: 7,
          unit: 'day',
          ending: '2026-03-31T00:00:00Z',
        }),
      request: ['GET /items/MLA100/contacts/questions/time_window?last=7&unit=day&ending=2026-03-31T00%3A00%3A00Z'],
    },
    windowOfUser: {
      call: (client) => client.contacts.questions.windowOfUser({ user_id: 7, last: 24, unit: 'hour' }),
      request: ['GET /users/7/contacts/questions/time_window?last=24&unit=hour'],
    },
  },
  phoneViews: {
    ofItem: {
      call: (client) => client.contacts.phoneViews.ofItem({ item_id: 'MLA100', ...inMarch }),
      request: [`GET /items/MLA100/contacts/phone_views?${marchInQuery}`],
    },
    ofUser: {
      call: (client) => client.contacts.phoneViews.ofUser({ user_id: 7, ...inMarch }),
      request: [`GET /users/7/contacts/phone_views?${marchInQuery}`],
    },
    windowOfItem: {
      call: (client) => client.contacts.phoneViews.windowOfItem({ item_id: 'MLA100', last: 7, unit: 'day' }),
      request: ['GET /items/MLA100/contacts/phone_views/time_window?last=7&unit=day'],
    },
    windowOfItems: {
      call: (client) =>
        client.contacts.phoneViews.windowOfItems({ ids: ['MLA100', 'MLA200'], last: 7, unit: 'day', order: 'desc' }),
      request: ['GET /items/contacts/phone_views/time_window?ids=MLA100%2CMLA200&last=7&unit=day&order=desc'],
    },
    windowOfUser: {
      call: (client) =>
        client.contacts.phoneViews.windowOfUser({ user_id: 7, last: 7, unit: 'day', limit: 5, offset: 1 }),
      request: ['GET /users/7/contacts/phone_views/time_window?last=7&unit=day&limit=5&offset=1'],
    },
  },
});
