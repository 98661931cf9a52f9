import { flexCoverageAreas } from '../../resources/flex/coverage.js';
import type { Account } from './accounts.js';
import type { Item } from './items.js';
import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceState } from './marketplace-state.js';

/** `in`: active. `out`: inactive, no changes. `pending`: changes, but no delivery orders yet. */
export type SubscriptionStatus = 'in' | 'out' | 'pending';

/** The kinds of days that have delivery ranges of their own. */
export const kindsOfDays = ['week', 'saturday', 'sunday'] as const;
export type KindOfDay = (typeof kindsOfDays)[number];

/** Hours between which a seller delivers. */
export interface StoredRange {
  readonly from: number;
  readonly to: number;
  readonly capacity: number;
  readonly cutoff: number;
}

/** A subscription with the settings that belong to it. */
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
}

/** What may be said of a new subscription; the user must be, the rest is made up. */
export type SubscriptionInit = Partial<Omit<StoredSubscription, 'id' | 'site_id'>> & { readonly user_id: number };

/** A part of a site's coverage, with what delivering there pays. */
export interface Zone {
  readonly id: string;
  readonly label: string;
  readonly is_mandatory: boolean;
}

const aDay: readonly StoredRange[] = [{ from: 9, to: 18, capacity: 50, cutoff: 13 }];

/** Who delivers with Flex on the marketplace, how, and what. A `StoredSubscription` is a snapshot. */
export class FlexStore {
  readonly #world: MarketplaceState;
  readonly #subscriptions = new Map<number, StoredSubscription>();
  readonly #items = new Set<string>();
  readonly #itemsWithoutFlex = new Set<string>();
  readonly #drivers = new Map<number, { readonly site_id: string; readonly driver_id: number | undefined }>();
  #nextSubscription = 1;
  #nextService = 10_001;
  #nextShipment = 40_000_000_001;

  constructor(world: MarketplaceState) {
    this.#world = world;
  }

  /** Whether a country has Flex. */
  covers(site_id: string): boolean {
    return Object.hasOwn(flexCoverageAreas, site_id);
  }

  /** The zones of a site: its coverage areas, the first of which is mandatory. */
  zonesOf(site_id: string): Zone[] {
    const { areas } = (flexCoverageAreas as Readonly<Record<string, { areas: readonly string[] }>>)[site_id] ?? {
      areas: [],
    };
    return areas.map((label, index) => ({ id: `${site_id}-${index + 1}`, label, is_mandatory: index === 0 }));
  }

