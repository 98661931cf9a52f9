import { DeadLetters } from './dead-letters.js';
import { rejectedEntries } from './rejected-entries.js';
import type { RejectedEntries } from './rejected-entries.js';
import type { Shown } from './stored-entries.js';
import { WaitingEntries } from './waiting-entries.js';

/** What a store holds of an inbox or an outbox: notifications, or jobs. */
export class StoredLists<Entry extends { readonly key: string }> {
  /** What was given up: list, replay or remove it. What is replayed is handled, or sent, by a process that does so. */
  readonly deadLetters: DeadLetters<Entry>;
  /** What is not handled, or sent, yet: list, retry now or remove it. */
  readonly waiting: WaitingEntries<Entry>;
  /**
   * What has sent a message that moderation rejected, in the order in which that was decided: list or remove it. Notifications are kept
   * for 14 days.
   *
   * @example
   * const outbox = createOutbox({ store: memoryStore(), clientFor: () => seller });
   * for (const { entry, reason } of await outbox.rejected.list()) {
   *   console.log(entry.pack_id, reason);
   *   await outbox.rejected.remove(entry.key);
   * }
   * await outbox.close();
   */
  readonly rejected: RejectedEntries<Entry>;

  /** @internal */
  constructor(shown: Shown<Entry>) {
    this.deadLetters = new DeadLetters(shown);
    this.waiting = new WaitingEntries(shown);
    this.rejected = rejectedEntries(shown);
  }
}
