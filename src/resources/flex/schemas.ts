import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { atLeast, bareList, id, key, keyOf, nonEmptyArray, nullishArray, siteId } from '../fields.js';
import { documentRule } from './graphql/response.js';

/** `in`: active. `out`: inactive, settings cannot be changed. `pending`: settings can be changed, no orders yet. */
const subscriptionState = s.looseObject({ id: s.nullish(s.openEnum('in', 'out', 'pending')) });

const configurationType = s.looseObject({
  /** `zone` in the samples of FLEX, `radius` in those of TURBO. */
  coverage: s.nullish(s.openEnum('zone', 'radius')),
  /** `custom` in the samples of FLEX, `accurate` in those of TURBO. */
  delivery: s.nullish(s.openEnum('custom', 'accurate')),
});
/** How a subscription covers and delivers. */
export interface ConfigurationType extends Output<typeof flexSchemas.configurationType> {}

export const flexSubscription = s.looseObject({
  /** The id of the subscription, if the service sends it. No operation needs it. */
  id: s.nullish(s.union(s.int64, s.string)),
  site_id: s.nullish(s.string),
  user_id: s.nullish(s.integer),
  mode: s.nullish(s.openEnum('FLEX', 'TURBO')),
  configuration_type: s.nullish(s.named<ConfigurationType>(configurationType)),
  /** The service id that the other operations need. */
  service_id: s.integer,
  /** `in`: active. `out`: inactive, settings cannot be changed. `pending`: settings can be changed, no orders yet. */
  status: s.nullish(subscriptionState),
  creation_date: s.nullish(s.dateTime),
});
/** A seller's subscription to Flex or Turbo. */
export interface FlexSubscription extends Output<typeof flexSchemas.flexSubscription> {}

/** The subscriptions of a seller, in every known shape of the list. */
export const flexSubscriptions = s.preprocess<FlexSubscription[]>(s.array(flexSubscription), (value) => {
  const list = bareList('service_id', 'subscriptions')(value);
  return Array.isArray(list) ? list.map(withState) : list;
});

/** The state may be a text in place of an object. */
function withState(value: unknown): unknown {
  const { status } = (value ?? {}) as { status?: unknown };
  return typeof status === 'string' ? { ...(value as object), status: { id: status } } : value;
}

export const flexAddress = s.looseObject({
  id: s.nullish(s.string),
  address_line: s.nullish(s.string),
  city: s.nullish(s.looseObject({ id: s.nullish(s.string), name: s.nullish(s.string) })),
  zip_code: s.nullish(s.string),
});
/** Where a seller's deliveries start. */
export interface FlexAddress extends Output<typeof flexSchemas.flexAddress> {}

const trainingSpan = s.looseObject({ value: s.nullish(s.integer), unit: s.nullish(s.string) });
/** A duration: a value and its unit. */
export interface TrainingSpan extends Output<typeof flexSchemas.trainingSpan> {}

const trainingTimes = s.looseObject({
  original: s.nullish(s.named<TrainingSpan>(trainingSpan)),
  remaining: s.nullish(s.named<TrainingSpan>(trainingSpan)),
  activation_date: s.nullish(s.dateTime),
});
/** How long a new subscription is in training. */
export interface TrainingTimes extends Output<typeof flexSchemas.trainingTimes> {}

const configuredSubscription = s.looseObject({
  site_id: s.nullish(s.string),
  user_id: s.nullish(s.integer),
  service_id: s.nullish(s.integer),
  status: s.nullish(subscriptionState),
  creation_date: s.nullish(s.dateTime),
  training_times: s.nullish(s.named<TrainingTimes>(trainingTimes)),
});
/** The subscription that a configuration belongs to. */
export interface ConfiguredSubscription extends Output<typeof flexSchemas.configuredSubscription> {}

const flexAvailables = s.looseObject({
  /** The minimum and the maximum `capacity` of a range. */
  capacity_range: s.nullish(s.looseObject({ from: s.nullish(s.integer), to: s.nullish(s.integer) })),
  /** Hours of the day. */
  cutoff: nullishArray(s.integer),
  /** Hours of the day. */
  ranges: nullishArray(s.integer),
});
/** The values that a seller can choose from. */
export interface FlexAvailables extends Output<typeof flexSchemas.flexAvailables> {}

const deliveryRange = s.looseObject({
  /** The hour at which the range begins. */
  from: s.nullish(s.integer),
  /** The hour at which the range ends. */
  to: s.nullish(s.integer),
  /** The maximum number of deliveries. */
  capacity: s.nullish(s.integer),
  type: s.nullish(s.openEnum('cpt')),
  processing_time: s.nullish(s.integer),
  et_hour: s.nullish(s.integer),
  /** Orders up to this hour are delivered in this range. */
  calculated_cutoff: s.nullish(s.integer),
});
/** Hours of the day between which a seller delivers. */
export interface DeliveryRange extends Output<typeof flexSchemas.deliveryRange> {}

