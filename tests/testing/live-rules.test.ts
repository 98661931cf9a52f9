import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';

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

test('an entry of the bulk path names itself without attributes, and otherwise has what they name with `selected`', async () => {
  const { ids, get, marketplace } = withItems(1);
  marketplace.settings.bulkEntries = 'selected';
  const bulk = async (attributes: string) => (await get(`/items/bulk?ids=MLA1,${ids[0]}${attributes}`)).body;
  expect(await bulk('')).toMatchObject([
    { id: ids[0], status_code: 200, body: { id: ids[0] } },
    { id: 'MLA1', status_code: 404, error: { message: 'Item MLA1 does not exist' } },
  ]);
  const body = { id: ids[0], status: 'active' };
  expect(await bulk('&attributes=body.id,body.status')).toEqual([{ body }, {}]);
  expect(await bulk('&attributes=status_code,body.id,body.status')).toEqual([
    { status_code: 200, body },
    { status_code: 404 },
  ]);
  expect(await bulk('&attributes=id,status_code')).toEqual([{ status_code: 404 }, { status_code: 200 }]);
});

test.each(['/items', '/items/bulk'])('two equal calls of %s may be answered in two orders', async (path) => {
  const { ids, get, marketplace } = withItems(3);
  marketplace.settings.itemOrder = 'any';
  const order = async (): Promise<string> => {
    const { body } = await get(`${path}?ids=${ids.join(',')}`);
    return JSON.stringify((body as { body: { id: string } }[]).map((entry) => entry.body.id));
  };
  const orders = [await order(), await order(), await order()];
  expect(new Set(orders).size).toBe(3);
  for (const each of orders) expect(JSON.parse(each)).toEqual(expect.arrayContaining(ids));
});

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

describe('Flex', () => {
  function subscribed(extendedRange = false) {
    const marketplace = new FakeMarketplace();
    const { user_id } = marketplace.addUser();
    const { id, service_id } = marketplace.flex.subscribe({ user_id, extendedRange });
    const authorization = `Bearer ${marketplace.tokenFor({ user_id })}`;
    const send = async (method: string, path: string, body?: object) => {
      const url = `${marketplace.baseUrl}/shipping/flex/sites/MLA${path}`;
      const response = await marketplace.fetch(url, {
        method,
        headers: { authorization },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const service = `/users/${user_id}/services/${service_id}`;
    return {
      ...{
        marketplace,
        id,
        client: marketplace.clientFor({ user_id }),
        input: { site_id: 'MLA', user_id, service_id },
      },
      zones: (zones: unknown) => send('PUT', `${service}/configuration/coverage/zone/v3`, { zones }),
      shown: async () => {
        const query = `{ configuration(user_id: ${user_id}, service_id: ${service_id}) { disabled_features zones { id selected cutoff { week saturday sunday } } } }`;
        const { body } = await send('POST', '/configuration/v3', { query });
        return body as { configuration: { disabled_features: string[]; zones: { id: string; cutoff: unknown }[] } };
      },
    };
  }

  test('a delivery cannot be changed while an extended range is active', async () => {
    const { marketplace, id, client, input } = subscribed(true);
    const change = { ...input, delivery_window: 'same_day' };
    await expect(client.flex.setDelivery(change)).rejects.toMatchObject({ status: 422 });
    marketplace.flex.configure(id, { extendedRange: false });
    await client.flex.setDelivery(change);
  });

  test('a zone has a cut-off of its own, if it is given one', async () => {
    const { zones, shown } = subscribed();
    expect((await shown()).configuration.disabled_features).toContain('CUTOFF_BY_ZONE');
    await zones([{ id: 'MLA-1' }, { id: 'MLA-2', cutoff: { week: 14, saturday: 11 } }]);
    const { configuration } = await shown();
    expect(configuration.disabled_features).not.toContain('CUTOFF_BY_ZONE');
    expect(configuration.zones.slice(0, 2)).toEqual([
      { id: 'MLA-1', selected: true, cutoff: null },
      { id: 'MLA-2', selected: true, cutoff: { week: 14, saturday: 11, sunday: null } },
    ]);
    await zones([{ id: 'MLA-2' }]);
    expect((await shown()).configuration.zones[1]).toEqual({ id: 'MLA-2', selected: true, cutoff: null });
  });

  test.each([{ week: 25 }, { week: 'x' }, { monday: 9 }, 9])(
    'a cut-off that is none is rejected: %j',
    async (cutoff) => {
      const { zones } = subscribed();
      expect(await zones([{ id: 'MLA-1', cutoff }])).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('zones.0.cutoff') as string },
      });
    },
  );
});
