import { FakeMarketplaceError } from '../errors.js';

/**
 * What all stores of a marketplace can do: they keep entries by their id. An entry is a snapshot of the current state.
 *
 * @example
 * const { items } = marketplace;
 * console.log(items.all.length, items.get('MLA1'), items.getOrThrow('MLA100').title);
 */
export abstract class EntityStore<Id extends string | number, Entry> {
  /** @internal */
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

/** The id of a pack: a number, or its digits if it is beyond 2^53. */
export type PackId = number | string;

/** Reads the id of a pack; `undefined` when it is no integer of at least 1, and up to 20 digits. */
export function packIdOf(value: unknown): PackId | undefined {
  const digits = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof digits !== 'string' || !/^[1-9]\d{0,19}$/.test(digits)) return undefined;
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;
}

/**
 * State that operations of your own keep: tables of your choice, with entries by their id. A reset removes it, a seed adds
 * to it, and a seed that is invalid leaves it as it was.
 *
 * @example
 * marketplace.records.of('orders').set('2000000001', { status: 'paid' });
 * console.log(marketplace.records.of('orders').get('2000000001'), marketplace.records.all);
 */
export class RecordStore {
  #tables = new Map<string, Map<string, unknown>>();

  /** Returns the table of a name. It is empty at first. */
  of(name: string): Map<string, unknown> {
    const table = this.#tables.get(name) ?? new Map<string, unknown>();
    this.#tables.set(name, table);
    return table;
  }

  /** All tables that have entries, as plain objects. */
  get all(): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
    const filled = [...this.#tables].filter(([, table]) => table.size > 0);
    return Object.fromEntries(filled.map(([name, table]) => [name, Object.fromEntries(table)]));
  }

  /** @internal Saves the content. @returns a function that restores it */
  checkpoint(): () => void {
    const saved = [...this.#tables].map(([name, table]) => [name, new Map(table)] as const);
    return () => {
      this.#tables = new Map(saved);
    };
  }
}

/** The fields of a type, each of which may be omitted or `undefined`. */
export type Omittable<T> = { [Name in keyof T]?: T[Name] | undefined };
