import type { PageRequest } from './offset-tracker.js';
import type { Pager, RawPage } from './paged.js';

/** Pages that are asked for before they are read. */
export class Prefetcher<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #pages = new Map<number, Promise<RawPage<T, Extra>>>();
  #closing = new AbortController();

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  /** The page at a place: the one asked for ahead, or asked for now. */
  take(place: PageRequest): Promise<RawPage<T, Extra>> {
    const planned = this.#pages.get(place.offset);
    if (!planned) {
      this.cancel();
      return this.#pager.fetch(place);
    }
    this.#pages.delete(place.offset);
    return planned;
  }

  /** Asks for the pages that follow if the list holds still: `step` entries on each time, nothing past `total`. */
  schedule({ offset, limit }: PageRequest, step: number, total: number): void {
    for (let page = 0; page < this.#pager.prefetch; page += 1) {
      const place = { offset: offset + page * step, limit };
      // The first entry of a page is one that was read before.
      if (place.offset + 1 >= total) return;
      if (this.#pages.has(place.offset)) continue;
      const promise = this.#pager.fetch(place, this.#closing.signal);
      // A page that nobody takes may fail unheard.
      promise.catch(() => undefined);
      this.#pages.set(place.offset, promise);
    }
  }

  /** What was asked for ahead is of no use: the list has moved, or the walk is over. */
  cancel(): void {
    if (this.#pages.size === 0) return;
    this.#pages.clear();
    this.#closing.abort();
    this.#closing = new AbortController();
  }
}
