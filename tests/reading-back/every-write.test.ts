import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint, OutcomeUnknownError } from 'marketplace-seller-sdk';
import { expect, test } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf } from '../support/stubs.ts';

type Shop = ReturnType<typeof createShop>;

/** A seller with a sale, an open question and Flex; the buyer has written and asked. */
function createShop() {
  const { marketplace, seller, buyer_id, ...rest } = createMarketplace({ maxRetries: 0 });
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const { service_id } = marketplace.flex.subscribe({ user_id: seller.user_id });
  const turbo = marketplace.flex.subscribe({ user_id: seller.user_id, mode: 'TURBO' });
  return {
    ...rest,
    marketplace,
    // What the same buyer asked about the other item a moment ago would leave the outcome unknown.
    other_item_id: marketplace.addItem({ seller_id: seller.user_id }).item_id,
    buyer_id,
    pack_id: String(pack.pack_id),
    ofItem: { site_id: seller.site_id, item_id: rest.item_id },
    whose: { site_id: seller.site_id, user_id: seller.user_id, service_id },
    turbo: { site_id: seller.site_id, user_id: seller.user_id, service_id: turbo.service_id },
  };
}

/** A write, what it is called with, and what must have happened before. */
type Write = readonly [Endpoint, (shop: Shop) => unknown, before?: Endpoint];

const { actionGuide, questions, messages, flex, flexV2 } = endpoints;
const text = 'Yes, there is.';
const evenings = { delivery_ranges: { week: [{ from: 17, to: 21, capacity: 30, cutoff: 15 }] } };
const barred = ({ seller_id, buyer_id }: Shop) => ({ seller_id, user_id: buyer_id });

const writes: readonly Write[] = [
  [questions.ask, ({ other_item_id }) => ({ item_id: other_item_id, text: 'In red?' })],
  [questions.answer, ({ question_id }) => ({ question_id, text })],
  [questions.delete, ({ question_id }) => ({ question_id })],
  [questions.blacklist.add, barred],
  [questions.blacklist.remove, barred, questions.blacklist.add],
  [
    messages.send,
    ({ pack_id, seller_id, buyer_id }) => ({ pack_id, user_id: seller_id, to: { user_id: buyer_id }, text }),
  ],
  [actionGuide.send, ({ pack_id }) => ({ pack_id, option_id: 'OTHER', text })],
  [flex.setDelivery, ({ whose }) => ({ ...whose, ...evenings })],
  [
    flex.addZones,
    async ({ sellerClient, whose }) => {
      const select = { zones: { id: true, selected: true } } as const;
      const { zones } = await sellerClient.flex.configuration({ ...whose, select });
      return { ...whose, zones: [{ id: String(zones?.find(({ selected }) => selected !== true)?.id) }] };
    },
  ],
  [flex.items.enable, ({ ofItem }) => ofItem],
  [flex.items.disable, ({ ofItem }) => ofItem, flex.items.enable],
  [flexV2.setZones, ({ whose }) => ({ ...whose, zones: [{ id: 'MLA-2', cutoff: { week: 12 } }, { id: 'MLA-1' }] })],
  [flexV2.setRadius, ({ turbo }) => ({ ...turbo, radius: 6000 })],
  [flexV2.setDeliveryRanges, ({ whose }) => ({ ...whose, delivery_window: 'same_day', ...evenings })],
  [
    flexV2.setHolidays,
    async ({ sellerClient, whose }) => {
      const { holidays } = await sellerClient.flexV2.holidays(whose);
      const { date } = holidays!.find((each) => ![0, 6].includes(new Date(each.date).getUTCDay()))!;
      return { ...whose, holidays: [{ date, selected: true }] };
    },
  ],
  [flexV2.items.enable, ({ ofItem }) => ofItem],
  [flexV2.items.disable, ({ ofItem }) => ofItem, flexV2.items.enable],
];

test('every endpoint with a confirm() is tested here', () => {
  const able = everyEndpoint.filter(({ endpoint }) => endpoint.confirm).map(({ name }) => name);
  expect(writes.map(([endpoint]) => endpoint.name).sort()).toEqual(able.sort());
});

// The marketplace loses the response of each write, before or after it was carried out, and it is read back.
const trials = writes.flatMap(([endpoint, inputOf, before]) =>
  (['before', 'after'] as const).map((reset) => ({ name: endpoint.name, endpoint, inputOf, before, reset })),
);

test.each(trials)('$name, reset $reset it was carried out', async ({ endpoint, inputOf, before, reset }) => {
  const shop = createShop();
  const input = await inputOf(shop);
  const user_id = endpoint === questions.ask ? shop.buyer_id : shop.seller_id;
  const [client, restarted] = [shop.marketplace.clientFor({ user_id }), shop.marketplace.clientFor({ user_id })];
  if (before) await client.call(before, input);
  shop.marketplace.faults.inject({ reset, endpoint });
  const sentAt = Date.now();
  const error = await errorOf<OutcomeUnknownError>(client.call(endpoint, input, { maxRetries: 0 }));
  // What a process stored, another one reads: it has nothing else of the call.
  const stored: unknown = JSON.parse(JSON.stringify(input));
  const expected = { done: reset === 'after' };
  expect(await restarted.confirm(endpoint, stored, { sentAt, confirmWindowMs: 0 })).toMatchObject(expected);
  expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject(expected);
});

test("a write with unknownOutcome: 'confirm' is delivered, and made once", async () => {
  const { marketplace, buyer_id, other_item_id } = createShop();
  const buyer = marketplace.clientFor({ user_id: buyer_id }, { unknownOutcome: 'confirm' });
  marketplace.faults.inject({ status: 503, headers: { 'retry-after': '0' }, after: true, endpoint: questions.ask });
  const text = 'Does it come in red?';
  const { data, response } = await buyer.questions.ask({ item_id: other_item_id, text }).withResponse();
  expect([data, response]).toMatchObject([{ text }, { attempts: 1, status: 200 }]);
  const all = await buyer.questions.search({ item: other_item_id }).toArray();
  expect(all.filter((each) => each.text === text)).toHaveLength(1);
});
