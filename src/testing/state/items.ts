import type { Accounts } from './accounts.js';
import { FakeMarketplaceError } from '../errors.js';

/** The states of an item. Only an active one takes questions. */
export type ItemState = 'active' | 'paused' | 'closed' | 'under_review';

/** Something that is sold. */
export interface Item {
  readonly item_id: string;
  readonly seller_id: number;
  readonly site_id: string;
  readonly title: string;
  readonly status: ItemState;
}

/** What may be said of a new item; the seller must be, the rest is made up. */
export type ItemInit = Partial<Item> & Pick<Item, 'seller_id'>;

/** Everything that is sold on the marketplace. An `Item` is a snapshot: `need` gives it as it is now. */
export class ItemStore {
  readonly #items = new Map<string, Item>();
  readonly #accounts: Accounts;
  #nextItem = 600_000_001;

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  /** Adds an item of a seller, on the seller's site and active unless said otherwise. */
  add(sketch: ItemInit): Item {
    const { site_id } = this.#accounts.getOrThrow(sketch.seller_id);
    const item_id = sketch.item_id ?? `${sketch.site_id ?? site_id}${this.#nextItem++}`;
    if (this.#items.has(item_id)) throw new FakeMarketplaceError(`there is an item ${item_id} already`);
    const item: Item = { site_id, title: `Item ${item_id}`, status: 'active', ...sketch, item_id };
    this.#items.set(item_id, item);
    return item;
  }

  /** Everything that is sold, the oldest first. */
  get all(): readonly Item[] {
    return [...this.#items.values()];
  }

  get(item_id: string): Item | undefined {
    return this.#items.get(item_id);
  }

  /** The item, which must exist. */
  getOrThrow(item_id: string): Item {
    const item = this.#items.get(item_id);
    if (!item) throw new FakeMarketplaceError(`there is no item ${item_id}; add one with addItem({ seller_id })`);
    return item;
  }

  /** Changes an item, e.g. `change(item_id, { status: 'paused' })`. */
  change(item_id: string, change: Partial<Omit<Item, 'item_id' | 'seller_id'>>): Item {
    const item = { ...this.getOrThrow(item_id), ...change };
    this.#items.set(item_id, item);
    return item;
  }
}
