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
import { FakeMarketplace, FakeMarketplaceError } from 'marketplace-seller-sdk/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';

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
    expect(await sellerClient.flex.subscriptions({ site_id, user_id })).toEqual([
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

  test('Turbo is active only while Flex is', async () => {
    const { marketplace, sellerClient, user_id, site_id } = createShop();
    expect(() => marketplace.flex.subscribe({ user_id, mode: 'TURBO' })).toThrow(FakeMarketplaceError);
    const flex = marketplace.flex.subscribe({ user_id });
    marketplace.flex.subscribe({ user_id, mode: 'TURBO' });
    marketplace.flex.setStatus(flex.id, 'out');
    const found = await sellerClient.flex.subscriptions({ site_id, user_id });
    expect(found.map(({ status }) => status?.id)).toEqual(['out', 'out']);
  });

  test('a user of another site is not found, and a country without Flex is no site', async () => {
    const { sellerClient, user_id } = createFlexShop();
    await expect(sellerClient.flex.subscriptions({ site_id: 'MLA', user_id })).rejects.toBeInstanceOf(
      UserNotFoundError,
    );
    await expect(sellerClient.flex.subscriptions({ site_id: 'XXX', user_id })).rejects.toBeInstanceOf(InvalidSiteError);
  });

  test("another seller's are out of reach", async () => {
    const { marketplace, user_id, site_id } = createFlexShop();
    const other = marketplace.clientFor(marketplace.addUser({ site_id }));
    const refusal = await other.flex.subscriptions({ site_id, user_id }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(BadRequestError);
    expect(String(refusal)).toContain("can't access to resource");
  });

  test('the service may write ids as digits and leave out what it does not know', async () => {
    const sellerClient = answering(Response.json([{ id: '12', user_id: '7', status: { id: 'paused' }, mode: null }]));
    const found = await sellerClient.flex.subscriptions({ site_id: 'MLA', user_id: '7' });
    expect(found).toEqual([{ id: 12, user_id: 7, status: { id: 'paused' }, mode: null }]);
  });
});

describe('delivery settings', () => {
  test('are what the next query shows', async () => {
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

  test('a kind of day that is left out stays as it is', async () => {
    const { sellerClient, whose } = createFlexShop();
    await sellerClient.flex.setDelivery({ ...whose, delivery_window: 'next_day' });
    const found = await sellerClient.flex.configuration({
      ...whose,
      select: { delivery_window: true, working_days: true },
    });
    expect(found).toEqual({ delivery_window: 'next_day', working_days: ['week'] });
  });

  const range = { from: 9, to: 13, capacity: 5, cutoff: 8 };
  test.each([
    ['an hour is 0 to 24', { ...range, to: 25 }, '`to` is an hour, 0 to 24'],
    ['an hour is whole', { ...range, cutoff: 8.5 }, '`delivery_ranges.week.0.cutoff` takes an integer'],
    ['a range ends after it begins', { ...range, from: 13 }, 'a delivery range ends after it begins'],
    ['a range takes a delivery at least', { ...range, capacity: 0 }, '`capacity` is at least 1'],
  ])('%s', async (_, wrong, sentence) => {
    const { sellerClient, whose } = createFlexShop();
    const failure = await sellerClient.flex
      .setDelivery({ ...whose, delivery_ranges: { week: [wrong] } })
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(InvalidInputError);
    expect(String(failure)).toContain(sentence);
  });

  test('a setting sets something', async () => {
    const { sellerClient, whose } = createFlexShop();
    await expect(sellerClient.flex.setDelivery(whose)).rejects.toThrow(
      'takes `delivery_window`, `delivery_ranges` or both',
    );
  });

  test.each(['in', 'pending'] as const)('may be changed while the subscription is %s', async (status) => {
    const { marketplace, sellerClient, whose, subscription } = createFlexShop();
    marketplace.flex.setStatus(subscription.id, status);
    await expect(sellerClient.flex.setDelivery({ ...whose, delivery_window: 'same_day' })).resolves.toEqual({});
  });

  test('may not be changed while it is out, nor where there is none', async () => {
    const { marketplace, sellerClient, whose, subscription } = createFlexShop();
    marketplace.flex.setStatus(subscription.id, 'out');
    const refusal = await sellerClient.flex
      .setDelivery({ ...whose, delivery_window: 'same_day' })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(SubscriptionNotFoundError);
    expect(String(refusal)).toContain("404 (not_found): can't update delivery custom");
    await expect(
      sellerClient.flex.addZones({ ...whose, service_id: 1, zones: [{ id: 'MLB-2' }] }),
    ).rejects.toBeInstanceOf(SubscriptionNotFoundError);
  });
});

describe('zones', () => {
  test('are added to those the seller delivers to', async () => {
    const { sellerClient, whose } = createFlexShop();
    await sellerClient.flex.addZones({ ...whose, zones: [{ id: 'MLB-3' }, { id: 'MLB-1' }] });
    const { zones } = await sellerClient.flex.configuration({
      ...whose,
      select: { zones: { label: true, selected: true } },
    });
    expect(zones?.filter(({ selected }) => selected).map(({ label }) => label)).toEqual(['São Paulo', 'Brasília']);
    expect(zones?.map(({ label }) => label)).toEqual(flexCoverageAreas.MLB.areas);
  });

  test('there is at least one to add, and it is one of the site', async () => {
    const { sellerClient, whose } = createFlexShop();
    await expect(sellerClient.flex.addZones({ ...whose, zones: [] })).rejects.toThrow('`zones` is empty');
    await expect(sellerClient.flex.addZones({ ...whose, zones: [{ id: 'nowhere' }] })).rejects.toBeInstanceOf(
      BadRequestError,
    );
  });

  test("another seller's stay as they are", async () => {
    const { marketplace, whose } = createFlexShop();
    const other = marketplace.clientFor(marketplace.addUser({ site_id: 'MLB' }));
    await expect(other.flex.addZones({ ...whose, zones: [{ id: 'MLB-3' }] })).rejects.toBeInstanceOf(ForbiddenError);
  });
});

describe('an item', () => {
  test('comes into Flex and goes out again', async () => {
    const { sellerClient, flexItem } = createFlexShop();
    const asked = [await sellerClient.flex.items.isEnabled(flexItem)];
    await expect(sellerClient.flex.items.enable(flexItem)).resolves.toBeUndefined();
    asked.push(await sellerClient.flex.items.isEnabled(flexItem));
    await expect(sellerClient.flex.items.disable(flexItem)).resolves.toBeUndefined();
    asked.push(await sellerClient.flex.items.isEnabled(flexItem));
    expect(asked).toEqual([false, true, false]);
    expectTypeOf(sellerClient.flex.items.isEnabled(flexItem)).resolves.toEqualTypeOf<boolean>();
  });

  test('comes into Flex once', async () => {
    const { sellerClient, flexItem } = createFlexShop();
    await sellerClient.flex.items.enable(flexItem);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(AlreadyInFlexError);
    await sellerClient.flex.items.disable(flexItem);
    await expect(sellerClient.flex.items.disable(flexItem)).rejects.toBeInstanceOf(NotInFlexError);
  });

  test('that is where it should be is a success, where the caller says so', async () => {
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

  test('whose activation lost its answer is found in Flex by the repeat, and that is a success', async () => {
    const { marketplace, flexItem, user_id } = createFlexShop();
    let lost = 0;
    const sellerClient = marketplace.clientFor(
      { user_id },
      {
        fetch: async (request: Request) => {
          const answer = await marketplace.fetch(request);
          if (lost++ === 0) throw new TypeError('socket hang up');
          return answer;
        },
      },
    );
    await sellerClient.flex.items.enable(flexItem);
    expect(lost).toBe(2);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(AlreadyInFlexError);
  });

  test.each(['paused', 'closed', 'under_review'] as const)(
    'that is %s is not sent, where the caller asks',
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

  test('whose status cannot be read is not sent, where the caller asks', async () => {
    const { sellerClient, site_id } = createFlexShop();
    const unknown = { site_id, item_id: 'MLB1', requireActive: true };
    await expect(sellerClient.flex.items.enable(unknown)).rejects.toThrow('the status of `item_id` cannot be read');
  });

  test('that is down offers no Flex', async () => {
    const { marketplace, sellerClient, flexItem, item } = createFlexShop();
    marketplace.flex.takeDown(item);
    await expect(sellerClient.flex.items.enable(flexItem)).rejects.toBeInstanceOf(ItemDownError);
    await expect(sellerClient.flex.items.isEnabled(flexItem)).rejects.toBeInstanceOf(ItemDownError);
  });

  test('that nobody knows is not found, and not in Flex', async () => {
    const { sellerClient, site_id } = createFlexShop();
    const unknown = { site_id, item_id: 'MLB1' };
    await expect(sellerClient.flex.items.enable(unknown)).rejects.toBeInstanceOf(ItemNotFoundError);
    await expect(sellerClient.flex.items.isEnabled(unknown)).resolves.toBe(false);
  });

  test('of another seller stays where it is', async () => {
    const { marketplace, flexItem } = createFlexShop();
    const other = marketplace.clientFor(marketplace.addUser({ site_id: 'MLB' }));
    await expect(other.flex.items.enable(flexItem)).rejects.toBeInstanceOf(ForbiddenError);
  });

  test('is out of Flex by a 404 that speaks of the item, or of nothing', async () => {
    const isEnabled = (answer: Response) =>
      answering(answer).flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' }).withResponse();
    const empty = await isEnabled(new Response(null, { status: 404 }));
    expect(empty.data).toBe(false);
    expect(empty.response.status).toBe(404);
    const worded = await isEnabled(Response.json({ message: 'Item MLA1 not found', status: 404 }, { status: 404 }));
    expect(worded.data).toBe(false);
    const page = isEnabled(new Response('<html><h1>Not Found</h1></html>', { status: 404 }));
    await expect(page).rejects.toBeInstanceOf(NotFoundError);
    const forbidden = isEnabled(new Response('<html>forbidden</html>', { status: 403 }));
    await expect(forbidden).rejects.toBeInstanceOf(ForbiddenError);
    await expect(forbidden).rejects.not.toBeInstanceOf(ItemDownError);
  });

  test('that another change has locked is tried again', async () => {
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

describe('a driver', () => {
  test('is found once a shipment is on a route', async () => {
    const { marketplace, sellerClient, site_id, user_id } = createFlexShop();
    const shipment_id = marketplace.flex.ship({ user_id });
    await expect(sellerClient.flex.driver({ site_id, shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
    marketplace.flex.assignDriver(shipment_id, 345);
    expect(await sellerClient.flex.driver({ site_id, shipment_id })).toEqual({ driver_id: 345 });
    await expect(sellerClient.flex.driver({ site_id: 'MLA', shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
    marketplace.flex.assignDriver(shipment_id, undefined);
    await expect(sellerClient.flex.driver({ site_id, shipment_id })).rejects.toBeInstanceOf(DriverNotFoundError);
  });

  test('drives only for an active subscription: a pending one receives no orders', () => {
    const { marketplace, user_id, subscription } = createFlexShop();
    marketplace.flex.setStatus(subscription.id, 'pending');
    expect(() => marketplace.flex.ship({ user_id })).toThrow('no active subscription to FLEX');
  });
});

describe('the fake', () => {
  test('says what makes no sense', () => {
    const { marketplace, user_id } = createFlexShop();
    expect(() => marketplace.flex.subscribe({ user_id })).toThrow('has a subscription to FLEX already');
    expect(() => marketplace.flex.need(99)).toThrow('there is no subscription 99');
    expect(() => {
      marketplace.flex.assignDriver(99, 1);
    }).toThrow('there is no shipment 99');
    const elsewhere = marketplace.addUser({ site_id: 'MLV' });
    expect(() => marketplace.flex.subscribe(elsewhere)).toThrow('MLV has no Flex');
  });

  test('refuses what it does not understand by the field that is wrong', async () => {
    const { marketplace, user_id } = createFlexShop();
    const put = async (path: string, body: string) => {
      const headers = { authorization: `Bearer ${marketplace.tokenFor({ user_id })}` };
      const url = `${marketplace.baseUrl}/shipping/flex/sites/${path}/configuration/coverage/zone/v3`;
      const answer = await marketplace.fetch(url, { method: 'PUT', headers, body });
      return [answer.status, ((await answer.json()) as { message: string }).message];
    };
    const zones = JSON.stringify({ zones: [{ id: 'MLB-2' }] });
    expect(await put(`MLB/users/me/services/1`, zones)).toEqual([400, 'invalid user_id']);
    expect(await put(`MLB/users/1/services/none`, zones)).toEqual([400, 'invalid service_id']);
    expect(await put(`MLB/users/1/services/1`, '{"zones"')).toEqual([400, 'invalid JSON body']);
    expect(await put(`MLB/users/1/services/1`, '{"zones":[]}')).toEqual([400, 'invalid JSON body']);
  });

  test('pays in the currency of the site', async () => {
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

  test('asks for a token', async () => {
    const { sellerClient, whose, flexItem } = createFlexShop();
    const without = { accessToken: null };
    await expect(sellerClient.flex.items.isEnabled(flexItem, without)).rejects.toMatchObject({ status: 401 });
    await expect(sellerClient.flex.configuration(whose, without)).rejects.toMatchObject({ status: 401 });
  });
});

test('a fault on the way is a fault, not an answer about the item', async () => {
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
