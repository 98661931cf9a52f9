import { isObject } from '../../core/json/json.js';
import type { endpoints } from '../../endpoints.js';
import { configurationNotFound, extendedRangeActive, shipmentTaken } from '../../resources/flex-v2/errors.js';
import { driverNotFound } from '../../resources/flex/errors.js';
import { badRequest, bearerOrThrow, errorResponse, forbidden, noContent, notFound } from '../http/handler.js';
import type { Call, EndpointHandlers } from '../http/handler.js';
import { isInteger, pathId, pathText, readJsonObject } from '../http/read-request.js';
import { kindOfDay, kindsOfDays, turboHours } from '../state/flex.js';
import type { KindOfDay, StoredRange, StoredFlexSubscription, Zone } from '../state/flex.js';
import type { Stores } from '../state/stores.js';
import { hasOwnCutoffs, invalidBody, readSettings, readZones, toAddressView, toPrices } from './flex-view.js';
import type { SentRange } from './flex-view.js';
import { flexItemHandlers } from './flex.js';

/** The order hour of a seller who has never set one. */
const defaultCutoff = 13;

/** Handles the second generation of Flex, over the state of the first. */
export function flexV2Handlers(stores: Stores): EndpointHandlers<typeof endpoints.flexV2> {
  const { settings, flex: store } = stores;
  return {
    subscriptions: (call) => {
      const user_id = callerOrThrow(call, 'user_id');
      const site_id = pathText(call, 'site_id');
      const found = store.subscriptionsOf(user_id).filter((each) => each.site_id === site_id);
      if (found.length > 0 || settings.flexWithoutSubscription === 'empty')
        return found.map((each) => toSubscription(each, store.zonesOf(site_id)));
      throw settings.flexWithoutSubscription === 'forbidden' ? forbidden('forbidden') : notFound('not found');
    },

    zones: (call) => toZones(of(call, 'zone'), store.zonesOf(pathText(call, 'site_id')), isWide(call)),
    setZones: async (call) => {
      const { id, zoneCutoffs, site_id } = changeable(of(call, 'zone'));
      const sent = await readZones(call);
      const known = store.zonesOf(site_id).map((zone) => zone.id);
      const unknown = sent.find((zone) => !known.includes(zone.id));
      if (unknown) throw badRequest(`zone ${unknown.id} does not exist`);
      const hasCutoffs = sent.some(({ cutoff }) => cutoff);
      // Different cut-offs switch those of zones on, and equal ones off.
      const different = new Set(sent.map(({ cutoff }) => kindsOfDays.map((kind) => cutoff?.[kind]).join()));
      const cutoffs = hasCutoffs && different.size > 1 ? sent : [];
      const zones = [...new Set(sent.map((zone) => zone.id))];
      const kept = Object.entries(zoneCutoffs).filter(([zone]) => zones.includes(zone));
      const set = cutoffs.flatMap((zone) => (zone.cutoff ? [[zone.id, zone.cutoff] as const] : []));
      store.configure(id, { zones, zoneCutoffs: Object.fromEntries(hasCutoffs ? set : kept) });
      return noContent;
    },

    radius: (call) => toRadius(of(call, 'radius'), isWide(call)),
    setRadius: async (call) => {
      const { id } = changeable(of(call, 'radius'));
      const { radius } = await readJsonObject(call);
      const { min, max } = radiusLimits;
      if (!isInteger(radius) || radius < min || radius > max)
        throw invalidBody(`radius must be an integer from ${min} to ${max}`);
      return toRadius(store.configure(id, { radius }), false);
    },

    deliveryRanges: (call) => toDeliveryRanges(of(call), isWide(call)),
    setDeliveryRanges: async (call) => {
      const subscription = changeable(of(call));
      const { delivery_window, delivery_ranges } = await readSettings(call);
      if (delivery_window === undefined || delivery_ranges === undefined)
        throw invalidBody('delivery_window and delivery_ranges are required');
      if (subscription.extendedRange) throw errorResponse(extendedRangeActive);
      const stored = (range: SentRange): StoredRange => ({
        ...range,
        cutoff: cutoffOf(range, delivery_window, subscription),
      });
      const days = Object.entries(delivery_ranges) as [KindOfDay, SentRange[]][];
      if (subscription.mode === 'TURBO') assertTurbo(delivery_window, days);
      const ranges = Object.fromEntries(days.map(([day, list]) => [day, list.map(stored)]));
      store.configure(subscription.id, { delivery_window, delivery_ranges: ranges });
      return noContent;
    },

    holidays: (call) => {
      const { site_id, holidays } = of(call);
      const all = store.holidaysOf(site_id);
      return { holidays: all.map((each) => ({ ...each, selected: holidays.includes(each.date) })) };
    },
    setHolidays: async (call) => {
      const subscription = changeable(of(call));
      const { holidays: sent } = await readJsonObject(call);
      if (!Array.isArray(sent)) throw invalidBody('holidays must be a list');
      const days = sent.map((each: unknown, index) => readHoliday(each, index, subscription));
      const kept = settings.flexHolidayList === 'whole' ? [] : subscription.holidays;
      const others = kept.filter((date) => days.every((day) => day.date !== date));
      const selected = days.flatMap((day) => (day.selected ? [day.date] : []));
      store.configure(subscription.id, { holidays: [...others, ...selected] });
      return noContent;
    },

    driver: (call) => {
      const { user_id } = bearerOrThrow(call);
      const shipment = store.shipmentOf(pathText(call, 'site_id'), pathId(call, 'shipment_id'));
      if (shipment?.driver_id === undefined) throw errorResponse(driverNotFound);
      const isKnown = shipment.user_id === user_id || shipment.driver_id === user_id;
      if (!isKnown) throw forbidden('The shipment belongs to another seller');
      return { driver_id: shipment.driver_id };
    },

    assignCourier: async (call) => {
      const courier_id = callerOrThrow(call, 'courier_id');
      const { shipment_id } = await readJsonObject(call);
      if (!isInteger(shipment_id)) throw badRequest('shipment_id must be an integer');
      const shipment = store.shipmentOf(pathText(call, 'site_id'), shipment_id);
      if (!shipment) throw notFound(`Shipment ${shipment_id} does not exist`);
      if (shipment.driver_id !== undefined) throw errorResponse(shipmentTaken);
      store.assignDriver(shipment_id, courier_id);
      return noContent;
    },

    items: flexItemHandlers(stores).v2,
  };

  /** Returns the user in the path, who is the caller. @throws {ErrorResponse} 403 */
  function callerOrThrow(call: Call, field: string): number {
    const user_id = pathId(call, field);
    if (bearerOrThrow(call).user_id !== user_id) throw forbidden('The token is of another user');
    return user_id;
  }

  /** Returns the subscription in the path. @throws {ErrorResponse} 403, 404, or 400 when it covers in another way */
  function of(call: Call, coverage?: 'zone' | 'radius'): StoredFlexSubscription {
    const user_id = callerOrThrow(call, 'user_id');
    const found = store.find(pathText(call, 'site_id'), user_id, pathId(call, 'service_id'));
    if (!found) throw errorResponse(configurationNotFound);
    const covers = coverageOf(found);
    if (coverage && coverage !== covers) throw badRequest(`the coverage of this subscription is of type ${covers}`);
    return found;
  }

  function readHoliday(value: unknown, index: number, { site_id, delivery_ranges }: StoredFlexSubscription) {
    const { date, selected } = isObject(value) ? value : {};
    const known = store.holidaysOf(site_id).some((each) => each.date === date);
    if (typeof date !== 'string' || !known) throw invalidBody(`holidays.${index}.date must be a holiday of the site`);
    if (typeof selected !== 'boolean') throw invalidBody(`holidays.${index}.selected must be a boolean`);
    if (selected && (delivery_ranges[kindOfDay(date)] ?? []).length === 0)
      throw badRequest(`holidays.${index}.date is no working day of the seller`);
    return { date, selected };
  }
}

