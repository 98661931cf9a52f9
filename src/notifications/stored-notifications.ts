import { DeadLetters } from '../work/dead-letters.js';
import type { Counts } from '../work/store.js';
import { rejectedEntries } from '../work/rejected-entries.js';
import type { Rejected } from '../work/rejected-entries.js';
import type { StoredEntries } from '../work/stored-entries.js';
import { WaitingEntries } from '../work/waiting-entries.js';
import type { Shelf } from '../work/works.js';
import { entryOf, inboxKinds } from './entry.js';
import type { InboxEntry } from './entry.js';

/** What a store holds of an inbox. */
export type StoredStats = Omit<Counts, 'accepted'>;

/** What an operator sees and changes of the notifications in a store. */
export class StoredNotifications {
  readonly deadLetters: DeadLetters<InboxEntry>;
  readonly waiting: WaitingEntries<InboxEntry>;
  readonly rejected: StoredEntries<Rejected<InboxEntry>>;
  readonly #store: Shelf;

  constructor(store: Shelf, wake: () => void) {
    this.#store = store;
    const shown = { store, kinds: inboxKinds, storedKey: (key: string) => key, entryOf, wake };
    this.deadLetters = new DeadLetters(shown);
    this.waiting = new WaitingEntries(shown);
    this.rejected = rejectedEntries(shown);
  }

  async stats(): Promise<StoredStats> {
    const { accepted: _, ...stats } = await this.#store.counts(inboxKinds);
    return stats;
  }
}
