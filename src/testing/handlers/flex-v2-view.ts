import { turboHours } from '../state/flex.js';
import type { Zone } from '../state/flex.js';
import { kindsOfDays } from '../state/flex-subscription.js';
import type { StoredRange, StoredSubscription } from '../state/flex-subscription.js';
import { hasOwnCutoffs, toAddressView, toPrices } from './flex-view.js';

/** The radius of Turbo, in metres. */
export const radiusLimits = { min: 1000, max: 8000 };

const capacityLimits = { FLEX: { min: 1, max: 500 }, TURBO: { min: 1, max: 50 } };
const cutoffs = { global: { min: 12, max: 18 } };

/** What a subscription covers with. */
export function coverageOf({ mode }: StoredSubscription): 'zone' | 'radius' {
  return mode === 'FLEX' ? 'zone' : 'radius';
}

/** Serializes a subscription. */
export function toSubscription(subscription: StoredSubscription, zones: readonly Zone[]): object {
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
export function toZones(subscription: StoredSubscription, zones: readonly Zone[], isWide: boolean): object {
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
export function toRadius({ radius }: StoredSubscription, isWide: boolean): object {
  return { radius, ...(isWide && { availables: { radius: radiusLimits } }) };
}

/** Serializes the delivery window and ranges. Where zones have their own cut-offs, ranges show none. */
export function toDeliveryRanges(subscription: StoredSubscription, isWide: boolean): object {
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
