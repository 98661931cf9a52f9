import type { Confirmation } from '../../core/errors/seller-error.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { preprocess, unknown } from '../../core/schema/define.js';
import { alone } from '../fields.js';
import { flexItemParams, type FlexItemParams } from '../flex-items/flex-items.js';
import { compare, confirmationOf, type Comparison } from '../flex/endpoints.js';
import { noDriverInBody } from '../flex/errors.js';
import { driverAssignment, driverParams, flexUserParams } from '../flex/schemas.js';
import type { DriverAssignment, DriverParams, FlexUserParams } from '../flex/schemas.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';
import type { FlexDeliveryRanges, FlexZones } from './schemas.js';

const subscriptions: DescribedEndpoint<FlexUserParams, schemas.FlexSubscriptionV2[]> = {
  name: 'flexV2.subscriptions',
  summary: 'Lists the Flex subscriptions of a user',
  method: 'GET',
  path: '/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
  input: flexUserParams,
  example: { site_id: 'MLA', user_id: 7 },
  output: schemas.flexSubscriptionsV2,
  listOf: { user_id: '*.user_id' },
  retry: 'safe',
  errors: [errors.userNotFound],
  hintAfter: errors.hintToNoFlex,
  supportsAttributes: true,
};

const configured = '/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configurations';
const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };

/** What the operations of a part of the configuration have in common. */
const ofZones = {
  path: `${configured}/coverage/zones/v1`,
  errors: [errors.configurationNotFound],
  hintAfter: errors.hintToCoverage,
} as const;
const ofRadius = { ...ofZones, path: `${configured}/coverage/radius/v1` } as const;
const ofDeliveryRanges = {
  path: `${configured}/delivery-ranges/v1`,
  errors: [errors.configurationNotFound],
} as const;
const ofHolidays = { path: `${configured}/holidays/v1`, errors: [errors.configurationNotFound] } as const;

const readZones: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexZones> = {
  ...ofZones,
  name: 'flexV2.zones',
  summary: 'Reads the coverage zones of a subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexZonesOrNothing,
  retry: 'safe',
};

const readRadius: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexRadius> = {
  ...ofRadius,
  name: 'flexV2.radius',
  summary: 'Reads the coverage radius of a Turbo subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexRadiusOrNothing,
  retry: 'safe',
};

const readDeliveryRanges: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexDeliveryRanges> = {
  ...ofDeliveryRanges,
  name: 'flexV2.deliveryRanges',
  summary: 'Reads the delivery window and ranges of a subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexDeliveryRangesOrNothing,
  retry: 'safe',
};

const readHolidays: DescribedEndpoint<schemas.FlexServiceParams, schemas.FlexHolidays> = {
  ...ofHolidays,
  name: 'flexV2.holidays',
  summary: 'Reads the holidays of a subscription',
  method: 'GET',
  input: schemas.flexServiceParams,
  example: whose,
  output: schemas.flexHolidaysOrNothing,
  retry: 'safe',
};

/** What the endpoints of an item have in common. */
const ofItem = {
  path: '/flex/sites/{site_id}/items/{item_id}/v2',
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
} as const;

const isEnabled: DescribedEndpoint<FlexItemParams, schemas.ItemInFlex> = {
  ...ofItem,
  name: 'flexV2.items.isEnabled',
  summary: 'Tells whether an item is in Flex',
  method: 'GET',
  output: schemas.itemInFlex,
  retry: 'safe',
  errors: [errors.itemDown, errors.itemNotFound],
};

const driver: DescribedEndpoint<DriverParams, DriverAssignment> = {
  name: 'flexV2.driver',
  summary: 'Reads the driver of a shipment',
  method: 'GET',
  path: '/flex/sites/{site_id}/shipments/{shipment_id}/assignment/v2',
  input: driverParams,
  example: { site_id: 'MLA', shipment_id: 40_000_000_001 },
  output: preprocess<DriverAssignment>(driverAssignment, alone),
  retry: 'safe',
  errors: [errors.driverNotFound],
  errorInBody: noDriverInBody,
  supportsAttributes: true,
};

