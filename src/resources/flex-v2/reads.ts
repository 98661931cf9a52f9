import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { preprocess } from '../../core/schema/define.js';
import { alone } from '../fields.js';
import { flexItemParams } from '../flex-items/schemas.js';
import type { FlexItemParams } from '../flex-items/schemas.js';
import { noDriverInBody } from '../flex/errors.js';
import { driverAssignment, driverParams, flexUserParams } from '../flex/schemas.js';
import type { DriverAssignment, DriverParams, FlexUserParams } from '../flex/schemas.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';

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
export const ofZones = {
  path: `${configured}/coverage/zones/v1`,
  errors: [errors.configurationNotFound],
  hintAfter: errors.hintToCoverage,
} as const;
export const ofRadius = { ...ofZones, path: `${configured}/coverage/radius/v1` } as const;
export const ofDeliveryRanges = {
  path: `${configured}/delivery-ranges/v1`,
  errors: [errors.configurationNotFound],
} as const;
export const ofHolidays = { path: `${configured}/holidays/v1`, errors: [errors.configurationNotFound] } as const;

export const zones: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexZones> = {
  ...ofZones,
  name: 'flexV2.zones',
  summary: 'Reads the coverage zones of a subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexZonesOrNothing,
  retry: 'safe',
};

export const radius: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexRadius> = {
  ...ofRadius,
  name: 'flexV2.radius',
  summary: 'Reads the coverage radius of a Turbo subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexRadiusOrNothing,
  retry: 'safe',
};

export const deliveryRanges: DescribedEndpoint<schemas.FlexAvailablesParams, schemas.FlexDeliveryRanges> = {
  ...ofDeliveryRanges,
  name: 'flexV2.deliveryRanges',
  summary: 'Reads the delivery window and ranges of a subscription',
  method: 'GET',
  input: schemas.flexAvailablesParams,
  example: { ...whose, show_availables: true },
  output: schemas.flexDeliveryRangesOrNothing,
  retry: 'safe',
};

export const holidays: DescribedEndpoint<schemas.FlexServiceParams, schemas.FlexHolidays> = {
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
export const ofItem = {
  path: '/flex/sites/{site_id}/items/{item_id}/v2',
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
} as const;

export const isEnabled: DescribedEndpoint<FlexItemParams, schemas.ItemInFlex> = {
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
export const flexV2Reads = { subscriptions, zones, radius, deliveryRanges, holidays, driver };
