import { currencyOf } from './currencies.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Zone } from '../state/flex.js';
import { kindsOfDays } from '../state/flex-subscription.js';
import type { StoredRange, StoredSubscription } from '../state/flex-subscription.js';

/** The hours at which a range, or the time to order for it, can end. */
const hours = Array.from({ length: 25 }, (_, hour) => hour);

/** The minimum and the maximum capacity of a range. */
export const capacityRange = { from: 1, to: 500 };

/** Serializes a subscription. */
export function toSubscriptionView(
  subscription: StoredSubscription,
  zones: readonly Zone[],
  { liveFields }: MarketplaceSettings,
): object {
  const { id, site_id, user_id, mode, service_id, status, createdAt } = subscription;
  const isFlex = mode === 'FLEX';
  return {
    id,
    site_id,
    user_id,
    mode,
    configuration_type: { coverage: isFlex ? 'zone' : 'radius', delivery: isFlex ? 'custom' : 'accurate' },
    service_id,
    status: { id: status },
    creation_date: new Date(createdAt).toISOString(),
    ...(liveFields && { origin: toAddressView(subscription, zones), configuration: toCapabilitiesView(subscription) }),
  };
}

/** The current and the possible configuration of a subscription, which only the live service sends. */
function toCapabilitiesView(subscription: StoredSubscription): object {
  const isFlex = subscription.mode === 'FLEX';
  const type = isFlex ? 'zone' : 'radius';
  return {
    set: {
      coverage: { type, capabilities: { cutoff_by_zone: hasOwnCutoffs(subscription) } },
      delivery_ranges: isFlex ? 'dynamic' : 'fixed',
      holidays: isFlex,
      transit_times: false,
    },
    available: {
      coverage: { type: [type], capabilities: { cutoff_by_zone: isFlex } },
      accurate_ranges: isFlex ? [] : [{ from: 10, to: 12 }],
    },
  };
}

/** Whether zones have cut-offs of their own. */
export function hasOwnCutoffs({ zoneCutoffs }: StoredSubscription): boolean {
  return Object.keys(zoneCutoffs).length > 0;
}

/** Serializes where deliveries start. */
export function toAddressView({ user_id, site_id }: StoredSubscription, [zone]: readonly Zone[]): object {
  return {
    id: `${user_id}00`,
    address_line: 'Calle Falsa 123',
    city: { id: `${site_id}-C1`, name: zone?.label },
    zip_code: '1000',
  };
}

/** Serializes the configuration of a subscription. */
export function toConfigurationView(
  subscription: StoredSubscription,
  zones: readonly Zone[],
  { liveFields }: MarketplaceSettings,
): object {
  const { site_id, user_id, service_id, status, createdAt, delivery_window, delivery_ranges } = subscription;
  return {
    address: toAddressView(subscription, zones),
    subscription: {
      site_id,
      user_id,
      service_id,
      status: { id: status },
      creation_date: new Date(createdAt).toISOString(),
      training_times: liveFields ? toTrainingView(subscription) : null,
    },
    availables: {
      capacity_range: capacityRange,
      cutoff: hours,
      ranges: hours,
    },
    delivery_window,
    is_moderated: false,
    delivery_ranges: Object.fromEntries(
      kindsOfDays.map((kind) => [kind, delivery_ranges[kind]?.map(toRangeView) ?? null]),
    ),
    working_days: kindsOfDays.filter((kind) => (delivery_ranges[kind] ?? []).length > 0),
    zones: zones.map((zone) => toZoneView(zone, subscription)),
    disabled_features: [...(hasOwnCutoffs(subscription) ? [] : ['CUTOFF_BY_ZONE']), 'CAPACITY_BY_DAY'],
  };
}

/** The training before a subscription is active: it lasts two weeks, and is over for an active one. */
function toTrainingView({ status, createdAt }: StoredSubscription): object {
  const weeks = 2;
  return {
    original: { value: weeks, unit: 'week' },
    remaining: { value: status === 'pending' ? weeks : 0, unit: 'week' },
    activation_date: new Date(createdAt).toISOString(),
  };
}

function toRangeView({ from, to, capacity, cutoff }: StoredRange): object {
  return { from, to, capacity, type: 'cpt', processing_time: 0, et_hour: to, calculated_cutoff: cutoff };
}

function toZoneView({ id, label, is_mandatory }: Zone, { site_id, zones, zoneCutoffs }: StoredSubscription): object {
  return {
    id,
    label,
    enabled: true,
    is_mandatory,
    selected: zones.includes(id),
    cutoff: zoneCutoffs[id] ?? null,
    neighborhoods: [],
    ...toPrices(site_id),
  };
}

/** Serializes what a delivery to a zone costs. Brazil has prices by weight. */
export function toPrices(site_id: string): { readonly price: object; readonly pricing?: object } {
  const { id: currency_id, symbol } = currencyOf(site_id);
  const price = { cents: '00', fraction: '500', currency_id, decimal_separator: ',', symbol };
  if (site_id !== 'MLB') return { price };
  const prices = [
    { price, weight: { from_kg: null, to_kg: 5 } },
    { price, weight: { from_kg: 5, to_kg: null } },
  ];
  const none = { cents: '', fraction: '', currency_id: '', decimal_separator: '', symbol: '' };
  return { price: none, pricing: { mode: 'weight', prices } };
}
