/** After this many equal pages in a row, the service counts as ignoring the offset also if they may be right. */
const maxEqualPages = 4;

/**
 * Identifies the entries of an iteration: by their own key or, if an entry has none, by its place in the list. If
 * responses are not validated, entries may have no id.
 *
 * A service that ignores the offset sends the same page again and again. Then the entries keep the places that they had
 * in the first of these pages, so that they are known and the iteration ends.
 */
export class EntryKeys<T> {
  readonly #keyOf: (entry: T) => unknown;
  /** The last page with such entries that was not a repetition, and how often it was received again since. */
  #content = '';
  #offset = 0;
  #repeats = 0;

  constructor(keyOf: (entry: T) => unknown) {
    this.#keyOf = keyOf;
  }

  /** Returns what identifies each entry of a page. */
  of(entries: readonly T[], offset: number): unknown[] {
    const keys = entries.map((entry) => (isMissing(entry) ? undefined : this.#keyOf(entry)));
    if (!keys.some(isMissing)) return keys;
    if (!this.#isRepeated(entries)) this.#offset = offset;
    // A bigint, because no key is one.
    return keys.map((key, index) => (isMissing(key) ? BigInt(this.#offset + index) : key));
  }

  #isRepeated(entries: readonly T[]): boolean {
    const content = JSON.stringify(entries);
    this.#repeats = content === this.#content ? this.#repeats + 1 : 0;
    this.#content = content;
    // A page begins with the last entry of the page before, so equal pages are right only if both entries are equal.
    const mayBeRight = JSON.stringify(entries[0]) === JSON.stringify(entries.at(-1));
    return this.#repeats >= (mayBeRight ? maxEqualPages : 1);
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
