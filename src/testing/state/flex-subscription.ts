import type { Omittable } from './omittable.js';

/** `in`: active. `out`: inactive, settings are locked. `pending`: settings can change, no delivery orders yet. */
export type SubscriptionStatus = 'in' | 'out' | 'pending';

/** The kinds of days, each with its own delivery ranges. */
export const kindsOfDays = ['week', 'saturday', 'sunday'] as const;
/** A kind of day, which has its own delivery ranges. */
export type KindOfDay = (typeof kindsOfDays)[number];

/** The kind of a day, as `YYYY-MM-DD`. */
export function kindOfDay(date: string): KindOfDay {
  const day = new Date(`${date}T00:00:00Z`).getUTCDay();
  return day === 0 ? 'sunday' : day === 6 ? 'saturday' : 'week';
}

/** The hours until which a zone takes orders, by kind of day, where they differ from those of the ranges. */
export type ZoneCutoff = Readonly<Partial<Record<KindOfDay, number>>>;

/** A range of hours in which a seller delivers. */
export interface StoredRange {
  readonly from: number;
  readonly to: number;
  readonly capacity: number;
  readonly cutoff: number;
}

/** A subscription and its settings. */
export interface StoredSubscription {
  readonly id: number;
  readonly user_id: number;
  readonly site_id: string;
  readonly service_id: number;
  readonly mode: 'FLEX' | 'TURBO';
  readonly status: SubscriptionStatus;
  readonly createdAt: number;
  readonly delivery_window: string;
  readonly delivery_ranges: Readonly<Partial<Record<KindOfDay, readonly StoredRange[]>>>;
  /** The ids of the zones that the seller delivers to. */
  readonly zones: readonly string[];
  /** The cut-offs of zones that have their own, by the id of the zone. */
  readonly zoneCutoffs: Readonly<Record<string, ZoneCutoff>>;
  /** How far a Turbo subscription delivers, in metres. */
  readonly radius: number;
  /** The days of the holidays that are selected, as `YYYY-MM-DD`. */
  readonly holidays: readonly string[];
  /** Whether an extended delivery range is active: meanwhile, the delivery cannot be changed. */
  readonly extendedRange: boolean;
}

/** The fields of a new subscription. Only `user_id` is required; the others have default values. */
export type SubscriptionInit = Omittable<Omit<StoredSubscription, 'id' | 'site_id' | 'user_id'>> & {
  readonly user_id: number;
};
