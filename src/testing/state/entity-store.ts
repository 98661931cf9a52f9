import { FakeMarketplaceError } from '../errors.js';

/**
 * What all stores of a marketplace can do: they keep entries by their id. An entry is a snapshot of the current state.
 *
 * @example
 * const { items } = marketplace;
 * console.log(items.all.length, items.get('MLA1'), items.getOrThrow('MLA100').title);
 */
export abstract class EntityStore<Id extends string | number, Entry> {
  protected abstract data: { readonly entries: Map<Id, Entry> };
  readonly #noun: string;
  readonly #remedy: (id: Id) => string;

  /** @internal `noun` and `remedy` are for the error of `getOrThrow`. */
  constructor(noun: string, remedy: (id: Id) => string = () => '') {
    this.#noun = noun;
    this.#remedy = remedy;
  }

  /** All entries, the oldest first. */
  get all(): readonly Entry[] {
    return [...this.data.entries.values()];
  }

  /** Returns an entry, or `undefined` if there is none. */
  get(id: Id): Entry | undefined {
    return this.data.entries.get(id);
  }

  /** Returns an entry. @throws {FakeMarketplaceError} when there is none */
  getOrThrow(id: Id): Entry {
    const entry = this.get(id);
    if (entry === undefined) throw new FakeMarketplaceError(`there is no ${this.#noun} ${id}${this.#remedy(id)}`);
    return entry;
  }

  /** @internal Sets a counter of ids. */
  startAt(counter: string, id: number): void {
    Object.assign(this.data, { [counter]: id });
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const saved = Object.entries(this.data).map(([name, table]) => [name, copyOf(table)] as const);
    return () => {
      this.data = Object.fromEntries(saved) as typeof this.data;
    };
  }
}

function copyOf(table: unknown): unknown {
  if (table instanceof Map) return new Map(table);
  return table instanceof Set ? new Set(table) : table;
}
