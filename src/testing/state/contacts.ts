import type { Item } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';

/** The kinds of contact through a classified item. */
export type ContactKind = 'question' | 'phone_view';

/** One contact. */
export interface StoredContact {
  readonly kind: ContactKind;
  readonly item_id: string;
  readonly seller_id: number;
  /** Time of the contact, in milliseconds since 1970. */
  readonly at: number;
}

/** When contacts were made, and how many. */
export interface ContactInit {
  /** @default now */
  readonly at?: Date | string | number;
  /** @default 1 */
  readonly times?: number;
}

/** The contacts made through items. They are counted, never shown. */
export class ContactStore {
  readonly #state: MarketplaceState;
  readonly #contacts: StoredContact[] = [];

  constructor(state: MarketplaceState) {
    this.#state = state;
  }

  /** Records contacts through an item. */
  record(kind: ContactKind, { item_id }: Pick<Item, 'item_id'>, { at, times = 1 }: ContactInit = {}): void {
    const { seller_id } = this.#state.items.getOrThrow(item_id);
    const contact = { kind, item_id, seller_id, at: at === undefined ? this.#state.clock.ms : new Date(at).getTime() };
    for (let count = 0; count < times; count += 1) this.#contacts.push(contact);
  }

  /** Returns the times of the contacts that match, in milliseconds since 1970. */
  times(kind: ContactKind, matches: (contact: StoredContact) => boolean): number[] {
    return this.#contacts.filter((contact) => contact.kind === kind && matches(contact)).map(({ at }) => at);
  }
}