/** The second generation's endpoints that only read. */
const flexV2Reads = {
  subscriptions,
  zones: readZones,
  radius: readRadius,
  deliveryRanges: readDeliveryRanges,
  holidays: readHolidays,
  driver,
};

const days = ['week', 'saturday', 'sunday'] as const;

/** Reads back the zones: all of them, in any order, and the cut-offs that were sent. */
async function confirmZones(
  { zones: wanted, ...whose }: schemas.SetZonesParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { zones } = (await context.read(readZones, whose)).data;
  if (!zones) return { unknown: 'the service shows no zones' };
  const ids = new Set(wanted.map(({ id }) => String(id)));
  const isSameList = zones.length === ids.size && zones.every(({ id }) => ids.has(id));
  return isSameList
    ? confirmationOf(compareCutoffs(zones, wanted), 'the service shows other cut-offs')
    : { done: false };
}

/** Equal cut-offs of all zones switch those of zones off, and then the service shows none. */
function compareCutoffs(shown: NonNullable<FlexZones['zones']>, wanted: schemas.SetZonesParams['zones']): Comparison[] {
  const areOff = shown.every(({ cutoff }) => (cutoff ?? undefined) === undefined);
  const different = new Set(wanted.map(({ cutoff }) => days.map((day) => cutoff?.[day]).join()));
  if (areOff) return wanted.some(({ cutoff }) => cutoff) && different.size > 1 ? ['other'] : [];
  return wanted.flatMap(({ id, cutoff }) => {
    const found = shown.find((zone) => zone.id === String(id))?.cutoff;
    return days.flatMap((day) => {
      const hour = cutoff?.[day];
      return hour === undefined || hour === null ? [] : compare(found?.[day], hour);
    });
  });
}

/** Reads back the radius. */
async function confirmRadius(
  { radius, ...whose }: schemas.SetRadiusParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(readRadius, whose);
  return confirmationOf([compare(data.radius, radius)], 'the service shows no radius');
}

/** Reads back the window and the ranges. */
async function confirmDeliveryRanges(
  { delivery_window, delivery_ranges, ...whose }: schemas.SetDeliveryRangesParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(readDeliveryRanges, whose);
  const comparisons = days.flatMap((day) =>
    compareRanges(data.delivery_ranges, day, delivery_ranges[day], delivery_window === 'same_day'),
  );
  return confirmationOf(
    [compare(data.delivery_window, delivery_window), ...comparisons],
    'the service shows other cut-offs, or not all values that were set',
  );
}

/** That a kind of day which was left out is switched off is not certain: ranges there prove nothing. */
function compareRanges(
  shown: FlexDeliveryRanges['delivery_ranges'],
  day: (typeof days)[number],
  wanted: schemas.SetDeliveryRangesParams['delivery_ranges']['week'],
  hasCutoffs: boolean,
): Comparison[] {
  if (!shown) return ['unclear'];
  const found = (shown[day] ?? []).toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  if (!wanted) return found.length > 0 ? ['unclear'] : [];
  if (found.length !== wanted.length) return ['other'];
  return wanted
    .toSorted((a, b) => a.from - b.from)
    .flatMap(({ from, to, capacity, cutoff }, index): Comparison[] => {
      const range = found[index];
      // Turbo computes its own, and those of zones are not shown here.
      const isUnclear = hasCutoffs && cutoff !== undefined && range?.cutoff !== cutoff;
      const same = [compare(range?.from, from), compare(range?.to, to), compare(range?.capacity, capacity)];
      return isUnclear ? [...same, 'unclear'] : same;
    });
}

/** Reads back the days that were sent. Whether the others stay selected is not known. */
async function confirmHolidays(
  { holidays: wanted, ...whose }: schemas.SetHolidaysParams,
  context: ConfirmContext,
): Promise<Confirmation> {
  const { data } = await context.read(readHolidays, whose);
  const comparisons = wanted.map(({ date, selected }) =>
    compare(data.holidays?.find((each) => each.date === date)?.selected, selected),
  );
  return confirmationOf(comparisons, 'the service does not show all of these days');
}

