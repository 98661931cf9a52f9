import { ConfigurationError, NotFoundError, SellerClient } from 'marketplace-seller-sdk';
import type { Endpoint } from 'marketplace-seller-sdk';
import { UnrecoverableError, createInbox, readNotification } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod/mini';
import { deliverUntilAccepted } from '../support/deliveries.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

interface Order {
  readonly id: number;
  readonly status: string;
}
const getOrder: Endpoint<{ order_id: number }, Order> = {
  name: 'orders.get',
  method: 'GET',
  path: '/orders/{order_id}',
  input: z.object({ order_id: z.int() }),
  output: z.looseObject({ id: z.int(), status: z.string() }),
  retry: 'safe',
  errors: [],
};
const getStock: Endpoint<{ user_id: string; item_id: string }, { quantity: number }> = {
  ...{ name: 'stock.get', method: 'GET', path: '/users/{user_id}/stock/{item_id}', retry: 'safe', errors: [] },
  input: z.object({ user_id: z.string(), item_id: z.string() }),
  output: z.looseObject({ quantity: z.int() }),
};
const orders_v2 = { endpoint: getOrder, idOf: (resource: string) => Number(resource.split('/').at(-1)) };

function saleWithSeller() {
  const marketplace = new FakeMarketplace({
    operations: [
      {
        endpoint: getOrder,
        handle: ({ input: { order_id }, reject }, { packs }) =>
          packs.all.some(({ order_ids }) => order_ids.includes(order_id))
            ? { id: order_id, status: 'paid' }
            : reject({ status: 404, message: 'No such order' }),
      },
      { endpoint: getStock, handle: ({ input }) => ({ quantity: input.item_id.length }) },
    ],
  });
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  return { marketplace, seller, buyer, client: marketplace.clientFor(seller, { maxRetries: 0 }) };
}

const about = (topic: string, resource: string, id = resource): object => ({ _id: id, user_id: 1001, topic, resource });

describe('the topic of drivers', () => {
  test.each([
    '/flex/sites/MLA/shipments/40000000001/assignment/v1',
    'flex/sites/MLA/shipments/40000000001/assignment/v2/',
    'https://api.test/flex/sites/MLA/shipments/40000000001/assignment/v9?x=1',
  ])('needs no endpoint of your own: %s', async (resource) => {
    const { marketplace, seller, client } = saleWithSeller();
    marketplace.flex.subscribe({ user_id: seller.user_id });
    marketplace.flex.assignDriver(marketplace.flex.ship(seller), 345);
    const drivers: number[] = [];
    const inbox = createInbox({
      clientFor: () => client,
      on: {
        'flex-handshakes': async ({ topic }, { read }) => {
          expectTypeOf(topic).toEqualTypeOf<'flex-handshakes'>();
          drivers.push((await read()).driver_id);
        },
      },
      logger: silentLogger,
    });
    await inbox.add(about('flex-handshakes', resource));
    await inbox.idle();
    expect(drivers).toEqual([345]);
    expect(marketplace.requests.all.map(({ endpoint }) => endpoint)).toEqual(['flexV2.driver']);
    await inbox.close();
  });

  test('another resource of it is not read', async () => {
    const { client } = saleWithSeller();
    const notification = { ...about('flex-handshakes', '/orders/5'), known: false, user_id: 1001 } as never;
    await expect(readNotification(client, notification)).rejects.toThrow('does not name the driver of a shipment');
  });
});

