import type { Item } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';

/** How people make contact through a classified item. */
export type ContactKind = 'question' | 'phone_view';

/** One contact. */
export interface StoredContact {
  readonly kind: ContactKind;
  readonly item_id: string;
  readonly seller_id: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** When contacts were made, and how many at once. */
export interface ContactInit {
  /** Now, unless given. */
  readonly at?: Date | string | number;
  /** 1, unless given. */
  readonly times?: number;
}

/** The contacts that were made, which are counted and never shown. */
export class ContactStore {
  readonly #world: MarketplaceState;
  readonly #contacts: StoredContact[] = [];

  constructor(world: MarketplaceState) {
    this.#world = world;
  }

  /** Somebody makes contact through an item. */
  record(kind: ContactKind, { item_id }: Pick<Item, 'item_id'>, { at, times = 1 }: ContactInit = {}): void {
    const { seller_id } = this.#world.items.getOrThrow(item_id);
    const contact = { kind, item_id, seller_id, at: at === undefined ? this.#world.clock.ms : new Date(at).getTime() };
    for (let count = 0; count < times; count += 1) this.#contacts.push(contact);
  }

  /** When contacts of a kind were made through the items that fit, in milliseconds since 1970. */
  times(kind: ContactKind, fits: (contact: StoredContact) => boolean): number[] {
    return this.#contacts.filter((contact) => contact.kind === kind && fits(contact)).map(({ at }) => at);
  }
}
