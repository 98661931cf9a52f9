import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import type { FlexItemParams } from '../flex-items/schemas.js';
import { confirmDeliveryRanges, confirmHolidays, confirmItem, confirmRadius, confirmZones } from './confirm.js';
import * as errors from './errors.js';
import { flexV2Reads, isEnabled, ofDeliveryRanges, ofHolidays, ofItem, ofRadius, ofZones } from './reads.js';
import * as schemas from './schemas.js';

const whose = { site_id: 'MLA', user_id: 7, service_id: 1001 };

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
