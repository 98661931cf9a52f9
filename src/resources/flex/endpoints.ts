import type { Endpoint } from '../../core/endpoint.js';
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
};

export const addZones: Endpoint<NewZones> = {
  name: 'flex.addZones',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
  input: newZones,
  output: anything,
  retry: 'idempotent',
  errors: [invalidUser, invalidService, invalidJson, deliveryNotUpdated],
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
};

export const disableItem: Endpoint<FlexItem> = {
  name: 'flex.items.disable',
  method: 'DELETE',
  path: itemPath,
  input: flexItem,
  output: anything,
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
};
