import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { atLeast, bareList, id, key, keyOf, nonEmptyArray, nullishArray, siteId } from '../fields.js';
import { flexAddress, hour, zoneCutoff, zonePrice, zonePricing } from '../flex/schemas.js';
import type { FlexAddress, ZoneCutoff, ZonePrice, ZonePricing } from '../flex/schemas.js';

const span = s.looseObject({ min: s.nullish(s.integer), max: s.nullish(s.integer) });
const hours = s.looseObject({ from: s.nullish(s.integer), to: s.nullish(s.integer) });
const capabilities = s.looseObject({
  /** Whether zones can have cut-offs of their own. */
  cutoff_by_zone: s.nullish(s.boolean),
});

export const flexCapabilities = s.looseObject({
  /** What is set. */
  set: s.nullish(
    s.looseObject({
      /** `type` decides which operations work: `zone` those of zones, `radius` those of the radius. */
      coverage: s.nullish(
        s.looseObject({ type: s.nullish(s.openEnum('zone', 'radius')), capabilities: s.nullish(capabilities) }),
      ),
      /** `dinamic` is the spelling of the service. */
      delivery_ranges: s.nullish(s.openEnum('dinamic', 'dynamic', 'fixed', 'disabled')),
      holidays: s.nullish(s.boolean),
      transit_times: s.nullish(s.boolean),
    }),
  ),
  /** What the seller can choose from. */
  available: s.nullish(
    s.looseObject({
      coverage: s.nullish(
        s.looseObject({ type: nullishArray(s.openEnum('zone', 'radius')), capabilities: s.nullish(capabilities) }),
      ),
    }),
  ),
  /** The hours of the ranges that a Turbo subscription can have, if the service sends them. */
  accurate_ranges: nullishArray(hours),
});
/** How a subscription covers and delivers, and what else it could. */
export interface FlexCapabilities extends Output<typeof flexV2Schemas.flexCapabilities> {}

export const flexSubscriptionV2 = s.looseObject({
  site_id: s.nullish(s.string),
  user_id: s.nullish(s.integer),
  /** The service id that the other operations need. */
  service_id: s.integer,
  mode: s.nullish(s.openEnum('FLEX', 'TURBO')),
  /** Where deliveries start. */
  origin: s.nullish<FlexAddress>(flexAddress),
  /** Only `in` is active. */
  status: s.nullish(s.openEnum('creating', 'pending', 'activating', 'in', 'out')),
  configuration: s.nullish(s.named<FlexCapabilities>(flexCapabilities)),
});
/** A seller's subscription to Flex or Turbo, as the second generation of paths shows it. */
export interface FlexSubscriptionV2 extends Output<typeof flexV2Schemas.flexSubscriptionV2> {}

/** The subscriptions of a seller. */
export const flexSubscriptionsV2 = s.preprocess<FlexSubscriptionV2[]>(
  s.array(flexSubscriptionV2),
  bareList('service_id', 'subscriptions'),
);

/** A success without a body shows nothing. */
function orNothing<Out>(of: Schema<Out>): Schema<Out> {
  return s.preprocess<Out>(of, (value) => value ?? {});
}

const shownZone = s.looseObject({
  id: keyOf,
  /** The hours until which the zone takes orders; absent where no zone has its own. */
  cutoff: s.nullish<ZoneCutoff>(zoneCutoff),
});
const limits = s.looseObject({ minimum: s.nullish(s.integer), maximum: s.nullish(s.integer) });

const availableZone = s.looseObject({
  id: keyOf,
  label: s.nullish(s.string),
  neighborhoods: s.nullish(s.array(s.unknown)),
  /** A feature of GeoJSON. */
  polygon: s.nullish(s.record),
  scope: s.nullish(s.openEnum('LocalInterno', 'LocalAdyacente', 'LocalLejano')),
  /** Empty texts in Brazil, which has `pricing`. */
  price: s.nullish<ZonePrice>(zonePrice),
  /** The prices by weight; only in Brazil. */
  pricing: s.nullish<ZonePricing>(zonePricing),
});
/** A zone that the seller can choose. */
export interface AvailableZone extends Output<typeof flexV2Schemas.availableZone> {}

export const flexZones = s.looseObject({
  /** The zones that the seller delivers to: all of them, so another zone is not covered. */
  zones: nullishArray(shownZone, 'whole'),
  /** Only with `show_availables: true`. */
  availables: s.nullish(
    s.looseObject({
      zones: nullishArray(s.named<AvailableZone>(availableZone)),
      cutoffs: s.nullish(
        s.looseObject({
          global: s.nullish(span),
          per_scope: s.nullish(
            s.looseObject({
              LocalInterno: s.nullish(limits),
              LocalAdyacente: s.nullish(limits),
              LocalLejano: s.nullish(limits),
            }),
          ),
        }),
      ),
    }),
  ),
});
/** The zones of a subscription. */
export interface FlexZones extends Output<typeof flexV2Schemas.flexZones> {}
export const flexZonesOrNothing = orNothing<FlexZones>(flexZones);

