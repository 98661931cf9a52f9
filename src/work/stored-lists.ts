import { DeadLetters } from './dead-letters.js';
import { assertKey } from './pages.js';
import { endedStates } from './reduced.js';
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

  readonly #shown: Shown<Entry>;

  /** @internal */
  constructor(shown: Shown<Entry>) {
    this.#shown = shown;
    this.deadLetters = new DeadLetters(shown);
    this.waiting = new WaitingEntries(shown);
    this.rejected = rejectedEntries(shown);
  }

  /**
   * Takes the data and notes of what has ended: of a dead letter, or of what was accepted or rejected. Its key stays known, so if it is
   * added again, it is neither handled nor sent. `false` if nothing has ended with this key, or its data is gone.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, keepKeysMs } = this.#shown;
    return store.reduce(storedKey(key), endedStates, keepKeysMs);
  }

  /**
   * Frees the key of what has ended: **if it is added again, it is handled, or sent, a second time**. `false` if nothing has ended with
   * this key.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async forget(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey } = this.#shown;
    return store.remove(storedKey(key), [...endedStates, 'done']);
  }
}
