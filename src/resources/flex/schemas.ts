import { documentRule } from './graphql/response.js';
import {
  anything,
  checked,
  entity,
  flag,
  instant,
  integer,
  list,
  maybe,
  openEnum,
  optional,
  request,
  text,
} from '../../core/schema/schema.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { id, key, nullishArray, siteId } from '../../core/schema/fields.js';

/** `in`: active. `out`: inactive, its settings cannot be changed. `pending`: settings yes, delivery orders not yet. */
const subscriptionState = entity({ id: maybe(openEnum('in', 'out', 'pending')) });

/** How a subscription covers and delivers. Spec: Flex subscription, `configuration_type`. */
export const configurationType = entity({
  /** `zone` in the samples of FLEX, `radius` in those of TURBO. */
  coverage: maybe(openEnum('zone', 'radius')),
  /** `custom` in the samples of FLEX, `accurate` in those of TURBO. */
  delivery: maybe(openEnum('custom', 'accurate')),
});
export interface ConfigurationType extends Output<typeof configurationType> {}

/** A seller's subscription to Flex or Turbo. Spec: Flex subscription. */
export const flexSubscription = entity({
  id: integer,
  site_id: maybe(text),
  user_id: maybe(integer),
  mode: maybe(openEnum('FLEX', 'TURBO')),
  configuration_type: maybe<ConfigurationType>(configurationType),
  /** The service that the other operations ask for. */
  service_id: maybe(integer),
  /** `in`: active. `out`: inactive, settings cannot be changed. `pending`: settings yes, delivery orders not yet. */
  status: maybe(subscriptionState),
  creation_date: maybe(instant),
});
export interface FlexSubscription extends Output<typeof flexSubscription> {}

/** Where a seller's deliveries start. Spec: Flex configuration, `address`. */
export const flexAddress = entity({
  id: maybe(text),
  address_line: maybe(text),
  city: maybe(entity({ id: maybe(text), name: maybe(text) })),
  zip_code: maybe(text),
});
export interface FlexAddress extends Output<typeof flexAddress> {}

/** A span of time in the unit it names. */
export const trainingSpan = entity({ value: maybe(integer), unit: maybe(text) });
export interface TrainingSpan extends Output<typeof trainingSpan> {}

/** How long a new subscription is in training. Spec: Flex configuration, `training_times`. */
export const trainingTimes = entity({
  original: maybe<TrainingSpan>(trainingSpan),
  remaining: maybe<TrainingSpan>(trainingSpan),
  activation_date: maybe(instant),
});
export interface TrainingTimes extends Output<typeof trainingTimes> {}

/** The subscription that a configuration belongs to. Spec: Flex configuration, `subscription`. */
export const configuredSubscription = entity({
  site_id: maybe(text),
  user_id: maybe(integer),
  service_id: maybe(integer),
  status: maybe(subscriptionState),
  creation_date: maybe(instant),
  training_times: maybe<TrainingTimes>(trainingTimes),
});
export interface ConfiguredSubscription extends Output<typeof configuredSubscription> {}

/** What a seller may choose from. Spec: Flex configuration, `availables`. */
export const flexAvailables = entity({
  /** The least and the most deliveries that a range may take. */
  capacity_range: maybe(entity({ from: maybe(integer), to: maybe(integer) })),
  /** Hours of the day. */
  cutoff: nullishArray(integer),
  /** Hours of the day. */
  ranges: nullishArray(integer),
});
export interface FlexAvailables extends Output<typeof flexAvailables> {}

/** Hours of the day between which a seller delivers. Spec: Range object. */
export const deliveryRange = entity({
  /** The hour at which it begins. */
  from: maybe(integer),
  /** The hour at which it ends. */
  to: maybe(integer),
  /** How many deliveries it takes. */
  capacity: maybe(integer),
  type: maybe(openEnum('cpt')),
  processing_time: maybe(integer),
  et_hour: maybe(integer),
  /** The hour up to which an order is delivered in it. */
  calculated_cutoff: maybe(integer),
});
export interface DeliveryRange extends Output<typeof deliveryRange> {}

/** The ranges of each kind of day. Spec: Flex configuration, `delivery_ranges`. */
export const deliveryRanges = entity({
  week: nullishArray<DeliveryRange>(deliveryRange),
  saturday: nullishArray<DeliveryRange>(deliveryRange),
  sunday: nullishArray<DeliveryRange>(deliveryRange),
});
export interface DeliveryRanges extends Output<typeof deliveryRanges> {}

/** What a delivery to a zone costs, in parts as they are shown. Spec: Zone object, `price`. */
export const zonePrice = entity({
  cents: maybe(text),
  fraction: maybe(text),
  currency_id: maybe(text),
  decimal_separator: maybe(text),
  symbol: maybe(text),
});
export interface ZonePrice extends Output<typeof zonePrice> {}

/** A part of a coverage area. Spec: Zone object. */
export const flexZone = entity({
  id: text,
  label: maybe(text),
  enabled: maybe(flag),
  is_mandatory: maybe(flag),
  /** The seller delivers to it. */
  selected: maybe(flag),
  /** The specification does not say what it lists. */
  neighborhoods: maybe(list(anything)),
  price: maybe<ZonePrice>(zonePrice),
});
export interface FlexZone extends Output<typeof flexZone> {}

