import { InvalidInputError } from '../../core/errors/errors.js';
import { ApiPromise } from '../../core/operation/api-promise.js';
import type { Attributed, Requester, WithAttributes, WithResponse } from '../../core/operation/api-promise.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import { object } from '../../core/schema/define.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { FlexItems, type ReadItemStatus } from '../flex-items/flex-items.js';
import { configurationQuery, flexEndpoints } from './endpoints.js';
import { allOf, applySelection } from './graphql/selection.js';
import type { AppliedSelection, Exact, Selected, Selection } from './graphql/selection.js';
import { configurationParams, flexConfiguration, flexZone } from './schemas.js';
import type {
  FlexInputs,
  ConfigurationParams,
  DeliveryRange,
  DriverAssignment,
  FlexConfiguration,
  FlexQueryParams,
  FlexSubscription,
} from './schemas.js';

/** Delivery by the seller: subscriptions, settings, zones, items, drivers. */
export class Flex {
  /** The items that are delivered with Flex. */
  readonly items: FlexItems;
  readonly #requester: Requester;

  /** @internal */
  constructor(requester: Requester, readItemStatus: ReadItemStatus) {
    this.#requester = requester;
    this.items = new FlexItems(requester, readItemStatus);
  }

  /**
   * Returns the seller's subscriptions: one with only Flex, two if Turbo is also active.
   * Request: GET /shipping/flex/sites/{site_id}/users/{user_id}/subscriptions/v1.
   *
   * @example
   * const [subscription] = await seller.flex.subscriptions({ site_id: 'MLA', user_id: 7 });
   * console.log(subscription?.service_id, subscription?.status?.id);
   * @throws {InvalidSiteError} when the site does not exist.
   * @throws {UserNotFoundError} when the user does not exist on the site.
   */
  subscriptions<const Name extends keyof FlexSubscription = keyof FlexSubscription>(
    input: FlexInputs['flexUserParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<FlexSubscription, Name>[]> {
    return this.#requester.call(flexEndpoints.subscriptions, input, options);
  }

  /**
   * Returns how a seller delivers. Request: POST /shipping/flex/sites/{site_id}/configuration/v3.
   *
   * The result has exactly the fields that `select` names: `true` selects a whole field, and an object selects some of
   * its fields, at any depth. Without `select`, it has every documented field except `neighborhoods` of the zones.
   * Instead of `select`, `query` sends your own GraphQL query.
   *
   * @example
   * const { zones } = await seller.flex.configuration({
   *   site_id: 'MLA',
   *   user_id: 7,
   *   service_id: 1001,
   *   select: { zones: { id: true, price: true } },
   * });
   * @throws {InvalidInputError} when the selection names a field that does not exist; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {UserNotFoundError} when the user does not exist on the site.
   */
  configuration<const S extends Selection<FlexConfiguration> = Selection<FlexConfiguration>>(
    input: Omit<FlexInputs['configurationParams'], 'select'> & {
      readonly select?: (S & Exact<FlexConfiguration, S>) | undefined;
    },
    options?: CallOptions,
  ): ApiPromise<Selection<FlexConfiguration> extends S ? FlexConfiguration : Selected<FlexConfiguration, S>>;
  configuration(
    input: FlexInputs['flexQueryParams'] | (ConfigurationParams & { readonly select?: unknown }),
    options?: CallOptions,
  ): ApiPromise<unknown> {
    // Only one input is typed, so that the compiler reports a mistake in `select` at that place. `query` works as well.
    const given = { ...input };
    return 'query' in given ? this.query(given, options) : new ApiPromise(this.#select(given, options));
  }

  /**
   * Sends your own GraphQL query to the configuration and returns its data unchanged.
   * Request: POST /shipping/flex/sites/{site_id}/configuration/v3.
   *
   * The call is retried like a read, so a `mutation` is rejected.
   *
   * @example
   * const query = '{ configuration(user_id: 7, service_id: 1001) { working_days } }';
   * const data = await seller.flex.query({ site_id: 'MLA', query });
   * @throws {InvalidInputError} when the document is not a query; nothing is sent.
   * @throws {InvalidQueryError} when the service does not accept the query.
   */
  query(input: FlexInputs['flexQueryParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexEndpoints.configuration, input, options);
  }

  /**
   * Sets the delivery date window, the time ranges, their cut-off hours and their capacities. Request:
   * PUT /shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/delivery/custom/v3.
   *
   * @example
   * await seller.flex.setDelivery({
   *   site_id: 'MLA',
   *   user_id: 7,
   *   service_id: 1001,
   *   delivery_window: 'same_day',
   *   delivery_ranges: { week: [{ from: 9, to: 18, capacity: 40, cutoff: 12 }] },
   * });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when an hour is not between 0 and 24, a capacity is below 1, or both `delivery_window`
   *   and `delivery_ranges` are missing; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  setDelivery(input: FlexInputs['setDeliveryParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexEndpoints.setDelivery, input, options);
  }

  /**
   * Adds zones to the seller's coverage area. Request:
   * PUT /shipping/flex/sites/{site_id}/users/{user_id}/services/{service_id}/configuration/coverage/zone/v3.
   *
   * @example
   * await seller.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1001, zones: [{ id: 'MLA-2' }] });
   * const { zones } = await seller.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001 });
   * const wanted = zones?.filter(({ enabled }) => enabled) ?? [];
   * await seller.flex.addZones({ site_id: 'MLA', user_id: 7, service_id: 1001, zones: wanted });
   * @returns the response body, which is not documented.
   * @throws {InvalidInputError} when `zones` is empty; nothing is sent.
   * @throws {SubscriptionNotFoundError} when the user has no subscription with this service.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  addZones(input: FlexInputs['addZonesParams'], options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(flexEndpoints.addZones, input, options);
  }

  /**
   * Returns the driver of a shipment. Request: GET /flex/sites/{site_id}/shipments/{shipment_id}/assignment/v1.
   *
   * @example
   * const { driver_id } = await seller.flex.driver({ site_id: 'MLA', shipment_id: 40_000_000_001 });
   * console.log(driver_id);
   * @throws {DriverNotFoundError} when no driver is assigned, no route is open, or the shipment does not exist.
   */
  driver<const Name extends keyof DriverAssignment = keyof DriverAssignment>(
    input: FlexInputs['driverParams'],
    options?: CallOptions & WithAttributes<Name>,
  ): ApiPromise<Attributed<DriverAssignment, Name>> {
    return this.#requester.call(flexEndpoints.driver, input, options);
  }

  async #select(
    input: Omit<FlexInputs['configurationParams'], 'select'> & { readonly select?: unknown },
    options?: CallOptions,
  ): Promise<WithResponse<unknown>> {
    const parsed = configurationParams.safeParse(input);
    if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
    const { site_id, select = defaultSelection() } = parsed.data;
    const selection = applySelection(flexConfiguration, select, ['select']);
    if (selection.issues.length > 0) throw new InvalidInputError(selection.issues);
    const endpoint = selectedConfiguration(selection);
    const query = configurationQuery(parsed.data, selection.graphql);
    const { data, response } = await this.#requester.call(endpoint, { site_id, query }, options).withResponse();
    return { data: (data as { configuration?: unknown } | null)?.configuration, response };
  }
}

/** Endpoints by selection, so that each schema is made and compiled once. A program has few selections. */
const configurations = new Map<string, Endpoint<FlexQueryParams>>();

function selectedConfiguration({ graphql, schema }: AppliedSelection): Endpoint<FlexQueryParams> {
  const known = configurations.get(graphql);
  const endpoint = known ?? { ...flexEndpoints.configuration, output: object({ configuration: schema() }) };
  configurations.set(graphql, endpoint);
  return endpoint;
}

/**
 * Selects every documented field except `neighborhoods`: the specification does not name its fields, and a GraphQL
 * service rejects a query that selects an object without fields.
 */
function defaultSelection(): object {
  const { neighborhoods: _, ...zone } = flexZone.shape;
  return { ...allOf(flexConfiguration.shape), zones: allOf(zone) };
}

const kindsOfDays = ['week', 'saturday', 'sunday'] as const;

/** Delivery settings that were read, in the form that `flex.setDelivery` takes. They can be changed. */
export interface DeliverySettings {
  /** For example `same_day`. */
  delivery_window?: string | undefined;
  /** Kinds of days that have no ranges are omitted. */
  delivery_ranges?: { week?: RangeToSet[]; saturday?: RangeToSet[]; sunday?: RangeToSet[] };
}
type RangeToSet = {
  -readonly [Name in keyof FlexInputs['deliveryRangeParams']]: FlexInputs['deliveryRangeParams'][Name];
};

/** Delivery settings that were read, in the form that `flexV2.setDeliveryRanges` takes. They can be changed. */
export interface DeliverySettingsV2 {
  /** `same_day` or `next_day`. */
  delivery_window: string;
  /** Kinds of days that have no ranges are omitted. A range without a `cutoff` has that of its zone. */
  delivery_ranges: {
    [Day in keyof NonNullable<DeliverySettings['delivery_ranges']>]: (Omit<RangeToSet, 'cutoff'> & {
      cutoff?: number | undefined;
    })[];
  };
}

/** Only what `flexV2.deliveryRanges` returns has `is_downgraded`. */
type SettingsOf<Read> = 'is_downgraded' extends keyof Read ? DeliverySettingsV2 : DeliverySettings;

/**
 * Returns the delivery settings that were read in the form that `flex.setDelivery` or `flexV2.setDeliveryRanges` takes, so that
 * they can be changed and written back. The cut-off of `flex` is the one that the service has calculated, unless it also shows
 * the one that was set.
 *
 * @example
 * const subscription = { site_id: 'MLA', user_id: 7, service_id: 1001 };
 * const settings = deliverySettings(await seller.flexV2.deliveryRanges(subscription));
 * for (const range of settings.delivery_ranges.week ?? []) range.capacity = 140;
 * await seller.flexV2.setDeliveryRanges({ ...subscription, ...settings });
 * @throws {InvalidInputError} when a range lacks an hour or its capacity.
 */
export function deliverySettings<Read extends Pick<FlexConfiguration, 'delivery_window' | 'delivery_ranges'>>(
  read: Read,
): SettingsOf<Read> {
  const { delivery_window, delivery_ranges } = read;
  const days = kindsOfDays.flatMap((day) => {
    const ranges = delivery_ranges?.[day];
    return ranges ? [[day, ranges.map((range, index) => rangeToSet(range, [day, index]))] as const] : [];
  });
  return {
    ...(typeof delivery_window === 'string' && { delivery_window }),
    ...(delivery_ranges && { delivery_ranges: Object.fromEntries(days) }),
  } as SettingsOf<Read>;
}

function rangeToSet(range: DeliveryRange & { cutoff?: unknown }, at: readonly PropertyKey[]): object {
  const { from, to, capacity, calculated_cutoff, cutoff = calculated_cutoff } = range;
  const hasCutoff = 'cutoff' in range || 'calculated_cutoff' in range;
  const found = { from, to, capacity, ...(hasCutoff && { cutoff }) };
  for (const [name, value] of Object.entries(found)) {
    if (Number.isSafeInteger(value)) continue;
    const path = ['delivery_ranges', ...at, name];
    throw new InvalidInputError([{ path, message: `\`${path.join('.')}\` is not shown, so it cannot be set` }]);
  }
  return found;
}
