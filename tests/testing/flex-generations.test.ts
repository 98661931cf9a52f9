import { BadRequestError, UnprocessableEntityError } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { errorOf } from '../support/stubs.ts';

// Both generations of Flex paths show one state, with the rules that the page of the second states.

const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };
const turbo = { ...whose, service_id: 1002 };

function createShop() {
  const marketplace = new FakeMarketplace({ now: '2026-03-10T15:00:00Z' });
  marketplace.addUser({ user_id: 7 });
  marketplace.addItem({ seller_id: 7, item_id: 'MLA100' });
  const { id } = marketplace.flex.subscribe({ user_id: 7, service_id: 1001 });
  marketplace.flex.subscribe({ user_id: 7, service_id: 1002, mode: 'TURBO' });
  const { flex, flexV2 } = marketplace.clientFor({ user_id: 7 }, { maxRetries: 0 });
  return { marketplace, id, flex, flexV2 };
}

const zone = (id: string, week?: number) => (week === undefined ? { id } : { id, cutoff: { week } });
const range = { from: 9, to: 18, capacity: 120, cutoff: 12 };

describe('what one generation sets, the other shows', () => {
  test('zones', async () => {
    const { flex, flexV2 } = createShop();
    await flex.addZones({ ...whose, zones: [{ id: 'MLA-2' }] });
    expect((await flexV2.zones(whose)).zones).toEqual([{ id: 'MLA-2' }]);
    await flexV2.setZones({ ...whose, zones: [zone('MLA-1', 14), zone('MLA-2', 12)] });
    const { zones } = await flex.configuration({ ...whose, select: { zones: { id: true, selected: true } } });
    expect(zones?.filter(({ selected }) => selected).map(({ id }) => id)).toEqual(['MLA-1', 'MLA-2']);
  });

  test('delivery ranges', async () => {
    const { flex, flexV2 } = createShop();
    await flex.setDelivery({ ...whose, delivery_window: 'next_day', delivery_ranges: { saturday: [range] } });
    expect(await flexV2.deliveryRanges(whose)).toMatchObject({
      delivery_window: 'next_day',
      delivery_ranges: { week: [], saturday: [range], sunday: [] },
    });
    await flexV2.setDeliveryRanges({ ...whose, delivery_window: 'same_day', delivery_ranges: { week: [range] } });
    const { delivery_window, working_days } = await flex.configuration(whose);
    expect([delivery_window, working_days]).toEqual(['same_day', ['week']]);
  });

  test('items', async () => {
    const { flex, flexV2 } = createShop();
    const item = { site_id: 'MLA', item_id: 'MLA100' };
    await flex.items.enable(item);
    expect(await flexV2.items.isEnabled(item)).toBe(true);
    await flexV2.items.disable(item);
    expect(await flex.items.isEnabled(item)).toBe(false);
  });
});

describe('cut-offs by zone', () => {
  test('different ones switch them on, equal ones off, and none leaves them', async () => {
    const { flexV2 } = createShop();
    const isOn = async () =>
      (await flexV2.subscriptions(whoseUser))[0]?.configuration?.set?.coverage?.capabilities?.cutoff_by_zone;
    const whoseUser = { site_id: 'MLA', user_id: 7 };
    await flexV2.setZones({ ...whose, zones: [zone('MLA-1', 14), zone('MLA-2', 12)] });
    expect((await flexV2.zones(whose)).zones).toEqual([zone('MLA-1', 14), zone('MLA-2', 12)]);
    expect(await isOn()).toBe(true);
    await flexV2.setZones({ ...whose, zones: [zone('MLA-2'), zone('MLA-1')] });
    expect((await flexV2.zones(whose)).zones).toEqual([zone('MLA-2', 12), zone('MLA-1', 14)]);
    await flexV2.setZones({ ...whose, zones: [zone('MLA-1', 12), zone('MLA-2', 12)] });
    expect((await flexV2.zones(whose)).zones).toEqual([zone('MLA-1'), zone('MLA-2')]);
    expect(await isOn()).toBe(false);
    await flexV2.setZones({ ...whose, zones: [zone('MLA-1', 12)] });
    expect(await isOn()).toBe(false);
  });

  test('those of ranges are then neither shown nor taken; without them, same_day needs them', async () => {
    const { flexV2 } = createShop();
    const { cutoff: _, ...plain } = range;
    const set = (delivery_window: string, each: object) =>
      flexV2.setDeliveryRanges({ ...whose, delivery_window, delivery_ranges: { week: [each] } } as never);
    expect(await errorOf(set('same_day', plain))).toBeInstanceOf(BadRequestError);
    await set('next_day', plain);
    await flexV2.setZones({ ...whose, zones: [zone('MLA-1', 14), zone('MLA-2', 12)] });
    expect(await errorOf(set('same_day', range))).toBeInstanceOf(BadRequestError);
    await set('same_day', plain);
    expect((await flexV2.deliveryRanges(whose)).delivery_ranges?.week).toEqual([plain]);
  });
});

