import {
  AlreadyInFlexError,
  BadRequestError,
  DriverNotFoundError,
  ForbiddenError,
  InvalidInputError,
  ItemDownError,
  ItemLockedError,
  ItemNotFoundError,
  NotFoundError,
  NotInFlexError,
  OutcomeUnknownError,
  ShipmentTakenError,
  SubscriptionNotFoundError,
  deliverySettings,
} from 'marketplace-seller-sdk';
import type { ApiError, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { createTools } from 'marketplace-seller-sdk/tools';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { goldenRequests, jsonBody } from '../support/golden-requests.ts';
import { errorOf, networkFault, stubbed } from '../support/stubs.ts';

const item = { site_id: 'MLA', item_id: 'MLA100' };
const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };

/** A seller with Flex and Turbo, and a courier. */
function createShop(options: ConstructorParameters<typeof FakeMarketplace>[0] = {}) {
  const marketplace = new FakeMarketplace({ now: '2026-03-10T15:00:00Z', ...options });
  const { user_id } = marketplace.addUser({ user_id: 7 });
  marketplace.addItem({ seller_id: 7, item_id: 'MLA100' });
  marketplace.flex.subscribe({ user_id, service_id: 1001 });
  marketplace.flex.subscribe({ user_id, service_id: 1002, mode: 'TURBO' });
  const { flexV2 } = marketplace.clientFor({ user_id }, { maxRetries: 0 });
  const courier = marketplace.addUser({ user_id: 345 });
  return {
    marketplace,
    flexV2,
    courier: marketplace.clientFor(courier, { maxRetries: 0 }),
    turbo: { ...whose, service_id: 1002 },
  };
}

const failing = (status: number, message = '') => Response.json({ message, status }, { status });
const page = (status: number) =>
  new Response('<html>Forbidden</html>', { status, headers: { 'content-type': 'text/html' } });

describe('subscriptions', () => {
  test('the kind of coverage decides what works', async () => {
    const { flexV2, turbo } = createShop();
    const found = await flexV2.subscriptions({ site_id: 'MLA', user_id: 7 });
    expect(found).toMatchObject([
      { service_id: 1001, mode: 'FLEX', status: 'in', configuration: { set: { coverage: { type: 'zone' } } } },
      { service_id: 1002, mode: 'TURBO', status: 'in', configuration: { set: { coverage: { type: 'radius' } } } },
    ]);
    expect(await flexV2.radius(turbo)).toEqual({ radius: 5000 });
    for (const wrong of [
      () => flexV2.radius(whose),
      () => flexV2.setRadius({ ...whose, radius: 5000 }),
      () => flexV2.zones(turbo),
    ]) {
      const error = await errorOf(wrong());
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error.message).toContain('`configuration.set.coverage.type` of flexV2.subscriptions');
    }
  });

  test.each([
    ['a 404 with a message', failing(404, 'user not found'), []],
    ['an empty 404', new Response(null, { status: 404 }), []],
    ['a page with 404', page(404), NotFoundError],
    ['a 403', failing(403, 'forbidden'), ForbiddenError],
    ['a page with 403', page(403), ForbiddenError],
    ['a 204', new Response(null, { status: 204 }), []],
  ])('of a seller without Flex: %s', async (_, response, expected) => {
    const { sellerClient } = stubbed([response], { maxRetries: 0 });
    const call = sellerClient.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 });
    if (Array.isArray(expected)) return expect(call).resolves.toEqual(expected);
    const error = await errorOf(call);
    expect(error).toBeInstanceOf(expected);
    if (expected === ForbiddenError) expect(error.message).toMatch(/has no Flex, or the token has no permission/);
  });

  test.each(['not_found', 'forbidden', 'empty'] as const)('the fake says of them: %s', async (answer) => {
    const { marketplace } = createShop({ settings: { flexWithoutSubscription: answer } });
    const { flexV2 } = marketplace.clientFor(marketplace.addUser({ user_id: 8 }));
    const call = flexV2.subscriptions({ site_id: 'MLA', user_id: 8 });
    if (answer === 'forbidden') expect(await errorOf(call)).toBeInstanceOf(ForbiddenError);
    else expect(await call).toEqual([]);
  });
});

