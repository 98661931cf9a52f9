import {
  ConnectionError,
  InvalidInputError,
  NotFoundError,
  ServerError,
  documentedError,
} from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { controlled } from '../support/control-calls.ts';
import type { ControlledServer } from '../support/control-calls.ts';

interface Order {
  readonly id: number;
  readonly status: string;
}

const orderNotFound = documentedError({ status: 404, code: 'order_not_found', message: 'Order not found' });
const getOrder: Endpoint<{ order_id: number; expand?: boolean | undefined }, Order> = {
  name: 'orders.get',
  method: 'GET',
  path: '/orders/{order_id}',
  input: z.object({ order_id: z.int(), expand: z.optional(z.boolean()) }),
  output: z.looseObject({ id: z.int(), status: z.string() }),
  retry: 'safe',
  errors: [orderNotFound],
};
const putNote: Endpoint<{ order_id: number; note: string }> = {
  name: 'orders.putNote',
  method: 'PUT',
  path: '/orders/{order_id}/note',
  input: z.object({ order_id: z.int(), note: z.string().check(z.maxLength(20)) }),
  output: z.unknown(),
  retry: 'idempotent',
  errors: [],
};

/** A marketplace with orders: the state is in its records. */
function withOrders() {
  const marketplace = new FakeMarketplace({
    operations: [
      {
        endpoint: getOrder,
        handle({ input, bearer, reject }, { records }) {
          expectTypeOf(input.order_id).toBeNumber();
          if (!bearer) return reject({ status: 401, message: 'Access token is required' });
          return records.of('orders').get(String(input.order_id)) ?? reject(orderNotFound);
        },
      },
      {
        endpoint: putNote,
        handle: ({ input }, { records }) => void records.of('notes').set(String(input.order_id), input.note),
      },
    ],
  });
  const user = marketplace.addUser();
  marketplace.records.of('orders').set('1', { id: 1, status: 'paid' });
  return { marketplace, user, seller: marketplace.clientFor(user, { maxRetries: 0 }) };
}

