import type { DeadLetter, NotificationStore } from './stores/store.js';

/**
 * The notifications that were given up after their last attempt.
 *
 * @example
 * for (const { entry, failure } of await receiver.deadLetters.list({ limit: 20 })) {
 *   console.log(entry.key, failure);
 *   if (failure.includes('TimeoutError')) await receiver.deadLetters.replay(entry.key);
 *   else await receiver.deadLetters.remove(entry.key);
 * }
 */
export class DeadLetters {
  readonly #store: NotificationStore;
  readonly #wake: () => void;

  constructor(store: NotificationStore, wake: () => void) {
    this.#store = store;
    this.#wake = wake;
  }

  /** Lists the dead letters, oldest first; at most 100 unless `limit` is given. */
  async list({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
    return this.#store.deadLetters(limit);
  }

  /** Handles a dead letter again, starting at its first attempt. `false` if there is none with this key. */
  async replay(key: string): Promise<boolean> {
    const found = await this.#store.redrive(key);
    if (found) this.#wake();
    return found;
  }

  /** Removes a dead letter. `false` if there is none with this key. */
  async remove(key: string): Promise<boolean> {
    return this.#store.removeDeadLetter(key);
  }
}