export const deliveryRanges = s.looseObject({
  week: nullishArray(s.named<DeliveryRange>(deliveryRange)),
  saturday: nullishArray(s.named<DeliveryRange>(deliveryRange)),
  sunday: nullishArray(s.named<DeliveryRange>(deliveryRange)),
});
// A type, not an interface: `Object.entries` and `Object.values` then know the ranges.
/** The ranges of each kind of day. */
export type DeliveryRanges = Output<typeof deliveryRanges>;

export const zonePrice = s.looseObject({
  cents: s.nullish(s.string),
  fraction: s.nullish(s.string),
  currency_id: s.nullish(s.string),
  decimal_separator: s.nullish(s.string),
  symbol: s.nullish(s.string),
});
/** The price of a delivery to a zone, split into the parts that are displayed. */
export interface ZonePrice extends Output<typeof flexSchemas.zonePrice> {}

const weightPrice = s.looseObject({
  price: s.nullish(s.named<ZonePrice>(zonePrice)),
  /** `null` is an open end. */
  weight: s.nullish(s.looseObject({ from_kg: s.nullish(s.number), to_kg: s.nullish(s.number) })),
});
/** The price of a delivery of packages within a range of weights. */
export interface WeightPrice extends Output<typeof flexSchemas.weightPrice> {}

export const zonePricing = s.looseObject({
  mode: s.nullish(s.openEnum('weight', 'flat')),
  prices: nullishArray(s.named<WeightPrice>(weightPrice)),
});
/** The prices of a delivery to a zone by weight, which Brazil has in place of `price`. */
export interface ZonePricing extends Output<typeof flexSchemas.zonePricing> {}

export const zoneCutoff = s.looseObject({
  week: s.nullish(s.integer),
  saturday: s.nullish(s.integer),
  sunday: s.nullish(s.integer),
});
/** The hours until which a zone takes orders, by kind of day. */
export interface ZoneCutoff extends Output<typeof flexSchemas.zoneCutoff> {}

export const flexZone = s.looseObject({
  id: keyOf,
  label: s.nullish(s.string),
  enabled: s.nullish(s.boolean),
  is_mandatory: s.nullish(s.boolean),
  /** Whether the seller delivers to this zone. */
  selected: s.nullish(s.boolean),
  /** The specification does not describe the entries. */
  neighborhoods: s.nullish(s.array(s.unknown)),
  price: s.nullish(s.named<ZonePrice>(zonePrice)),
  /** The prices by weight; only in Brazil. */
  pricing: s.nullish(s.named<ZonePricing>(zonePricing)),
  /** The zone's own cut-offs; `null` if it has those of the ranges. */
  cutoff: s.nullish(s.named<ZoneCutoff>(zoneCutoff)),
});
/** A part of a coverage area. */
export interface FlexZone extends Output<typeof flexSchemas.flexZone> {}

export const flexConfiguration = s.looseObject({
  address: s.nullish(s.named<FlexAddress>(flexAddress)),
  subscription: s.nullish(s.named<ConfiguredSubscription>(configuredSubscription)),
  availables: s.nullish(s.named<FlexAvailables>(flexAvailables)),
  delivery_window: s.nullish(s.openEnum('same_day')),
  is_moderated: s.nullish(s.boolean),
  delivery_ranges: s.nullish<DeliveryRanges>(deliveryRanges),
  /** The kinds of days on which the seller delivers, e.g. `week`. */
  working_days: nullishArray(s.openEnum('week', 'saturday', 'sunday')),
  zones: nullishArray(s.named<FlexZone>(flexZone)),
  disabled_features: nullishArray(s.openEnum('CUTOFF_BY_ZONE', 'CAPACITY_BY_DAY')),
});
/** How a seller delivers with Flex. */
export interface FlexConfiguration extends Output<typeof flexSchemas.flexConfiguration> {}

export const driverAssignment = s.looseObject({ driver_id: s.integer });
/** The driver of a shipment. */
export interface DriverAssignment extends Output<typeof flexSchemas.driverAssignment> {}

const place = {
  site_id: siteId,
  /** The seller. */
  user_id: id,
};
const subscription = {
  ...place,
  /** The service of the subscription; `subscriptions` returns it. */
  service_id: id,
};

export const flexUserParams = s.strictObject(place);
/** The input of `flex.subscriptions`. */
export type FlexUserParams = Input<typeof flexSchemas.flexUserParams>;

export const flexQueryParams = s.strictObject({
  site_id: siteId,
  /** A GraphQL query on `configuration(user_id: ..., service_id: ...)`. */
  query: s.refine(s.string, documentRule, { description: 'One GraphQL query, no mutation.' }),
});
/** A query of a configuration: a GraphQL document, sent unchanged. */
export type FlexQueryParams = Input<typeof flexSchemas.flexQueryParams>;

