import type { ReadBack } from '../../core/confirm.js';
import type { Endpoint } from '../../core/endpoint.js';
import { NotFoundError } from '../../core/status-errors.js';
import { dataOf, refusedWithinGraphql } from '../../core/graphql-wire.js';
import { anything, list, map, read } from '../../core/schema.js';
import type { Schema } from '../../core/schema.js';
import {
  alreadyInFlex,
  deliveryNotUpdated,
  driverNotFound,
  emptySite,
  invalidJson,
  invalidQuery,
  invalidService,
  invalidSite,
  invalidUser,
  itemDown,
  itemLocked,
  itemNotFound,
  noAccess,
  noSchema,
  notInFlex,
  subscriptionNotFound,
  userNotFound,
} from './errors.js';
import {
  deliverySetting,
  driverAssignment,
  flexConfiguration,
  flexItem,
  flexQuery,
  flexSubscription,
  flexUser,
  newZones,
  shipmentId,
} from './schemas.js';
import type {
  DeliverySetting,
  DriverAssignment,
  FlexConfiguration,
  FlexItem,
  FlexQuery,
  FlexSubscription,
  FlexUser,
  NewZones,
  ShipmentId,
} from './schemas.js';

export const subscriptions: Endpoint<FlexUser, FlexSubscription[]> = {
  name: 'flex.subscriptions',
  method: 'GET',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
  input: flexUser,
  output: list(flexSubscription) as Schema<FlexSubscription[]>,
  retry: 'read',
  errors: [emptySite, invalidSite, noAccess, userNotFound],
  reducible: true,
};

export const configuration: Endpoint<FlexQuery> = {
  name: 'flex.configuration',
  method: 'POST',
  path: '/shipping/flex/sites/{site_id}/configuration/v3',
  input: flexQuery,
  output: read(map, dataOf),
  // A POST that only reads, so it may be repeated: see docs/decisions/configuration-query-is-a-read.md.
  retry: 'read',
  errors: [emptySite, invalidSite, noAccess, invalidJson, noSchema, invalidQuery, userNotFound, subscriptionNotFound],
  refusedWithin: refusedWithinGraphql,
};

export const setDelivery: Endpoint<DeliverySetting> = {
  name: 'flex.setDelivery',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3',
  input: deliverySetting,
  output: anything,
  retry: 'idempotent',
  errors: [invalidUser, invalidService, invalidJson, deliveryNotUpdated],
  async confirm(input, back) {
    const found = await configured(
      input,
      'delivery_window delivery_ranges{week{from to capacity} saturday{from to capacity} sunday{from to capacity}}',
      back,
    );
    return isDelivery(found, input) ? { done: true, output: undefined } : { done: false };
  },
};

export const addZones: Endpoint<NewZones> = {
  name: 'flex.addZones',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
  input: newZones,
  output: anything,
  retry: 'idempotent',
  errors: [invalidUser, invalidService, invalidJson, deliveryNotUpdated],
  async confirm(input, back) {
    const { zones } = await configured(input, 'zones{id selected}', back);
    const selected = (zones ?? []).filter((zone) => zone.selected).map((zone) => zone.id);
    const isDone = input.zones.every(({ id }) => selected.includes(String(id)));
    return isDone ? { done: true, output: undefined } : { done: false };
  },
};

export const driver: Endpoint<ShipmentId, DriverAssignment> = {
  name: 'flex.driver',
  method: 'GET',
  path: '/flex/sites/{site_id}/shipments/{shipment_id}/assignment/v1',
  input: shipmentId,
  output: driverAssignment,
  retry: 'read',
  errors: [driverNotFound],
};

const itemPath = '/sites/{site_id}/shipping/selfservice/items/{item_id}';

export const isItemEnabled: Endpoint<FlexItem> = {
  name: 'flex.items.isEnabled',
  method: 'GET',
  path: itemPath,
  input: flexItem,
  output: anything,
  retry: 'read',
  errors: [itemDown, itemNotFound],
};

export const enableItem: Endpoint<FlexItem> = {
  name: 'flex.items.enable',
  method: 'POST',
  path: itemPath,
  input: flexItem,
  output: anything,
  retry: 'idempotent',
  errors: [alreadyInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, back) {
    return (await isInFlex(input, back)) ? { done: true, output: undefined } : { done: false };
  },
};

export const disableItem: Endpoint<FlexItem> = {
  name: 'flex.items.disable',
  method: 'DELETE',
  path: itemPath,
  input: flexItem,
  output: anything,
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, back) {
    return !(await isInFlex(input, back)) ? { done: true, output: undefined } : { done: false };
  },
};

/** Reads fields of a seller's configuration. */
async function configured(
  { site_id, user_id, service_id }: Pick<DeliverySetting, 'site_id' | 'user_id' | 'service_id'>,
  fields: string,
  back: ReadBack,
): Promise<Partial<FlexConfiguration>> {
  const query = `{configuration(user_id:${user_id},service_id:${service_id}){${fields}}}`;
  const found = (await back.call(configuration, { site_id, query })) as { configuration?: unknown };
  const parsed = flexConfiguration.safeParse(found.configuration);
  return parsed.success ? parsed.data : {};
}

/** Whether a configuration holds what was set; the hours up to which an order is taken are not shown as they are set. */
function isDelivery(
  found: Partial<FlexConfiguration>,
  { delivery_window, delivery_ranges = {} }: DeliverySetting,
): boolean {
  if (delivery_window !== undefined && found.delivery_window !== delivery_window) return false;
  const days = ['week', 'saturday', 'sunday'] as const;
  return days.every((day) => {
    const wanted = delivery_ranges[day];
    return wanted === undefined || written(wanted) === written(found.delivery_ranges?.[day] ?? []);
  });
}

function written(ranges: readonly { from?: unknown; to?: unknown; capacity?: unknown }[]): string {
  return ranges.map(({ from, to, capacity }) => `${String(from)}-${String(to)}:${String(capacity)}`).join(' ');
}

async function isInFlex(input: FlexItem, back: ReadBack): Promise<boolean> {
  try {
    await back.call(isItemEnabled, input);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}
