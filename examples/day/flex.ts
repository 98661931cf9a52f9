import { AlreadyInFlexError, DriverNotFoundError } from 'marketplace-seller-sdk';
import type { DeliveryRanges, SellerClient } from 'marketplace-seller-sdk';
import type { Narrator } from './narrator.ts';
import type { Chapter, Stage } from './stage.ts';

/** The shop delivers its orders itself: hours, zones, items and drivers. */
export const flex: Chapter = {
  title: 'Flex: the shop delivers its orders itself',
  at: '2026-03-02T13:00:00-03:00',

  async play(stage) {
    const { say, client, seller, marketplace } = stage;
    marketplace.flex.subscribe({ user_id: seller.user_id });
    say.code('await seller.flex.subscriptions({ site_id, user_id });');
    const service_id = await printSubscriptions(say, client, seller);
    await changeHours(stage, service_id);
    await enableLamp(stage);
    await findDriver(stage);
  },
};

/** Prints the subscriptions of a seller, one per line. Returns the service of the first one. */
export async function printSubscriptions(
  say: Narrator,
  client: SellerClient,
  { site_id, user_id }: { site_id: string; user_id: number | string },
): Promise<number> {
  const subscriptions = await client.flex.subscriptions({ site_id, user_id });
  if (subscriptions.length === 0) say.line('There are no subscriptions.');
  for (const { mode, status, service_id } of subscriptions) {
    const state = `status ${status?.id ?? 'unknown'}, service ${service_id}`;
    say.line(`${(mode ?? 'Unknown').padEnd(10)} ${state}`);
  }
  return subscriptions[0]?.service_id ?? 0;
}

async function changeHours({ say, client, seller }: Stage, service_id: number): Promise<void> {
  const keys = { site_id: seller.site_id, user_id: seller.user_id, service_id };
  const select = { delivery_ranges: true, zones: { label: true, selected: true } } as const;
  say.line('');
  say.code('await seller.flex.configuration({ ...keys, select: {');
  say.code('  delivery_ranges: true, zones: { label: true, selected: true },');
  say.code('} }); // exactly these fields, in type and value');
  const before = await client.flex.configuration({ ...keys, select });
  const zones = (before.zones ?? []).filter(({ selected }) => selected).map(({ label }) => label);
  printHours(say, before.delivery_ranges);
  say.line(`${'zones'.padEnd(10)} ${zones.join(', ')}`);

  say.code('await seller.flex.setDelivery({ ...keys, ...hours });');
  await client.flex.setDelivery({
    ...keys,
    delivery_window: 'same_day',
    delivery_ranges: {
      week: [{ from: 9, to: 20, capacity: 80, cutoff: 14 }],
      saturday: [{ from: 10, to: 14, capacity: 20, cutoff: 10 }],
    },
  });
  const after = await client.flex.configuration({ ...keys, select: { delivery_ranges: true } });
  printHours(say, after.delivery_ranges);
  say.good('Longer hours on weekdays, and deliveries on Saturdays.');
}

function printHours(say: Narrator, ranges: DeliveryRanges | null | undefined): void {
  for (const day of ['week', 'saturday', 'sunday'] as const) {
    for (const { from, to, capacity } of ranges?.[day] ?? []) {
      say.line(`${day.padEnd(10)} ${from} to ${to} h, ${capacity} parcels`);
    }
  }
}

async function enableLamp({ say, client, items }: Stage): Promise<void> {
  const { item_id, site_id, title } = items.lamp;
  say.line('');
  say.code('await seller.flex.items.enable({ site_id, item_id });');
  await client.flex.items.enable({ site_id, item_id });
  const isEnabled = await client.flex.items.isEnabled({ site_id, item_id });
  say.good(`${title}: ${isEnabled ? 'in Flex' : 'not in Flex'}.`);
  say.code('await seller.flex.items.enable({ site_id, item_id }); // again');
  try {
    await client.flex.items.enable({ site_id, item_id });
  } catch (error) {
    if (!(error instanceof AlreadyInFlexError)) throw error;
    say.error(error);
  }
  await client.flex.items.enable({ site_id, item_id, idempotent: true });
  say.good('With `idempotent: true`, an item that is already in Flex is a success.');
}

async function findDriver({ say, client, seller, marketplace }: Stage): Promise<void> {
  const { site_id } = seller;
  const shipment_id = marketplace.flex.ship(seller);
  say.line('');
  say.code('await seller.flex.driver({ site_id, shipment_id });');
  try {
    await client.flex.driver({ site_id, shipment_id });
  } catch (error) {
    if (!(error instanceof DriverNotFoundError)) throw error;
    say.error(error);
  }
  marketplace.clock.advance({ minutes: 25 });
  marketplace.flex.assignDriver(shipment_id, 345);
  const { driver_id } = await client.flex.driver({ site_id, shipment_id });
  say.good(`25 minutes later: driver ${driver_id} has the parcel.`);
}