/** A subscription that is out keeps its settings. @throws {ErrorResponse} 403 */
function changeable(subscription: StoredFlexSubscription): StoredFlexSubscription {
  if (subscription.status === 'out') throw forbidden('The subscription is not active');
  return subscription;
}

/** Whether a call asks for what can be chosen. */
function isWide({ query }: Call): boolean {
  return query.get('show_availables') === 'true';
}

/** Turbo delivers on weekdays, on the same day, in ranges of the service. @throws {ErrorResponse} 400 */
function assertTurbo(delivery_window: string, days: readonly [KindOfDay, readonly SentRange[]][]): void {
  const isOffered = ({ from, to }: SentRange): boolean =>
    turboHours.some((each) => each.from === from && each.to === to);
  const isAllowed = days.every(([day, ranges]) => (day === 'week' ? ranges.every(isOffered) : ranges.length === 0));
  if (delivery_window !== 'same_day' || !isAllowed)
    throw badRequest('Turbo takes same_day and the ranges of availables, on weekdays');
}

/** The cut-off that a range gets. @throws {ErrorResponse} 400 when it must be given, or must not */
function cutoffOf(range: SentRange, delivery_window: string, subscription: StoredFlexSubscription): number {
  const { mode, delivery_ranges, zoneCutoffs } = subscription;
  const before = kindsOfDays.flatMap((day) => delivery_ranges[day] ?? [])[0]?.cutoff ?? defaultCutoff;
  if (mode === 'TURBO') return range.from - 1;
  const haveZonesTheirOwn = Object.keys(zoneCutoffs).length > 0;
  if (haveZonesTheirOwn && range.cutoff !== undefined)
    throw badRequest('cutoff must not be sent: the zones have their own');
  if (delivery_window !== 'same_day' || haveZonesTheirOwn) return before;
  if (range.cutoff === undefined) throw badRequest('cutoff is required for same_day');
  return range.cutoff;
}

