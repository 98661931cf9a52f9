/** The maximum size of all bodies, in characters. */
const maxTotalSize = 32 * 1024 * 1024;

/** The newest entries, the oldest first; fewer if their bodies have over 32 MB. */
export class RecentEntries<T> {
  readonly #maxEntries: number;
  readonly #entries = new Map<number, { readonly entry: T; readonly size: number }>();
  #totalSize = 0;

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries;
  }

  get all(): T[] {
    return Array.from(this.#entries.values(), ({ entry }) => entry);
  }

  has(id: number): boolean {
    return this.#entries.has(id);
  }

  /** Adds or replaces an entry. `size` is that of its bodies. */
  save(id: number, entry: T, size: number): void {
    this.#totalSize += size - (this.#entries.get(id)?.size ?? 0);
    this.#entries.set(id, { entry, size });
    for (const [oldest, { size: freed }] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && (this.#totalSize <= maxTotalSize || this.#entries.size === 1))
        break;
      this.#entries.delete(oldest);
      this.#totalSize -= freed;
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#totalSize = 0;
  }
}