export const flexRadius = s.looseObject({
  /** In metres. */
  radius: s.nullish(s.number),
  /** Only with `show_availables: true`. */
  availables: s.nullish(s.record),
});
/** How far a Turbo subscription delivers. */
export interface FlexRadius extends Output<typeof flexV2Schemas.flexRadius> {}
export const flexRadiusOrNothing = orNothing<FlexRadius>(flexRadius);

const shownRange = s.looseObject({
  from: s.nullish(s.integer),
  to: s.nullish(s.integer),
  capacity: s.nullish(s.integer),
  /** Orders up to this hour are delivered in this range; absent where zones have their own cut-offs. */
  cutoff: s.nullish(s.integer),
});

export const flexDeliveryRanges = s.looseObject({
  delivery_window: s.nullish(s.openEnum('same_day', 'next_day')),
  delivery_ranges: s.nullish(
    s.looseObject({
      week: nullishArray(shownRange, 'whole'),
      saturday: nullishArray(shownRange, 'whole'),
      sunday: nullishArray(shownRange, 'whole'),
    }),
  ),
  /** Whether the service has reduced the seller's ranges. */
  is_downgraded: s.nullish(s.boolean),
  /** Only with `show_availables: true`. */
  availables: s.nullish(
    s.looseObject({
      capacity: s.nullish(span),
      delivery_ranges: s.nullish(
        s.looseObject({
          type: s.nullish(s.openEnum('dynamic', 'fixed')),
          /** Lists of `{ from, to }`, by a number: how many ranges a day, it seems. */
          ranges: s.nullish(s.record),
          min_hours: s.nullish(s.integer),
          max_hours: s.nullish(s.integer),
          min_range_quantity: s.nullish(s.integer),
          max_range_quantity: s.nullish(s.integer),
          min_hours_quantity_between_ranges: s.nullish(s.integer),
        }),
      ),
      delivery_windows: nullishArray(s.string),
      working_days: nullishArray(s.string),
      cutoffs: s.nullish(s.looseObject({ global: s.nullish(span) })),
    }),
  ),
});
/** When and how much a seller delivers. */
export interface FlexDeliveryRanges extends Output<typeof flexV2Schemas.flexDeliveryRanges> {}
export const flexDeliveryRangesOrNothing = orNothing<FlexDeliveryRanges>(flexDeliveryRanges);

const holiday = s.looseObject({
  /** As `YYYY-MM-DD`. */
  date: s.string,
  description: s.nullish(s.string),
  /** The documents contradict each other: the seller delivers on that day, or does not work. Try it with one day. */
  selected: s.nullish(s.boolean),
});

export const flexHolidays = s.looseObject({
  /** The holidays of the site. */
  holidays: nullishArray(holiday, 'whole'),
});
/** The holidays of a seller's site, and which are selected. */
export interface FlexHolidays extends Output<typeof flexV2Schemas.flexHolidays> {}
export const flexHolidaysOrNothing = orNothing<FlexHolidays>(flexHolidays);

export const itemInFlex = s.looseObject({ has_flex: s.boolean });
/** Whether an item is in Flex. */
export interface ItemInFlex extends Output<typeof flexV2Schemas.itemInFlex> {}

const subscription = {
  site_id: siteId,
  /** The seller. */
  user_id: id,
  /** The service of the subscription; `subscriptions` returns it. */
  service_id: id,
};

export const flexServiceParams = s.strictObject(subscription);
/** The input of `flexV2.holidays`. */
export type FlexServiceParams = Input<typeof flexV2Schemas.flexServiceParams>;

export const flexAvailablesParams = s.strictObject({
  ...subscription,
  /** Whether to return what can be chosen too. With the zones, it is a large response. */
  show_availables: s.optional(s.boolean),
});
/** The input of what reads a part of the configuration. */
export type FlexAvailablesParams = Input<typeof flexV2Schemas.flexAvailablesParams>;

const hourOrNull = (name: string) => s.nullish(hour(name));

const cutoffToSet = s.withFacts(
  s.looseObject({
    /** The hour of Monday to Friday, 0 to 24. */
    week: hourOrNull('week'),
    /** The hour of Saturday, 0 to 24. */
    saturday: hourOrNull('saturday'),
    /** The hour of Sunday, 0 to 24. */
    sunday: hourOrNull('sunday'),
  }),
  { write: (each: object) => only(['week', 'saturday', 'sunday'], each) },
);

/** The hours until which a zone takes orders, 0 to 24 each. */
export interface ZoneCutoffToSet {
  readonly week?: number | null | undefined;
  readonly saturday?: number | null | undefined;
  readonly sunday?: number | null | undefined;
}

/** A zone to cover. Zones that were read can be given as they are: only the id and the cut-off are sent. */
export interface ZoneToSet {
  /** The id of the zone, for example `CABA`. */
  readonly id: string | number;
  /** The hours until which this zone takes orders, 0 to 24 each. */
  readonly cutoff?: ZoneCutoffToSet | null | undefined;
}

