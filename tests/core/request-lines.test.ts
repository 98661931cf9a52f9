import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { createTools } from 'marketplace-seller-sdk/tools';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
// oxlint-disable-next-line no-restricted-imports -- applications import it so
import * as z from 'zod';
import {
  ConfigurationError,
  InvalidInputError,
  NotFoundError,
  OutcomeUnknownError,
  SellerClient,
  UnexpectedResponseError,
  defineEndpoint,
} from '../../src/index.js';
import type { Endpoint, Fetch } from '../../src/index.js';

/** A marketplace with one paid order, whose seller is the client's. */
function withAnOrder() {
  const marketplace = new FakeMarketplace();
  const shop = marketplace.addUser();
  const pack = marketplace.addPack({
    seller_id: shop.user_id,
    buyer_id: marketplace.addUser().user_id,
    order_ids: [77],
  });
  return { marketplace, shop, pack, seller: marketplace.clientFor(shop) };
}

/** A client whose service answers each request with the request: method, path with query, and body. */
function echoing() {
  const sent: string[] = [];
  const fetch: Fetch = async (url, { method, body }) => {
    const { pathname, search } = new URL(url);
    sent.push([method, pathname + search, body].join(' ').trim());
    return Response.json({ id: 1 });
  };
  return { sent, seller: new SellerClient({ baseUrl: 'https://api.example.com', accessToken: 'token', fetch }) };
}

