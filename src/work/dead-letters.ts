import { checkConfiguration } from '../core/options/rules.js';
import { assertFilter, assertKey, forEachOfPages, listRules, pagesOf } from './pages.js';
import type { ListOptions, StoredFacts } from './pages.js';

/** The least that a dead letter has. */
export interface DeadLetterFacts extends StoredFacts {
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
}

/** What dead letters need of a store. */
export interface DeadLetterStore<Letter extends DeadLetterFacts> {
  deadLetters(limit: number, after?: number): Promise<readonly Letter[]>;
  redrive(key: string, forgetsUnknown?: boolean): Promise<boolean>;
  removeDeadLetter(key: string): Promise<boolean>;
}

/**
 * What was given up after its last attempt: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, failure } of await receiver.deadLetters.list({ limit: 20 })) {
 *   console.log(entry.key, failure);
 *   if (failure.includes('TimeoutError')) await receiver.deadLetters.replay(entry.key);
 *   else await receiver.deadLetters.remove(entry.key);
 * }
 * console.log(await receiver.deadLetters.replayAll(({ entry }) => entry.notification.topic === 'questions'));
 * console.log(await receiver.deadLetters.removeAll(({ failure }) => failure.includes('NotFoundError')));
 */
export class DeadLetters<Letter extends DeadLetterFacts> {
  readonly #store: DeadLetterStore<Letter>;
  readonly #wake: () => void;

  constructor(store: DeadLetterStore<Letter>, wake: () => void) {
    this.#store = store;
    this.#wake = wake;
  }

  /**
   * Lists dead letters, oldest first.
   *
   * @example
   * const first = await receiver.deadLetters.list({ limit: 20 });
   * const second = await receiver.deadLetters.list({ limit: 20, after: first.at(-1)?.number });
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  async list(options: ListOptions = {}): Promise<readonly Letter[]> {
    checkConfiguration('list', options, listRules);
    const { limit = 100, after = 0 } = options;
    return this.#store.deadLetters(limit, after);
  }

  /**
   * Handles a dead letter again, starting at its first attempt. `false` if there is none with this key. Writes of which nobody
   * knows whether they were carried out are sent again: look first whether the buyer has them.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async replay(key: string): Promise<boolean> {
    assertKey(key);
    const found = await this.#store.redrive(key, true);
    if (found) this.#wake();
    return found;
  }

  /**
   * Handles dead letters again: all that there are now, or those for which `where` returns `true`. Returns how many they are.
   * Writes of which nobody knows whether they were carried out are read back once more, and not sent.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async replayAll(where: (letter: Letter) => boolean = () => true): Promise<number> {
    const replayed = await this.#forEach(where, (key) => this.#store.redrive(key));
    this.#wake();
    return replayed;
  }

  /**
   * Removes a dead letter. `false` if there is none with this key. The key of a job is forgotten: if it is added again, it is sent.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    return this.#store.removeDeadLetter(key);
  }

  /**
   * Removes the dead letters for which `where` returns `true`. Returns how many they were.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async removeAll(where: (letter: Letter) => boolean): Promise<number> {
    return this.#forEach(where, (key) => this.#store.removeDeadLetter(key));
  }

  #forEach(where: (letter: Letter) => boolean, run: (key: string) => Promise<boolean>): Promise<number> {
    assertFilter(where);
    const until = Date.now();
    // One that is replayed and fails again at once is a dead letter again, with a later number.
    const isMeant = (letter: Letter): boolean => letter.deadLetteredAt <= until && where(letter);
    const pages = pagesOf((limit, after) => this.#store.deadLetters(limit, after));
    return forEachOfPages(pages, isMeant, run);
  }
}
