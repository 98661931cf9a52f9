import { defined } from '../../core/defined.js';
import { flexCoverageAreas } from '../../resources/flex/coverage.js';
import type { Account } from './accounts.js';
import type { Item } from './items.js';
import { FakeMarketplaceError } from '../errors.js';
import type { MarketplaceState } from './marketplace-state.js';
import type { Omittable } from './omittable.js';

/** `in`: active. `out`: inactive, settings are locked. `pending`: settings can change, no delivery orders yet. */
export type SubscriptionStatus = 'in' | 'out' | 'pending';

/** The kinds of days, each with its own delivery ranges. */
export const kindsOfDays = ['week', 'saturday', 'sunday'] as const;
/** A kind of day, which has its own delivery ranges. */
export type KindOfDay = (typeof kindsOfDays)[number];

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
}

/** A delivery order of a seller. */
export interface StoredShipment {
  readonly shipment_id: number;
  readonly site_id: string;
  /** The seller. */
  readonly user_id: number;
  readonly driver_id: number | undefined;
}

/** The fields of a new subscription. Only `user_id` is required; the others have default values. */
export type SubscriptionInit = Omittable<Omit<StoredSubscription, 'id' | 'site_id' | 'user_id'>> & {
  readonly user_id: number;
};

/** A coverage zone of a site. */
export interface Zone {
  readonly id: string;
  readonly label: string;
  readonly is_mandatory: boolean;
}

const defaultRanges: readonly StoredRange[] = [{ from: 9, to: 18, capacity: 50, cutoff: 13 }];

/**
 * The Flex subscriptions, items, shipments and drivers. A `StoredSubscription` is a snapshot.
 *
 * @example
 * const { flex } = marketplace;
 * const item = marketplace.addItem({ seller_id: 7 });
 * const { id, service_id } = flex.subscribe({ user_id: 7, status: 'pending' });
 * flex.setStatus(id, 'in');
 * flex.configure(id, { delivery_window: 'same_day' });
 * console.log(flex.getOrThrow(id).status, flex.find('MLA', 7, service_id)?.id, flex.subscriptionsOf(7).length);
 * console.log(flex.get(id)?.mode, flex.covers('MLA'), flex.zonesOf('MLA').length);
 * flex.setEnabled(item, true);
 * flex.takeDown(item);
 * console.log(flex.isEnabled(item), flex.isDown(item));
 * flex.bringUp(item);
 * const shipment_id = flex.ship({ user_id: 7 });
 * flex.assignDriver(shipment_id, 345);
 * console.log(flex.driverOf('MLA', shipment_id), flex.shipmentOf('MLA', shipment_id));
 */
export class FlexStore {
  readonly #state: MarketplaceState;
  #subscriptions = new Map<number, StoredSubscription>();
  #items = new Set<string>();
  #itemsWithoutFlex = new Set<string>();
  #shipments = new Map<number, StoredShipment>();
  #nextSubscription = 1;
  #nextService = 10_001;
  #nextShipment = 40_000_000_001;

  constructor(state: MarketplaceState) {
    this.#state = state;
  }

  /** Whether a site has Flex. */
  covers(site_id: string): boolean {
    return Object.hasOwn(flexCoverageAreas, site_id);
  }

  /** Returns the zones of a site: one per coverage area. The first is mandatory. */
  zonesOf(site_id: string): Zone[] {
    const { areas } = (flexCoverageAreas as Readonly<Record<string, { areas: readonly string[] }>>)[site_id] ?? {
      areas: [],
    };
    return areas.map((label, index) => ({ id: `${site_id}-${index + 1}`, label, is_mandatory: index === 0 }));
  }