describe('what was read is sent back unchanged', () => {
  test('zones with cut-offs, and whatever else the service shows of them', async () => {
    const shown = [
      { id: 'Sao Paulo', cutoff: { week: 14, saturday: null, sunday: 11 }, label: 'x' },
      { id: 'CABA', cutoff: null },
    ];
    const { sellerClient, sent } = stubbed([Response.json({ zones: shown }), new Response(null, { status: 204 })]);
    const { zones } = await sellerClient.flexV2.zones(whose);
    await sellerClient.flexV2.setZones({ ...whose, zones: zones ?? [] });
    expect(await sent[1]!.json()).toEqual({
      zones: [{ id: 'Sao Paulo', cutoff: { week: 14, sunday: 11 } }, { id: 'CABA' }],
    });
  });

  test.each([
    ['with cut-offs', undefined],
    [
      'where zones have their own',
      [
        { id: 'MLA-1', cutoff: { week: 14 } },
        { id: 'MLA-2', cutoff: { week: 12 } },
      ],
    ],
  ])('delivery ranges %s', async (_, zones) => {
    const { flexV2 } = createShop();
    if (zones) await flexV2.setZones({ ...whose, zones });
    const before = await flexV2.deliveryRanges(whose);
    const settings = deliverySettings(before);
    await flexV2.setDeliveryRanges({ ...whose, ...settings });
    expect(await flexV2.deliveryRanges(whose)).toEqual(before);
    expect(settings.delivery_ranges.week?.[0]?.cutoff).toBe(zones ? undefined : 13);
  });

  test('the ranges of Turbo, and a seller without any ranges', async () => {
    const { flexV2, turbo } = createShop();
    await flexV2.setDeliveryRanges({ ...whose, delivery_window: 'next_day', delivery_ranges: {} });
    for (const each of [turbo, whose]) {
      const before = await flexV2.deliveryRanges(each);
      await flexV2.setDeliveryRanges({ ...each, ...deliverySettings(before) });
      expect(await flexV2.deliveryRanges(each)).toEqual(before);
    }
  });
});

