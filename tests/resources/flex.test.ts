import {
  AlreadyInFlexError,
  BadRequestError,
  ConnectionError,
  DriverNotFoundError,
  ForbiddenError,
  InvalidInputError,
  InvalidSiteError,
  ItemDownError,
  ItemNotFoundError,
  NotFoundError,
  NotInFlexError,
  SellerClient,
  SubscriptionNotFoundError,
  UserNotFoundError,
  flexCoverageAreas,
} from 'marketplace-seller-sdk';
import type { FlexSubscription } from 'marketplace-seller-sdk';
import type { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { errorOf, networkFault, stubbed, receiving } from '../support/stubs.ts';
import { goldenRequests, jsonBody } from '../support/golden-requests.ts';

/** The service says the same of an item that is to be enabled and of one that is to be disabled. */
const alreadyInFlex = (): Response =>
  Response.json({ message: 'item is already in flex', status: 400 }, { status: 400 });

function createShop() {
  const marketplace = new FakeMarketplace({ now: '2026-03-10T15:00:00Z' });
  const { user_id, site_id } = marketplace.addUser({ site_id: 'MLB' });
  const item = marketplace.addItem({ seller_id: user_id });
  const sellerClient = marketplace.clientFor({ user_id });
  return { marketplace, sellerClient, user_id, site_id, item, flexItem: { site_id, item_id: item.item_id } };
}

function createFlexShop() {
  const shop = createShop();
  const subscription = shop.marketplace.flex.subscribe({ user_id: shop.user_id });
  const { site_id, user_id } = shop;
  return { ...shop, subscription, whose: { site_id, user_id, service_id: subscription.service_id } };
}

describe('subscriptions', () => {
  test('a seller with Flex alone has one', async () => {
    const { sellerClient, user_id, site_id } = createFlexShop();
    expect(await sellerClient.flex.subscriptions({ site_id, user_id })).toMatchObject([
      {
        id: 1,
        site_id: 'MLB',
        user_id,
        mode: 'FLEX',
        configuration_type: { coverage: 'zone', delivery: 'custom' },
        service_id: 10_001,
        status: { id: 'in' },
        creation_date: '2026-03-10T15:00:00.000Z',
      },
    ]);
  });

  test('a seller with Turbo too has two', async () => {
    const { marketplace, sellerClient, user_id, site_id } = createFlexShop();
    marketplace.flex.subscribe({ user_id, mode: 'TURBO' });
    const found = await sellerClient.flex.subscriptions(
      { site_id, user_id },
      { attributes: ['mode', 'configuration_type'] },
    );
    expectTypeOf(found).toEqualTypeOf<Pick<FlexSubscription, 'mode' | 'configuration_type'>[]>();
    expect(found).toEqual([
      { mode: 'FLEX', configuration_type: { coverage: 'zone', delivery: 'custom' } },
      { mode: 'TURBO', configuration_type: { coverage: 'radius', delivery: 'accurate' } },
    ]);
  });

  test('a user of another site is not found, and a country without Flex is no site', async () => {
    const { sellerClient, user_id } = createFlexShop();
    await expect(sellerClient.flex.subscriptions({ site_id: 'MLA', user_id })).rejects.toBeInstanceOf(
      UserNotFoundError,
    );
    await expect(sellerClient.flex.subscriptions({ site_id: 'XXX', user_id })).rejects.toBeInstanceOf(InvalidSiteError);
  });

  test('ids in digits are read as numbers, and missing fields are accepted', async () => {
    const body = [{ id: '12', service_id: '5', user_id: '7', status: { id: 'paused' }, mode: null }];
    const sellerClient = answering(Response.json(body));
    const found = await sellerClient.flex.subscriptions({ site_id: 'MLA', user_id: '7' });
    expect(found).toEqual([{ id: 12, service_id: 5, user_id: 7, status: { id: 'paused' }, mode: null }]);
  });
});

describe('delivery settings', () => {
  test('the next query shows the new settings', async () => {
    const { sellerClient, whose } = createFlexShop();
    await sellerClient.flex.setDelivery({
      ...whose,
      delivery_ranges: { saturday: [{ from: 10, to: 14, capacity: 5, cutoff: 9 }], week: [] },
    });
    const found = await sellerClient.flex.configuration({
      ...whose,
      select: { delivery_window: true, working_days: true, delivery_ranges: { week: { from: true }, saturday: true } },
    });
    expect(found).toEqual({
      delivery_window: 'same_day',
      working_days: ['saturday'],
      delivery_ranges: {
        week: [],
        saturday: [
          { from: 10, to: 14, capacity: 5, type: 'cpt', processing_time: 0, et_hour: 14, calculated_cutoff: 9 },
        ],
      },
    });
  });

  test.each([
    ['is switched off', 'dropped', []],
    ['is unchanged where the documents are followed', 'kept', ['week']],
  ] as const)('a kind of day that is left out %s', async (_, omitted, working_days) => {
    const { sellerClient, whose, marketplace } = createFlexShop();
    marketplace.settings.omittedFlexSettings = omitted;
    await sellerClient.flex.setDelivery({ ...whose, delivery_window: 'next_day' });
    const found = await sellerClient.flex.configuration({
      ...whose,
      select: { delivery_window: true, working_days: true },
    });
    expect(found).toEqual({ delivery_window: 'next_day', working_days });
  });

  const range = { from: 9, to: 13, capacity: 5, cutoff: 8 };
  test.each([
    ['an hour is 0 to 24', { ...range, to: 25 }, '`delivery_ranges.week.0.to` is an hour, 0 to 24'],
    ['an hour is whole', { ...range, cutoff: 8.5 }, '`delivery_ranges.week.0.cutoff` takes an integer'],
    ['a range takes a delivery at least', { ...range, capacity: 0 }, '`delivery_ranges.week.0.capacity` is at least 1'],
  ])('%s is not sent', async (_, wrong, sentence) => {
    const { sellerClient, whose } = createFlexShop();
    const failure = await sellerClient.flex
      .setDelivery({ ...whose, delivery_ranges: { week: [wrong] } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidInputError);
    expect(String(failure)).toContain(sentence);
  });

  test('empty settings are not sent', async () => {
    const { sellerClient, whose } = createFlexShop();
    await expect(sellerClient.flex.setDelivery(whose)).rejects.toThrow(
      'takes `delivery_window`, `delivery_ranges` or both',
    );
  });

  test('settings cannot be changed while the subscription is out or missing', async () => {
    const { marketplace, sellerClient, whose, subscription } = createFlexShop();
    marketplace.flex.setStatus(subscription.id, 'out');
    const error = await sellerClient.flex
      .setDelivery({ ...whose, delivery_window: 'same_day' })
      .catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SubscriptionNotFoundError);
    expect(String(error)).toContain("404 (not_found): can't update delivery custom");
    await expect(
      sellerClient.flex.addZones({ ...whose, service_id: 1, zones: [{ id: 'MLB-2' }] }),
    ).rejects.toBeInstanceOf(SubscriptionNotFoundError);
  });
});

describe('zones', () => {
  test('new zones are added to those of the seller', async () => {
    const { sellerClient, whose } = createFlexShop();
    await sellerClient.flex.addZones({ ...whose, zones: [{ id: 'MLB-3' }, { id: 'MLB-1' }] });
    const { zones } = await sellerClient.flex.configuration({
      ...whose,
      select: { zones: { label: true, selected: true } },
    });
    expect(zones?.filter(({ selected }) => selected).map(({ label }) => label)).toEqual(['São Paulo', 'Brasília']);
    expect(zones?.map(({ label }) => label)).toEqual(flexCoverageAreas.MLB.areas);
  });

  test('an empty list and an unknown zone are rejected', async () => {
    const { sellerClient, whose } = createFlexShop();
    await expect(sellerClient.flex.addZones({ ...whose, zones: [] })).rejects.toThrow('`zones` is empty');
    await expect(sellerClient.flex.addZones({ ...whose, zones: [{ id: 'nowhere' }] })).rejects.toBeInstanceOf(
      BadRequestError,
    );
  });

  test('the zones of another seller are unchanged', async () => {
    const { marketplace, whose } = createFlexShop();
    const other = marketplace.clientFor(marketplace.addUser({ site_id: 'MLB' }));
    await expect(other.flex.addZones({ ...whose, zones: [{ id: 'MLB-3' }] })).rejects.toBeInstanceOf(ForbiddenError);
  });
});

describe('items', () => {
  test('an item is enabled and disabled', async () => {
    const { sellerClient, flexItem } = createFlexShop();
    const asked = [await sellerClient.flex.items.isEnabled(flexItem)];
    await expect(sellerClient.flex.items.enable(flexItem)).resolves.toBeUndefined();
    asked.push(await sellerClient.flex.items.isEnabled(flexItem));
    await expect(sellerClient.flex.items.disable(flexItem)).resolves.toBeUndefined();
    asked.push(await sellerClient.flex.items.isEnabled(flexItem));
    expect(asked).toEqual([false, true, false]);
    expectTypeOf(sellerClient.flex.items.isEnabled(flexItem)).resolves.toEqualTypeOf<boolean>();
  });

  test('an item that is enabled already is an AlreadyInFlexError', async () => {
    const { sellerClient, flexItem } = createFlexShop();
    await sellerClient.flex.items.enable(flexItem);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(AlreadyInFlexError);
    await sellerClient.flex.items.disable(flexItem);
    await expect(sellerClient.flex.items.disable(flexItem)).rejects.toBeInstanceOf(NotInFlexError);
  });

  test.each(['A change of the item is already under way', 'The token was already used', 'The item is already closed'])(
    'idempotent: true accepts no other 400: "%s"',
    async (message) => {
      const { sellerClient } = stubbed([Response.json({ message, status: 400 }, { status: 400 })]);
      const item = { site_id: 'MLA', item_id: 'MLA100', idempotent: true };
      await expect(sellerClient.flex.items.disable(item)).rejects.toMatchObject({ name: 'BadRequestError' });
      await expect(sellerClient.flex.items.enable(item)).rejects.toMatchObject({ name: 'BadRequestError' });
    },
  );

  test('idempotent: true accepts an item that is in the wanted state already', async () => {
    const { sellerClient, flexItem } = createFlexShop();
    await sellerClient.flex.items.enable({ ...flexItem, idempotent: true });
    const again = await sellerClient.flex.items.enable({ ...flexItem, idempotent: true }).withResponse();
    expect(again.data).toBeUndefined();
    expect(again.response).toMatchObject({ status: 400, attempts: 1 });
    expect(again.response.url).toMatch(/\/sites\/MLB\/shipping\/selfservice\/items\/MLB\d+$/);
    expect(again.response.requestId).toBeTypeOf('string');
    await sellerClient.flex.items.disable({ ...flexItem, idempotent: true });
    await sellerClient.flex.items.disable({ ...flexItem, idempotent: true });
  });

  test('a retried activation that finds the item enabled is a success', async () => {
    const { marketplace, flexItem, user_id } = createFlexShop();
    let lost = 0;
    const sellerClient = marketplace.clientFor(
      { user_id },
      {
        fetch: receiving(async (request) => {
          const answer = await marketplace.fetch(request);
          if (lost++ === 0) throw new TypeError('socket hang up');
          return answer;
        }),
      },
    );
    await sellerClient.flex.items.enable(flexItem);
    expect(lost).toBe(2);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(AlreadyInFlexError);
  });

  test.each<readonly [string, Response | TypeError]>([
    ['a 429', new Response('{}', { status: 429 })],
    ['a 409', Response.json({ message: 'busy' }, { status: 409 })],
    ['a failed connection', networkFault('ECONNREFUSED')],
    ['a replaced token', new Response('{}', { status: 401 })],
  ])('a retry after %s finds an item that was in the wanted state before, which is an error', async (_, first) => {
    const accessToken = ({ rejected }: { rejected?: string | undefined }): string => (rejected ? 'token-2' : 'token-1');
    const flexItem = { site_id: 'MLA', item_id: 'MLA1' };
    for (const [method, errorClass] of [
      ['enable', AlreadyInFlexError],
      ['disable', NotInFlexError],
    ] as const) {
      const { sellerClient, sent } = stubbed([first, alreadyInFlex()], { accessToken, maxRetryDelayMs: 1 });
      const error = await errorOf(sellerClient.flex.items[method](flexItem));
      expect(error).toBeInstanceOf(errorClass);
      expect(sent).toHaveLength(2);
    }
  });

  test('a retry after a lost response and a 429 finds the item disabled, which is a success', async () => {
    const steps = [networkFault('ECONNRESET'), new Response('{}', { status: 429 }), alreadyInFlex()];
    const { sellerClient, sent } = stubbed(steps, { maxRetryDelayMs: 1 });
    await sellerClient.flex.items.disable({ site_id: 'MLA', item_id: 'MLA1' });
    expect(sent).toHaveLength(3);
  });

  test.each(['paused', 'closed', 'under_review'] as const)(
    'requireActive: true does not enable an item that is %s',
    async (status) => {
      const { marketplace, sellerClient, flexItem, item } = createFlexShop();
      marketplace.items.change(item.item_id, { status });
      const failure = await sellerClient.flex.items
        .enable({ ...flexItem, requireActive: true })
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(InvalidInputError);
      expect(String(failure)).toContain(`Not sent: the status of \`item_id\` is "${status}"`);
      await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(ItemDownError);
      marketplace.items.change(item.item_id, { status: 'active' });
      await sellerClient.flex.items.enable({ ...flexItem, requireActive: true });
      expect(marketplace.flex.isEnabled(item)).toBe(true);
    },
  );

  test('requireActive: true does not enable an item whose status cannot be read', async () => {
    const { sellerClient, site_id } = createFlexShop();
    const unknown = { site_id, item_id: 'MLB1', requireActive: true };
    await expect(sellerClient.flex.items.enable(unknown)).rejects.toThrow('the status of `item_id` cannot be read');
  });

  test('an item that is down is an ItemDownError', async () => {
    const { marketplace, sellerClient, flexItem, item } = createFlexShop();
    marketplace.flex.takeDown(item);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(ItemDownError);
    await expect(sellerClient.flex.items.isEnabled(flexItem)).rejects.toBeInstanceOf(ItemDownError);
  });

  test('an unknown item is a NotFoundError, and is not enabled', async () => {
    const { sellerClient, site_id } = createFlexShop();
    const unknown = { site_id, item_id: 'MLB1' };
    await expect(sellerClient.flex.items.enable(unknown)).rejects.toBeInstanceOf(ItemNotFoundError);
    await expect(sellerClient.flex.items.isEnabled(unknown)).resolves.toBe(false);
  });

  test('isEnabled() reads only a 404 about the item as false', async () => {
    const isEnabled = (answer: Response) =>
      answering(answer).flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' }).withResponse();
    await expect(isEnabled(new Response(null, { status: 404 }))).rejects.toBeInstanceOf(NotFoundError);
    const worded = await isEnabled(Response.json({ message: 'Item MLA1 not found', status: 404 }, { status: 404 }));
    expect(worded.data).toBe(false);
    expect(worded.response.status).toBe(404);
    const page = isEnabled(new Response('<html><h1>Not Found</h1></html>', { status: 404 }));
    await expect(page).rejects.toBeInstanceOf(NotFoundError);
    const forbidden = isEnabled(new Response('<html>forbidden</html>', { status: 403 }));
    await expect(forbidden).rejects.toBeInstanceOf(ForbiddenError);
    await expect(forbidden).rejects.not.toBeInstanceOf(ItemDownError);
  });

  test('an item that another change has locked is retried', async () => {
    let calls = 0;
    const sellerClient = new SellerClient({
      baseUrl: 'https://api.example.com',
      fetch: async () =>
        (calls += 1) === 1
          ? Response.json({ message: 'busy', status: 409 }, { status: 409, headers: { 'retry-after': '0' } })
          : new Response(null, { status: 204 }),
    });
    await sellerClient.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1' });
    expect(calls).toBe(2);
  });
});

describe('drivers', () => {
  test('a driver is found once the shipment is on a route', async () => {
    const { marketplace, sellerClient, site_id, user_id } = createFlexShop();
    const shipment_id = marketplace.flex.ship({ user_id });
    await expect(sellerClient.flex.driver({ site_id, shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
    marketplace.flex.assignDriver(shipment_id, 345);
    expect(await sellerClient.flex.driver({ site_id, shipment_id })).toEqual({ driver_id: 345 });
    await expect(sellerClient.flex.driver({ site_id: 'MLA', shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
    marketplace.flex.assignDriver(shipment_id, undefined);
    await expect(sellerClient.flex.driver({ site_id, shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
  });

  test('a pending subscription receives no shipments', () => {
    const { marketplace, user_id, subscription } = createFlexShop();
    marketplace.flex.setStatus(subscription.id, 'pending');
    expect(() => marketplace.flex.ship({ user_id })).toThrow('no active subscription to FLEX');
  });
});

describe('the fake marketplace', () => {
  test('a wrong arrangement is an error', () => {
    const { marketplace, user_id } = createFlexShop();
    expect(() => marketplace.flex.subscribe({ user_id })).toThrow('already has a subscription to FLEX');
    expect(() => marketplace.flex.getOrThrow(99)).toThrow('there is no subscription 99');
    expect(() => {
      marketplace.flex.assignDriver(99, 1);
    }).toThrow('there is no shipment 99');
    const without = marketplace.addUser({ site_id: 'MLB' });
    expect(() => marketplace.flex.subscribe({ user_id: without.user_id, mode: 'TURBO' })).toThrow(FakeMarketplaceError);
    const elsewhere = marketplace.addUser({ site_id: 'MLV' });
    expect(() => marketplace.flex.subscribe(elsewhere)).toThrow('MLV has no Flex');
  });

  test('prices are in the currency of the site', async () => {
    const marketplace = new FakeMarketplace();
    const { user_id, site_id } = marketplace.addUser({ site_id: 'MEC' });
    const { service_id } = marketplace.flex.subscribe({ user_id });
    const { zones } = await marketplace.clientFor({ user_id }).flex.configuration({
      site_id,
      user_id,
      service_id,
      select: { zones: { label: true, price: { currency_id: true } } },
    });
    expect(zones).toEqual([{ label: 'Quito', price: { currency_id: 'USD' } }]);
  });
});

test('isEnabled() throws on a fault instead of returning false', async () => {
  const sellerClient = new SellerClient({
    baseUrl: 'https://api.example.com',
    maxRetries: 0,
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  });
  await expect(sellerClient.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' })).rejects.toBeInstanceOf(
    ConnectionError,
  );
});

/** A client of a service that gives this one answer. */
function answering(answer: Response): SellerClient {
  return new SellerClient({ baseUrl: 'https://api.example.com', maxRetries: 0, fetch: async () => answer.clone() });
}

goldenRequests<typeof endpoints.flex>({
  subscriptions: {
    call: (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
    request: ['GET /shipping/flex/sites/MLA/users/7/subscriptions/v1'],
  },
  configuration: {
    call: (client) =>
      client.flex.configuration({
        site_id: 'MLA',
        user_id: 7,
        service_id: 1001,
        select: { delivery_window: true, zones: { id: true } },
      }),
    request: [
      'POST /shipping/flex/sites/MLA/configuration/v3',
      jsonBody,
      '',
      '{"query":"{configuration(user_id:7,service_id:1001){delivery_window zones{id}}}"}',
    ],
  },
  setDelivery: {
    call: (client) =>
      client.flex.setDelivery({
        site_id: 'MLA',
        user_id: 7,
        service_id: 1001,
        delivery_window: 'same_day',
        delivery_ranges: { week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }], sunday: [] },
      }),
    request: [
      'PUT /shipping/flex/sites/MLA/users/7/services/1001/configuration/delivery/custom/v3',
      jsonBody,
      '',
      '{"delivery_window":"same_day","delivery_ranges":{"week":[{"from":9,"to":13,"capacity":20,"cutoff":8}],"sunday":[]}}',
    ],
  },
  addZones: {
    call: (client) =>
      client.flex.addZones({
        site_id: 'MLA',
        user_id: 7,
        service_id: 1001,
        zones: [{ id: 'zone-1' }, { id: 'zone-2' }],
      }),
    request: [
      'PUT /shipping/flex/sites/MLA/users/7/services/1001/configuration/coverage/zone/v3',
      jsonBody,
      '',
      '{"zones":[{"id":"zone-1"},{"id":"zone-2"}]}',
    ],
  },
  driver: {
    call: (client) => client.flex.driver({ site_id: 'MLA', shipment_id: 40_000_000_001 }),
    request: ['GET /flex/sites/MLA/shipments/40000000001/assignment/v1'],
  },
  items: {
    isEnabled: {
      call: (client) => client.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' }),
      request: ['GET /sites/MLA/shipping/selfservice/items/MLA100'],
    },
    enable: {
      call: (client) => client.flex.items.enable({ site_id: 'MLA', item_id: 'MLA100' }),
      request: ['POST /sites/MLA/shipping/selfservice/items/MLA100'],
    },
    disable: {
      call: (client) => client.flex.items.disable({ site_id: 'MLA', item_id: 'MLA100' }),
      request: ['DELETE /sites/MLA/shipping/selfservice/items/MLA100'],
    },
  },
});
