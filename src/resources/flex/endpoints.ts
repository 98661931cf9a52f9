import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { assertSame } from '../../core/recover/shown-list.js';
import type { Confirmation } from '../../core/errors/confirmation.js';
import { graphqlErrorInBody, parseResult } from './graphql/response.js';
import { alone } from '../../core/schema/fields.js';
import { preprocess, record, unknown } from '../../core/schema/define.js';
import { writtenInteger } from '../../core/json/long-integer.js';
import { flexItemEndpoints } from '../flex-items/endpoints.js';
import { confirmDelivery, confirmZones } from './compare-configuration.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';

const subscriptions: DescribedEndpoint<schemas.FlexUserParams, schemas.FlexSubscription[]> = {
  name: 'flex.subscriptions',
  summary: 'Lists the Flex subscriptions of a user',
  method: 'GET',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
  input: schemas.flexUserParams,
  example: { site_id: 'MLA', user_id: 7 },
  output: schemas.flexSubscriptions,
  retry: 'safe',
  errors: [errors.emptySite, errors.invalidSite, errors.noAccess, errors.userNotFound],
  supportsAttributes: true,
};

const configuration: DescribedEndpoint<schemas.FlexQueryParams> = {
  name: 'flex.configuration',
  summary: 'Reads the configuration of a subscription with a GraphQL query',
  method: 'POST',
  path: '/shipping/flex/sites/{site_id}/configuration/v3',
  input: schemas.flexQueryParams,
  example: { site_id: 'MLA', query: '{configuration(user_id:7,service_id:1001){zones{id}}}' },
  output: record,
  // This POST only reads, so a retry is safe: see docs/decisions/configuration-query-is-a-read.md.
  retry: 'safe',
  errors: [
    errors.emptySite,
    errors.invalidSite,
    errors.noAccess,
    errors.invalidJson,
    errors.noSchema,
    errors.invalidQuery,
    errors.userNotFound,
    errors.subscriptionNotFound,
  ],
  errorInBody: graphqlErrorInBody,
  loadExchange: async (body, reject) => {
    const { queryExchange } = await import('./graphql/query.js');
    return queryExchange((body as { query: string }).query, parseResult, reject);
  },
};

const setDelivery: DescribedEndpoint<schemas.SetDeliveryParams> = {
  name: 'flex.setDelivery',
  summary: 'Changes the delivery settings of a subscription',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3',
  input: schemas.setDeliveryParams,
  example: {
    site_id: 'MLA',
    user_id: 7,
    service_id: 1001,
    delivery_window: 'same_day',
    delivery_ranges: {
      week: [{ from: 9, to: 13, capacity: 20, cutoff: 8 }],
      saturday: [{ from: 10, to: 12, capacity: 5, cutoff: 9 }],
      sunday: [],
    },
  },
  output: unknown,
  retry: 'idempotent',
  errors: [errors.invalidUser, errors.invalidService, errors.invalidJson, errors.deliveryNotUpdated],
  async confirm(input, context) {
    const range = '{from to capacity calculated_cutoff}';
    const fields = `delivery_window delivery_ranges{week${range} saturday${range} sunday${range}}`;
    const found = await configured(input, fields, context);
    return found ? confirmDelivery(found, input) : noConfiguration;
  },
};

const addZones: DescribedEndpoint<schemas.AddZonesParams> = {
  name: 'flex.addZones',
  summary: 'Adds coverage zones to a subscription',
  method: 'PUT',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3',
  input: schemas.addZonesParams,
  example: { site_id: 'MLA', user_id: 7, service_id: 1001, zones: [{ id: 'zone-1' }] },
  output: unknown,
  retry: 'idempotent',
  errors: [errors.invalidUser, errors.invalidService, errors.invalidJson, errors.deliveryNotUpdated],
  async confirm(input, context) {
    const found = await configured(input, 'zones{id selected}', context);
    return found ? confirmZones(found, input.zones) : noConfiguration;
  },
};

const driver: DescribedEndpoint<schemas.DriverParams, schemas.DriverAssignment> = {
  name: 'flex.driver',
  summary: 'Reads the driver of a shipment',
  method: 'GET',
  path: '/flex/sites/{site_id}/shipments/{shipment_id}/assignment/v1',
  input: schemas.driverParams,
  example: { site_id: 'MLA', shipment_id: 40_000_000_001 },
  output: preprocess<schemas.DriverAssignment>(schemas.driverAssignment, alone),
  retry: 'safe',
  errors: [errors.driverNotFound],
  errorInBody: errors.noDriverInBody,
  supportsAttributes: true,
};

const noConfiguration: Confirmation = { unknown: 'the service shows no configuration that can be read' };

/**
 * The GraphQL query of a seller's configuration. A schema has checked the ids: they are digits, so they can inject
 * nothing.
 */
export function configurationQuery(
  { user_id, service_id }: Pick<schemas.SetDeliveryParams, 'user_id' | 'service_id'>,
  selection: string,
): string {
  const ids = `user_id:${String(writtenInteger(user_id))},service_id:${String(writtenInteger(service_id))}`;
  return `{configuration(${ids})${selection}}`;
}

/** Reads fields of a seller's configuration; `undefined` if the response contains none that can be read. */
async function configured(
  { site_id, user_id, service_id }: Pick<schemas.SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
  fields: string,
  context: ConfirmContext,
): Promise<schemas.FlexConfiguration | undefined> {
  const query = configurationQuery({ user_id, service_id }, `{subscription{user_id service_id} ${fields}}`);
  const { data } = await context.read(configuration, { site_id, query });
  const parsed = schemas.flexConfiguration.safeParse((data as { configuration?: unknown }).configuration);
  if (!parsed.success) return undefined;
  assertSame('user', user_id, [parsed.data.subscription?.user_id]);
  assertSame('service', service_id, [parsed.data.subscription?.service_id]);
  return parsed.data;
}

/** The endpoints of Flex, as `endpoints` has them. */
export const flexEndpoints = {
  subscriptions,
  configuration,
  setDelivery,
  addZones,
  driver,
  items: flexItemEndpoints,
};