  /** Adds a subscription, by default an active one to Flex. Turbo needs an active Flex subscription. */
  subscribe(init: SubscriptionInit): StoredSubscription {
    const { user_id, mode = 'FLEX' } = init;
    const { site_id } = this.#state.accounts.getOrThrow(user_id);
    if (!this.covers(site_id)) throw new FakeMarketplaceError(`${site_id} has no Flex; give the user another site_id`);
    if (this.subscriptionsOf(user_id).some((each) => each.mode === mode))
      throw new FakeMarketplaceError(`user ${user_id} already has a subscription to ${mode}`);
    const subscription: StoredSubscription = {
      service_id: this.#freeServiceId(),
      status: 'in',
      createdAt: this.#state.clock.ms,
      delivery_window: 'same_day',
      delivery_ranges: { week: defaultRanges },
      zones: this.zonesOf(site_id).flatMap(({ id, is_mandatory }) => (is_mandatory ? [id] : [])),
      ...defined(init),
      id: this.#nextSubscription++,
      mode,
      site_id,
    };
    this.#assertFlexForTurbo(subscription);
    this.#subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  /** Changes the status of a subscription. Turbo is deactivated together with Flex. */
  setStatus(id: number, status: SubscriptionStatus): StoredSubscription {
    const changed = { ...this.getOrThrow(id), status };
    this.#assertFlexForTurbo(changed);
    this.#subscriptions.set(id, changed);
    const turbo = this.subscriptionsOf(changed.user_id).find(({ mode }) => mode === 'TURBO');
    if (changed.mode === 'FLEX' && status !== 'in' && turbo?.status === 'in') this.setStatus(turbo.id, 'out');
    return changed;
  }

  /** Returns a subscription, or `undefined` if there is none. */
  get(id: number): StoredSubscription | undefined {
    return this.#subscriptions.get(id);
  }

  /** Returns a subscription. @throws {FakeMarketplaceError} when there is none */
  getOrThrow(id: number): StoredSubscription {
    const subscription = this.#subscriptions.get(id);
    if (!subscription)
      throw new FakeMarketplaceError(`there is no subscription ${id}; add one with flex.subscribe({ user_id })`);
    return subscription;
  }

  /** All subscriptions, the oldest first. */
  get all(): readonly StoredSubscription[] {
    return [...this.#subscriptions.values()];
  }

  /** Returns the subscriptions of a user. */
  subscriptionsOf(user_id: number): StoredSubscription[] {
    return [...this.#subscriptions.values()].filter((each) => each.user_id === user_id);
  }

  /** Finds the subscription of a user to a service on a site. */
  find(site_id: string, user_id: number, service_id: number): StoredSubscription | undefined {
    return this.subscriptionsOf(user_id).find((each) => each.site_id === site_id && each.service_id === service_id);
  }

  /** Changes the settings of a subscription, whatever its status. */
  configure(
    id: number,
    change: Omittable<Pick<StoredSubscription, 'delivery_window' | 'delivery_ranges' | 'zones'>>,
  ): StoredSubscription {
    const changed = { ...this.getOrThrow(id), ...defined(change) };
    this.#subscriptions.set(id, changed);
    return changed;
  }

  /** Whether an item is in Flex. */
  isEnabled({ item_id }: Pick<Item, 'item_id'>): boolean {
    return this.#items.has(item_id);
  }

  /** Enables or disables Flex on an item, whatever its status. */
  setEnabled({ item_id }: Pick<Item, 'item_id'>, isEnabled: boolean): void {
    this.#state.items.getOrThrow(item_id);
    if (isEnabled) this.#items.add(item_id);
    else this.#items.delete(item_id);
  }

  /** Marks an item as "down": it does not offer Flex. */
  takeDown({ item_id }: Pick<Item, 'item_id'>): void {
    this.#itemsWithoutFlex.add(this.#state.items.getOrThrow(item_id).item_id);
  }

  /** Makes a "down" item offer Flex again. */
  bringUp({ item_id }: Pick<Item, 'item_id'>): void {
    this.#itemsWithoutFlex.delete(item_id);
  }

  /** Whether an item does not offer Flex. */
  isDown({ item_id }: Pick<Item, 'item_id'>): boolean {
    return this.#itemsWithoutFlex.has(item_id);
  }

  /** Creates a delivery order of an active subscription. @returns the shipment's id */
  ship(
    { user_id }: Pick<Account, 'user_id'>,
    { mode = 'FLEX' }: { readonly mode?: 'FLEX' | 'TURBO' | undefined } = {},
  ): number {
    const active = this.subscriptionsOf(user_id).find((each) => each.mode === mode && each.status === 'in');
    if (!active)
      throw new FakeMarketplaceError(`user ${user_id} has no active subscription to ${mode} and receives no orders`);
    const shipment_id = this.#nextShipment++;
    this.#shipments.set(shipment_id, { shipment_id, site_id: active.site_id, user_id, driver_id: undefined });
    return shipment_id;
  }

  /** Assigns a driver to a shipment; `undefined` removes the driver. */
  assignDriver(shipment_id: number, driver_id: number | undefined): void {
    const shipment = this.#shipments.get(shipment_id);
    if (!shipment)
      throw new FakeMarketplaceError(`there is no shipment ${shipment_id}; make one with flex.ship({ user_id })`);
    this.#shipments.set(shipment_id, { ...shipment, driver_id });
  }

  /** All shipments, the oldest first. */
  get shipments(): readonly StoredShipment[] {
    return [...this.#shipments.values()];
  }

  /** Finds a shipment of a site. */
  shipmentOf(site_id: string, shipment_id: number): StoredShipment | undefined {
    const shipment = this.#shipments.get(shipment_id);
    return shipment?.site_id === site_id ? shipment : undefined;
  }

  /** Returns the driver of a shipment of a site. */
  driverOf(site_id: string, shipment_id: number): number | undefined {
    return this.shipmentOf(site_id, shipment_id)?.driver_id;
  }

  #freeServiceId(): number {
    while (this.all.some(({ service_id }) => service_id === this.#nextService)) this.#nextService += 1;
    return this.#nextService++;
  }

  #assertFlexForTurbo({ mode, status, user_id }: StoredSubscription): void {
    if (mode === 'FLEX' || status !== 'in') return;
    const flex = this.subscriptionsOf(user_id).find((each) => each.mode === 'FLEX');
    if (flex?.status !== 'in')
      throw new FakeMarketplaceError(`Turbo needs an active Flex subscription; user ${user_id} has none`);
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const subscriptions = new Map(this.#subscriptions);
    const items = new Set(this.#items);
    const itemsWithoutFlex = new Set(this.#itemsWithoutFlex);
    const shipments = new Map(this.#shipments);
    const numbers = [this.#nextSubscription, this.#nextService, this.#nextShipment] as const;
    return () => {
      this.#subscriptions = subscriptions;
      this.#items = items;
      this.#itemsWithoutFlex = itemsWithoutFlex;
      this.#shipments = shipments;
      [this.#nextSubscription, this.#nextService, this.#nextShipment] = numbers;
    };
  }
}
