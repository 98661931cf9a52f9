import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { expect, test } from 'vitest';

function withItems(count: number, follow: 'live' | 'documents' = 'live') {
  const marketplace = new FakeMarketplace({ follow });
  const { user_id: seller_id } = marketplace.addUser();
  const ids = Array.from({ length: count }, () => marketplace.addItem({ seller_id }).item_id);
  const get = async (path: string) => {
    const response = await marketplace.fetch(marketplace.baseUrl + path);
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  return { ids, get, marketplace };
}

test('a status call takes at most 20 items in the live service', async () => {
  const { ids, get } = withItems(21);
  for (const path of ['/items', '/items/bulk']) {
    expect((await get(`${path}?ids=${ids.slice(0, 20).join(',')}`)).status).toBe(200);
    expect((await get(`${path}?ids=${ids.join(',')}`)).status).toBe(400);
  }
  const documents = withItems(21, 'documents');
  expect((await documents.get(`/items?ids=${documents.ids.join(',')}`)).status).toBe(200);
});

test('the bulk path has a status for each item, in the order of the ids', async () => {
  const { ids, get } = withItems(2);
  const asked = [ids[1], 'MLA1', ids[0]].join(',');
  expect(await get(`/items/bulk?ids=${asked}`)).toMatchObject({
    status: 200,
    body: [
      { id: ids[1], status_code: 200, body: { id: ids[1], status: 'active', price: expect.any(Number) as number } },
      { id: 'MLA1', status_code: 404 },
      { id: ids[0], status_code: 200, body: { id: ids[0] } },
    ],
  });
  expect(await get(`/items/bulk?ids=${asked}&attributes=body.id,body.status`)).toEqual({
    status: 200,
    body: [
      { status_code: 200, body: { id: ids[1], status: 'active' } },
      { status_code: 404 },
      { status_code: 200, body: { id: ids[0], status: 'active' } },
    ],
  });
  expect(await get(`/items/bulk?ids=${asked}&attributes=body.status`)).toEqual({
    status: 200,
    body: [{ status_code: 200, body: { status: 'active' } }, { status_code: 404 }, expect.anything()],
  });
});

test.each(['id', 'status_code', 'status', 'status_code,body.status'])(
  'an entry of the bulk path is 403 when %s is named: only fields of its body can be',
  async (attributes) => {
    const { ids, get } = withItems(1);
    expect(await get(`/items/bulk?ids=${ids[0]}&attributes=${attributes}`)).toEqual({
      status: 200,
      body: [{ status_code: 403 }],
    });
  },
);

test('a fault of the older path leaves the bulk path alone', async () => {
  const { ids, get, marketplace } = withItems(1);
  marketplace.faults.inject({ endpoint: 'items.status', status: 410 });
  expect((await get(`/items?ids=${ids[0]}`)).status).toBe(410);
  marketplace.faults.inject({ endpoint: 'items.status', status: 410 });
  expect((await get(`/items/bulk?ids=${ids[0]}`)).status).toBe(200);
});

test('the bulk path rejects an id that is there twice', async () => {
  const { ids, get } = withItems(1);
  expect(await get(`/items/bulk?ids=${ids[0]},${ids[0]}`)).toMatchObject({
    status: 400,
    body: { message: `ids has ${ids[0]} twice` },
  });
});

test('zones that a change leaves out are removed in the live service, and stay by the documents', async () => {
  for (const [follow, expected] of [
    ['live', ['MLA-2']],
    ['documents', ['MLA-1', 'MLA-2']],
  ] as const) {
    const marketplace = new FakeMarketplace({ follow });
    const seller = marketplace.addUser();
    const { id, service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
    const client = marketplace.clientFor(seller);
    await client.flex.addZones({ site_id: 'MLA', user_id: seller.user_id, service_id, zones: [{ id: 'MLA-2' }] });
    expect(marketplace.flex.getOrThrow(id).zones).toEqual(expected);
  }
});
