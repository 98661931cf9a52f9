import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration } from '../core/options/rules.js';
import { assertFilter, assertKey, forEachOfPages, listRules, pagesOf } from './pages.js';
import type { ListOptions, StoredFacts } from './pages.js';

/** What the list of what waits needs of a store; each method is optional for stores of the user's own. */
export interface WaitingStore<Entry extends StoredFacts> {
  waiting?(limit: number, after?: number): Promise<readonly Entry[]>;
  retryNow?(key: string): Promise<boolean>;
  removeWaiting?(key: string): Promise<boolean>;
}

/**
 * What is not handled yet: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, attempts, failure } of await receiver.waiting.list({ limit: 20 })) {
 *   console.log(entry.notification.resource, attempts, failure);
 *   if (attempts < 3) await receiver.waiting.retryNow(entry.key);
 *   else await receiver.waiting.remove(entry.key);
 * }
 * await receiver.waiting.retryAll(({ failure }) => failure?.includes('TimeoutError') === true);
 * await receiver.waiting.removeAll(({ entry }) => entry.notification.topic === 'items');
 */
export class WaitingEntries<Entry extends StoredFacts> {
  readonly #store: WaitingStore<Entry>;
  readonly #wake: () => void;

  constructor(store: WaitingStore<Entry>, wake: () => void) {
    this.#store = store;
    this.#wake = wake;
  }

  /**
   * Lists what waits, in the order of arrival.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong, or the store cannot list what waits.
   */
  async list(options: ListOptions = {}): Promise<readonly Entry[]> {
    checkConfiguration('list', options, listRules);
    return this.#list(options.limit ?? 100, options.after ?? 0);
  }

  async #list(limit: number, after: number): Promise<readonly Entry[]> {
    return this.#store.waiting?.(limit, after) ?? unsupported('waiting');
  }

  /**
   * Has one handled now instead of after its delay. It has the attempts that it has. `false` if none waits with this key, or
   * its resource is being handled.
   *
   * @throws {ConfigurationError} when `key` is not a string, or the store cannot do that.
   */
  async retryNow(key: string): Promise<boolean> {
    assertKey(key);
    const found = await (this.#store.retryNow?.(key) ?? unsupported('retryNow'));
    if (found) this.#wake();
    return found;
  }

  /**
   * Has all handled now, or those for which `where` returns `true`. Returns for how many that is so.
   *
   * @throws {ConfigurationError} when `where` is not a function, or the store cannot do that.
   */
  async retryAll(where: (waiting: Entry) => boolean = () => true): Promise<number> {
    return this.#forEach(where, (key) => this.retryNow(key));
  }

  /**
   * Deletes one: it is never handled, unless it is added again. `false` if none waits with this key, or its handler runs.
   *
   * @throws {ConfigurationError} when `key` is not a string, or the store cannot do that.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    return this.#store.removeWaiting?.(key) ?? unsupported('removeWaiting');
  }

  /**
   * Deletes those for which `where` returns `true`, for example of a topic that nobody handles. Returns how many they were.
   *
   * @throws {ConfigurationError} when `where` is not a function, or the store cannot do that.
   */
  async removeAll(where: (waiting: Entry) => boolean): Promise<number> {
    return this.#forEach(where, (key) => this.remove(key));
  }

  #forEach(where: (waiting: Entry) => boolean, run: (key: string) => Promise<boolean>): Promise<number> {
    assertFilter(where);
    const pages = pagesOf((limit, after) => this.#list(limit, after));
    return forEachOfPages(pages, where, run);
  }
}

/** @throws {ConfigurationError} when a store of the user's own has no such method. */
function unsupported(name: string): never {
  throw new ConfigurationError(`This store has no method \`${name}\``);
}