describe('an operation of your own', () => {
  test('responds to seller.call() with its state', async () => {
    const { marketplace, seller } = withOrders();
    expect(await seller.call(getOrder, { order_id: 1 })).toEqual({ id: 1, status: 'paid' });
    await seller.call(putNote, { order_id: 1, note: 'Blue' });
    expect(marketplace.records.all).toEqual({ orders: { 1: { id: 1, status: 'paid' } }, notes: { 1: 'Blue' } });
  });

  test('rejects a call as the service does', async () => {
    const { seller } = withOrders();
    const error: unknown = await seller.call(getOrder, { order_id: 2 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({
      code: 'order_not_found',
      message: expect.stringContaining('Order not found') as string,
    });
    expect(
      await seller.call(getOrder, { order_id: 1 }, { accessToken: null }).catch((reason: unknown) => reason),
    ).toMatchObject({ status: 401 });
  });

  test('checks what it is asked with the input schema of its endpoint', async () => {
    const { marketplace, user } = withOrders();
    const headers = { authorization: `Bearer ${marketplace.tokenFor(user)}` };
    const send = async (path: string, init?: RequestInit) => {
      const response = await marketplace.fetch(marketplace.baseUrl + path, { headers, ...init });
      return { status: response.status, text: await response.text() };
    };
    expect(await send('/orders/abc')).toMatchObject({
      status: 400,
      text: expect.stringContaining('order_id') as string,
    });
    const tooLong = { method: 'PUT', headers, body: JSON.stringify({ note: 'x'.repeat(21) }) };
    expect(await send('/orders/1/note', tooLong)).toMatchObject({
      status: 400,
      text: expect.stringContaining('note') as string,
    });
    expect(await send('/orders/1/note', { method: 'PUT', headers, body: '{' })).toMatchObject({ status: 400 });
    expect(await send('/orders/1/note')).toMatchObject({ status: 405 });
    expect(await send('/orders/1/notes')).toMatchObject({ status: 404 });
    expect(marketplace.records.of('notes').size).toBe(0);
  });

  test('has its response checked by the output schema of its endpoint', async () => {
    const { marketplace, seller } = withOrders();
    marketplace.records.of('orders').set('3', { id: 'three' });
    const error: unknown = await seller.call(getOrder, { order_id: 3 }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(FakeMarketplaceError);
    expect(String(error)).toContain('the response of orders.get does not match its schema');
  });

  test('may respond with a status of its own', async () => {
    const partial = { ...getOrder, name: 'orders.partial' };
    const marketplace = new FakeMarketplace({
      operations: [{ endpoint: partial, handle: () => Response.json({ id: 1, status: 'paid' }, { status: 206 }) }],
    });
    const { data, response } = await marketplace
      .clientFor(marketplace.addUser())
      .call(partial, { order_id: 1 })
      .withResponse();
    expect([data, response.status]).toEqual([{ id: 1, status: 'paid' }, 206]);
    expect(marketplace.requests.last?.response).toMatchObject({ status: 206, body: { id: 1, status: 'paid' } });
  });

  test('whose handler fails says which one, and why', async () => {
    const marketplace = new FakeMarketplace({
      operations: [
        {
          endpoint: getOrder,
          public: true,
          handle: () => {
            throw new Error('no table');
          },
        },
      ],
    });
    const call = marketplace.fetch(`${marketplace.baseUrl}/orders/1`);
    await expect(call).rejects.toThrow('the handler of orders.get failed: no table');
    await expect(call).rejects.toBeInstanceOf(FakeMarketplaceError);
  });

  test('is known to faults, failNext, filters, and self-description', async () => {
    const { marketplace, seller } = withOrders();
    marketplace.failNext(getOrder, { status: 503, message: 'Busy' });
    await expect(seller.call(getOrder, { order_id: 1 })).rejects.toBeInstanceOf(ServerError);
    marketplace.faults.inject({ reset: 'before', endpoint: getOrder });
    await expect(seller.call(getOrder, { order_id: 1 })).rejects.toBeInstanceOf(ConnectionError);
    marketplace.faults.inject({ status: 500, endpoint: 'orders.get' });
    await expect(seller.call(getOrder, { order_id: 1 })).rejects.toBeInstanceOf(ServerError);
    expect(marketplace.requests.filter({ endpoint: 'orders.get' })).toHaveLength(3);
    expect(await seller.describe({ path: '/orders/1' })).toMatchObject({ name: 'orders' });
    expect(() => marketplace.faults.inject({ status: 500, endpoint: 'orders.gte' })).toThrow(
      'did you mean orders.get?',
    );
  });

  test('stays after a reset, and its records go', async () => {
    const { marketplace } = withOrders();
    marketplace.reset();
    const seller = marketplace.clientFor(marketplace.addUser());
    await expect(seller.call(getOrder, { order_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    expect(marketplace.records.all).toEqual({});
    marketplace.seed({ records: { orders: { 1: { id: 1, status: 'paid' } } } });
    expect(await seller.call(getOrder, { order_id: 1 })).toMatchObject({ status: 'paid' });
  });

  test('gets records by their id only', () => {
    expect(() => withOrders().marketplace.seed({ records: { orders: [1] } })).toThrow('`records.orders`');
  });

  const operation = { endpoint: getOrder, handle: () => undefined };
  test.each<[string, unknown[], string]>([
    ['no handler', [{ endpoint: getOrder }], 'the operation orders.get needs a function `handle`'],
    ['no endpoint', [{ handle: () => 1 }], 'the endpoint is missing'],
    ['a misspelt field', [{ ...operation, handel: 1 }], 'did you mean `handle`?'],
    ['a wrong path', [{ ...operation, endpoint: { ...getOrder, path: 'orders' } }], '`path`'],
    ['the name of another', [operation, operation], 'there is already an operation "orders.get"'],
    ['the name of the service', [{ ...operation, endpoint: { ...getOrder, name: 'items.status' } }], '"items.status"'],
    [
      'the path of another',
      [operation, { ...operation, endpoint: { ...getOrder, name: 'o', path: '/orders/{id}' } }],
      'already responds to GET /orders/{id}',
    ],
  ])('is rejected with %s', (_, operations, message) => {
    const create = (): unknown => new FakeMarketplace({ operations: operations as never });
    expect(create).toThrow(FakeMarketplaceError);
    expect(create).toThrow(message);
  });
});

describe('the input of an operation is what seller.call() was given', () => {
  const values = {
    id: z.string(),
    n: z.number(),
    i: z.int(),
    b: z.boolean(),
    list: z.array(z.string()),
    ids: z.array(z.int()),
    at: z.date(),
  };
  const input = {
    id: 'MLA1',
    n: 1.5,
    i: 7,
    b: false,
    list: ['a', 'b'],
    ids: [1, 2],
    at: new Date('2026-03-02T10:00:00Z'),
  };
  const objectSchema = z.object(values);
  // A schema of a library whose fields are not known.
  const opaque = {
    '~standard': {
      version: 1 as const,
      vendor: 'other',
      validate: (value: unknown) => objectSchema['~standard'].validate(value),
    },
  };

  test.each([
    ['GET', 'zod', objectSchema],
    ['DELETE', 'zod', objectSchema],
    ['POST', 'zod', objectSchema],
    ['PUT', 'zod', objectSchema],
    ['GET', 'another library', opaque],
    ['POST', 'another library', opaque],
  ] as const)('%s, schema of %s', async (method, _, schema) => {
    for (const given of [input, { ...input, list: ['a'], ids: [5], id: '12' }]) {
      let received: unknown;
      const endpoint: Endpoint<typeof input> = {
        name: 'own.echo',
        method,
        path: '/own/{id}/x',
        input: schema,
        output: z.unknown(),
        retry: 'safe',
        errors: [],
      };
      const marketplace = new FakeMarketplace({
        operations: [{ endpoint, handle: (call) => void (received = call.input) }],
      });
      await marketplace.clientFor(marketplace.addUser()).call(endpoint, given);
      expect(received).toEqual(given);
    }
  });

  test('headers, query of a POST and constant parameters included', async () => {
    let received: unknown;
    const endpoint: Endpoint<{ id: number; tag_id: number; key: string; text: string }> = {
      ...{ name: 'own.post', method: 'POST', path: '/own/{id}', retry: 'unsafe', errors: [], output: z.unknown() },
      input: z.strictObject({ id: z.int(), tag_id: z.int(), key: z.string(), text: z.string() }),
      ...{ inQuery: ['tag_id'], inHeader: { key: 'x-key' }, query: { role: 'seller' } },
    };
    const marketplace = new FakeMarketplace({
      operations: [{ endpoint, handle: (call) => void (received = call.input) }],
    });
    const given = { id: 1, tag_id: 2, key: '3', text: '4' };
    await marketplace.clientFor(marketplace.addUser()).call(endpoint, given);
    expect(received).toEqual(given);
    const wrong = marketplace.clientFor(marketplace.addUser()).call(endpoint, { ...given, id: 'x' } as never);
    await expect(wrong).rejects.toBeInstanceOf(InvalidInputError);
  });
});

describe('a stub', () => {
  const open: ControlledServer[] = [];
  afterEach(async () => {
    for (const server of open.splice(0)) await server.end();
  });
  async function served(...args: string[]): Promise<ControlledServer> {
    const server = await controlled(...args);
    open.push(server);
    return server;
  }

  test('responds to a path with its body, over HTTP', async () => {
    const { url, control } = await served();
    const stub = { method: 'GET', path: '/orders/{order_id}', public: true, body: { id: 1 } };
    expect(await control('POST', 'operations', stub)).toEqual({
      status: 200,
      body: { name: 'GET /orders/{order_id}', method: 'GET', path: '/orders/{order_id}' },
    });
    expect(await (await fetch(`${url}/orders/5?x=1`)).json()).toEqual({ id: 1 });
    const { body } = await control('GET', 'requests?endpoint=GET%20%2Forders%2F%7Border_id%7D');
    expect(body.count).toBe(1);
    expect((await control('GET', 'state')).body).toMatchObject({
      endpoints: expect.arrayContaining(['GET /orders/{order_id}']) as unknown,
      operations: [{ name: 'GET /orders/{order_id}' }],
    });
    await control('POST', 'faults', { status: 503, endpoint: 'GET /orders/{order_id}' });
    expect((await fetch(`${url}/orders/5`)).status).toBe(503);
    const failure = { endpoint: 'GET /orders/{order_id}', status: 404, message: 'Gone' };
    await control('POST', 'failures', failure);
    expect((await fetch(`${url}/orders/5`)).status).toBe(404);
    await control('POST', 'reset');
    expect(await (await fetch(`${url}/orders/5`)).json()).not.toEqual({ id: 1 });
    expect((await control('GET', 'state')).body.operations).toEqual([]);
  });

  test('gives its bodies in turn to the calls with a token, then the last one', async () => {
    const marketplace = new FakeMarketplace();
    marketplace.operations.stub({
      method: 'POST',
      path: '/payments',
      status: 201,
      bodies: [1, [2], { three: 3 }],
    });
    const authorization = `Bearer ${marketplace.tokenFor(marketplace.addUser())}`;
    const bodies: unknown[] = [];
    for (let call = 0; call < 4; call += 1) {
      const post = (headers: HeadersInit): Promise<Response> =>
        marketplace.fetch(`${marketplace.baseUrl}/payments`, { method: 'POST', body: 'anything', headers });
      expect((await post({})).status).toBe(401);
      const response = await post({ authorization });
      expect(response.status).toBe(201);
      bodies.push(await response.json());
    }
    expect(bodies).toEqual([1, [2], { three: 3 }, { three: 3 }]);
  });

  test('is replaced by a stub of its name, and may replace what the service does', async () => {
    const marketplace = new FakeMarketplace();
    const question = { method: 'GET' as const, path: '/questions/{question_id}', public: true };
    marketplace.operations.stub({ ...question, body: 1 });
    marketplace.operations.stub({ ...question, status: 204 });
    marketplace.operations.stub({ ...question, path: '/other', name: 'other' });
    const clash = { ...question, path: '/other', name: 'GET /questions/{question_id}' } as const;
    expect(() => marketplace.operations.stub(clash)).toThrow('already responds');
    const seller = marketplace.clientFor(marketplace.addUser());
    expect(await seller.questions.search({ seller_id: 1001 }).toArray()).toEqual([]);
    expect((await marketplace.fetch(`${marketplace.baseUrl}/questions/1`)).status).toBe(204);
    marketplace.operations.remove('GET /questions/{question_id}');
    expect((await marketplace.fetch(`${marketplace.baseUrl}/questions/1`)).status).toBe(404);
    expect(() => marketplace.operations.remove('questions.get')).toThrow('there is no stub "questions.get"');
  });

  test('can be in a seed, with faults of its own', async () => {
    const marketplace = new FakeMarketplace();
    marketplace.seed({
      operations: [{ name: 'sites.list', method: 'GET', path: '/sites', public: true, body: [] }],
      faults: [{ endpoint: 'sites.list', status: 500 }],
    });
    const status = async (): Promise<number> => (await marketplace.fetch(`${marketplace.baseUrl}/sites`)).status;
    expect([await status(), await status()]).toEqual([500, 200]);
  });

  test('takes precedence by its path: fixed segments before parameters', async () => {
    const marketplace = new FakeMarketplace();
    for (const path of ['/a/{x*}', '/a/{x}', '/a/b', '/a/{x}/{y}'])
      marketplace.operations.stub({ method: 'GET', path, public: true, body: path });
    const bodyOf = async (path: string): Promise<unknown> =>
      (await marketplace.fetch(marketplace.baseUrl + path)).json();
    expect([await bodyOf('/a/b'), await bodyOf('/a/c'), await bodyOf('/a/c/d'), await bodyOf('/a/c/d/e')]).toEqual([
      '/a/b',
      '/a/{x}',
      '/a/{x}/{y}',
      '/a/{x*}',
    ]);
  });

  test.each([
    ['method', { path: '/a' }],
    ['method', { method: 'FETCH', path: '/a' }],
    ['path', { method: 'GET' }],
    ['path', { method: 'GET', path: 'a' }],
    ['path', { method: 'GET', path: '/a?b=1' }],
    ['status', { method: 'GET', path: '/a', status: 99 }],
    ['status', { method: 'GET', path: '/a', status: 600 }],
    ['status', { method: 'GET', path: '/a', status: 'ok' }],
    ['body', { method: 'GET', path: '/a', status: 204, body: 1 }],
    ['bodies', { method: 'GET', path: '/a', bodies: [] }],
    ['bodies', { method: 'GET', path: '/a', bodies: 1 }],
    ['bodies', { method: 'GET', path: '/a', bodies: [1], body: 1 }],
    ['headers', { method: 'GET', path: '/a', headers: { 'a b': '1' } }],
    ['name', { method: 'GET', path: '/a', name: ' ' }],
    ['questions.get', { method: 'GET', path: '/a', name: 'questions.get' }],
    ['paht', { method: 'GET', path: '/a', paht: '/b' }],
    ['public', { method: 'GET', path: '/a', public: 'yes' }],
  ])('is rejected with a wrong %s: %j', async (field, stub) => {
    const { control } = await served();
    const { status, body } = await control('POST', 'operations', stub);
    expect([status, body.message]).toEqual([400, expect.stringContaining(field)]);
    expect((await control('GET', 'state')).body.operations).toEqual([]);
    expect(() => new FakeMarketplace().operations.stub(stub as never)).toThrow(FakeMarketplaceError);
  });
});

describe('without a token', () => {
  const handle = () => ({ id: 1, status: 'paid' });
  const ways: [string, (isPublic: boolean | undefined) => FakeMarketplace][] = [
    [
      'an operation',
      (isPublic) => new FakeMarketplace({ operations: [{ endpoint: getOrder, handle, public: isPublic }] }),
    ],
    [
      'a stub',
      (isPublic) => {
        const marketplace = new FakeMarketplace();
        const stub = { method: 'GET', path: '/orders/{order_id}', body: handle(), public: isPublic } as const;
        marketplace.operations.stub(stub);
        return marketplace;
      },
    ],
  ];

  test.each(ways)('%s gets a 401, unless it is public', async (_, create) => {
    const statuses = [undefined, false, true].map(async (isPublic) => {
      const marketplace = create(isPublic);
      const status = async (headers?: HeadersInit) =>
        (await marketplace.fetch(`${marketplace.baseUrl}/orders/1`, { headers: headers ?? {} })).status;
      const token = marketplace.tokenFor(marketplace.addUser());
      return [
        await status(),
        await status({ authorization: `Bearer ${token}` }),
        await status({ authorization: 'Bearer x' }),
      ];
    });
    expect(await Promise.all(statuses)).toEqual([
      [401, 200, 401],
      [401, 200, 401],
      [200, 200, 401],
    ]);
  });
});

describe('an operation in a seed', () => {
  const operation = {
    endpoint: getOrder,
    public: true,
    handle: ({ input }: { input: unknown }, { records }: FakeMarketplace) =>
      records.of('orders').get(String((input as { order_id: number }).order_id)),
  };
  const stub = { method: 'GET', path: '/sites', public: true, body: [] } as const;
  const status = async (marketplace: FakeMarketplace, path: string): Promise<number> =>
    (await marketplace.fetch(marketplace.baseUrl + path)).status;

  test('responds with its state until a reset, beside stubs', async () => {
    const marketplace = new FakeMarketplace();
    marketplace.seed({ operations: [stub, operation], records: { orders: { 1: { id: 1, status: 'paid' } } } });
    expect(await (await marketplace.fetch(`${marketplace.baseUrl}/orders/1`)).json()).toMatchObject({ status: 'paid' });
    expect(await status(marketplace, '/sites')).toBe(200);
    marketplace.reset();
    expect([await status(marketplace, '/orders/1'), await status(marketplace, '/sites')]).toEqual([401, 404]);
    marketplace.seed({ operations: [operation] });
    expect(marketplace.operations.all).toHaveLength(1);
  });

  test.each([
    [{ ...operation, handle: 1 }, '`operations.1`: the operation orders.get needs a function `handle`'],
    [{ handle: operation.handle }, '`operations.1`'],
    [{ method: 'GET', path: 'a' }, '`operations.1`: `path`: a path begins with /'],
    ['GET /a', '`operations.1`: an operation is an object'],
  ])('that is wrong adds nothing: %j', (wrong, message) => {
    const marketplace = new FakeMarketplace();
    expect(() => marketplace.seed({ operations: [operation, wrong as never] })).toThrow(message);
    expect(marketplace.operations.all).toEqual([]);
  });
});

describe('a sale', () => {
  test('is announced as an order to who subscribed to orders_v2', async () => {
    const marketplace = new FakeMarketplace();
    const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
    const received: unknown[] = [];
    const callback = async (request: Request): Promise<Response> => {
      received.push(await request.json());
      return new Response();
    };
    marketplace.notifications.subscribe({ callback, topics: ['orders_v2'] });
    marketplace.notifications.subscribe({ callback, topics: ['questions'] });
    const { order_ids } = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    await marketplace.notifications.flush();
    expect(received).toEqual([
      expect.objectContaining({ topic: 'orders_v2', resource: `/orders/${order_ids[0]}`, user_id: seller.user_id }),
    ]);
  });
});

test('an endpoint that the marketplace does not know can be stated by its names only', () => {
  expect(() => new FakeMarketplace().failNext(putNote, endpoints.questions.get.errors[0]!)).toThrow(
    'there is no endpoint "orders.putNote"',
  );
});