/** The radius of Turbo, in metres. */
const radiusLimits = { min: 1000, max: 8000 };

const capacityLimits = { FLEX: { min: 1, max: 500 }, TURBO: { min: 1, max: 50 } };
const cutoffs = { global: { min: 12, max: 18 } };

/** What a subscription covers with. */
function coverageOf({ mode }: StoredFlexSubscription): 'zone' | 'radius' {
  return mode === 'FLEX' ? 'zone' : 'radius';
}

/** Serializes a subscription. */
function toSubscription(subscription: StoredFlexSubscription, zones: readonly Zone[]): object {
  const { site_id, user_id, service_id, mode, status } = subscription;
  const type = coverageOf(subscription);
  const isFlex = mode === 'FLEX';
  return {
    ...{ site_id, user_id, service_id, mode, origin: toAddressView(subscription, zones), status },
    configuration: {
      set: {
        coverage: { type, capabilities: { cutoff_by_zone: hasOwnCutoffs(subscription) } },
        delivery_ranges: isFlex ? 'dinamic' : 'fixed',
        holidays: isFlex,
        transit_times: false,
      },
      available: { coverage: { type: [type], capabilities: { cutoff_by_zone: isFlex } } },
      ...(!isFlex && { accurate_ranges: turboHours }),
    },
  };
}

/** Serializes the zones that are covered. */
function toZones(subscription: StoredFlexSubscription, zones: readonly Zone[], isWide: boolean): object {
  const { zones: covered, zoneCutoffs, site_id } = subscription;
  const shown = covered.map((id) => ({ id, ...(zoneCutoffs[id] && { cutoff: zoneCutoffs[id] }) }));
  if (!isWide) return { zones: shown };
  const perScope = { minimum: 10, maximum: 15 };
  const availables = {
    zones: zones.map((zone, index) => toAvailableZone(zone, index, site_id)),
    cutoffs: { ...cutoffs, per_scope: { LocalInterno: perScope, LocalAdyacente: perScope, LocalLejano: perScope } },
  };
  return { zones: shown, availables };
}

function toAvailableZone({ id, label, is_mandatory }: Zone, index: number, site_id: string): object {
  const corner = [index, 0];
  const coordinates = [[corner, [index + 1, 0], [index + 1, 1], corner]];
  return {
    ...{ id, label, neighborhoods: [], scope: is_mandatory ? 'LocalInterno' : 'LocalAdyacente' },
    polygon: { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates } },
    ...toPrices(site_id),
  };
}

/** Serializes the radius. */
function toRadius({ radius }: StoredFlexSubscription, isWide: boolean): object {
  return { radius, ...(isWide && { availables: { radius: radiusLimits } }) };
}

/** Serializes the delivery window and ranges. Where zones have their own cut-offs, ranges show none. */
function toDeliveryRanges(subscription: StoredFlexSubscription, isWide: boolean): object {
  const { delivery_window, delivery_ranges, mode } = subscription;
  const isFlex = mode === 'FLEX';
  const toRange = ({ cutoff, ...range }: StoredRange): object =>
    hasOwnCutoffs(subscription) ? range : { ...range, cutoff };
  const ranges = kindsOfDays.map((kind) => [kind, (delivery_ranges[kind] ?? []).map(toRange)] as const);
  const offered = isFlex ? [{ from: 9, to: 21 }] : turboHours;
  const availables = {
    capacity: capacityLimits[mode],
    delivery_ranges: {
      type: isFlex ? 'dynamic' : 'fixed',
      ranges: { [offered.length]: offered },
      ...(isFlex && { min_hours: 1, max_hours: 12, min_range_quantity: 1, min_hours_quantity_between_ranges: 0 }),
      max_range_quantity: offered.length,
    },
    delivery_windows: isFlex ? ['same_day', 'next_day'] : ['same_day'],
    working_days: isFlex ? kindsOfDays : ['week'],
    cutoffs,
  };
  return {
    ...{ delivery_window, delivery_ranges: Object.fromEntries(ranges), is_downgraded: false },
    ...(isWide && { availables }),
  };
}
