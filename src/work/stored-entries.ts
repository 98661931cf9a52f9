import { checkConfiguration } from '../core/options/rules.js';
import { assertFilter, assertKey, listRules, pageSize } from './pages.js';
import type { ListOptions } from './pages.js';
import { endedStates } from './reduced.js';
import type { EntryState, Status, Store } from './store.js';

/** What the lists of an inbox or an outbox show of a store. */
export interface Shown<Entry> {
  readonly store: Pick<Store, 'get' | 'list' | 'again' | 'remove' | 'reduce'>;
  /** Of which kinds they show entries. */
  readonly kinds: readonly string[];
  /** The key in the store of an entry with this key. */
  readonly storedKey: (key: string) => string;
  readonly entryOf: (status: Status) => Entry;
  /** How long the key of an ended entry is known, in milliseconds, if it was kept until now without end. */
  readonly keepKeysMs: number;
  /** Something may be due now. */
  readonly wake: () => void;
}

/** The least that a list shows. */
export interface EntryRow {
  readonly entry: { readonly key: string };
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/**
 * Entries of a store that are in certain states: listed, and removed.
 *
 * @example
 * const [first] = await inbox.rejected.list({ limit: 1 });
 * if (first) await inbox.rejected.remove(first.entry.key);
 * await inbox.rejected.removeAll(({ reason }) => reason === 'PERSONAL_DATA');
 */
export class StoredEntries<Found extends EntryRow> {
  readonly #shown: Omit<Shown<unknown>, 'entryOf' | 'wake'>;
  readonly #states: readonly EntryState[];
  readonly #rowOf: (status: Status) => Found;

  /** @internal */
  constructor(
    shown: Omit<Shown<unknown>, 'entryOf' | 'wake'>,
    states: readonly EntryState[],
    rowOf: (status: Status) => Found,
  ) {
    this.#shown = shown;
    this.#states = states;
    this.#rowOf = rowOf;
  }

  /**
   * Lists them: what waits in the order in which it was added, the others in the order in which they ended.
   *
   * @example
   * const first = await inbox.deadLetters.list({ limit: 20 });
   * const second = await inbox.deadLetters.list({ limit: 20, after: first.at(-1)?.number });
   * @throws {ConfigurationError} when an option is unknown or wrong.
   */
  async list(options: ListOptions = {}): Promise<readonly Found[]> {
    checkConfiguration('list', options, listRules);
    return this.#list(options.limit ?? 100, options.after ?? 0);
  }

  async #list(limit: number, after: number): Promise<readonly Found[]> {
    const { store, kinds } = this.#shown;
    const found = await store.list({ kinds, states: this.#states, limit, after });
    return found.map(this.#rowOf);
  }

  /**
   * Removes one. `false` if there is none with this key, or it is being handled. What waits is forgotten with its key: if it is added
   * again, it is handled, or sent. What has ended loses its data and notes, and its key stays known: see `forget`.
   *
   * @throws {ConfigurationError} when `key` is not a string.
   */
  async remove(key: string): Promise<boolean> {
    assertKey(key);
    const { store, storedKey, keepKeysMs } = this.#shown;
    if (this.#states.includes('waiting')) return store.remove(storedKey(key), ['waiting']);
    return store.reduce(storedKey(key), endedStates.filter((state) => this.#states.includes(state)), keepKeysMs); // prettier-ignore
  }

  /**
   * Removes those for which `where` returns `true`. Returns how many they were.
   *
   * @throws {ConfigurationError} when `where` is not a function.
   */
  async removeAll(where: (found: Found) => boolean): Promise<number> {
    return this.forEach(where, (key) => this.remove(key));
  }

  /** Does something with those that are meant, page by page. Returns with how many it was done. @internal */
  protected async forEach(where: (found: Found) => boolean, run: (key: string) => Promise<boolean>): Promise<number> {
    assertFilter(where);
    let count = 0;
    for (let after = 0; ;) {
      const page = await this.#list(pageSize, after);
      const results = await Promise.all(page.filter(where).map(({ entry }) => run(entry.key)));
      count += results.filter(Boolean).length;
      const last = page.at(-1);
      if (page.length < pageSize || !last) return count;
      after = last.number;
    }
  }
}
