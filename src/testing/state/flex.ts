import { defined } from '../../core/json/json.js';
import { flexCoverageAreas } from '../../resources/flex/schemas.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import type { Account } from './accounts.js';
import { EntityStore, type Omittable } from './entity-store.js';
import { itemIdOf, type Item } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';

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
export type StoredCutoff = StoredFlexSubscription['zoneCutoffs'][string];

/** A range of hours in which a seller delivers. */
export type StoredRange = NonNullable<StoredFlexSubscription['delivery_ranges']['week']>[number];

/** A subscription and its settings. */
export interface StoredFlexSubscription {
  readonly id: number;
  readonly user_id: number;
  readonly site_id: string;
  readonly service_id: number;
  readonly mode: 'FLEX' | 'TURBO';
  /** `in`: active. `out`: inactive, settings are locked. `pending`: settings can change, no delivery orders yet. */
  readonly status: 'in' | 'out' | 'pending';
  readonly createdAt: number;
  readonly delivery_window: string;
  readonly delivery_ranges: Readonly<
    Partial<
      Record<
        'week' | 'saturday' | 'sunday',
        readonly {
          readonly from: number;
          readonly to: number;
          readonly capacity: number;
          readonly cutoff: number;
        }[]
      >
    >
  >;
  /** The ids of the zones that the seller delivers to. */
  readonly zones: readonly string[];
  /** The cut-offs of zones that have their own, by the id of the zone. */
  readonly zoneCutoffs: Readonly<Record<string, Readonly<Partial<Record<'week' | 'saturday' | 'sunday', number>>>>>;
  /** How far a Turbo subscription delivers, in metres. */
  readonly radius: number;
  /** The days of the holidays that are selected, as `YYYY-MM-DD`. */
  readonly holidays: readonly string[];
  /** Whether an extended delivery range is active: meanwhile, the delivery cannot be changed. */
  readonly extendedRange: boolean;
}

/** The fields of a new subscription. Only `user_id` is required; the others have default values. */
export type FlexSubscriptionInit = Omittable<Omit<StoredFlexSubscription, 'id' | 'site_id' | 'user_id'>> & {
  readonly user_id: number;
};

/** A delivery order of a seller. */
export type StoredShipment = FlexStore['shipments'][number];

/** A coverage zone of a site. */
export interface Zone {
  readonly id: string;
  readonly label: string;
  readonly is_mandatory: boolean;
}

/** The hours between which Turbo delivers. Its cut-off is the hour before. */
export const turboHours: readonly Pick<StoredRange, 'from' | 'to'>[] = [10, 13, 16, 19].map((from) => {
  return { from, to: from + 3 };
});

const defaultRanges: Readonly<Record<StoredFlexSubscription['mode'], readonly StoredRange[]>> = {
  FLEX: [{ from: 9, to: 18, capacity: 50, cutoff: 13 }],
  TURBO: [{ from: 10, to: 13, capacity: 50, cutoff: 9 }],
};

/**
 * The Flex subscriptions, items, shipments and drivers. A `StoredFlexSubscription` is a snapshot.
 *
 * @example
 * const { flex } = marketplace;
 * const item = marketplace.addItem({ seller_id: 7 });
 * const { id, service_id } = flex.subscribe({ user_id: 7, status: 'pending' });
 * flex.setStatus(id, 'in');
 * flex.configure(id, { delivery_window: 'same_day', extendedRange: true });
 * console.log(flex.getOrThrow(id).status, flex.find('MLA', 7, service_id)?.id, flex.subscriptionsOf(7).length);
 * console.log(flex.get(id)?.mode, flex.covers('MLA'), flex.zonesOf('MLA').length);
 * flex.setEnabled(item, true);
 * flex.takeDown(item);
 * console.log(flex.isEnabled(item), flex.isDown(item));
 * flex.bringUp(item);
 * const unlock = flex.lock(item); // changes of the item are answered with 409 meanwhile
 * unlock?.();
 * console.log(flex.holidaysOf('MLA').map(({ date }) => date), flex.deliversOn(id, '2026-12-25'));
 * const shipment_id = flex.ship({ user_id: 7 });
 * flex.assignDriver(shipment_id, 345);
 * console.log(flex.driverOf('MLA', shipment_id), flex.shipmentOf('MLA', shipment_id));
 */