describe('a topic of your own', () => {
  test.each(['/orders/5', 'orders/5', 'https://api.test/orders/5?x=1', '/orders/5/', '//orders//5#a', '%2Forders%2F5'])(
    'gets the path of the resource %s, and all forms of it are one resource',
    async (resource) => {
      const paths: string[] = [];
      const inbox = createInbox({
        clientFor: () => saleWithSeller().client,
        topics: { orders_v2: { endpoint: getOrder, idOf: (path) => (paths.push(path), Number(path.slice(8))) } },
        on: { orders_v2: async (_, { read }) => void (await read()) },
        logger: silentLogger,
      });
      await inbox.add(about('orders_v2', resource));
      await inbox.add(about('orders_v2', '/orders/5', resource));
      await inbox.idle();
      expect(paths).toEqual(['/orders/5']);
      const { entries } = { entries: await inbox.waiting.list() };
      expect(new Set(entries.map(({ entry }) => entry.groupId))).toEqual(new Set(['[1001,"orders_v2","orders/5"]']));
      await inbox.close();
    },
  );

  test('has a handler, whose read() returns what its endpoint does', async () => {
    const { marketplace, seller, buyer, client } = saleWithSeller();
    const orders: Order[] = [];
    const inbox = createInbox({
      clientFor: () => client,
      topics: { orders_v2 },
      on: {
        questions: ({ question_id }) => void expectTypeOf(question_id).toBeNumber(),
        orders_v2: async ({ topic }, { read }) => {
          expectTypeOf(topic).toEqualTypeOf<'orders_v2'>();
          const order = await read();
          expectTypeOf(order).toEqualTypeOf<Order>();
          orders.push(order);
        },
      },
    });
    marketplace.notifications.subscribe({
      topics: ['orders_v2'],
      callback: async (request) =>
        new Response(null, { status: await deliverUntilAccepted(inbox, (await request.json()) as object) }),
    });
    const { order_ids } = marketplace.addPack({ seller_id: seller.user_id, buyer_id: buyer.user_id });
    await marketplace.notifications.flush();
    await untilEnded(inbox);
    expect(orders).toEqual([{ id: order_ids[0], status: 'paid' }]);
    await inbox.close();
  });

  test('may name the whole input of its endpoint, in any letter case', async () => {
    const { client } = saleWithSeller();
    const read: unknown[] = [];
    const inbox = createInbox({
      clientFor: () => client,
      topics: {
        stock: {
          endpoint: getStock,
          idOf: (resource) => {
            const [, user_id = '', item_id = ''] = resource.split('/');
            return { user_id, item_id };
          },
        },
      },
      on: { stock: async (_, context) => void read.push(await context.read()) },
    });
    await deliverUntilAccepted(inbox, about('STOCK', '/7/MLA1'));
    await untilEnded(inbox);
    expect(read).toEqual([{ quantity: 4 }]);
  });

  test('is one of several: what has no handler is dropped, and what has one reaches it', async () => {
    const handled: string[] = [];
    const on = { orders_v2: ({ resource }: { resource: string }) => void handled.push(`order ${resource}`) };
    const alone = createInbox({ logger: silentLogger, topics: { orders_v2 }, on });
    const store = memoryStore();
    const withFallback = createInbox({
      logger: silentLogger,
      store,
      topics: { orders_v2 },
      on,
      fallback: ({ topic }) => void handled.push(`other ${topic}`),
    });
    for (const inbox of [alone, withFallback])
      for (const topic of ['orders_v2', 'items', 'questions'])
        expect(await deliverUntilAccepted(inbox, about(topic, '/orders/1'))).toBe(200);
    await Promise.all([untilEnded(alone), untilEnded(withFallback)]);
    expect(handled.sort()).toEqual(['order /orders/1', 'order /orders/1', 'other items']);
  });

  test('retries a 404 once, as for the known topics', async () => {
    const { client } = saleWithSeller();
    const failures: unknown[] = [];
    const inbox = createInbox({
      clientFor: () => client,
      topics: { orders_v2 },
      on: {
        orders_v2: async (_, { read }) => {
          try {
            await read({ notFoundTimeoutMs: 0 });
          } catch (error) {
            failures.push(error);
            throw new UnrecoverableError('no order', { cause: error });
          }
        },
      },
      logger: silentLogger,
    });
    await deliverUntilAccepted(inbox, about('orders_v2', '/orders/5'));
    await untilEnded(inbox);
    expect(failures[0]).toBeInstanceOf(NotFoundError);
  });

  test('cannot be read without being named', async () => {
    const client = new SellerClient({ baseUrl: 'http://127.0.0.1:1', accessToken: 'x' });
    const notification = { known: false as const, user_id: 7, topic: 'orders_v2', resource: '/orders/1' };
    await expect(readNotification(client, notification)).rejects.toThrow('name one in `topics`');
  });

  test.each<[string, object, string]>([
    [
      'a misspelt topic in `on`',
      { topics: { orders_v2 }, on: { orders_v3: () => {} } },
      '`on` has no topic `orders_v3`: did you mean `orders_v2`?',
    ],
    ['a misspelt known topic', { on: { question: () => {} } }, 'did you mean `questions`?'],
    ['a topic without a definition', { on: { payments: () => {} } }, 'name it in `topics`, or use `fallback`'],
    [
      'no endpoint',
      { topics: { orders_v2: { idOf: () => 1 } }, fallback: () => {} },
      '`topics.orders_v2`: the endpoint is missing',
    ],
    [
      'no idOf',
      { topics: { orders_v2: { endpoint: getOrder } }, fallback: () => {} },
      '`topics.orders_v2.idOf` takes a function',
    ],
    ['no object', { topics: { orders_v2: 1 }, fallback: () => {} }, '`topics.orders_v2`'],
    ['a known topic', { topics: { Questions: orders_v2 }, fallback: () => {} }, '`topics.Questions` is known already'],
    ['a list', { topics: [orders_v2], fallback: () => {} }, '`topics` takes an object'],
  ])('is rejected with %s', (_, options, message) => {
    const create = (): unknown => createInbox(options);
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });
});