  /** Gives a user a subscription, active and to Flex unless said otherwise. Turbo needs an active Flex. */
  subscribe(sketch: SubscriptionInit): StoredSubscription {
    const { user_id, mode = 'FLEX' } = sketch;
    const { site_id } = this.#world.accounts.getOrThrow(user_id);
    if (!this.covers(site_id)) throw new FakeMarketplaceError(`${site_id} has no Flex; give the user another site_id`);
    if (this.subscriptionsOf(user_id).some((each) => each.mode === mode))
      throw new FakeMarketplaceError(`user ${user_id} has a subscription to ${mode} already`);
    const subscription: StoredSubscription = {
      service_id: this.#nextService++,
      status: 'in',
      createdAt: this.#world.clock.ms,
      delivery_window: 'same_day',
      delivery_ranges: { week: aDay },
      zones: this.zonesOf(site_id).flatMap(({ id, is_mandatory }) => (is_mandatory ? [id] : [])),
      ...sketch,
      id: this.#nextSubscription++,
      mode,
      site_id,
    };
    this.#needFlexForTurbo(subscription);
    this.#subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  /** Activates, deactivates or puts off a subscription. Turbo goes out with Flex. */
  setStatus(id: number, status: SubscriptionStatus): StoredSubscription {
    const changed = { ...this.need(id), status };
    this.#needFlexForTurbo(changed);
    this.#subscriptions.set(id, changed);
    const turbo = this.subscriptionsOf(changed.user_id).find(({ mode }) => mode === 'TURBO');
    if (changed.mode === 'FLEX' && status !== 'in' && turbo?.status === 'in') this.setStatus(turbo.id, 'out');
    return changed;
  }

  /** The subscription, which must exist. */
  need(id: number): StoredSubscription {
    const subscription = this.#subscriptions.get(id);
    if (!subscription)
      throw new FakeMarketplaceError(`there is no subscription ${id}; add one with flex.subscribe({ user_id })`);
    return subscription;
  }

  /** All subscriptions, the oldest first. */
  get all(): readonly StoredSubscription[] {
    return [...this.#subscriptions.values()];
  }

  subscriptionsOf(user_id: number): StoredSubscription[] {
    return [...this.#subscriptions.values()].filter((each) => each.user_id === user_id);
  }

  /** The subscription of a user with a service, on a site. */
  find(site_id: string, user_id: number, service_id: number): StoredSubscription | undefined {
    return this.subscriptionsOf(user_id).find((each) => each.site_id === site_id && each.service_id === service_id);
  }

  /** Changes the settings of a subscription, whatever its status. */
  configure(
    id: number,
    change: Partial<Pick<StoredSubscription, 'delivery_window' | 'delivery_ranges' | 'zones'>>,
  ): StoredSubscription {
    const changed = { ...this.need(id), ...change };
    this.#subscriptions.set(id, changed);
    return changed;
  }

  /** Whether an item is in Flex. */
  isEnabled({ item_id }: Pick<Item, 'item_id'>): boolean {
    return this.#items.has(item_id);
  }

  /** Brings an item into Flex or takes it out, whatever its state. */
  setEnabled({ item_id }: Pick<Item, 'item_id'>, isEnabled: boolean): void {
    this.#world.items.getOrThrow(item_id);
    if (isEnabled) this.#items.add(item_id);
    else this.#items.delete(item_id);
  }

  /** Says that an item offers no Flex: it is "down". */
  takeDown({ item_id }: Pick<Item, 'item_id'>): void {
    this.#itemsWithoutFlex.add(this.#world.items.getOrThrow(item_id).item_id);
  }

  isDown({ item_id }: Pick<Item, 'item_id'>): boolean {
    return this.#itemsWithoutFlex.has(item_id);
  }

  /** A delivery order comes in: only an active subscription receives one. Gives the shipment's id. */
  ship({ user_id }: Pick<Account, 'user_id'>, { mode = 'FLEX' }: { readonly mode?: 'FLEX' | 'TURBO' } = {}): number {
    const active = this.subscriptionsOf(user_id).find((each) => each.mode === mode && each.status === 'in');
    if (!active)
      throw new FakeMarketplaceError(`user ${user_id} has no active subscription to ${mode}, so receives no orders`);
    const shipment_id = this.#nextShipment++;
    this.#drivers.set(shipment_id, { site_id: active.site_id, driver_id: undefined });
    return shipment_id;
  }

  /** Puts a shipment on a driver's route; `undefined` takes it off. */
  assignDriver(shipment_id: number, driver_id: number | undefined): void {
    const shipment = this.#drivers.get(shipment_id);
    if (!shipment)
      throw new FakeMarketplaceError(`there is no shipment ${shipment_id}; make one with flex.ship({ user_id })`);
    this.#drivers.set(shipment_id, { ...shipment, driver_id });
  }

  /** Who drives a shipment of a site. */
  driverOf(site_id: string, shipment_id: number): number | undefined {
    const shipment = this.#drivers.get(shipment_id);
    return shipment?.site_id === site_id ? shipment.driver_id : undefined;
  }

  #needFlexForTurbo({ mode, status, user_id }: StoredSubscription): void {
    if (mode === 'FLEX' || status !== 'in') return;
    const flex = this.subscriptionsOf(user_id).find((each) => each.mode === 'FLEX');
    if (flex?.status !== 'in')
      throw new FakeMarketplaceError(`Turbo is active only where Flex is; user ${user_id} has no active Flex`);
  }
}
