import { InvalidInputError, deliverySettings, packOf } from 'marketplace-seller-sdk';
import type { OrderOfPack } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { sample } from '../../src/testing/seed/schema.js';
import { describe, expect, test } from 'vitest';
import { stubbed } from '../support/stubs.ts';

describe('packOf', () => {
  test.each<[string, unknown, unknown]>([
    ['an order with a pack', { id: 5, pack_id: 2000000012345678 }, 2000000012345678],
    ['an order without a pack', { id: 5, pack_id: null }, 5],
    ['an order that does not name one', { id: '5' }, '5'],
    ['an order whose pack is digits', { id: 5, pack_id: '2000000012345678' }, '2000000012345678'],
    [
      'a message of a pack',
      {
        id: 'a',
        message_resources: [
          { id: '5', name: 'packs' },
          { id: '7', name: 'sellers' },
        ],
      },
      '5',
    ],
    ['a message of an order', { id: 'a', message_resources: [{ id: '6', name: 'orders' }] }, '6'],
    ['a legacy message', { message_id: 'a', resource: 'orders', resource_id: '6', text: { plain: 'Hi' } }, '6'],
  ])('%s', (_, given, pack) => {
    expect(packOf(given as { id: number })).toBe(pack);
  });

  test.each<[string, unknown]>([
    ['a message that names no pack', { id: '123', text: 'Hi', message_resources: null }],
    ['a message of something else', { id: 'a', text: 'Hi', message_resources: [{ id: '7', name: 'sellers' }] }],
    ['something without an id', {}],
    ...['message_date', 'message_resources', 'message_moderation', 'text'].map((field): [string, unknown] => [
      `a message of which only ${field} is shown`,
      { id: '123', [field]: null },
    ]),
  ])('%s has none', (_, given) => {
    expect(() => packOf(given as { id: number })).toThrow(InvalidInputError);
  });

  test('a message of a conversation leads back to it', async () => {
    const marketplace = new FakeMarketplace();
    const [shop, ana] = [marketplace.addUser(), marketplace.addUser()];
    const pack = marketplace.addPack({ seller_id: shop.user_id, buyer_id: ana.user_id });
    marketplace.buyerWrites({ pack, text: 'When?' });
    const { messages } = marketplace.clientFor(shop);
    const pack_id = pack.pack_id ?? pack.order_ids[0]!;
    const message = await messages.conversation({ pack_id, user_id: shop.user_id }).first();
    expect(String(packOf(message!))).toBe(String(pack_id));
  });
});

describe('delivery settings that were read', () => {
  const range = { from: 9, to: 13, capacity: 20, type: 'cpt', processing_time: 0, et_hour: 13, calculated_cutoff: 8 };
  const week = [{ from: 9, to: 13, capacity: 20, cutoff: 8 }];

  test.each<[string, object, object]>([
    [
      'extra fields and empty days',
      { delivery_ranges: { week: [range], saturday: null } },
      { delivery_ranges: { week } },
    ],
    ['a day without ranges', { delivery_ranges: { week: [], sunday: null } }, { delivery_ranges: { week: [] } }],
    [
      'the cut-off that was set',
      { delivery_ranges: { week: [{ ...range, cutoff: 7 }] } },
      { delivery_ranges: { week: [{ ...week[0], cutoff: 7 }] } },
    ],
    ['a window', { delivery_window: 'same_day', delivery_ranges: null }, { delivery_window: 'same_day' }],
    ['nothing', { delivery_window: null }, {}],
  ])('%s', (_, configuration, settings) => {
    expect(deliverySettings(configuration)).toEqual(settings);
  });

  test('a range without a cut-off is rejected with its path', () => {
    const ranges = { saturday: [range, { ...range, calculated_cutoff: null }] };
    expect(() => deliverySettings({ delivery_ranges: ranges })).toThrow('delivery_ranges.saturday.1.cutoff');
  });

  test('can be changed and written back', async () => {
    const marketplace = new FakeMarketplace();
    const { user_id, site_id } = marketplace.addUser();
    const { service_id } = marketplace.flex.subscribe({ user_id });
    const { flex } = marketplace.clientFor({ user_id });
    const whose = { site_id, user_id, service_id };
    await flex.setDelivery({ ...whose, delivery_ranges: { week } });
    const settings = deliverySettings(await flex.configuration(whose));
    for (const each of settings.delivery_ranges?.week ?? []) each.capacity = 40;
    await flex.setDelivery({ ...whose, ...settings });
    const { delivery_ranges } = await flex.configuration(whose);
    expect(delivery_ranges?.week).toMatchObject([{ from: 9, to: 13, capacity: 40, calculated_cutoff: 8 }]);
  });
});

test('zones are added as they were read, and only their ids are sent', async () => {
  const { sellerClient, sent } = stubbed([Response.json({})]);
  const zones = [{ id: 'zone-1', label: 'North', enabled: true, price: { cents: '00' } }];
  await sellerClient.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1, zones });
  expect(await sent[0]!.json()).toEqual({ zones: [{ id: 'zone-1' }] });
});

test('a day without a time is its beginning at the start of a period, and the whole day at its end', async () => {
  const marketplace = new FakeMarketplace();
  const { user_id } = marketplace.addUser();
  const item = marketplace.addItem({ seller_id: user_id });
  marketplace.contacts.record('phone_view', item, { at: '2026-03-31T10:00:00Z' });
  const { phoneViews } = marketplace.clientFor({ user_id }).contacts;
  const total = async (date_to: string) =>
    (await phoneViews.ofItem({ item_id: item.item_id, date_from: '2026-03-01', date_to })).total;
  expect([await total('2026-03-31'), await total('2026-04-01'), await total('2026-03-31T23:59:59')]).toEqual([1, 1, 1]);
});

test('an order of the sample without a pack leads to its conversation', async () => {
  const marketplace = new FakeMarketplace();
  marketplace.seed(sample(Date.now()));
  const seller = marketplace.clientFor({ user_id: 1001 });
  const order = (await seller.request('GET /orders/{order_id}', { order_id: 3_000_000_000_000_101 })) as OrderOfPack;
  expect(order.pack_id).toBeNull();
  const pack_id = packOf(order);
  expect(pack_id).toBe(3_000_000_000_000_101);
  const sent = await seller.messages.contact({ pack_id, user_id: 1001, text: 'Thank you for your order.' });
  expect(sent.channel).toBe('option');
});
