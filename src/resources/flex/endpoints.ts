import type { ConfirmContext, Endpoint } from '../../core/endpoint.js';
import type { Confirmation } from '../../core/confirm/confirmation.js';
import { dataOf, graphqlErrorInBody } from './graphql/response.js';
import { array, preprocess, record, unknown } from '../../core/schema/schema.js';
import { confirmDelivery, confirmZones } from './compare-configuration.js';
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
  meansNotInFlex,
  noAccess,
  noSchema,
  notInFlex,
  subscriptionNotFound,
  userNotFound,
} from './errors.js';
import {
  setDeliveryParams,
  driverAssignment,
  flexConfiguration,
  flexItemParams,
  flexQueryParams,
  flexSubscription,
  flexUserParams,
  addZonesParams,
  driverParams,
} from './schemas.js';
import type {
  SetDeliveryParams,
  DriverAssignment,
  FlexConfiguration,
  FlexItemParams,
  FlexQueryParams,
  FlexSubscription,
  FlexUserParams,
  AddZonesParams,
  DriverParams,
} from './schemas.js';

const subscriptions: Endpoint<FlexUserParams, FlexSubscription[]> = {
  name: 'flex.subscriptions',
  method: 'GET',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
  input: flexUserParams,
  output: array(flexSubscription),
  retry: 'safe',
  errors: [emptySite, invalidSite, noAccess, userNotFound],
  supportsAttributes: true,
};

const configuration: Endpoint<FlexQueryParams> = {
  name: 'flex.configuration',
  method: 'POST',
  path: '/shipping/flex/sites/{site_id}/configuration/v3',
  input: flexQueryParams,
  output: preprocess(record, dataOf),
  // This POST only reads, so a retry is safe: see docs/decisions/configuration-query-is-a-read.md.
  retry: 'safe',
  errors: [emptySite, invalidSite, noAccess, invalidJson, noSchema, invalidQuery, userNotFound, subscriptionNotFound],
  errorInBody: graphqlErrorInBody,
};

const setDelivery: Endpoint<SetDeliveryParams> = {
  name: 'flex.setDelivery',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3',
  input: setDeliveryParams,
  output: unknown,
  retry: 'idempotent',
  errors: [invalidUser, invalidService, invalidJson, deliveryNotUpdated],
  async confirm(input, context) {
    const range = '{from to capacity calculated_cutoff}';
    const fields = `delivery_window delivery_ranges{week${range} saturday${range} sunday${range}}`;
    const found = await configured(input, fields, context);
    return found ? confirmDelivery(found, input) : noConfiguration;
  },
};

const addZones: Endpoint<AddZonesParams> = {
  name: 'flex.addZones',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
  input: addZonesParams,
  output: unknown,
  retry: 'idempotent',
  errors: [invalidUser, invalidService, invalidJson, deliveryNotUpdated],
  async confirm(input, context) {
    const found = await configured(input, 'zones{id selected}', context);
    return found ? confirmZones(found, input.zones) : noConfiguration;
  },
};

const driver: Endpoint<DriverParams, DriverAssignment> = {
  name: 'flex.driver',
  method: 'GET',
  path: '/flex/sites/{site_id}/shipments/{shipment_id}/assignment/v1',
  input: driverParams,
  output: driverAssignment,
  retry: 'safe',
  errors: [driverNotFound],
  supportsAttributes: true,
};

const itemPath = '/sites/{site_id}/shipping/selfservice/items/{item_id}';

const isItemEnabled: Endpoint<FlexItemParams> = {
  name: 'flex.items.isEnabled',
  method: 'GET',
  path: itemPath,
  input: flexItemParams,
  output: unknown,
  retry: 'safe',
  errors: [itemDown, itemNotFound],
};

const enableItem: Endpoint<FlexItemParams> = {
  name: 'flex.items.enable',
  method: 'POST',
  path: itemPath,
  input: flexItemParams,
  output: unknown,
  retry: 'idempotent',
  errors: [alreadyInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, context) {
    return (await isInFlex(input, context)) ? { done: true, output: undefined } : { done: false };
  },
};

const disableItem: Endpoint<FlexItemParams> = {
  name: 'flex.items.disable',
  method: 'DELETE',
  path: itemPath,
  input: flexItemParams,
  output: unknown,
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
  async confirm(input, context) {
    return !(await isInFlex(input, context)) ? { done: true, output: undefined } : { done: false };
  },
};

const noConfiguration: Confirmation = { unknown: 'the service shows no configuration that can be read' };

/** Reads fields of a seller's configuration; `undefined` if the response contains none that can be read. */
async function configured(
  { site_id, user_id, service_id }: Pick<SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
  fields: string,
  context: ConfirmContext,
): Promise<FlexConfiguration | undefined> {
  const query = `{configuration(user_id:${user_id},service_id:${service_id}){${fields}}}`;
  const found = (await context.call(configuration, { site_id, query })) as { configuration?: unknown };
  const parsed = flexConfiguration.safeParse(found.configuration);
  return parsed.success ? parsed.data : undefined;
}

async function isInFlex(input: FlexItemParams, context: ConfirmContext): Promise<boolean> {
  try {
    await context.call(isItemEnabled, input);
    return true;
  } catch (error) {
    if (meansNotInFlex(error)) return false;
    throw error;
  }
}

/** The endpoints of Flex, as `endpoints` has them. */
export const flexEndpoints = {
  subscriptions,
  configuration,
  setDelivery,
  addZones,
  driver,
  items: { isEnabled: isItemEnabled, enable: enableItem, disable: disableItem },
};
