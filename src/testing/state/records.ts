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