export const configurationParams = s.strictObject({
  ...subscription,
  /** The fields of `FlexConfiguration` to request. The default is all of them except `neighborhoods` of the zones. */
  select: s.optional(s.unknown),
});
/** The seller and the service whose configuration to read. */
export type ConfigurationParams = Omit<Input<typeof flexSchemas.configurationParams>, 'select'>;

/** An hour of the day in an input. */
export const hour = (name: string): Schema<number> =>
  s.refine(s.int, (value) => (value < 0 || value > 24 ? `\`${name}\` is an hour, 0 to 24` : undefined), {
    minimum: 0,
    maximum: 24,
  });

const deliveryRangeParams = s.strictObject({
  /** The hour at which the range begins, 0 to 24. */
  from: hour('from'),
  /** The hour at which the range ends, 0 to 24. */
  to: hour('to'),
  /** The maximum number of deliveries, at least 1. */
  capacity: atLeast(1, 'capacity'),
  /** Orders up to this hour are delivered in this range, 0 to 24. */
  cutoff: hour('cutoff'),
});
/** A delivery range to set. */
export type DeliveryRangeParams = Input<typeof flexSchemas.deliveryRangeParams>;

export const setDeliveryParams = s.refine(
  s.strictObject({
    ...subscription,
    /** For example `same_day`, the only value that the specification names. */
    delivery_window: s.optional(
      s.refine(s.openEnum('same_day'), (value) => (value === '' ? '`delivery_window` is empty' : undefined)),
    ),
    /** The ranges of each kind of day. The ranges of a kind that you omit do not change. */
    delivery_ranges: s.optional(
      s.strictObject({
        /** The ranges of Monday to Friday. */
        week: s.optional(s.array(deliveryRangeParams)),
        /** The ranges of Saturday. */
        saturday: s.optional(s.array(deliveryRangeParams)),
        /** The ranges of Sunday. */
        sunday: s.optional(s.array(deliveryRangeParams)),
      }),
    ),
  }),
  ({ delivery_window, delivery_ranges }) =>
    delivery_window === undefined && delivery_ranges === undefined
      ? 'a delivery configuration takes `delivery_window`, `delivery_ranges` or both'
      : undefined,
  { description: '`delivery_window`, `delivery_ranges` or both.' },
);
/** The input of `flex.setDelivery`. */
export type SetDeliveryParams = Input<typeof flexSchemas.setDeliveryParams>;

/** A zone to add. Only its id is sent, so zones that were read can be given as they are. */
const zoneToAdd = s.withFacts(s.looseObject({ id: key }), { write: ({ id }: { id: string }) => ({ id }) });

export const addZonesParams = s.strictObject({
  ...subscription,
  /** The ids of the zones to add, at least one. */
  zones: nonEmptyArray<{ id: string | number }, { id: string | number }>(zoneToAdd, 'zones', 'zone'),
});
/** The input of `flex.addZones`. */
export type AddZonesParams = Input<typeof flexSchemas.addZonesParams>;

export const driverParams = s.strictObject({
  site_id: siteId,
  /** The shipment. */
  shipment_id: id,
});
/** The input of `flex.driver`. */
export type DriverParams = Input<typeof flexSchemas.driverParams>;

/** The areas where Flex delivers, by site. The seller's address must be in one of them. */
export const flexCoverageAreas = {
  MLA: { country: 'Argentina', areas: ['Buenos Aires metropolitan area', 'Córdoba'] },
  MLB: {
    country: 'Brazil',
    areas: ['São Paulo', 'Rio de Janeiro', 'Brasília', 'Belo Horizonte', 'Porto Alegre', 'Salvador', 'Curitiba'],
  },
  MLM: { country: 'Mexico', areas: ['Mexico City valley metropolitan area', 'Mérida'] },
  MLC: { country: 'Chile', areas: ['Santiago metropolitan area', 'Valparaíso'] },
  MCO: { country: 'Colombia', areas: ['Bogotá', 'Medellín', 'Cali'] },
  MLU: { country: 'Uruguay', areas: ['Montevideo', 'Canelones'] },
  MPE: { country: 'Peru', areas: ['Lima metropolitan area'] },
  MEC: { country: 'Ecuador', areas: ['Quito'] },
} as const satisfies Record<string, { readonly country: string; readonly areas: readonly string[] }>;

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const flexSchemas = {
  configurationType,
  flexSubscription,
  flexAddress,
  trainingSpan,
  trainingTimes,
  configuredSubscription,
  flexAvailables,
  deliveryRange,
  zonePrice,
  weightPrice,
  zonePricing,
  zoneCutoff,
  flexZone,
  flexConfiguration,
  driverAssignment,
  flexUserParams,
  flexQueryParams,
  configurationParams,
  deliveryRangeParams,
  setDeliveryParams,
  addZonesParams,
  driverParams,
};

/** Their inputs: an editor shows `FlexInputs['setDeliveryParams']`, not all that the schema says. */
export type FlexInputs = {
  readonly [Name in keyof typeof flexSchemas]: Input<(typeof flexSchemas)[Name]>;
};