describe('a path that the package has no method for', () => {
  const order = z.looseObject({ id: z.int(), status: z.string() });

  it('is called by its line, and its response is unknown', async () => {
    const { seller } = withAnOrder();
    const found = seller.request('GET /orders/{order_id}', { order_id: 77 });
    expectTypeOf(found).resolves.toEqualTypeOf<unknown>();
    expect(await found).toMatchObject({ id: 77, status: 'paid' });
    expect(await seller.request('GET /users/me')).toMatchObject({ site_id: 'MLA' });
  });

  it('is read and typed by a schema', async () => {
    const { seller } = withAnOrder();
    const found = seller.request('GET /orders/{order_id}', { order_id: '77' }, { output: order });
    expectTypeOf(found).resolves.toEqualTypeOf<z.output<typeof order>>();
    expect((await found).status).toBe('paid');
    const { response } = await found.withResponse();
    expect(response.status).toBe(200);
    const wrong = seller.request(
      'GET /orders/{order_id}',
      { order_id: 77 },
      { output: z.object({ none: z.string() }) },
    );
    await expect(wrong).rejects.toBeInstanceOf(UnexpectedResponseError);
    await expect(seller.request('GET /orders/{order_id}', { order_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('has its fields checked by the compiler', () => {
    const check = (seller: SellerClient): unknown => [
      // @ts-expect-error -- a field of the path is missing
      seller.request('GET /orders/{order_id}', { id: 1 }),
      // @ts-expect-error -- a path with a field needs an input
      seller.request('GET /orders/{order_id}'),
      // @ts-expect-error -- there is no such method
      seller.request('FETCH /orders/{order_id}', { order_id: 1 }),
      seller.request('GET /a/{b}/{c*}', { b: 1, c: 'd/e', further: true }),
    ];
    expect(check).toBeTypeOf('function');
  });

  it.each([
    ['GET /orders/search', { seller: 7, tags: ['a', 'b'] }, 'GET /orders/search?seller=7&tags=a%2Cb'],
    ['DELETE /items/{id}', { id: 'MLA1', force: true }, 'DELETE /items/MLA1?force=true'],
    ['POST /items', { title: 'A lamp', price: 1.5 }, 'POST /items {"title":"A lamp","price":1.5}'],
    ['PUT /items/{id}', { id: 'MLA1', status: null }, 'PUT /items/MLA1 {"status":null}'],
    ['PATCH /items/{id}', { id: 'MLA1', stock: { a: 1 } }, 'PATCH /items/MLA1 {"stock":{"a":1}}'],
    ['GET /orders/{order_id}', { order_id: '2000000000000000123' }, 'GET /orders/2000000000000000123'],
  ] as const)('%s fills the path, and sends what is left over', async (line, input, expected) => {
    const { seller, sent } = echoing();
    await seller.request(line, input as never);
    expect(sent).toEqual([expected]);
  });

  it.each([
    ['GET /orders/{order_id}', {}, InvalidInputError, /order_id/],
    ['GET /orders/{order_id}', { order_id: '..' }, InvalidInputError, /cannot be part of a path/],
    ['GET /orders/{order_id}', { order_id: 2 ** 60 }, InvalidInputError, /order_id/],
    ['get /orders', {}, ConfigurationError, /GET, POST, PUT, PATCH or DELETE/],
    ['orders', {}, ConfigurationError, /takes a method and a path/],
    ['GET /orders?seller=1', {}, ConfigurationError, /path without \? and #/],
    ['GET /orders', 7, InvalidInputError, /input/],
  ])('%s with %j is told before anything is sent', async (line, input, Class, message) => {
    const { seller, sent } = echoing();
    const call = seller.request(line as 'GET /orders/search', input as never);
    await expect(call).rejects.toSatisfy((error) => error instanceof Class && message.test(error.message));
    expect(sent).toEqual([]);
  });

  it('is sent once if it writes, and again if it reads', async () => {
    let calls = 0;
    const fetch = async (): Promise<Response> => {
      calls += 1;
      return Promise.resolve(Response.json({}, { status: 500 }));
    };
    const seller = new SellerClient({ baseUrl: 'https://api.example.com', accessToken: 'token', fetch, maxRetries: 1 });
    await expect(seller.request('PUT /items/{id}', { id: 1, a: 1 })).rejects.toMatchObject({ outcomeUnknown: true });
    expect(calls).toBe(1);
    await expect(seller.request('GET /items/{id}', { id: 1 })).rejects.toThrow('500');
    expect(calls).toBe(3);
    expect(OutcomeUnknownError.name).toBe('OutcomeUnknownError');
  });

  it('keeps one endpoint for a line and a schema, also for clients that are derived', async () => {
    const { seller } = echoing();
    const seen = new Set<unknown>();
    const watching = seller.withOptions({
      middleware: [(context, next) => (seen.add(context.endpoint), next(context.request))],
    });
    for (const client of [watching, watching.withOptions({ accessToken: 'other' })]) {
      await client.request('GET /a/{b}', { b: 1 });
      await client.request('GET /a/{b}', { b: 2 });
    }
    expect(seen.size).toBe(1);
    await watching.request('GET /a/{b}', { b: 2 }, { output: z.unknown() });
    expect(Array.from(seen, (endpoint) => (endpoint as Endpoint).name)).toEqual(['a.GET /a/{b}', 'a.GET /a/{b}']);
  });
});

describe('an endpoint of an application', () => {
  it('needs a method and a path', async () => {
    const { seller } = withAnOrder();
    const getOrder = defineEndpoint({ method: 'GET', path: '/orders/{order_id}' });
    expect(getOrder).toMatchObject({ name: 'orders.GET /orders/{order_id}', retry: 'safe', errors: [] });
    expect(await seller.call(getOrder, { order_id: 77 })).toMatchObject({ id: 77 });
    expect(defineEndpoint({ method: 'PATCH', path: '/items/{id}' }).retry).toBe('unsafe');
  });

  it('has the types of its schemas', () => {
    const input = z.object({ id: z.string() });
    const output = z.object({ total: z.int() });
    const visits = defineEndpoint({ name: 'visits.get', method: 'GET', path: '/visits/{id}', input, output });
    expectTypeOf(visits).toEqualTypeOf<Endpoint<{ id: string }, { total: number }>>();
  });

  it('is an operation of the fake marketplace, a topic, a job and a tool', async () => {
    const label = defineEndpoint({ name: 'labels.print', method: 'POST', path: '/labels/{id}' });
    const marketplace = new FakeMarketplace({
      operations: [{ endpoint: label, handle: ({ input }) => ({ printed: input.id }) }],
    });
    const shop = marketplace.addUser();
    const seller = marketplace.clientFor(shop);
    expect(await seller.call(label, { id: 5 })).toEqual({ printed: '5' });
    const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller, endpoints: [label] });
    outbox.start();
    await outbox.add({ key: 'label 6', user_id: shop.user_id, endpoint: label, input: { id: 6 } });
    await outbox.idle();
    expect(marketplace.requests.filter({ endpoint: label })).toHaveLength(2);
    await outbox.close();
    const tools = createTools(seller, { endpoints: [label], only: ['labels'] });
    expect(tools.map(({ name }) => name)).toEqual(['labels_print']);
  });

  it.each([
    [
      'a job',
      (endpoint: Endpoint) => createOutbox({ store: memoryStore(), clientFor: () => undefined, endpoints: [endpoint] }),
    ],
    ['a topic', (endpoint: Endpoint) => createInbox({ topics: { x: { endpoint, idOf: String } }, on: {} })],
    ['a tool', (endpoint: Endpoint) => createTools({} as never, { endpoints: [endpoint] })],
  ])('%s wants a name of its own', (_, use) => {
    const endpoint = defineEndpoint({ method: 'GET', path: '/orders/{order_id}' });
    expect(() => use(endpoint as Endpoint)).toThrow('`name` of its own');
  });

  it.each([
    [{ path: '/orders' }, '`method`'],
    [{ method: 'GET' }, '`path`'],
    [{ method: 'GET', path: 'orders' }, 'begins with /'],
    [{ method: 'GET', path: '/orders', output: {} }, '`output` takes a schema'],
    [{ method: 'GET', path: '/orders', retry: 'never' }, '`retry`'],
  ])('%j is rejected', (definition, message) => {
    expect(() => defineEndpoint(definition as never)).toThrow(message);
  });
});
