import { isTime, timeMs } from '../clock.js';
import { FakeMarketplaceError, assertFields } from '../errors.js';
import { itemIdOf, type Item } from './items.js';
import type { MarketplaceState } from './marketplace-state.js';

/** The kinds of contact through a classified item. */
export type ContactKind = 'question' | 'phone_view';

/** One contact. */
export type StoredContact = ContactStore['all'][number];

/**
 * The contacts made through items. They are only counted.
 *
 * @example
 * marketplace.contacts.record('phone_view', { item_id: 'MLA100' }, { at: '2026-03-01T10:00:00Z', times: 3 });
 * console.log(marketplace.contacts.of('phone_view', ({ seller_id }) => seller_id === 7));
 */
export class ContactStore {
  readonly #state: MarketplaceState;
  #contacts: StoredContact[] = [];

  /** @internal */
  constructor(state: MarketplaceState) {
    this.#state = state;
  }

  /**
   * Records contacts through an item.
   *
   * @throws {FakeMarketplaceError} when the item, the time or the number is invalid
   */
  record(
    kind: 'question' | 'phone_view',
    item: Pick<Item, 'item_id'>,
    init: {
      /** When they were made. @default now */
      readonly at?: Date | string | number | undefined;
      /** How many. @default 1 */
      readonly times?: number | undefined;
    } = {},
  ): void {
    const { item_id, seller_id } = this.#state.items.getOrThrow(itemIdOf(item));
    assertFields('a contact', init, ['at', 'times']);
    const { at, times = 1 } = init;
    const ms = at === undefined ? this.#state.clock.ms : timeMs(at);
    if (!isTime(ms))
      throw new FakeMarketplaceError(`\`at\` must be a date from the years 1 to 9999, not ${String(at)}`);
    if (!Number.isSafeInteger(times) || times < 1)
      throw new FakeMarketplaceError('`times` must be an integer of at least 1');
    this.#contacts.push({ kind, item_id, seller_id, at: ms, times });
  }

  /** All contacts, the oldest first. */
  get all(): readonly {
    readonly kind: 'question' | 'phone_view';
    readonly item_id: string;
    readonly seller_id: number;
    /** Time of the contact, in milliseconds since 1970. */
    readonly at: number;
    /** How many contacts there were at that time. */
    readonly times: number;
  }[] {
    return this.#contacts;
  }

  /** Returns the contacts of a kind that match. */
  of(
    kind: 'question' | 'phone_view',
    matches: (contact: ContactStore['all'][number]) => boolean,
  ): ContactStore['all'][number][] {
    return this.#contacts.filter((contact) => contact.kind === kind && matches(contact));
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const contacts = [...this.#contacts];
    return () => {
      this.#contacts = contacts;
    };
  }
}