/** Reads back whether an item is in Flex. */
async function confirmItem(input: FlexItemParams, context: ConfirmContext, shouldBeIn: boolean): Promise<Confirmation> {
  const { data } = await context.read(isEnabled, input);
  return data.has_flex === shouldBeIn ? { done: true, output: undefined } : { done: false };
}

const setZones: DescribedEndpoint<schemas.SetZonesParams> = {
  ...ofZones,
  name: 'flexV2.setZones',
  summary: 'Sets all coverage zones of a subscription',
  method: 'PUT',
  input: schemas.setZonesParams,
  example: {
    ...whose,
    zones: [
      { id: 'CABA', cutoff: { week: 14, saturday: 12, sunday: 11 } },
      { id: 'Vicente Lopez', cutoff: { week: 12, saturday: 11, sunday: 10 } },
    ],
  },
  output: unknown,
  retry: 'idempotent',
  confirm: confirmZones,
};

const setRadius: DescribedEndpoint<schemas.SetRadiusParams> = {
  ...ofRadius,
  name: 'flexV2.setRadius',
  summary: 'Sets the coverage radius of a Turbo subscription',
  method: 'PUT',
  input: schemas.setRadiusParams,
  example: { ...whose, radius: 5000 },
  output: unknown,
  retry: 'idempotent',
  confirm: confirmRadius,
};

const setDeliveryRanges: DescribedEndpoint<schemas.SetDeliveryRangesParams> = {
  ...ofDeliveryRanges,
  name: 'flexV2.setDeliveryRanges',
  summary: 'Sets the delivery window and all ranges of a subscription',
  method: 'PUT',
  input: schemas.setDeliveryRangesParams,
  example: {
    ...whose,
    delivery_window: 'same_day',
    delivery_ranges: {
      week: [{ from: 9, to: 18, capacity: 120, cutoff: 13 }],
      saturday: [{ from: 10, to: 14, capacity: 100, cutoff: 12 }],
      sunday: [],
    },
  },
  output: unknown,
  retry: 'idempotent',
  errors: [...ofDeliveryRanges.errors, errors.extendedRangeActive],
  confirm: confirmDeliveryRanges,
};

const setHolidays: DescribedEndpoint<schemas.SetHolidaysParams> = {
  ...ofHolidays,
  name: 'flexV2.setHolidays',
  summary: 'Selects holidays of a subscription',
  method: 'PUT',
  input: schemas.setHolidaysParams,
  example: { ...whose, holidays: [{ date: '2026-12-25', description: 'Navidad', selected: true }] },
  output: unknown,
  retry: 'idempotent',
  confirm: confirmHolidays,
};

const enable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flexV2.items.enable',
  summary: 'Puts an item into Flex',
  method: 'POST',
  output: unknown,
  retry: 'idempotent',
  errors: [errors.alreadyInFlex, errors.itemDown, errors.itemNotFound, errors.itemLocked],
  confirm: (input, context) => confirmItem(input, context, true),
};

const disable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flexV2.items.disable',
  summary: 'Takes an item out of Flex',
  method: 'DELETE',
  output: unknown,
  retry: 'idempotent',
  errors: [errors.itemDown, errors.itemNotFound, errors.itemLocked],
  confirm: (input, context) => confirmItem(input, context, false),
};

const assignCourier: DescribedEndpoint<schemas.AssignCourierParams> = {
  name: 'flexV2.assignCourier',
  summary: 'Assigns a shipment to the courier who delivers it',
  method: 'POST',
  path: '/flex/sites/{site_id}/users/{courier_id}/courier-shipment/v1',
  input: schemas.assignCourierParams,
  example: { site_id: 'MLA', courier_id: 345, shipment_id: 40_000_000_001 },
  output: unknown,
  retry: 'unsafe',
  errors: [errors.shipmentTaken],
  hintAfter: errors.hintToCourier,
};

/** The endpoints of the second generation of Flex, as `endpoints` has them. */
export const flexV2Endpoints = {
  ...flexV2Reads,
  setZones,
  setRadius,
  setDeliveryRanges,
  setHolidays,
  assignCourier,
  items: { isEnabled, enable, disable },
};
