/**
 * A map whose oldest entry is found at once. Beyond its limit, the oldest entry is deleted.
 *
 * An iterator of a `Map` passes over every deleted entry that the map still has a place for. From the start of a map that
 * always loses its oldest entry, these are soon as many as the entries, so one iterator goes on where it was.
 */
export class FifoMap<V> extends Map<string, V> {
  #keys = this.keys();
  #oldest: string | undefined;
  readonly #limit: number;

  constructor(limit = Infinity) {
    super();
    this.#limit = limit;
  }

  /** The key that was set first; `undefined` in an empty map. */
  oldest(): string | undefined {
    this.#oldest ??= this.#next();
    return this.#oldest;
  }

  #next(): string | undefined {
    const next = this.#keys.next();
    // An iterator that has ended does not go on, whatever is set later.
    if (next.done) this.#keys = this.keys();
    return next.value;
  }

  override set(key: string, value: V): this {
    super.set(key, value);
    const oldest = this.size > this.#limit ? this.oldest() : undefined;
    if (oldest !== undefined) this.delete(oldest);
    return this;
  }

  override delete(key: string): boolean {
    if (key === this.#oldest) this.#oldest = undefined;
    return super.delete(key);
  }

  override clear(): void {
    this.#oldest = undefined;
    super.clear();
  }
}
