import { defined } from '../../core/json/json.js';
import type { Accounts } from './accounts.js';
import { assertSite } from '../clock.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import { EntityStore, type Omittable } from './entity-store.js';
import type { MarketplaceEvents } from './events.js';

/** The status of an item. Buyers can ask only about an active item. */
export type ItemState = Item['status'];

/** An item for sale. */
export interface Item {
  readonly item_id: string;
  readonly seller_id: number;
  readonly site_id: string;
  readonly title: string;
  readonly status: 'active' | 'paused' | 'closed' | 'under_review';
}

/** The fields of a new item. Only `seller_id` is required; the others have default values. */
export type ItemInit = Omittable<Omit<Item, 'seller_id'>> & Pick<Item, 'seller_id'>;

/**
 * The items for sale. An `Item` is a snapshot: `getOrThrow` returns its current state.
 *
 * @example
 * const { item_id } = marketplace.items.add({ seller_id: 7, title: 'Lamp' });
 * marketplace.items.change(item_id, { status: 'paused' });
 * console.log(marketplace.items.getOrThrow(item_id).status, marketplace.items.get('MLA1')); // paused undefined
 */
export class ItemStore extends EntityStore<string, Item> {
  readonly #accounts: Accounts;
  readonly #events: MarketplaceEvents;
  readonly #listeners = new Set<(before: Item) => void>();
  #places = 0;
  /** @internal */
  protected data = { entries: new Map<string, Item>(), nextItem: 600_000_001 };

  /** @internal */
  constructor(accounts: Accounts, events: MarketplaceEvents) {
    super('item', () => '; add one with addItem({ seller_id })');
    this.#accounts = accounts;
    this.#events = events;
  }

  /** Adds an item of a seller, by default active and on the seller's site. */
  add(init: ItemInit): Item {
    assertFields('an item', init, ['item_id', 'seller_id', 'site_id', 'title', 'status']);
    const { site_id } = this.#accounts.getOrThrow(init.seller_id);
    const item_id = init.item_id ?? this.#freeItemId(init.site_id ?? site_id);
    assertStatus(init.status);
    assertSite(init.site_id ?? site_id);
    if (this.data.entries.has(item_id)) throw new FakeMarketplaceError(`item ${item_id} already exists`);
    const item: Item = { site_id, title: `Item ${item_id}`, status: 'active', ...defined(init), item_id };
    this.data.entries.set(item_id, item);
    return item;
  }

  /** Changes an item, e.g. `change(item_id, { status: 'paused' })`. A change is an event of the topic `items`. */
  change(item_id: string, change: Omittable<Omit<Item, 'item_id' | 'seller_id'>>): Item {
    assertFields('an item', change, ['status', 'title', 'site_id']);
    assertStatus(change.status);
    if (change.site_id !== undefined) assertSite(change.site_id);
    const before = this.getOrThrow(item_id);
    const item = { ...before, ...defined(change) };
    this.data.entries.set(item_id, item);
    if (item.status !== before.status) for (const listener of this.#listeners) listener(before);
    const isChanged = (Object.keys(item) as (keyof Item)[]).some((name) => item[name] !== before[name]);
    if (isChanged) this.#events.emit({ topic: 'items', resource: `/items/${item_id}`, user_id: item.seller_id });
    return item;
  }

  /** @internal Returns a place in a list of this length, another one at each call. */
  nextPlace(length: number): number {
    this.#places += 1;
    return length > 0 ? this.#places % length : 0;
  }

  /** @internal Adds a listener for items whose status has changed; it receives the item as it was. */
  onStatusChange(listener: (before: Item) => void): void {
    this.#listeners.add(listener);
  }

  #freeItemId(site_id: string): string {
    while (this.data.entries.has(`${site_id}${this.data.nextItem}`)) this.data.nextItem += 1;
    return `${site_id}${this.data.nextItem++}`;
  }
}

/** Returns the id of an item. @throws {FakeMarketplaceError} when it is none, which JavaScript code can pass */
export function itemIdOf(item: Pick<Item, 'item_id'>): string {
  if (typeof (item as Item | undefined)?.item_id === 'string') return item.item_id;
  throw new FakeMarketplaceError('an item is an object with an `item_id`, such as addItem() returns');
}

const statuses: readonly ItemState[] = ['active', 'paused', 'closed', 'under_review'];

function assertStatus(status: ItemState | undefined): void {
  if (status === undefined || statuses.includes(status)) return;
  throw new FakeMarketplaceError(`\`status\` of an item is ${statuses.join(', ')}, not ${status}`);
}
