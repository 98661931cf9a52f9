import { deliverySettings } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';

declare const seller: SellerClient;
const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };

/** A selection is answered in its own shape. */
export async function selections(): Promise<void> {
  const { address, zones } = await seller.flex.configuration({
    ...whose,
    select: { address: { city: { name: true } }, zones: { id: true, price: true } },
  });
  address?.city?.name satisfies string | null | undefined;
  zones?.[0]?.id satisfies string | null | undefined;
  // @ts-expect-error -- it was not asked for
  zones?.[0]?.label;
  // @ts-expect-error -- it was not asked for
  address?.zip_code;
  // @ts-expect-error -- zones have no such field
  await seller.flex.configuration({ ...whose, select: { zones: { id: true, colour: true } } });
  (await seller.flex.query({ site_id: 'MLA', query: '{ configuration { id } }' })) satisfies unknown;
  // @ts-expect-error -- what a query of one's own gives is not known
  (await seller.flex.query({ site_id: 'MLA', query: '{ configuration { id } }' })).configuration;
}

export async function settings(): Promise<void> {
  await seller.flex.setDelivery({
    ...whose,
    delivery_ranges: { week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }] },
  });
  await seller.flex.setDelivery({
    ...whose,
    delivery_ranges: {
      // @ts-expect-error -- there is no such day
      monday: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }],
    },
  });
  (await seller.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA1' })) satisfies boolean;
  await seller.flex.items.enable({ site_id: 'MLA', item_id: 'MLA1', idempotent: true, requireActive: true });
  // @ts-expect-error -- only `enable` looks at the item first
  await seller.flex.items.disable({ site_id: 'MLA', item_id: 'MLA1', requireActive: true });
}

export async function windows(): Promise<void> {
  const { phoneViews, questions } = seller.contacts;
  await phoneViews.windowOfItem({ item_id: 'MLA1', last: 7, unit: 'day', ending: new Date() });
  await phoneViews.windowOfItems({ ids: ['MLA1', 'MLA2'], last: 24, unit: 'hour' });
  await questions.ofItem({ item_id: 'MLA1', date_from: '2026-03-01', date_to: new Date() });
  await phoneViews.windowOfItem({ item_id: 'MLA1', unit: 'day' });
  await phoneViews.windowOfItem({
    item_id: 'MLA1',
    last: 7,
    // @ts-expect-error -- days or hours
    unit: 'week',
  });
  const { total } = await phoneViews.ofItem({ item_id: 'MLA1', date_from: '2026-03-01', date_to: '2026-03-31' });
  total satisfies number;
}

/** What one call delivers fits into the next one. */
export async function flows(): Promise<void> {
  const [subscription] = await seller.flex.subscriptions({ site_id: 'MLA', user_id: 7 });
  if (!subscription) return;
  subscription.service_id satisfies number;
  const configuration = await seller.flex.configuration({ ...whose, service_id: subscription.service_id });
  for (const [day, ranges] of Object.entries(configuration.delivery_ranges ?? {})) {
    day satisfies string;
    // @ts-expect-error -- a range has no such field: it is not `any`
    ranges?.[0]?.hours;
    ranges?.[0]?.capacity satisfies number | null | undefined;
  }
  // @ts-expect-error -- there may be no zones
  await seller.flex.addZones({ ...whose, zones: configuration.zones });
  if (configuration.zones) await seller.flex.addZones({ ...whose, zones: configuration.zones });
  // @ts-expect-error -- ranges that were read may lack what is set
  await seller.flex.setDelivery({ ...whose, delivery_ranges: configuration.delivery_ranges });
  await seller.flex.setDelivery({ ...whose, ...deliverySettings(configuration) });
  const questions = await seller.contacts.questions.windowOfItem({ item_id: 'MLA1', last: 7, unit: 'day' });
  questions.total satisfies number;
}
