import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Endpoint, OutcomeUnknownError } from 'marketplace-seller-sdk';
import { expect, test, vi } from 'vitest';
import { HttpClient } from '../../src/core/client/http-client.js';
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

interface Write {
  readonly endpoint: Endpoint;
  /** What must have happened before. */
  readonly before?: (shop: Shop) => Promise<unknown>;
  readonly write: (shop: Shop) => PromiseLike<unknown>;
}

const { actionGuide, questions, messages, flex, flexV2 } = endpoints;
const text = 'Yes, there is.';
const evenings = { delivery_ranges: { week: [{ from: 17, to: 21, capacity: 30, cutoff: 15 }] } };

const writes: readonly Write[] = [
  {
    endpoint: questions.ask,
    write: ({ buyerClient, other_item_id }) => buyerClient.questions.ask({ item_id: other_item_id, text: 'In red?' }),
  },
  {
    endpoint: questions.answer,
    write: ({ sellerClient, question_id }) => sellerClient.questions.answer({ question_id, text }),
  },
  {
    endpoint: questions.delete,
    write: ({ sellerClient, question_id }) => sellerClient.questions.delete({ question_id }),
  },
  {
    endpoint: questions.blacklist.add,
    write: ({ sellerClient, seller_id, buyer_id }) =>
      sellerClient.questions.blacklist.add({ seller_id, user_id: buyer_id }),
  },
  {
    endpoint: questions.blacklist.remove,
    before: async ({ sellerClient, seller_id, buyer_id }) => {
      await sellerClient.questions.blacklist.add({ seller_id, user_id: buyer_id });
    },
    write: ({ sellerClient, seller_id, buyer_id }) =>
      sellerClient.questions.blacklist.remove({ seller_id, user_id: buyer_id }),
  },
  {
    endpoint: messages.send,
    write: ({ sellerClient, pack_id, seller_id, buyer_id }) =>
      sellerClient.messages.send({ pack_id, user_id: seller_id, to: { user_id: buyer_id }, text }),
  },
  {
    endpoint: actionGuide.send,
    write: ({ sellerClient, pack_id }) => sellerClient.actionGuide.send({ pack_id, option_id: 'OTHER', text }),
  },
  {
    endpoint: flex.setDelivery,
    write: ({ sellerClient, whose }) => sellerClient.flex.setDelivery({ ...whose, ...evenings }),
  },
  {
    endpoint: flex.addZones,
    write: async ({ sellerClient, whose }) => {
      const { zones } = await sellerClient.flex.configuration({
        ...whose,
        select: { zones: { id: true, selected: true } },
      });
      const free = zones?.find(({ selected }) => selected !== true);
      await sellerClient.flex.addZones({ ...whose, zones: [{ id: String(free?.id) }] });
    },
  },
  { endpoint: flex.items.enable, write: ({ sellerClient, ofItem }) => sellerClient.flex.items.enable(ofItem) },
  {
    endpoint: flex.items.disable,
    before: async ({ sellerClient, ofItem }) => sellerClient.flex.items.enable(ofItem),
    write: ({ sellerClient, ofItem }) => sellerClient.flex.items.disable(ofItem),
  },
  {
    endpoint: flexV2.setZones,
    write: ({ sellerClient, whose }) =>
      sellerClient.flexV2.setZones({ ...whose, zones: [{ id: 'MLA-2', cutoff: { week: 12 } }, { id: 'MLA-1' }] }),
  },
  {
    endpoint: flexV2.setRadius,
    write: ({ sellerClient, turbo }) => sellerClient.flexV2.setRadius({ ...turbo, radius: 6000 }),
  },
  {
    endpoint: flexV2.setDeliveryRanges,
    write: ({ sellerClient, whose }) =>
      sellerClient.flexV2.setDeliveryRanges({ ...whose, delivery_window: 'same_day', ...evenings }),
  },
  {
    endpoint: flexV2.setHolidays,
    write: async ({ sellerClient, whose }) => {
      const { holidays } = await sellerClient.flexV2.holidays(whose);
      const { date } = holidays!.find((each) => ![0, 6].includes(new Date(each.date).getUTCDay()))!;
      await sellerClient.flexV2.setHolidays({ ...whose, holidays: [{ date, selected: true }] });
    },
  },
  { endpoint: flexV2.items.enable, write: ({ sellerClient, ofItem }) => sellerClient.flexV2.items.enable(ofItem) },
  {
    endpoint: flexV2.items.disable,
    before: async ({ sellerClient, ofItem }) => sellerClient.flexV2.items.enable(ofItem),
    write: ({ sellerClient, ofItem }) => sellerClient.flexV2.items.disable(ofItem),
  },
];

test('every endpoint with a confirm() is tested here', () => {
  const able = everyEndpoint.filter(({ endpoint }) => endpoint.confirm).map(({ name }) => name);
  expect(writes.map(({ endpoint }) => endpoint.name).sort()).toEqual(able.sort());
});

// The marketplace loses the response of each write, before or after it was carried out, and it is read back.
const trials = writes.flatMap((write) => [
  { ...write, name: write.endpoint.name, reset: 'before' as const, done: false },
  { ...write, name: write.endpoint.name, reset: 'after' as const, done: true },
]);

test.each(trials)('$name, reset $reset it was carried out: $done', async ({ endpoint, before, write, reset, done }) => {
  const shop = createShop();
  await before?.(shop);
  shop.marketplace.faults.inject({ reset, endpoint });
  const calls = vi.spyOn(HttpClient.prototype, 'call');
  const sentAt = Date.now();
  const error = await errorOf<OutcomeUnknownError>(write(shop));
  const sent = calls.mock.calls.find(([called]) => called.name === endpoint.name);
  // What a process stored, another one reads: it has nothing else of the call.
  const input: unknown = JSON.parse(JSON.stringify(sent?.[1]));
  const user_id = endpoint === questions.ask ? shop.buyer_id : shop.seller_id;
  const restarted = shop.marketplace.clientFor({ user_id });
  expect(await restarted.confirm(endpoint, input, { sentAt, confirmWindowMs: 0 })).toMatchObject({ done });
  expect(await error.confirm({ confirmWindowMs: 0 })).toMatchObject({ done });
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
