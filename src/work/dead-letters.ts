import { ConfigurationError } from '../core/errors/errors.js';
import { checkConfiguration, integerFrom } from '../core/options/rules.js';

/** Which dead letters to list. */
export interface ListOptions {
  /**
   * The most dead letters.
   *
   * @default 100
   */
  readonly limit?: number | undefined;
  /**
   * Begin after the dead letter with this `number`: the last one of the page before.
   *
   * @default 0: at the oldest
   */
  readonly after?: number | undefined;
}

/** The least that a dead letter has. */
export interface DeadLetterFacts {
  readonly entry: { readonly key: string };
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** What dead letters need of a store. */
export interface DeadLetterStore<Letter extends DeadLetterFacts> {
  deadLetters(limit: number, after?: number): Promise<readonly Letter[]>;
  redrive(key: string, forgetsUnknown?: boolean): Promise<boolean>;
  removeDeadLetter(key: string): Promise<boolean>;
}

/** How many dead letters `replayAll` reads at a time. */
const replayedAtATime = 100;

/**
 * What was given up after its last attempt: notifications of an inbox, or jobs of an outbox.
 *
 * @example
 * for (const { entry, failure } of await receiver.deadLetters.list({ limit: 20 })) {
 *   console.log(entry.key, failure);
 *   if (failure.includes('TimeoutError')) await receiver.deadLetters.replay(entry.key);
 *   else await receiver.deadLetters.remove(entry.key);
 * }
 * console.log(await receiver.deadLetters.replayAll());
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
    checkConfiguration('list', options, { limit: integerFrom(1), after: integerFrom(0) });
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
   * Handles all dead letters again that there are now. Returns how many they are. Writes of which nobody knows whether they were
   * carried out are read back once more, and not sent.
   */
  async replayAll(): Promise<number> {
    let replayed = 0;
    const until = Date.now();
    for (let after = 0; ;) {
      const letters = await this.#store.deadLetters(replayedAtATime, after);
      // One that fails again at once is a dead letter again, with a later number.
      const earlier = letters.filter(({ deadLetteredAt }) => deadLetteredAt <= until);
      const results = await Promise.all(earlier.map(({ entry }) => this.#store.redrive(entry.key)));
      replayed += results.filter(Boolean).length;
      this.#wake();
      after = letters.at(-1)?.number ?? 0;
      if (earlier.length < replayedAtATime) return replayed;
    }
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
