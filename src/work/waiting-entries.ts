import { assertKey } from './pages.js';
import { StoredEntries } from './stored-entries.js';
import type { Shown } from './stored-entries.js';
import type { Status } from './store.js';

/** A notification or a job that is not handled yet. */
export interface WaitingEntry<Entry> {
  readonly entry: Entry;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** The name and the message of the last error; absent before the first one. */
  readonly failure?: string | undefined;
  /** When it is tried next, in milliseconds; 0 when it is due, absent while it runs. */
  readonly nextInMs?: number | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/**
 * What is not handled yet: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, attempts, failure } of await inbox.waiting.list({ limit: 20 })) {
 *   console.log(entry.notification.resource, attempts, failure);
 *   if (attempts < 3) await inbox.waiting.retryNow(entry.key);
 *   else await inbox.waiting.remove(entry.key);
 * }
 * await inbox.waiting.retryAll(({ failure }) => failure?.includes('TimeoutError') === true);
 * await inbox.waiting.removeAll(({ entry }) => entry.notification.topic === 'items');
 */
export class WaitingEntries<Entry extends { readonly key: string }> extends StoredEntries<WaitingEntry<Entry>> {
  readonly #shown: Shown<Entry>;

  /** @internal */
  constructor(shown: Shown<Entry>) {
    super(shown, ['waiting', 'running'], (status) => waitingOf(shown.entryOf(status), status));
    this.#shown = shown;
  }

  /**
   * Has one handled now instead of after its delay. It has the attempts that it has. `false` if none waits with this key, or
   * its resource is being handled.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async retryNow(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, wake } = this.#shown;
    const found = await store.again(storedKey(key), 'open');
    if (found) wake();
    return found;
  }

  /**
   * Has all handled now, or those for which `where` returns `true`. Returns for how many that is so.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async retryAll(where: (waiting: WaitingEntry<Entry>) => boolean = () => true): Promise<number> {
    return this.forEach(where, (key) => this.retryNow(key));
  }
}

function waitingOf<Entry>(entry: Entry, { failures, failure, nextInMs, addedAt, number }: Status): WaitingEntry<Entry> {
  return {
    entry,
    attempts: failures,
    ...(failure !== undefined && { failure }),
    ...(nextInMs !== undefined && { nextInMs }),
    addedAt,
    number,
  };
}
