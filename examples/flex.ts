// Configures Flex delivery for a seller: subscription, hours, zones and items, then the driver of a
// shipment.
// node examples/flex.ts
import { DriverNotFoundError, flexCoverageAreas } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace where a seller has just subscribed. With a real one, only `seller` is different.
const marketplace = new FakeMarketplace();
const { user_id, site_id } = marketplace.addUser({ site_id: 'MLB' });
marketplace.flex.subscribe({ user_id });
const { item_id } = marketplace.addItem({ seller_id: user_id });
const seller = marketplace.clientFor(user_id);

const [subscription] = await seller.flex.subscriptions({ site_id, user_id });
if (!subscription?.service_id) throw new Error('This seller has no Flex subscription');
const keys = { site_id, user_id, service_id: subscription.service_id };
console.log(
  `${flexCoverageAreas.MLB.country}: ${subscription.mode ?? ''} is ${subscription.status?.id ?? 'unknown'}`,
);

await seller.flex.setDelivery({
  ...keys,
  delivery_window: 'same_day',
  delivery_ranges: {
    week: [{ from: 9, to: 18, capacity: 40, cutoff: 12 }],
    saturday: [{ from: 10, to: 14, capacity: 15, cutoff: 9 }],
  },
});

// The result contains exactly the selected fields, and so does its type.
const { zones } = await seller.flex.configuration({
  ...keys,
  select: { zones: { id: true, label: true, selected: true } },
});
const all = zones ?? [];
const unselected = all.filter(({ selected }) => !selected).slice(0, 2);
// The list is taken as a whole: the service removes a zone that is left out.
const wanted = [...all.filter(({ selected }) => selected), ...unselected];
await seller.flex.addZones({ ...keys, zones: wanted.map(({ id }) => ({ id })) });

const { delivery_ranges, zones: after } = await seller.flex.configuration({
  ...keys,
  select: {
    delivery_ranges: true,
    zones: { label: true, selected: true },
  },
});
for (const days of ['week', 'saturday', 'sunday'] as const) {
  const hours = (delivery_ranges?.[days] ?? []).map(
    ({ from, to, capacity }) => `${from}-${to} h, ${capacity} parcels`,
  );
  console.log(`${days}: ${hours.length > 0 ? hours.join('; ') : 'no deliveries'}`);
}
for (const { label, selected } of after ?? []) {
  console.log(`${selected ? '✓' : '·'} ${label}`);
}

// `requireActive` checks that the item is active. `idempotent` accepts an item that is already in Flex.
await seller.flex.items.enable({ site_id, item_id, requireActive: true, idempotent: true });
console.log(`${item_id} in Flex: ${await seller.flex.items.isEnabled({ site_id, item_id })}`);

const shipment_id = marketplace.flex.ship({ user_id });
const driver = () => seller.flex.driver({ site_id, shipment_id });
await driver().catch((error: unknown) => {
  if (!(error instanceof DriverNotFoundError)) throw error;
  console.log(`Shipment ${shipment_id} has no driver yet`);
});
marketplace.flex.assignDriver(shipment_id, 345);
console.log(`Shipment ${shipment_id} is assigned to driver ${(await driver()).driver_id}`);
