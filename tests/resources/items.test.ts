import { InvalidInputError, SellerClient, UnexpectedResponseError } from 'marketplace-seller-sdk';
import type { Drift, ItemStatus } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, expectTypeOf, test } from 'vitest';
import { goldenRequests } from '../support/golden-requests.ts';

test('an unknown item does not hide the status of the others', async () => {
  const marketplace = new FakeMarketplace();
  const user = marketplace.addUser();
  const active = marketplace.addItem({ seller_id: user.user_id });
  const paused = marketplace.addItem({ seller_id: user.user_id, status: 'paused' });
  const sellerClient = marketplace.clientFor(user);
  const found = await sellerClient.items.status({ ids: [active.item_id, 'MLA1', paused.item_id] });
  expectTypeOf(found).toEqualTypeOf<ItemStatus[]>();
  expect(found).toMatchObject([
    { id: active.item_id, status: 'active', code: 200 },
    { id: 'MLA1', code: 404, message: 'Item MLA1 does not exist' },
    { id: paused.item_id, status: 'paused', code: 200 },
  ]);
  expect(found[1]).not.toHaveProperty('status');
});

test('a status is read from each known shape', async () => {
  const shapes = [
    { status: 'active' },
    { code: 200, body: { id: 'B', status: 'closed', sub_status: [] } },
    { code: 404, body: { message: 'no', error: 'not_found', status: 404 } },
    'paused',
    null,
    { code: 500, body: null },
    { id: 7, status: 'active' },
    { status: 404, message: 'gone' },
  ];
  const ids = ['A', 'B', 'C', 'D', 'E', 'F', '7', 'H'];
  const { sellerClient, sent } = answering(shapes);
  expect(await sellerClient.items.status({ ids })).toEqual([
    { id: 'A', status: 'active' },
    { id: 'B', status: 'closed', sub_status: [], code: 200 },
    { id: 'C', error: 'not_found', code: 404, message: 'no' },
    { id: 'D', status: 'paused' },
    { id: 'E' },
    { id: 'F', body: null, code: 500 },
    { id: '7', status: 'active' },
    { id: 'H', code: 404, message: 'gone' },
  ]);
  expect(sent).toEqual(['GET /items?attributes=status&ids=A%2CB%2CC%2CD%2CE%2CF%2C7%2CH']);
});

test('a number that is no status of HTTP, and an entry that is only a text, are not taken for a status', async () => {
  const ids = ['A', 'B', 'C', 'D', 'E'];
  const { sellerClient } = answering([99, 100, 599, 600, 404.5].map((status) => ({ status, message: 'no' })));
  const found = await sellerClient.items.status({ ids });
  expect(found.map(({ code }) => code)).toEqual([undefined, 100, 599, undefined, undefined]);
  const { sellerClient: texts } = answering([{ code: 404, body: 'not here' }]);
  expect(await texts.items.status({ ids: ['A'] })).toEqual([{ id: 'A', code: 404, message: 'not here' }]);
});

test.each([
  { status_code: 404 },
  { status_code: 404, body: { message: 'no' } },
  { code: '404', body: 'no' },
  { status_code: 500, body: null },
])('the entry %j has its code, as in either form of the path', async (entry) => {
  const { sellerClient } = answering([entry]);
  const [found] = await sellerClient.items.status({ ids: ['A'] });
  expect(found).toMatchObject({ id: 'A', code: Number(entry.status_code ?? entry.code) });
  expect(found).not.toHaveProperty('status');
});

test.each([{ x: 1 }, { message: 'no' }, { error: 'not_found', item: 'A' }])(
  'the entry %j is neither form: it keeps its place and is reported',
  async (entry) => {
    const drifts: unknown[] = [];
    const { sellerClient } = answering([entry, { status: 'active' }], (drift) => drifts.push(drift.path));
    const [found, next] = await sellerClient.items.status({ ids: ['A', 'B'] });
    expect(found).toMatchObject({ id: 'A', status: entry });
    expect(next).toEqual({ id: 'B', status: 'active' });
    expect(drifts).toEqual([[0, 'status']]);
  },
);

test.each([{}, { word: 7 }, { message: 'Try later' }])('the body %j is no list of items', async (body) => {
  const { sellerClient } = answering(body);
  await expect(sellerClient.items.status({ ids: ['A'] })).rejects.toBeInstanceOf(UnexpectedResponseError);
});

test('a list in `results` is read', async () => {
  const { sellerClient } = answering({ results: [{ id: 'A', status: 'active' }] });
  expect(await sellerClient.items.status({ ids: ['A'] })).toEqual([{ id: 'A', status: 'active' }]);
});

test('an entry without an id gets one by its position only when the list is complete', async () => {
  const { sellerClient } = answering([{ status: 'active' }, { id: 'C', status: 'paused' }]);
  expect(await sellerClient.items.status({ ids: ['A', 'B', 'C'] })).toEqual([
    { status: 'active' },
    { id: 'C', status: 'paused' },
  ]);
});

test('a single object is read as a list of one', async () => {
  const { sellerClient } = answering({ status: 'active' });
  expect(await sellerClient.items.status({ ids: ['A'] })).toEqual([{ id: 'A', status: 'active' }]);
});

test('an empty list of ids and an id with a comma are not sent', async () => {
  const { sellerClient, sent } = answering([]);
  await expect(sellerClient.items.status({ ids: [] })).rejects.toBeInstanceOf(InvalidInputError);
  await expect(sellerClient.items.status({ ids: ['A', 'B,C'] })).rejects.toThrow('`ids.1` contains a comma');
  expect(sent).toEqual([]);
});

/** A client of a service that gives this one answer. */
function answering(body: unknown, onDrift?: (drift: Drift) => void): { sellerClient: SellerClient; sent: string[] } {
  const sent: string[] = [];
  const sellerClient = new SellerClient({
    baseUrl: 'https://api.example.com',
    onDrift,
    fetch: async (request: Request) => {
      const { pathname, search } = new URL(request.url);
      sent.push(`${request.method} ${pathname}${search}`);
      return Response.json(body);
    },
  });
  return { sellerClient, sent };
}

// The specification shows PUT for the status of items and calls it into question; the service takes GET.
goldenRequests<typeof endpoints.items>({
  status: {
    call: (client) => client.items.status({ ids: ['MLA100', 'MLA200'] }),
    request: ['GET /items?attributes=status&ids=MLA100%2CMLA200'],
  },
});