describe('an item', () => {
  test('is put in and taken out; a repeat says so unless it is idempotent', async () => {
    const { flexV2 } = createShop();
    expect(await flexV2.items.isEnabled(item)).toBe(false);
    await flexV2.items.enable({ ...item, requireActive: true });
    expect(await flexV2.items.isEnabled(item)).toBe(true);
    expect(await errorOf(flexV2.items.enable(item))).toBeInstanceOf(AlreadyInFlexError);
    await flexV2.items.enable({ ...item, idempotent: true });
    await flexV2.items.disable(item);
    expect(await flexV2.items.isEnabled(item)).toBe(false);
    expect(await errorOf(flexV2.items.isEnabled({ ...item, item_id: 'MLA9' }))).toBeInstanceOf(ItemNotFoundError);
  });

  test.each(['already', 'down', 'done'] as const)('that is out, where the service says %s', async (answer) => {
    const { flexV2 } = createShop({ settings: { flexRepeatedDelete: answer } });
    await expect(flexV2.items.disable({ ...item, idempotent: true })).resolves.toBeUndefined();
    if (answer === 'done') return expect(flexV2.items.disable(item)).resolves.toBeUndefined();
    const error = await errorOf<ApiError>(flexV2.items.disable(item));
    expect(error).toBeInstanceOf(NotInFlexError);
    expect([error.name, error.status, error.isLasting]).toEqual([
      'NotInFlexError',
      answer === 'down' ? 403 : 400,
      true,
    ]);
    expect(error.message).toContain('its `has_flex` is false');
  });

  const inFlex = Response.json({ has_flex: true });
  test.each<[string, Response, Response, unknown]>([
    ['400 of an item that is in', failing(400, 'item is already in flex'), inFlex, BadRequestError],
    ['403 of an item that is in', failing(403, 'item down'), inFlex, ItemDownError],
    ['403 whose reading fails too', failing(403, 'item down'), failing(403, 'item down'), ItemDownError],
    ['a page whose reading is a page', page(403), page(403), ForbiddenError],
    ['404', failing(404, 'item not found'), inFlex, ItemNotFoundError],
  ])('is not taken for out after %s', async (_, first, read, expected) => {
    const { sellerClient } = stubbed([first, read], { maxRetries: 0 });
    const error = await errorOf(sellerClient.flexV2.items.disable({ ...item, idempotent: true }));
    expect(error).toBeInstanceOf(expected);
    expect(error).not.toBeInstanceOf(NotInFlexError);
  });

  test.each([400, 403])('is out if a retry after a lost response finds it out with %i', async (status) => {
    const steps = [networkFault('ECONNRESET'), failing(status, 'x'), Response.json({ has_flex: false })];
    const { sellerClient } = stubbed(steps, { maxRetries: 1, maxRetryDelayMs: 1 });
    await expect(sellerClient.flexV2.items.disable(item)).resolves.toBeUndefined();
  });

  test('takes one change at a time', async () => {
    const { marketplace, flexV2 } = createShop();
    const unlock = marketplace.flex.lock({ item_id: 'MLA100' });
    const error = await errorOf<ApiError>(flexV2.items.enable(item));
    expect(error).toBeInstanceOf(ItemLockedError);
    expect([error.isLasting, error.outcomeUnknown]).toEqual([false, false]);
    const patient = marketplace.clientFor({ user_id: 7 }, { maxRetryDelayMs: 1 }).flexV2.items;
    setTimeout(() => unlock?.(), 1);
    await patient.enable(item);
    expect(await flexV2.items.isEnabled(item)).toBe(true);
    const results = await Promise.allSettled([flexV2.items.disable(item), flexV2.items.disable(item)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('drivers and couriers', () => {
  test('a courier takes a shipment, which then has a driver, in both generations', async () => {
    const { marketplace, flexV2, courier } = createShop();
    const shipment = { site_id: 'MLA', shipment_id: marketplace.flex.ship({ user_id: 7 }) };
    expect(await errorOf(flexV2.driver(shipment))).toBeInstanceOf(DriverNotFoundError);
    await courier.flexV2.assignCourier({ ...shipment, courier_id: 345 });
    expect(await flexV2.driver(shipment)).toEqual({ driver_id: 345 });
    expect(await courier.flexV2.driver(shipment)).toEqual({ driver_id: 345 });
    expect(await marketplace.clientFor({ user_id: 7 }).flex.driver(shipment)).toEqual({ driver_id: 345 });
    const taken = await errorOf<ApiError>(courier.flexV2.assignCourier({ ...shipment, courier_id: 345 }));
    expect(taken).toBeInstanceOf(ShipmentTakenError);
    const rejected = await errorOf(flexV2.assignCourier({ ...shipment, courier_id: 345 }));
    expect(rejected).toBeInstanceOf(ForbiddenError);
    expect(rejected.message).toContain('The token has to be that of the courier');
  });

  test('a lost assignment is not sent again, and nothing reads it back', async () => {
    const { sellerClient, sent } = stubbed([networkFault('ECONNRESET')]);
    const call = sellerClient.flexV2.assignCourier({ site_id: 'MLA', courier_id: '345', shipment_id: '4' });
    const error = await errorOf<OutcomeUnknownError>(call);
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
    expect(await error.confirm()).toMatchObject({ unknown: expect.any(String) as string });
  });
});

describe('a lost write is read back', () => {
  type Call = (client: SellerClient) => PromiseLike<unknown>;
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const [early, late] = [{ week: 10 }, { week: 14 }];
  const zones = (...zones: { id: string; cutoff?: { week?: number | null } }[]): Call => {
    return ({ flexV2 }) => flexV2.setZones({ ...whose, zones });
  };
  const [two, plain] = [
    zones({ id: 'CABA', cutoff: early }, { id: 'Pilar', cutoff: late }),
    zones({ id: 'CABA' }, { id: 'Pilar' }),
  ];
  const radius: Call = ({ flexV2 }) => flexV2.setRadius({ ...whose, radius: 5000 });
  const range = { from: 9, to: 18, capacity: 20 };
  const evening = { ...range, from: 18, to: 21 };
  const ranges =
    (week: (typeof range & { cutoff?: number })[], delivery_window: 'same_day' | 'next_day' = 'same_day'): Call =>
    ({ flexV2 }) =>
      flexV2.setDeliveryRanges({ ...whose, delivery_window, delivery_ranges: { week } });
  const shownRanges = (week: unknown, more: object = {}) => ({
    delivery_window: 'same_day',
    delivery_ranges: { week, ...more },
  });
  const holiday = { date: '2026-12-25', selected: true };
  const holidays: Call = ({ flexV2 }) => flexV2.setHolidays({ ...whose, holidays: [holiday] });
  const enable: Call = ({ flexV2 }) => flexV2.items.enable(item);
  const disable: Call = ({ flexV2 }) => flexV2.items.disable(item);
  const shown = (...zones: [id: string, week?: number][]) => ({
    zones: zones.map(([id, week]) => ({ id, ...(week === undefined ? {} : { cutoff: { week } }) })),
  });

  test.each<[string, Call, object, boolean | 'unknown']>([
    ['zones in another order', two, shown(['Pilar', 14], ['CABA', 10]), true],
    ['another cut-off of a zone', two, shown(['CABA', 10], ['Pilar', 15]), false],
    ['a cut-off that one zone lacks', two, shown(['CABA', 10], ['Pilar']), 'unknown'],
    ['different cut-offs, and the service shows none', two, shown(['CABA'], ['Pilar']), false],
    [
      'equal cut-offs, which the service then shows no more',
      zones({ id: 'CABA', cutoff: early }),
      shown(['CABA']),
      true,
    ],
    ['zones without cut-offs', plain, shown(['CABA'], ['Pilar']), true],
    ['zones without cut-offs, where the service shows some', plain, shown(['CABA', 9], ['Pilar', 9]), true],
    ['a cut-off of null', zones({ id: 'CABA', cutoff: { week: null } }), shown(['CABA', 9]), true],
    ['a zone more', two, shown(['CABA', 10], ['Pilar', 14], ['Tigre', 14]), false],
    ['a zone less', two, shown(['CABA', 10]), false],
    ['another zone', two, shown(['CABA', 10], ['Tigre', 14]), false],
    ['no list of zones', two, {}, 'unknown'],
    ['the radius', radius, { radius: 5000 }, true],
    ['another radius', radius, { radius: 4000 }, false],
    ['no radius', radius, {}, 'unknown'],
    ['ranges in another order', ranges([range, evening]), shownRanges([evening, range]), true],
    ['ranges, and none of a day that was left out', ranges([range]), shownRanges([range], { sunday: [] }), true],
    ['ranges of a day that was left out', ranges([range]), shownRanges([range], { sunday: [range] }), 'unknown'],
    ['a range more', ranges([range]), shownRanges([range, evening]), false],
    ['no range of that day', ranges([range]), shownRanges(null), false],
    ['another hour', ranges([range]), shownRanges([{ ...range, to: 17 }]), false],
    ['ranges without hours', ranges([range, evening]), shownRanges([{ capacity: 20 }, { capacity: 20 }]), 'unknown'],
    ['a cut-off', ranges([{ ...range, cutoff: 8 }]), shownRanges([{ ...range, cutoff: 8 }]), true],
    ['another cut-off', ranges([{ ...range, cutoff: 8 }]), shownRanges([{ ...range, cutoff: 7 }]), 'unknown'],
    ['another window', ranges([range], 'next_day'), shownRanges([range]), false],
    [
      'a cut-off that the next day does not have',
      ranges([{ ...range, cutoff: 8 }], 'next_day'),
      { ...shownRanges([range]), delivery_window: 'next_day' },
      true,
    ],
    ['no ranges', ranges([range]), { delivery_window: 'same_day' }, 'unknown'],
    ['no window', ranges([range]), { delivery_ranges: { week: [range] } }, 'unknown'],
    ['the holiday', holidays, { holidays: [holiday, { date: '2027-01-01', selected: false }] }, true],
    ['the holiday, not selected', holidays, { holidays: [{ ...holiday, selected: false }] }, false],
    ['other holidays', holidays, { holidays: [] }, 'unknown'],
    ['no holidays', holidays, {}, 'unknown'],
    ['an item that is in', enable, { has_flex: true }, true],
    ['an item that is not in', enable, { has_flex: false }, false],
    ['an item that is out', disable, { has_flex: false }, true],
    ['an item that is not out', disable, { has_flex: true }, false],
  ])('%s', async (_, write, body, verdict) => {
    const { sellerClient } = stubbed([networkFault('ECONNRESET'), Response.json(body)], { maxRetries: 0 });
    const error = await errorOf<OutcomeUnknownError>(write(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    const expected = verdict === 'unknown' ? { unknown: expect.any(String) as string } : { done: verdict };
    const confirmed = error.confirm();
    await vi.runAllTimersAsync();
    expect(await confirmed).toMatchObject(expected);
  });
});

describe('wrong input is not sent', () => {
  const week = (range: object) =>
    ({ ...whose, delivery_window: 'same_day', delivery_ranges: { week: [range] } }) as never;
  const range = { from: 9, to: 13, capacity: 20, cutoff: 8 };
  test.each<[string, (flexV2: SellerClient['flexV2']) => PromiseLike<unknown>]>([
    ['`zones` is empty; it takes at least one zone', (v2) => v2.setZones({ ...whose, zones: [] })],
    ['zones.0.id', (v2) => v2.setZones({ ...whose, zones: [{ cutoff: { week: 1 } } as never] })],
    ['week` is an hour, 0 to 24', (v2) => v2.setZones({ ...whose, zones: [{ id: 'z', cutoff: { week: 25 } }] })],
    ['sunday` is an hour, 0 to 24', (v2) => v2.setZones({ ...whose, zones: [{ id: 'z', cutoff: { sunday: -1 } }] })],
    ['from` is an hour, 0 to 24', (v2) => v2.setDeliveryRanges(week({ ...range, from: 25 }))],
    ['cutoff` is an hour, 0 to 24', (v2) => v2.setDeliveryRanges(week({ ...range, cutoff: -1 }))],
    ['capacity` is at least 1', (v2) => v2.setDeliveryRanges(week({ ...range, capacity: 0 }))],
    ['delivery_window', (v2) => v2.setDeliveryRanges({ ...whose, delivery_ranges: {} } as never)],
    ['delivery_ranges', (v2) => v2.setDeliveryRanges({ ...whose, delivery_window: 'same_day' } as never)],
    ['`radius` is at least 1', (v2) => v2.setRadius({ ...whose, radius: 0 })],
    ['`holidays` is empty', (v2) => v2.setHolidays({ ...whose, holidays: [] })],
    ['is a day such as', (v2) => v2.setHolidays({ ...whose, holidays: [{ date: '2026-02-30', selected: true }] })],
    ['selected', (v2) => v2.setHolidays({ ...whose, holidays: [{ date: '2026-12-25' } as never] })],
  ])('%s', async (message, call) => {
    const { sellerClient, sent } = stubbed([failing(400)]);
    const error = await errorOf(call(sellerClient.flexV2));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(message);
    expect(sent).toEqual([]);
  });
});

test('a subscription that does not exist is named, whatever of it is read or set', async () => {
  const { flexV2 } = createShop();
  const other = { ...whose, service_id: 9 };
  const calls = [flexV2.zones(other), flexV2.radius(other), flexV2.deliveryRanges(other), flexV2.holidays(other)];
  for (const call of calls) expect(await errorOf(call)).toBeInstanceOf(SubscriptionNotFoundError);
});

describe('the first generation', () => {
  const calls: Readonly<Record<string, (client: SellerClient) => PromiseLike<unknown>>> = {
    subscriptions: (client) => client.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
    configuration: (client) => client.flex.configuration(whose),
    setDelivery: (client) => client.flex.setDelivery({ ...whose, delivery_window: 'same_day' }),
    addZones: (client) => client.flex.addZones({ ...whose, zones: [{ id: 'z' }] }),
    driver: (client) => client.flex.driver({ site_id: 'MLA', shipment_id: 4 }),
    isEnabled: (client) => client.flex.items.isEnabled(item),
    enable: (client) => client.flex.items.enable(item),
    disable: (client) => client.flex.items.disable(item),
  };
  test.each(Object.entries(calls))(
    '%s names flexV2 where its path is switched off, and only there',
    async (_, call) => {
      const off = [page(403), page(404), new Response(null, { status: 404 }), failing(404, 'Resource not found')];
      for (const response of off) {
        const error = await errorOf<ApiError>(call(stubbed([response], { maxRetries: 0 }).sellerClient));
        expect(error.message).toContain('`seller.flexV2`');
        expect(error.status).toBe(response.status);
      }
      for (const response of [failing(403, 'forbidden'), failing(400, 'invalid'), page(500)]) {
        const error = await errorOf(call(stubbed([response], { maxRetries: 0 }).sellerClient));
        expect(error.message).not.toContain('flexV2');
      }
    },
  );

  test('a 404 that names what does not exist is not about the path', async () => {
    const named = [
      [calls.subscriptions!, 'user not found'],
      [calls.setDelivery!, "can't update delivery custom"],
      [calls.driver!, 'shipment_id not found'],
      [calls.enable!, 'item not found'],
    ] as const;
    for (const [call, message] of named) {
      const error = await errorOf(call(stubbed([failing(404, message)], { maxRetries: 0 }).sellerClient));
      expect(error.message).not.toContain('flexV2');
    }
  });
});

test('its tools are offered only by name', () => {
  const { marketplace } = createShop();
  const client = marketplace.clientFor({ user_id: 7 });
  expect(createTools(client).filter(({ operation }) => operation.startsWith('flexV2'))).toEqual([]);
  const names = createTools(client, { only: ['flexV2'] }).map(({ operation }) => operation);
  expect(names).toHaveLength(14);
  expect(names).toContain('flexV2.items.enable');
  expect(createTools(client, { only: ['questions', 'flexV2.zones'] }).map(({ name }) => name)).toContain(
    'flexV2_zones',
  );
});

goldenRequests<typeof endpoints.flexV2>({
  subscriptions: {
    call: (client) => client.flexV2.subscriptions({ site_id: 'MLA', user_id: 7 }),
    request: ['GET /flex/sites/MLA/users/7/subscriptions/v1'],
  },
  zones: {
    call: (client) => client.flexV2.zones({ ...whose, show_availables: true }),
    request: ['GET /flex/sites/MLA/users/7/services/1001/configurations/coverage/zones/v1?show_availables=true'],
  },
  setZones: {
    call: (client) =>
      client.flexV2.setZones({ ...whose, zones: [{ id: 'CABA', cutoff: { week: 14, saturday: 12, sunday: 11 } }] }),
    request: [
      'PUT /flex/sites/MLA/users/7/services/1001/configurations/coverage/zones/v1',
      jsonBody,
      '',
      '{"zones":[{"id":"CABA","cutoff":{"week":14,"saturday":12,"sunday":11}}]}',
    ],
  },
  radius: {
    call: (client) => client.flexV2.radius(whose),
    request: ['GET /flex/sites/MLA/users/7/services/1001/configurations/coverage/radius/v1'],
  },
  setRadius: {
    call: (client) => client.flexV2.setRadius({ ...whose, radius: 5000 }),
    request: [
      'PUT /flex/sites/MLA/users/7/services/1001/configurations/coverage/radius/v1',
      jsonBody,
      '',
      '{"radius":5000}',
    ],
  },
  deliveryRanges: {
    call: (client) => client.flexV2.deliveryRanges({ ...whose, show_availables: false }),
    request: ['GET /flex/sites/MLA/users/7/services/1001/configurations/delivery-ranges/v1?show_availables=false'],
  },
  setDeliveryRanges: {
    call: (client) =>
      client.flexV2.setDeliveryRanges({
        ...whose,
        delivery_window: 'same_day',
        delivery_ranges: { week: [{ from: 9, to: 18, capacity: 120, cutoff: 13 }], sunday: [] },
      }),
    request: [
      'PUT /flex/sites/MLA/users/7/services/1001/configurations/delivery-ranges/v1',
      jsonBody,
      '',
      '{"delivery_window":"same_day","delivery_ranges":{"week":[{"from":9,"to":18,"capacity":120,"cutoff":13}],"sunday":[]}}',
    ],
  },
  holidays: {
    call: (client) => client.flexV2.holidays(whose),
    request: ['GET /flex/sites/MLA/users/7/services/1001/configurations/holidays/v1'],
  },
  setHolidays: {
    call: (client) =>
      client.flexV2.setHolidays({
        ...whose,
        holidays: [{ date: '2026-12-25', description: 'Navidad', selected: true }],
      }),
    request: [
      'PUT /flex/sites/MLA/users/7/services/1001/configurations/holidays/v1',
      jsonBody,
      '',
      '{"holidays":[{"date":"2026-12-25","description":"Navidad","selected":true}]}',
    ],
  },
  driver: {
    call: (client) => client.flexV2.driver({ site_id: 'MLA', shipment_id: 40_000_000_001 }),
    request: ['GET /flex/sites/MLA/shipments/40000000001/assignment/v2'],
  },
  assignCourier: {
    call: (client) => client.flexV2.assignCourier({ site_id: 'MLA', courier_id: 345, shipment_id: '40000000001' }),
    request: ['POST /flex/sites/MLA/users/345/courier-shipment/v1', jsonBody, '', '{"shipment_id":40000000001}'],
  },
  items: {
    isEnabled: {
      call: (client) => client.flexV2.items.isEnabled(item),
      request: ['GET /flex/sites/MLA/items/MLA100/v2'],
    },
    enable: {
      call: (client) => client.flexV2.items.enable(item),
      request: ['POST /flex/sites/MLA/items/MLA100/v2'],
    },
    disable: {
      // After a 400 it reads whether the item is in Flex.
      call: (client) => client.call(endpoints.flexV2.items.disable, item),
      request: ['DELETE /flex/sites/MLA/items/MLA100/v2'],
    },
  },
});