/** How a seller delivers with Flex. Spec: Flex configuration. */
export const flexConfiguration = entity({
  address: maybe<FlexAddress>(flexAddress),
  subscription: maybe<ConfiguredSubscription>(configuredSubscription),
  availables: maybe<FlexAvailables>(flexAvailables),
  delivery_window: maybe(openEnum('same_day')),
  is_moderated: maybe(flag),
  delivery_ranges: maybe<DeliveryRanges>(deliveryRanges),
  /** The kinds of days on which the seller delivers, e.g. `week`. */
  working_days: nullishArray(openEnum('week', 'saturday', 'sunday')),
  zones: nullishArray<FlexZone>(flexZone),
  disabled_features: nullishArray(openEnum('CUTOFF_BY_ZONE', 'CAPACITY_BY_DAY')),
});
export interface FlexConfiguration extends Output<typeof flexConfiguration> {}

/** Who drives a shipment. Spec: Flex delivery, assignment. */
export const driverAssignment = entity({ driver_id: integer });
export interface DriverAssignment extends Output<typeof driverAssignment> {}

export const flexUserParams = request({
  site_id: siteId,
  /** The seller. */
  user_id: id,
});
export interface FlexUserParams extends Input<typeof flexUserParams> {}

/** The body of the configuration query: a GraphQL document, sent as it is. */
export const flexQueryParams = request({
  site_id: siteId,
  /** A GraphQL query on `configuration(user_id: ..., service_id: ...)`. */
  query: checked(text, documentRule),
});
export interface FlexQueryParams extends Input<typeof flexQueryParams> {}

export const configurationParams = request({
  site_id: siteId,
  /** The seller. */
  user_id: id,
  /** The service of the subscription; `subscriptions` tells it. */
  service_id: id,
  /** The fields to ask for; every documented one unless given. */
  select: optional(anything),
});
/** Whose configuration to read. */
export interface ConfigurationParams extends Omit<Input<typeof configurationParams>, 'select'> {}

const hour = (name: string) =>
  checked(integer, (value) => (value < 0 || value > 24 ? `\`${name}\` is an hour, 0 to 24` : undefined), {
    minimum: 0,
    maximum: 24,
  });

/** A range to deliver in, as it is set. Spec: Flex delivery, delivery configuration body. */
export const deliveryRangeParams = checked(
  request({
    /** The hour at which it begins, 0 to 24. */
    from: hour('from'),
    /** The hour at which it ends, 0 to 24, after `from`. */
    to: hour('to'),
    /** How many deliveries it takes, at least 1. */
    capacity: checked(integer, (value) => (value < 1 ? '`capacity` is at least 1' : undefined), { minimum: 1 }),
    /** The hour up to which an order is delivered in it, 0 to 24. */
    cutoff: hour('cutoff'),
  }),
  ({ from, to }) => (from < to ? undefined : { path: ['to'], message: 'a delivery range ends after it begins' }),
);
export interface DeliveryRangeParams extends Input<typeof deliveryRangeParams> {}

export const setDeliveryParams = checked(
  request({
    site_id: siteId,
    /** The seller. */
    user_id: id,
    /** The service of the subscription. */
    service_id: id,
    /** e.g. `same_day`; the specification names no other. */
    delivery_window: optional(
      checked(openEnum('same_day'), (value) => (value === '' ? '`delivery_window` is empty' : undefined)),
    ),
    /** The ranges of each kind of day; a kind that is left out stays as it is. */
    delivery_ranges: optional(
      request({
        week: optional(list(deliveryRangeParams)),
        saturday: optional(list(deliveryRangeParams)),
        sunday: optional(list(deliveryRangeParams)),
      }),
    ),
  }),
  ({ delivery_window, delivery_ranges }) =>
    delivery_window === undefined && delivery_ranges === undefined
      ? 'a delivery configuration takes `delivery_window`, `delivery_ranges` or both'
      : undefined,
);
export interface SetDeliveryParams extends Input<typeof setDeliveryParams> {}

export const addZonesParams = request({
  site_id: siteId,
  /** The seller. */
  user_id: id,
  /** The service of the subscription. */
  service_id: id,
  /** The zones to add, at least one, by their ids. */
  zones: checked(
    list(request({ id: key })),
    (zones) => (zones.length === 0 ? '`zones` is empty; it takes at least one zone' : undefined),
    { minItems: 1 },
  ),
});
export interface AddZonesParams extends Input<typeof addZonesParams> {}

export const flexItemParams = request({
  site_id: siteId,
  /** The item. */
  item_id: key,
});
export interface FlexItemParams extends Input<typeof flexItemParams> {}

/** How to take an item out of Flex. */
export interface DisableItemParams extends FlexItemParams {
  /** The item's being out of Flex already is a success instead of `NotInFlexError`. */
  readonly idempotent?: boolean | undefined;
}

/** How to bring an item into Flex. */
export interface EnableItemParams extends FlexItemParams {
  /** The item's being in Flex already is a success instead of `AlreadyInFlexError`. */
  readonly idempotent?: boolean | undefined;
  /** Reads the item's status first, and sends nothing unless it is `active`. */
  readonly requireActive?: boolean | undefined;
}

export const driverParams = request({
  site_id: siteId,
  /** The shipment. */
  shipment_id: id,
});
export interface DriverParams extends Input<typeof driverParams> {}