describe('a list is whole', () => {
  test('a zone or a kind of day that is left out is removed', async () => {
    const { flexV2 } = createShop();
    await flexV2.setZones({ ...whose, zones: [zone('MLA-2')] });
    expect((await flexV2.zones(whose)).zones).toEqual([{ id: 'MLA-2' }]);
    await flexV2.setDeliveryRanges({ ...whose, delivery_window: 'same_day', delivery_ranges: { sunday: [range] } });
    expect((await flexV2.deliveryRanges(whose)).delivery_ranges).toEqual({ week: [], saturday: [], sunday: [range] });
  });

  test.each([
    ['whole', ['2026-12-25']],
    ['part', ['2026-05-01', '2026-12-25']],
  ] as const)('that of holidays, if the setting says %s', async (list, selected) => {
    const { flexV2, marketplace } = createShop();
    marketplace.settings.flexHolidayList = list;
    await flexV2.setHolidays({ ...whose, holidays: [{ date: '2026-05-01', selected: true }] });
    await flexV2.setHolidays({ ...whose, holidays: [{ date: '2026-12-25', selected: true }] });
    const { holidays } = await flexV2.holidays(whose);
    expect(holidays?.filter((each) => each.selected).map(({ date }) => date)).toEqual(selected);
  });
});

test.each([
  ['rests', false, true],
  ['delivers', true, false],
] as const)('a selected holiday means that the seller %s, by the setting', async (meaning, selected, other) => {
  const { flexV2, marketplace, id } = createShop();
  marketplace.settings.flexHolidaySelected = meaning;
  await flexV2.setHolidays({ ...whose, holidays: [{ date: '2026-12-25', selected: true }] });
  const { flex } = marketplace;
  expect(flex.deliversOn(id, '2026-12-25')).toBe(selected);
  expect(flex.deliversOn(id, '2026-05-01')).toBe(other);
  expect([flex.deliversOn(id, '2026-12-24'), flex.deliversOn(id, '2026-12-26')]).toEqual([true, false]);
});

describe('what is rejected', () => {
  test.each([
    ['a holiday that is no working day', '2027-05-01'],
    ['a day that is no holiday', '2026-12-24'],
  ])('%s', async (_, date) => {
    const { flexV2 } = createShop();
    expect(await errorOf(flexV2.setHolidays({ ...whose, holidays: [{ date, selected: true }] }))).toBeInstanceOf(
      BadRequestError,
    );
  });

  test('hours of Turbo that are not offered, other days, and the next day', async () => {
    const { flexV2 } = createShop();
    const offered = (await flexV2.deliveryRanges({ ...turbo, show_availables: true })).availables?.delivery_ranges
      ?.ranges;
    expect(Object.values(offered ?? {})).toHaveLength(1);
    const week = [{ from: 13, to: 16, capacity: 20 }];
    await flexV2.setDeliveryRanges({ ...turbo, delivery_window: 'same_day', delivery_ranges: { week } });
    const wrong = [
      { delivery_window: 'next_day', delivery_ranges: { week } },
      { delivery_window: 'same_day', delivery_ranges: { sunday: week } },
      { delivery_window: 'same_day', delivery_ranges: { week: [{ from: 9, to: 13, capacity: 20 }] } },
    ];
    for (const each of wrong)
      expect(await errorOf(flexV2.setDeliveryRanges({ ...turbo, ...each }))).toBeInstanceOf(BadRequestError);
    expect((await flexV2.deliveryRanges(turbo)).delivery_ranges?.week).toEqual([{ ...week[0], cutoff: 12 }]);
  });

  test('a radius beyond the limits, an unknown zone, and ranges while an extended one is active', async () => {
    const { flexV2, marketplace, id } = createShop();
    expect(await errorOf(flexV2.setRadius({ ...turbo, radius: 9000 }))).toBeInstanceOf(BadRequestError);
    await flexV2.setRadius({ ...turbo, radius: 8000 });
    expect(await flexV2.radius(turbo)).toEqual({ radius: 8000 });
    expect(await errorOf(flexV2.setZones({ ...whose, zones: [zone('CABA')] }))).toBeInstanceOf(BadRequestError);
    marketplace.flex.configure(id, { extendedRange: true });
    const settings = { delivery_window: 'same_day', delivery_ranges: { week: [range] } };
    expect(await errorOf(flexV2.setDeliveryRanges({ ...whose, ...settings }))).toBeInstanceOf(UnprocessableEntityError);
  });
});

test('Brazil has prices by weight, other sites one price', async () => {
  const { flexV2, marketplace } = createShop();
  const { availables } = await flexV2.zones({ ...whose, show_availables: true });
  expect(availables?.zones?.[0]).toMatchObject({ id: 'MLA-1', scope: 'LocalInterno', price: { fraction: '500' } });
  marketplace.addUser({ user_id: 9, site_id: 'MLB' });
  const { service_id } = marketplace.flex.subscribe({ user_id: 9 });
  const inBrazil = { site_id: 'MLB', user_id: 9, service_id, show_availables: true };
  const found = await marketplace.clientFor({ user_id: 9 }).flexV2.zones(inBrazil);
  expect(found.availables?.zones?.[0]).toMatchObject({ price: { fraction: '' }, pricing: { mode: 'weight' } });
});
