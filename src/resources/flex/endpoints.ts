import type { Confirmation } from '../../core/errors/seller-error.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { compareIds } from '../../core/response/read-output.js';
import { preprocess, record, unknown } from '../../core/schema/define.js';
import { alone, isWord } from '../fields.js';
import { flexItemEndpoints, hintToFlexV2 } from '../flex-items/flex-items.js';
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
const flexReads = { subscriptions, configuration, driver };

/** Reads back the delivery settings. */
async function confirmDelivery(input: schemas.SetDeliveryParams, context: ConfirmContext): Promise<Confirmation> {
  const range = '{from to capacity calculated_cutoff}';
  const fields = `delivery_window delivery_ranges{week${range} saturday${range} sunday${range}}`;
  const found = await configured(input, fields, context);
  return found ? compareDelivery(found, input) : noConfiguration;
}

/** Reads back which zones are selected. */
async function confirmZones(input: schemas.AddZonesParams, context: ConfirmContext): Promise<Confirmation> {
  const found = await configured(input, 'zones{id selected}', context);
  return found ? compareZones(found, input.zones) : noConfiguration;
}

const noConfiguration: Confirmation = { unknown: 'the service shows no configuration that can be read' };

/** Reads fields of a seller's configuration; `undefined` if the response contains none that can be read. */
async function configured(
  input: Pick<schemas.SetDeliveryParams, 'site_id' | 'user_id' | 'service_id'>,
  fields: string,
  context: ConfirmContext,
): Promise<schemas.FlexConfiguration | undefined> {
  const { site_id } = input;
  const query = configurationQuery(input, `{subscription{user_id service_id} ${fields}}`);
  const { data } = await context.read(configuration, { site_id, query });
  const parsed = schemas.flexConfiguration.safeParse((data as { configuration?: unknown }).configuration);
  if (!parsed.success) return undefined;
  const identity = { user_id: 'subscription.user_id', service_id: 'subscription.service_id' };
  return compareIds({ identity }, input, parsed.data).ofAnother ? undefined : parsed.data;
}

/** A value that was read, compared with the one that was set; `unclear` if it proves neither. */
export type Comparison = 'same' | 'other' | 'unclear';

/** Decides by a configuration whether delivery settings were carried out. */
function compareDelivery(
  { delivery_window: window, delivery_ranges: ranges }: schemas.FlexConfiguration,
  { delivery_window, delivery_ranges = {} }: schemas.SetDeliveryParams,
): Confirmation {
  const comparisons = (['week', 'saturday', 'sunday'] as const).flatMap((day) => {
    const wanted = delivery_ranges[day];
    return wanted === undefined ? [] : compareRanges(ranges?.[day], wanted);
  });
  if (delivery_window !== undefined)
    comparisons.push(isWord(window, delivery_window) ? 'same' : compare(window, delivery_window));
  return confirmationOf(comparisons, 'the service shows another cut-off, or not all values that were set');
}

/** Decides by a configuration whether zones were added. */
function compareZones({ zones }: schemas.FlexConfiguration, added: schemas.AddZonesParams['zones']): Confirmation {
  const comparisons = added.map(({ id }) => {
    const shown = zones?.find((zone) => zone.id === String(id));
    // A list without the zone proves that it is not selected.
    return compare(zones && !shown ? false : shown?.selected, true);
  });
  return confirmationOf(comparisons, 'the service does not show which zones are selected');
}

/** A day that is `null` has no ranges. A day that is absent is not shown. */
function compareRanges(
  found: readonly schemas.DeliveryRange[] | null | undefined,
  wanted: readonly schemas.DeliveryRangeParams[],
): Comparison[] {
  if (found === undefined) return ['unclear'];
  const left = [...(found ?? [])];
  if (left.length !== wanted.length) return ['other'];
  // The service need not keep the order.
  return wanted.flatMap((range) => {
    const all = left.map((each) => compareRange(each, range));
    const clear = all.findIndex((each) => !each.includes('other') && !each.slice(0, 3).includes('unclear'));
    const best = clear >= 0 ? clear : all.findIndex((each) => !each.includes('other'));
    if (best < 0) return ['other' as const];
    left.splice(best, 1);
    return all[best] ?? [];
  });
}

function compareRange(
  found: schemas.DeliveryRange,
  { from, to, capacity, cutoff }: schemas.DeliveryRangeParams,
): Comparison[] {
  // The service calculates the cut-off that it shows, so a different one does not prove that another one was set.
  const sameCutoff = found.calculated_cutoff === cutoff ? 'same' : 'unclear';
  return [compare(found.from, from), compare(found.to, to), compare(found.capacity, capacity), sameCutoff];
}

/** Compares a value that was read with the one that was set. */
export function compare<T>(found: T | null | undefined, wanted: T): Comparison {
  if (found === null || found === undefined) return 'unclear';
  return found === wanted ? 'same' : 'other';
}

/** Decides by the values of a configuration; `unknown` says what is missing if they prove nothing. */
export function confirmationOf(comparisons: readonly Comparison[], unknown: string): Confirmation {
  if (comparisons.includes('other')) return { done: false };
  return comparisons.includes('unclear') ? { unknown } : { done: true, output: undefined };
}

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
  hintAfter: hintToFlexV2,
  confirm: confirmDelivery,
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
  hintAfter: hintToFlexV2,
  confirm: confirmZones,
};

/** The endpoints of Flex, as `endpoints` has them. */
export const flexEndpoints = { ...flexReads, setDelivery, addZones, items: flexItemEndpoints };