/** Without what is `null` or not known. */
function only(names: readonly string[], from: object): Record<string, unknown> {
  const given = from as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined || given[name] === null ? [] : [[name, given[name]]])),
  );
}

const zoneToSet = s.withFacts(
  s.looseObject({
    /** The id of the zone, for example `CABA`. */
    id: key,
    /** The hours until which this zone takes orders, 0 to 24 each. */
    cutoff: s.nullish(
      s.withFacts(cutoffToSet, { write: (each: object) => only(['week', 'saturday', 'sunday'], each) }),
    ),
  }),
  { write: (zone: object) => only(['id', 'cutoff'], zone) },
) as Schema as Schema<ZoneToSet>;

export const setZonesParams = s.strictObject({
  ...subscription,
  /** All zones to cover, at least one: those left out are removed. */
  zones: nonEmptyArray(zoneToSet, 'zones', 'zone'),
});
/** The input of `flexV2.setZones`. */
export type SetZonesParams = Input<typeof flexV2Schemas.setZonesParams>;

export const setRadiusParams = s.strictObject({
  ...subscription,
  /** In metres, at least 1. */
  radius: atLeast(1, 'radius'),
});
/** The input of `flexV2.setRadius`. */
export type SetRadiusParams = Input<typeof flexV2Schemas.setRadiusParams>;

const rangeToSet = s.strictObject({
  /** The hour at which the range begins, 0 to 24. */
  from: hour('from'),
  /** The hour at which the range ends, 0 to 24. */
  to: hour('to'),
  /** The maximum number of deliveries, at least 1. */
  capacity: atLeast(1, 'capacity'),
  /** Orders up to this hour are delivered in this range, 0 to 24. Required for `same_day`, unless zones have their own. */
  cutoff: s.optional(hour('cutoff')),
});

export const setDeliveryRangesParams = s.strictObject({
  ...subscription,
  /** `same_day` or `next_day`. */
  delivery_window: s.refine(s.openEnum('same_day', 'next_day'), (value) =>
    value === '' ? '`delivery_window` is empty' : undefined,
  ),
  /** All ranges of each kind of day: a kind that you omit is switched off. */
  delivery_ranges: s.strictObject({
    /** The ranges of Monday to Friday. */
    week: s.optional(s.array(rangeToSet)),
    /** The ranges of Saturday. */
    saturday: s.optional(s.array(rangeToSet)),
    /** The ranges of Sunday. */
    sunday: s.optional(s.array(rangeToSet)),
  }),
});
/** The input of `flexV2.setDeliveryRanges`. */
export type SetDeliveryRangesParams = Input<typeof flexV2Schemas.setDeliveryRangesParams>;

/** A holiday to set. Holidays that were read can be given as they are. */
export interface HolidayToSet {
  /** As `YYYY-MM-DD`. */
  readonly date: string;
  /** The name of the holiday. */
  readonly description?: string | null | undefined;
  /** Its meaning is not certain: see `FlexHolidays`. */
  readonly selected: boolean;
}

const holidayToSet = s.withFacts(
  s.looseObject({
    /** As `YYYY-MM-DD`. */
    date: s.refine(s.string, (value) => (isDay(value) ? undefined : '`date` is a day such as "2026-12-25"'), {
      pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
    }),
    /** The name of the holiday. */
    description: s.nullish(s.string),
    /** Its meaning is not certain: see `FlexHolidays`. */
    selected: s.boolean,
  }),
  { write: (each: object) => only(['date', 'description', 'selected'], each) },
) as Schema as Schema<HolidayToSet>;

function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined;
  return at !== undefined && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

export const setHolidaysParams = s.strictObject({
  ...subscription,
  /** The holidays that `holidays` returns, with another `selected`, at least one. Send all: it may be the whole list. */
  holidays: nonEmptyArray(holidayToSet, 'holidays', 'holiday'),
});
/** The input of `flexV2.setHolidays`. */
export type SetHolidaysParams = Input<typeof flexV2Schemas.setHolidaysParams>;

export const assignCourierParams = s.strictObject({
  site_id: siteId,
  /** The courier, whose token the call needs. */
  courier_id: id,
  /** The shipment. */
  shipment_id: id,
});
/** The input of `flexV2.assignCourier`. */
export type AssignCourierParams = Input<typeof flexV2Schemas.assignCourierParams>;

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const flexV2Schemas = {
  flexCapabilities,
  flexSubscriptionV2,
  availableZone,
  flexZones,
  flexRadius,
  flexDeliveryRanges,
  flexHolidays,
  itemInFlex,
  flexServiceParams,
  flexAvailablesParams,
  setZonesParams,
  setRadiusParams,
  setDeliveryRangesParams,
  setHolidaysParams,
  assignCourierParams,
};

/** Their inputs: an editor shows `FlexV2Inputs['setZonesParams']`, not all that the schema says. */
export type FlexV2Inputs = {
  readonly [Name in keyof typeof flexV2Schemas]: Input<(typeof flexV2Schemas)[Name]>;
};
