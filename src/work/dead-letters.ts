import { assertKey } from './pages.js';
import { StoredEntries } from './stored-entries.js';
import type { Shown } from './stored-entries.js';
import type { Status } from './store.js';
import type { RunNotes } from './task.js';
import { withoutUnknown } from './write-records.js';

/** A notification or a job that was given up. */
export interface DeadLetter<Entry> {
  readonly entry: Entry;
  readonly attempts: number;
  /** The name and the message of the last error. */
  readonly failure: string;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/**
 * What was given up after its last attempt: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, failure } of await inbox.deadLetters.list({ limit: 20 })) {
 *   console.log(entry.key, failure);
 *   if (failure.includes('TimeoutError')) await inbox.deadLetters.replay(entry.key);
 *   else await inbox.deadLetters.remove(entry.key);
 * }
 * console.log(await inbox.deadLetters.replayAll(({ entry }) => entry.notification.topic === 'questions'));
 * console.log(await inbox.deadLetters.removeAll(({ failure }) => failure.includes('NotFoundError')));
 */
export class DeadLetters<Entry extends { readonly key: string }> extends StoredEntries<DeadLetter<Entry>> {
  readonly #shown: Shown<Entry>;

  /** @internal */
  constructor(shown: Shown<Entry>) {
    super(shown, ['dead'], (status) => deadLetterOf(shown.entryOf(status), status));
    this.#shown = shown;
  }

  /**
   * Handles a dead letter again, starting at its first attempt. `false` if there is none with this key. Writes of which nobody
   * knows whether they were carried out are sent again: look first whether the buyer has them.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async replay(key: string): Promise<boolean> {
    assertKey(key);
    return this.#replay(key, withoutUnknown);
  }

  /**
   * Handles dead letters again: all that there are now, or those for which `where` returns `true`. Returns how many they are.
   * Writes of which nobody knows whether they were carried out are read back once more, and not sent.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async replayAll(where: (letter: DeadLetter<Entry>) => boolean = () => true): Promise<number> {
    const until = Date.now();
    // One that is replayed and fails again at once is a dead letter again, with a later number.
    const isMeant = (letter: DeadLetter<Entry>): boolean => letter.deadLetteredAt <= until && where(letter);
    return this.forEach(typeof where === 'function' ? isMeant : where, (key) => this.#replay(key, (writes) => writes));
  }

  async #replay(key: string, writesOf: typeof withoutUnknown): Promise<boolean> {
    const { store, storedKey, wake } = this.#shown;
    const found = await store.get(storedKey(key));
    if (found?.state !== 'dead') return false;
    // Earlier failures do not count.
    const { writes = [], unknowns, wasLasting, ...reached } = found.notes as RunNotes;
    const isReplayed = await store.again(found.key, 'dead', { ...reached, writes: writesOf(writes) });
    if (isReplayed) wake();
    return isReplayed;
  }
}

function deadLetterOf<Entry>(entry: Entry, { failures, failure = '', endedAt = 0, number }: Status): DeadLetter<Entry> {
  return { entry, attempts: failures, failure, deadLetteredAt: endedAt, number };
}
