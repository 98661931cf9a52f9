import { ConfigurationError } from '../core/errors/errors.js';
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

  /**
   * Lists the dead letters, oldest first; at most 100 unless `limit` is given.
   *
   * @throws {ConfigurationError} when `limit` is not a whole number of at least 1.
   */
  async list({ limit = 100 }: { readonly limit?: number | undefined } = {}): Promise<readonly DeadLetter[]> {
    if (!(Number.isSafeInteger(limit) && limit >= 1))
      throw new ConfigurationError('`limit` must be a whole number of at least 1');
    return this.#store.deadLetters(limit);
  }

  /**
   * Handles a dead letter again, starting at its first attempt. `false` if there is none with this key.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async replay(key: string): Promise<boolean> {
    assertKey(key);
    const found = await this.#store.redrive(key);
    if (found) this.#wake();
    return found;
  }

  /**
   * Removes a dead letter. `false` if there is none with this key.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    return this.#store.removeDeadLetter(key);
  }
}

/** Without types, a store could get `undefined` or the whole dead letter. */
function assertKey(key: unknown): void {
  if (typeof key !== 'string') throw new ConfigurationError('`key` must be a string: the `entry.key` of a dead letter');
}