export class FlexStore extends EntityStore<number, StoredFlexSubscription> {
  readonly #state: MarketplaceState;
  /** @internal */
  protected data = {
    entries: new Map<number, StoredFlexSubscription>(),
    items: new Set<string>(),
    itemsWithoutFlex: new Set<string>(),
    lockedItems: new Set<string>(),
    shipments: new Map<number, StoredShipment>(),
    nextSubscription: 1,
    nextService: 10_001,
    nextShipment: 40_000_000_001,
  };

  /** @internal */
  constructor(state: MarketplaceState) {
    super('subscription', () => '; add one with flex.subscribe({ user_id })');
    this.#state = state;
  }

  /** Whether a site has Flex. */
  covers(site_id: string): boolean {
    return Object.hasOwn(flexCoverageAreas, site_id);
  }

  /** Returns the zones of a site: one per coverage area. The first is mandatory. */
  zonesOf(site_id: string): Zone[] {
    const areas = this.covers(site_id) ? flexCoverageAreas[site_id as keyof typeof flexCoverageAreas].areas : [];
    return areas.map((label, index) => ({ id: `${site_id}-${index + 1}`, label, is_mandatory: index === 0 }));
  }

  /** Returns the holidays of a site in this year and the next one. */
  holidaysOf(site_id: string): { readonly date: string; readonly description: string }[] {
    if (!this.covers(site_id)) return [];
    const year = new Date(this.#state.clock.ms).getUTCFullYear();
    const days = Object.entries({ '01-01': 'Año nuevo', '05-01': 'Día del trabajo', '12-25': 'Navidad' });
    return [year, year + 1].flatMap((each) =>
      days.map(([day, description]) => ({ date: `${each}-${day}`, description })),
    );
  }

  /** Whether a seller delivers on a day. What a selected holiday means is the setting `flexHolidaySelected`. */
  deliversOn(id: number, date: string): boolean {
    const { site_id, delivery_ranges, holidays } = this.getOrThrow(id);
    const isWorked = (delivery_ranges[kindOfDay(date)] ?? []).length > 0;
    if (!this.holidaysOf(site_id).some((each) => each.date === date)) return isWorked;
    return isWorked && holidays.includes(date) === (this.#state.settings.flexHolidaySelected === 'delivers');
  }

  /** Adds a subscription, by default an active one to Flex. Turbo needs an active Flex subscription. */
  subscribe(init: FlexSubscriptionInit): StoredFlexSubscription {
    const { user_id, site_id } = this.#state.accounts.of(init);
    const { mode = 'FLEX' } = init;
    if (!this.covers(site_id)) throw new FakeMarketplaceError(`${site_id} has no Flex; give the user another site_id`);
    if (this.subscriptionsOf(user_id).some((each) => each.mode === mode))
      throw new FakeMarketplaceError(`user ${user_id} already has a subscription to ${mode}`);
    const subscription: StoredFlexSubscription = {
      service_id: this.#freeServiceId(),
      status: 'in',
      createdAt: this.#state.clock.ms,
      delivery_window: 'same_day',
      delivery_ranges: { week: defaultRanges[mode] },
      zones: this.zonesOf(site_id).flatMap(({ id, is_mandatory }) => (is_mandatory ? [id] : [])),
      zoneCutoffs: {},
      radius: 5000,
      holidays: [],
      extendedRange: false,
      ...defined(init),
      id: this.data.nextSubscription++,
      mode,
      site_id,
    };
    this.#assertFlexForTurbo(subscription);
    this.data.entries.set(subscription.id, subscription);
    return subscription;
  }

  /** Changes the status of a subscription. Turbo is deactivated together with Flex. */
  setStatus(id: number, status: StoredFlexSubscription['status']): StoredFlexSubscription {
    const changed = { ...this.getOrThrow(id), status };
    this.#assertFlexForTurbo(changed);
    this.data.entries.set(id, changed);
    const turbo = this.subscriptionsOf(changed.user_id).find(({ mode }) => mode === 'TURBO');
    if (changed.mode === 'FLEX' && status !== 'in' && turbo?.status === 'in') this.setStatus(turbo.id, 'out');
    return changed;
  }

  /** Returns the subscriptions of a user. */
  subscriptionsOf(user_id: number): StoredFlexSubscription[] {
    return this.all.filter((each) => each.user_id === user_id);
  }

  /** Finds the subscription of a user to a service on a site. */
  find(site_id: string, user_id: number, service_id: number): StoredFlexSubscription | undefined {
    return this.subscriptionsOf(user_id).find((each) => each.site_id === site_id && each.service_id === service_id);
  }

  /** Changes the settings of a subscription, whatever its status. */
  configure(
    id: number,
    change: Omittable<
      Omit<StoredFlexSubscription, 'id' | 'user_id' | 'site_id' | 'service_id' | 'mode' | 'status' | 'createdAt'>
    >,
  ): StoredFlexSubscription {
    const changed = { ...this.getOrThrow(id), ...defined(change) };
    this.data.entries.set(id, changed);
    return changed;
  }

  /** Whether an item is in Flex. */
  isEnabled(item: Pick<Item, 'item_id'>): boolean {
    return this.data.items.has(itemIdOf(item));
  }

  /** Enables or disables Flex on an item, whatever its status. */
  setEnabled(item: Pick<Item, 'item_id'>, isEnabled: boolean): void {
    const { item_id } = this.#state.items.getOrThrow(itemIdOf(item));
    if (isEnabled) this.data.items.add(item_id);
    else this.data.items.delete(item_id);
  }

  /** Marks an item as "down": it does not offer Flex. */
  takeDown(item: Pick<Item, 'item_id'>): void {
    this.data.itemsWithoutFlex.add(this.#state.items.getOrThrow(itemIdOf(item)).item_id);
  }

  /** Makes a "down" item offer Flex again. */
  bringUp(item: Pick<Item, 'item_id'>): void {
    this.data.itemsWithoutFlex.delete(itemIdOf(item));
  }

  /**
   * Locks an item, as a change in progress does: others are answered with 409 meanwhile.
   *
   * @returns a function that unlocks it; `undefined` if it is locked already
   */
  lock(item: Pick<Item, 'item_id'>): (() => void) | undefined {
    const item_id = itemIdOf(item);
    if (this.data.lockedItems.has(item_id)) return undefined;
    this.data.lockedItems.add(item_id);
    return () => this.data.lockedItems.delete(item_id);
  }

  /** Whether an item does not offer Flex. */
  isDown(item: Pick<Item, 'item_id'>): boolean {
    return this.data.itemsWithoutFlex.has(itemIdOf(item));
  }

  /** Creates a delivery order of an active subscription. @returns the shipment's id */
  ship(user: Pick<Account, 'user_id'>, options: { readonly mode?: 'FLEX' | 'TURBO' | undefined } = {}): number {
    const { user_id } = this.#state.accounts.of(user);
    assertFields('the options', options, ['mode']);
    const { mode = 'FLEX' } = options;
    const active = this.subscriptionsOf(user_id).find((each) => each.mode === mode && each.status === 'in');
    if (!active)
      throw new FakeMarketplaceError(`user ${user_id} has no active subscription to ${mode} and receives no orders`);
    while (this.data.shipments.has(this.data.nextShipment)) this.data.nextShipment += 1;
    const shipment_id = this.data.nextShipment++;
    this.data.shipments.set(shipment_id, { shipment_id, site_id: active.site_id, user_id, driver_id: undefined });
    return shipment_id;
  }

  /** Assigns a driver to a shipment; `undefined` removes the driver. */
  assignDriver(shipment_id: number, driver_id: number | undefined): void {
    const shipment = this.data.shipments.get(shipment_id);
    if (!shipment)
      throw new FakeMarketplaceError(`there is no shipment ${shipment_id}; make one with flex.ship({ user_id })`);
    this.data.shipments.set(shipment_id, { ...shipment, driver_id });
  }

  /** All shipments, the oldest first. */
  get shipments(): readonly {
    readonly shipment_id: number;
    readonly site_id: string;
    /** The seller. */
    readonly user_id: number;
    readonly driver_id: number | undefined;
  }[] {
    return [...this.data.shipments.values()];
  }

  /** Finds a shipment of a site. */
  shipmentOf(site_id: string, shipment_id: number): FlexStore['shipments'][number] | undefined {
    const shipment = this.data.shipments.get(shipment_id);
    return shipment?.site_id === site_id ? shipment : undefined;
  }

  /** Returns the driver of a shipment of a site. */
  driverOf(site_id: string, shipment_id: number): number | undefined {
    return this.shipmentOf(site_id, shipment_id)?.driver_id;
  }

  #freeServiceId(): number {
    while (this.all.some(({ service_id }) => service_id === this.data.nextService)) this.data.nextService += 1;
    return this.data.nextService++;
  }

  #assertFlexForTurbo({ mode, status, user_id }: StoredFlexSubscription): void {
    if (mode === 'FLEX' || status !== 'in') return;
    const flex = this.subscriptionsOf(user_id).find((each) => each.mode === 'FLEX');
    if (flex?.status !== 'in')
      throw new FakeMarketplaceError(`Turbo needs an active Flex subscription; user ${user_id} has none`);
  }
}
