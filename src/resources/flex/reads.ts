import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { alone } from '../fields.js';
import { preprocess, record } from '../../core/schema/define.js';
import { hintToFlexV2 } from '../flex-items/errors.js';
import * as errors from './errors.js';
import { graphqlErrorInBody, parseResult } from './graphql/response.js';
import * as schemas from './schemas.js';

const subscriptions: DescribedEndpoint<schemas.FlexUserParams, schemas.FlexSubscription[]> = {
  name: 'flex.subscriptions',
  summary: 'Lists the Flex subscriptions of a user',
  method: 'GET',
  path: '/shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1',
  input: schemas.flexUserParams,
  example: { site_id: 'MLA', user_id: 7 },
  output: schemas.flexSubscriptions,
  listOf: { user_id: '*.user_id' },
  retry: 'safe',
  errors: [errors.emptySite, errors.invalidSite, errors.noAccess, errors.userNotFound],
  hintAfter: hintToFlexV2,
  supportsAttributes: true,
};

export const configuration: DescribedEndpoint<schemas.FlexQueryParams> = {
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
  hintAfter: hintToFlexV2,
  errorInBody: graphqlErrorInBody,
  loadExchange: async (body, reject) => {
    const { queryExchange } = await import('./graphql/query.js');
    return queryExchange((body as { query: string }).query, parseResult, reject);
  },
};

/** The query for fields of a configuration, in braces. Only digits of the ids get into it, without leading zeros. */
export function configurationQuery(
  { user_id, service_id }: Pick<schemas.SetDeliveryParams, 'user_id' | 'service_id'>,
  fields: string,
): string {
  return `{configuration(user_id:${BigInt(user_id)},service_id:${BigInt(service_id)})${fields}}`;
}

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
  hintAfter: hintToFlexV2,
  errorInBody: errors.noDriverInBody,
  supportsAttributes: true,
};

/** The endpoints of Flex that only read. */
export const flexReads = { subscriptions, configuration, driver };
