import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { sample } from '../../src/testing/seed/schema.js';

// The requests that 33 public programs in five languages send first, as they stand.

const P = '/messages/packs/2000000000000001/sellers/1001';
const number = expect.any(Number) as number;
const text = expect.any(String) as string;

function marketplaceWithSample(): FakeMarketplace {
  const marketplace = new FakeMarketplace();
  marketplace.seed(sample(marketplace.clock.ms));
  return marketplace;
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** @default the seller's */
  readonly token?: string;
}

/** Sends a request as a program does: JSON, with the token of the seller. */
async function send(
  line: string,
  { body, headers = {}, token = 'SELLER-TOKEN' }: Sent = {},
  marketplace = marketplaceWithSample(),
) {
  const [method = '', path = ''] = line.split(' ');
  const response = await marketplace.fetch(marketplace.baseUrl + path, {
    method,
    headers: { ...(token && { authorization: `Bearer ${token}` }), 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const received = await response.text();
  return { status: response.status, body: received === '' ? undefined : (JSON.parse(received) as unknown) };
}

const asked = { id: 5_000_000_003, seller_id: 1001, item_id: 'MLA600000001', status: 'UNANSWERED' };
const message = { from: { user_id: 1001 }, to: { user_id: 1002 }, text: 'Hola', attachments: [] };
const asTexts = { ...message, from: { user_id: '1001' }, to: { user_id: '1002' } };
const search = '/questions/search?seller_id=1001&status=UNANSWERED&api_version=4';
const multiGet = 'ids=MLA600000001,MLA600000002';

type Row = readonly [line: string, status: number, part: unknown, sent?: Sent];

describe('within the specification', () => {
  test.each([
    [`GET ${search}&sort_fields=date_created&sort_types=ASC&limit=50&offset=0`, 200, { total: 5, limit: 50 }],
    ['GET /questions/search?item=MLA600000001&api_version=4', 200, { total: 3, questions: [asked, {}, {}] }],
    ['GET /questions/5000000003?api_version=4', 200, asked],
    [
      'POST /answers',
      200,
      { id: asked.id, status: 'ANSWERED' },
      { body: { question_id: 5_000_000_003, text: 'Hola' } },
    ],
    ['POST /answers', 400, { status: 400 }, { body: { question_id: '5000000002', text: 'Hola' } }],
    ['GET /users/1001/questions/response_time', 200, { user_id: 1001, total: { response_time: number } }],
    [
      'GET /messages/unread?role=seller&tag=post_sale',
      200,
      { user_id: 1001, results: [{ resource: text, count: 1 }, {}] },
    ],
    [`GET ${P}?tag=post_sale&mark_as_read=false`, 200, { messages: [{}, {}], paging: { total: 2 } }],
    [`POST ${P}?tag=post_sale`, 200, { text: 'Hola' }, { body: message, headers: { 'x-client-id': '500' } }],
    [`POST ${P}?tag=post_sale`, 200, { text: 'Hola' }, { body: asTexts }],
    [`POST ${P}`, 404, { status: 404 }, { body: message }],
    [`GET /items?${multiGet}&attributes=id,title`, 200, [{ code: 200, body: { id: 'MLA600000001', title: text } }, {}]],
    [`GET /items/bulk?${multiGet}`, 200, [{ id: 'MLA600000001', status_code: 200, body: { title: text } }, {}]],
    [
      `GET ${search}&access_token=SELLER-TOKEN`,
      401,
      { message: expect.stringContaining('as a header') as string },
      { token: '' },
    ],
  ] satisfies Row[])('%s is %i', async (line: string, status: number, part: unknown, sent?: Sent) => {
    expect(await send(line, sent)).toMatchObject({ status, body: part });
  });
});

describe('the token endpoint', () => {
  const form = 'application/x-www-form-urlencoded';
  const json = 'application/json';
  const inBody = { error: 'invalid_request', message: expect.stringContaining('in the body') as string };
  const invalid = { error: 'invalid_request' };
  const asForm = (fields: Record<string, string>): string => new URLSearchParams(fields).toString();

  test.each([
    ['a form', '', form, asForm, [], 200, { token_type: 'Bearer', user_id: 1001 }],
    ['JSON', '', json, JSON.stringify, [], 200, { access_token: text, refresh_token: text }],
    ['JSON that calls itself a form', '', form, JSON.stringify, [], 200, { access_token: text }],
    ['a form, with / at the end of the path', '/', form, asForm, [], 200, { access_token: text }],
    ['a form without grant_type', '', form, asForm, ['grant_type'], 400, invalid],
    ['a form without client_id', '', form, asForm, ['client_id'], 400, invalid],
  ] as const)('%s', async (_, end, type, written, without, status, part) => {
    const marketplace = marketplaceWithSample();
    const all = {
      ...{ grant_type: 'refresh_token', client_id: '500', client_secret: 'secret' },
      refresh_token: marketplace.accounts.issueRefreshToken(1001),
    };
    const left = Object.entries(all).filter(([name]) => !(without as readonly string[]).includes(name));
    const sent = { token: '', headers: { 'content-type': type }, body: written(Object.fromEntries(left)) };
    expect(await send(`POST /oauth/token${end}`, sent, marketplace)).toMatchObject({ status, body: part });
  });

  test('the parameters in the query', async () => {
    const query = 'grant_type=refresh_token&client_id=500&client_secret=secret&refresh_token=TG';
    expect(await send(`POST /oauth/token?${query}`, { token: '' })).toMatchObject({ status: 400, body: inBody });
  });
});

describe('outside of the specification', () => {
  const item = {
    ...{ id: 'MLA600000001', title: 'Calabash mate cup with silver rim', price: number, currency_id: 'ARS' },
    ...{
      available_quantity: number,
      status: 'active',
      seller_id: 1001,
      permalink: text,
      thumbnail: text,
      site_id: 'MLA',
    },
  };
  const order = {
    ...{ id: 3_000_000_000_000_001, pack_id: 2_000_000_000_000_001, status: 'paid', date_created: text },
    ...{ total_amount: number, currency_id: 'ARS', buyer: { id: 1002 }, seller: { id: 1001 } },
    order_items: [{ item: { id: 'MLA600000001', title: text }, quantity: 1, unit_price: number }],
    ...{ shipping: { id: number }, tags: ['pack_order', 'not_delivered', 'paid'] },
  };
  const seller = { id: 1001, nickname: 'MATE_AND_CO', site_id: 'MLA', country_id: 'AR' };

  test.each([
    ['GET /users/me', 200, { ...seller, email: text, status: { site_status: 'active' }, tags: ['normal'] }],
    ['GET /users/1002', 200, { id: 1002, nickname: 'LUCIA', site_id: 'MLA', country_id: 'AR' }],
    ['GET /users/1', 404, { status: 404 }],
    ['GET /items/MLA600000001', 200, item],
    ['GET /items/MLA600000001?attributes=id,price', 200, { id: 'MLA600000001', price: number }],
    ['GET /items/MLA1', 404, { status: 404 }],
    [
      'GET /users/1001/items/search?status=active&limit=50',
      200,
      { results: ['MLA600000001', 'MLA600000002'], paging: { total: 2, offset: 0, limit: 50 } },
    ],
    ['GET /users/1001/items/search?limit=1&offset=2', 200, { results: ['MLA600000003'], paging: { total: 3 } }],
    ['GET /users/1002/items/search', 403, { status: 403 }],
    ['GET /orders/3000000000000001', 200, order],
    ['GET /orders/3000000000000002', 200, { status: 'cancelled', buyer: { id: 1003 } }],
    ['GET /orders/3', 404, { status: 404 }],
    ['GET /orders/3000000000000101', 200, { pack_id: null, buyer: { id: 1003 } }],
    ['GET /messages/packs/3000000000000101/sellers/1001?tag=post_sale', 200, { messages: [] }],
    ['GET /orders/3000000000000001/feedback', 200, { sale: null, purchase: null }],
    ['GET /orders/3/feedback', 404, { status: 404 }],
    ['GET /orders/3000000000000001/shipments', 200, { logistic_type: 'self_service', order_id: 3000000000000001 }],
    ['GET /orders/3/shipments', 404, { status: 404 }],
    ['GET /items/MLA600000001/description', 200, { plain_text: expect.stringContaining('mate') as string }],
    ['GET /items/MLA1/description', 404, { status: 404 }],
    ['GET /users/1001', 200, { seller_reputation: { level_id: '5_green', transactions: { total: 3, canceled: 1 } } }],
    ['GET /users/1002', 200, { seller_reputation: { level_id: null, transactions: { total: 0 } } }],
    [
      'GET /messages/unread/packs/2000000000000002/sellers/1001?tag=post_sale',
      200,
      { user_id: 1001, results: [{ resource: '/packs/2000000000000002/sellers/1001', count: 1 }] },
    ],
    ['GET /messages/unread/packs/2000000000000002/sellers/1001', 404, { status: 404 }],
    ['GET /messages/unread/packs/2000000000000002/sellers/1002?tag=post_sale', 403, { status: 403 }],
    ['GET /messages/unread/packs/7/sellers/1001?tag=post_sale', 404, { status: 404 }],
    [
      'GET /orders/search?seller=1001&sort=date_desc&limit=10',
      200,
      {
        results: [101, 2, 1].map((id) => ({ id: 3_000_000_000_000_000 + id, seller: { id: 1001 } })),
        paging: { total: 3, limit: 10, offset: 0 },
      },
    ],
    ['GET /orders/search?seller=1001&order.date_created.from=soon', 400, { status: 400 }],
    ['GET /users/1001/items/search?sku=A1', 200, { results: [] }],
    ['GET /users/1001/items/search?status=active,paused&q=MATE', 200, { results: ['MLA600000001'] }],
    ['GET /users/1001/items/search?search_type=scan&scroll_id=abc', 400, { status: 400 }],
    [`GET /items?${multiGet}&attributes=price`, 200, [{ body: { price: number } }, { body: { price: number } }]],
    ['GET //users/me', 404, { message: 'There is no resource //users/me. Did you mean /users/me?' }],
    ['GET /items/MLA600000001/', 404, { message: expect.stringContaining('mean /items/MLA600000001?') as string }],
    ['GET /orders/search?seller=1002', 403, { status: 403 }],
    ['GET /orders/search', 400, { status: 400 }],
    ['GET /my/received_questions/search?status=UNANSWERED', 200, { total: 5, questions: [asked, {}, {}, {}, {}] }],
    ['GET /missed_feeds?app_id=500&topic=questions', 200, { messages: [] }],
    ['GET /missed_feeds?app_id=501', 403, { status: 403 }],
    [
      'GET /sites',
      404,
      { message: expect.stringMatching(/no resource \/sites\..*POST \/__fake\/operations.*--operations/) as string },
    ],
  ] satisfies Row[])('%s is %i', async (line, status, part) => {
    expect(await send(line)).toMatchObject({ status, body: part });
  });

  test.each([
    ['order.status=cancelled', [2]],
    ['order.status=paid,cancelled', [1, 2, 101]],
    ['order.status=confirmed', []],
    ['tags=not_delivered', [1, 2, 101]],
    ['tags=delivered', []],
    ['q=2000000000000002', [2]],
    ['q=3000000000000001', [1]],
    ['order.date_created.from=2030-01-01T00:00:00.000-00:00', []],
    ['order.date_created.from=2020-01-01T00:00:00.000-0300&order.date_created.to=2020-01-02', []],
    ['order.date_closed.to=2020-01-01T00:00:00Z', []],
    ['order.date_last_updated.from=2020-01-01T00:00:00.000+03:00', [1, 2, 101]],
  ])('a search of orders by %s', async (filter, found) => {
    const { body } = await send(`GET /orders/search?seller=1001&${filter}`);
    const { results, paging } = body as { results: { id: number }[]; paging: { total: number } };
    expect(results.map(({ id }) => id - 3_000_000_000_000_000)).toEqual(found);
    expect(paging.total).toBe(found.length);
  });

  test.each([
    ['/users/me', 200],
    [`${P}?tag=post_sale`, 200],
    ['/questions/1', 404],
    ['/answers', 405],
    ['/nowhere', 404],
  ])('HEAD of %s is %i, as GET without its body, and changes nothing', async (path, status) => {
    const marketplace = marketplaceWithSample();
    marketplace.buyerWrites({ pack: marketplace.packs.all[0]!, text: 'Hello?' });
    const [user, before] = [{ user_id: 1001 }, marketplace.messages.all];
    const headers = { authorization: `Bearer ${marketplace.tokenFor(user)}` };
    const response = await marketplace.fetch(marketplace.baseUrl + path, { method: 'HEAD', headers });
    expect([response.status, await response.text()]).toEqual([status, '']);
    if (status === 200) expect(response.headers.get('content-type')).toBe('application/json');
    expect(marketplace.messages.all).toEqual(before);
    const { endpoint, method } = marketplace.requests.last!;
    expect([method, endpoint !== null]).toEqual(['HEAD', !['/answers', '/nowhere'].includes(path)]);
    const { url, close } = await marketplace.listen();
    const sent = await fetch(url + path, { method: 'HEAD', headers });
    await close();
    expect(sent.status).toBe(status);
  });

  test.each([
    ['/users/1001/items/search?', 'results', 3],
    ['/questions/search?seller_id=1001&', 'questions', 6],
    ['/questions/search?item=MLA600000001&', 'questions', 3],
    ['/my/received_questions/search?', 'questions', 6],
  ])('a scan of %s has each entry once, and ends', async (path, name, count) => {
    const marketplace = marketplaceWithSample();
    const found: unknown[] = [];
    for (let scroll = ''; ;) {
      const { body } = await send(`GET ${path}search_type=scan&limit=2${scroll}`, {}, marketplace);
      const page = (body as Record<string, unknown[]>)[name] ?? [];
      if (page.length === 0) break;
      found.push(...page.map((entry) => (typeof entry === 'object' ? (entry as { id: unknown }).id : entry)));
      scroll = `&scroll_id=${(body as { scroll_id: string }).scroll_id}`;
    }
    expect(new Set(found).size).toBe(count);
    expect(found).toHaveLength(count);
  });

  test('the shipment of an order, and a delivery order of Flex', async () => {
    const marketplace = marketplaceWithSample();
    const { shipping } = (await send('GET /orders/3000000000000001', {}, marketplace)).body as typeof order;
    const shown = { status: 'ready_to_ship', substatus: text, logistic_type: 'self_service' };
    expect((await send(`GET /shipments/${shipping.id}`, {}, marketplace)).body).toMatchObject({
      ...{ id: shipping.id, ...shown, order_id: order.id, receiver_address: { city: { name: text } } },
    });
    const [flex] = marketplace.flex.shipments;
    expect(await send(`GET /shipments/${flex?.shipment_id}`, {}, marketplace)).toMatchObject({
      status: 200,
      body: shown,
    });
    marketplace.packs.change(marketplace.packs.getOrThrow(order.pack_id), { delivered: true });
    expect((await send(`GET /shipments/${shipping.id}`, {}, marketplace)).body).toMatchObject({ status: 'delivered' });
    expect((await send('GET /orders/3000000000000001', {}, marketplace)).body).toMatchObject({
      tags: ['pack_order', 'delivered', 'paid'],
    });
  });

  test('whatever the fake announces can be read', async () => {
    const marketplace = marketplaceWithSample();
    const resources = new Set<string>();
    marketplace.events.on(({ resource }) => void resources.add(resource));
    marketplace.addPack({ seller_id: 1001, buyer_id: 1002 });
    marketplace.items.change('MLA600000001', { title: 'Cup' });
    marketplace.ask({ from: { user_id: 1002 }, item_id: 'MLA600000001', text: 'Is it new?' });
    expect(resources.size).toBe(3);
    for (const resource of resources) expect((await send(`GET ${resource}`, {}, marketplace)).status).toBe(200);
  });

  test('what could not be delivered is missed: for two days, of its application and topic', async () => {
    const marketplace = new FakeMarketplace({ now: '2026-03-02T09:00:00Z' });
    marketplace.seed(sample(marketplace.clock.ms));
    for (const application_id of [500, 501])
      marketplace.notifications.subscribe({ application_id, callback: () => new Response(null, { status: 500 }) });
    const { id } = marketplace.ask({ from: { user_id: 1002 }, item_id: 'MLA600000001', text: 'Is it new?' });
    const missed = async (topic = 'questions') =>
      ((await send(`GET /missed_feeds?app_id=500&topic=${topic}`, {}, marketplace)).body as { messages: unknown[] })
        .messages;
    expect(await missed()).toEqual([]);
    await marketplace.notifications.flush();
    expect(await missed()).toMatchObject([
      { resource: `/questions/${id}`, user_id: 1001, topic: 'questions', application_id: 500, attempts: 8 },
    ]);
    expect(await missed('items&site_id=MLA')).toEqual([]);
    marketplace.clock.advance({ days: 2 });
    expect(await missed()).toEqual([]);
  });

  test.each(['users/me', 'users/1002', 'items/MLA600000001', 'orders/3000000000000001', 'missed_feeds?app_id=500'])(
    '/%s needs a token',
    async (path) => {
      expect((await send(`GET /${path}`, { token: '' })).status).toBe(401);
    },
  );

  test('others see neither an order nor a shipment', async () => {
    const marketplace = marketplaceWithSample();
    const token = marketplace.tokenFor({ user_id: 1003 });
    const { shipping_id } = marketplace.packs.getOrThrow(order.pack_id);
    for (const path of [`orders/${order.id}`, `shipments/${shipping_id}`])
      expect((await send(`GET /${path}`, { token }, marketplace)).status).toBe(403);
  });

  test.each(['/items/{id}', '/users/me', '/orders/{order_id}'])('a stub of %s takes its place', async (path) => {
    const marketplace = marketplaceWithSample();
    marketplace.operations.stub({ method: 'GET', path, body: { own: true } });
    const concrete = path.replace(/\{\w+\}/, '3000000000000001');
    expect(await send(`GET ${concrete}`, {}, marketplace)).toEqual({ status: 200, body: { own: true } });
    marketplace.operations.remove(`GET ${path}`);
    expect((await send(`GET ${concrete}`, {}, marketplace)).body).not.toEqual({ own: true });
  });

  test('an operation of the user takes the place of one with its path, or its name', async () => {
    const order = { method: 'GET', input: z.looseObject({}), output: z.unknown(), retry: 'safe', errors: [] } as const;
    for (const endpoint of [
      { ...order, name: 'my.order', path: '/orders/{id}' },
      { ...order, name: 'orders.get', path: '/my/orders/{id}' },
    ] as const) {
      const marketplace = new FakeMarketplace({ operations: [{ endpoint, handle: () => ({ own: true }) }] });
      marketplace.seed(sample(marketplace.clock.ms));
      const path = endpoint.path.replace('{id}', '3000000000000001');
      expect((await send(`GET ${path}`, {}, marketplace)).body).toEqual({ own: true });
      expect((await send('GET /users/me', {}, marketplace)).status).toBe(200);
    }
  });

  test('faults, failNext and filters know their names', async () => {
    const marketplace = marketplaceWithSample();
    marketplace.faults.inject({ endpoint: 'users.me', status: 503 });
    marketplace.failNext('orders.get', { status: 404, message: 'Gone' });
    const lines = ['GET /users/me', 'GET /orders/3000000000000001', 'GET /users/me'];
    const statuses: number[] = [];
    for (const line of lines) statuses.push((await send(line, {}, marketplace)).status);
    expect(statuses).toEqual([503, 404, 200]);
    expect(marketplace.requests.filter({ endpoint: 'users.me' })).toHaveLength(2);
  });
});
