import { documentRule } from './graphql/response.js';
import {
  array,
  boolean,
  dateTime,
  int,
  integer,
  nullish,
  openEnum,
  optional,
  strictObject,
  preprocess,
  refine,
  looseObject,
  string,
  union,
  unknown,
  withFacts,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { bareList, id, key, nullishArray, siteId } from '../../core/schema/fields.js';
import { int64 } from '../../core/schema/long-integers.js';

/** `in`: active. `out`: inactive, settings cannot be changed. `pending`: settings can be changed, no orders yet. */
const subscriptionState = looseObject({ id: nullish(openEnum('in', 'out', 'pending')) });

/** How a subscription covers and delivers. */
export const configurationType = looseObject({
  /** `zone` in the samples of FLEX, `radius` in those of TURBO. */
  coverage: nullish(openEnum('zone', 'radius')),
  /** `custom` in the samples of FLEX, `accurate` in those of TURBO. */
  delivery: nullish(openEnum('custom', 'accurate')),
});
export interface ConfigurationType extends Output<typeof configurationType> {}

/** A seller's subscription to Flex or Turbo. */
export const flexSubscription = looseObject({
  /** The id of the subscription, if the service sends it. No operation needs it. */
  id: nullish(union(int64, string)),
  site_id: nullish(string),
  user_id: nullish(integer),
  mode: nullish(openEnum('FLEX', 'TURBO')),
  configuration_type: nullish<ConfigurationType>(configurationType),
  /** The service id that the other operations need. */
  service_id: integer,
  /** `in`: active. `out`: inactive, settings cannot be changed. `pending`: settings can be changed, no orders yet. */
  status: nullish(subscriptionState),
  creation_date: nullish(dateTime),
});
export interface FlexSubscription extends Output<typeof flexSubscription> {}

/** The subscriptions of a seller, in every known shape of the list. */
export const flexSubscriptions = preprocess<FlexSubscription[]>(
  array<FlexSubscription>(flexSubscription) as Schema<FlexSubscription[]>,
  (value) => {
    const list = bareList('service_id', 'subscriptions')(value);
    return Array.isArray(list) ? list.map(withState) : list;
  },
);

/** The state may be a text in place of an object. */
function withState(value: unknown): unknown {
  const { status } = (value ?? {}) as { status?: unknown };
  return typeof status === 'string' ? { ...(value as object), status: { id: status } } : value;
}

/** Where a seller's deliveries start. */
export const flexAddress = looseObject({
  id: nullish(string),
  address_line: nullish(string),
  city: nullish(looseObject({ id: nullish(string), name: nullish(string) })),
  zip_code: nullish(string),
});
export interface FlexAddress extends Output<typeof flexAddress> {}

/** A duration: a value and its unit. */
export const trainingSpan = looseObject({ value: nullish(integer), unit: nullish(string) });
export interface TrainingSpan extends Output<typeof trainingSpan> {}

/** How long a new subscription is in training. */
export const trainingTimes = looseObject({
  original: nullish<TrainingSpan>(trainingSpan),
  remaining: nullish<TrainingSpan>(trainingSpan),
  activation_date: nullish(dateTime),
});
export interface TrainingTimes extends Output<typeof trainingTimes> {}

/** The subscription that a configuration belongs to. */
export const configuredSubscription = looseObject({
  site_id: nullish(string),
  user_id: nullish(integer),
  service_id: nullish(integer),
  status: nullish(subscriptionState),
  creation_date: nullish(dateTime),
  training_times: nullish<TrainingTimes>(trainingTimes),
});
export interface ConfiguredSubscription extends Output<typeof configuredSubscription> {}

/** The values that a seller can choose from. */
export const flexAvailables = looseObject({
  /** The minimum and the maximum `capacity` of a range. */
  capacity_range: nullish(looseObject({ from: nullish(integer), to: nullish(integer) })),
  /** Hours of the day. */
  cutoff: nullishArray(integer),
  /** Hours of the day. */
  ranges: nullishArray(integer),
});
export interface FlexAvailables extends Output<typeof flexAvailables> {}

/** Hours of the day between which a seller delivers. */
export const deliveryRange = looseObject({
  /** The hour at which the range begins. */
  from: nullish(integer),
  /** The hour at which the range ends. */
  to: nullish(integer),
  /** The maximum number of deliveries. */
  capacity: nullish(integer),
  type: nullish(openEnum('cpt')),
  processing_time: nullish(integer),
  et_hour: nullish(integer),
  /** Orders up to this hour are delivered in this range. */
  calculated_cutoff: nullish(integer),
});
export interface DeliveryRange extends Output<typeof deliveryRange> {}

/** The ranges of each kind of day. */
export const deliveryRanges = looseObject({
  week: nullishArray<DeliveryRange>(deliveryRange),
  saturday: nullishArray<DeliveryRange>(deliveryRange),
  sunday: nullishArray<DeliveryRange>(deliveryRange),
});
export interface DeliveryRanges extends Output<typeof deliveryRanges> {}

/** The price of a delivery to a zone, split into the parts that are displayed. */
export const zonePrice = looseObject({
  cents: nullish(string),
  fraction: nullish(string),
  currency_id: nullish(string),
  decimal_separator: nullish(string),
  symbol: nullish(string),
});
export interface ZonePrice extends Output<typeof zonePrice> {}

/** A part of a coverage area. */
export const flexZone = looseObject({
  id: string,
  label: nullish(string),
  enabled: nullish(boolean),
  is_mandatory: nullish(boolean),
  /** Whether the seller delivers to this zone. */
  selected: nullish(boolean),
  /** The specification does not describe the entries. */
  neighborhoods: nullish(array(unknown)),
  price: nullish<ZonePrice>(zonePrice),
});
export interface FlexZone extends Output<typeof flexZone> {}

/** How a seller delivers with Flex. */
export const flexConfiguration = looseObject({
  address: nullish<FlexAddress>(flexAddress),
  subscription: nullish<ConfiguredSubscription>(configuredSubscription),
  availables: nullish<FlexAvailables>(flexAvailables),
  delivery_window: nullish(openEnum('same_day')),
  is_moderated: nullish(boolean),
  delivery_ranges: nullish<DeliveryRanges>(deliveryRanges),
  /** The kinds of days on which the seller delivers, e.g. `week`. */
  working_days: nullishArray(openEnum('week', 'saturday', 'sunday')),
  zones: nullishArray<FlexZone>(flexZone),
  disabled_features: nullishArray(openEnum('CUTOFF_BY_ZONE', 'CAPACITY_BY_DAY')),
});
export interface FlexConfiguration extends Output<typeof flexConfiguration> {}

/** The driver of a shipment. */
export const driverAssignment = looseObject({ driver_id: integer });
export interface DriverAssignment extends Output<typeof driverAssignment> {}

export const flexUserParams = strictObject({
  site_id: siteId,
  /** The seller. */
  user_id: id,
});
export interface FlexUserParams extends Input<typeof flexUserParams> {}

/** A query of a configuration: a GraphQL document, sent unchanged. */
export const flexQueryParams = strictObject({
  site_id: siteId,
  /** A GraphQL query on `configuration(user_id: ..., service_id: ...)`. */
  query: refine(string, documentRule, { description: 'One GraphQL query, no mutation.' }),
});
export interface FlexQueryParams extends Input<typeof flexQueryParams> {}

export const configurationParams = strictObject({
  site_id: siteId,
  /** The seller. */
  user_id: id,
  /** The service of the subscription; `subscriptions` returns it. */
  service_id: id,
  /** The fields of `FlexConfiguration` to request. The default is all of them except `neighborhoods` of the zones. */
  select: optional(unknown),
});
/** The seller and the service whose configuration to read. */
export interface ConfigurationParams extends Omit<Input<typeof configurationParams>, 'select'> {}

const hour = (name: string) =>
  refine(int, (value) => (value < 0 || value > 24 ? `\`${name}\` is an hour, 0 to 24` : undefined), {
    minimum: 0,
    maximum: 24,
  });

/** A delivery range to set. */
export const deliveryRangeParams = strictObject({
  /** The hour at which the range begins, 0 to 24. */
  from: hour('from'),
  /** The hour at which the range ends, 0 to 24. */
  to: hour('to'),
  /** The maximum number of deliveries, at least 1. */
  capacity: refine(int, (value) => (value < 1 ? '`capacity` is at least 1' : undefined), { minimum: 1 }),
  /** Orders up to this hour are delivered in this range, 0 to 24. */
  cutoff: hour('cutoff'),
});
export interface DeliveryRangeParams extends Input<typeof deliveryRangeParams> {}

export const setDeliveryParams = refine(
  strictObject({
    site_id: siteId,
    /** The seller. */
    user_id: id,
    /** The service of the subscription. */
    service_id: id,
    /** For example `same_day`, the only value that the specification names. */
    delivery_window: optional(
      refine(openEnum('same_day'), (value) => (value === '' ? '`delivery_window` is empty' : undefined)),
    ),
    /** The ranges of each kind of day. The ranges of a kind that you omit do not change. */
    delivery_ranges: optional(
      strictObject({
        week: optional(array(deliveryRangeParams)),
        saturday: optional(array(deliveryRangeParams)),
        sunday: optional(array(deliveryRangeParams)),
      }),
    ),
  }),
  ({ delivery_window, delivery_ranges }) =>
    delivery_window === undefined && delivery_ranges === undefined
      ? 'a delivery configuration takes `delivery_window`, `delivery_ranges` or both'
      : undefined,
  { description: '`delivery_window`, `delivery_ranges` or both.' },
);
export interface SetDeliveryParams extends Input<typeof setDeliveryParams> {}

/** A zone to add. Only its id is sent, so zones that were read can be given as they are. */
const zoneToAdd = withFacts(looseObject({ id: key }), { write: ({ id }: { id: string }) => ({ id }) });

export const addZonesParams = strictObject({
  site_id: siteId,
  /** The seller. */
  user_id: id,
  /** The service of the subscription. */
  service_id: id,
  /** The ids of the zones to add, at least one. */
  zones: refine(
    array<{ id: string | number }>(zoneToAdd),
    (zones) => (zones.length === 0 ? '`zones` is empty; it takes at least one zone' : undefined),
    { minItems: 1 },
  ),
});
export interface AddZonesParams extends Input<typeof addZonesParams> {}

export const driverParams = strictObject({
  site_id: siteId,
  /** The shipment. */
  shipment_id: id,
});
export interface DriverParams extends Input<typeof driverParams> {}
