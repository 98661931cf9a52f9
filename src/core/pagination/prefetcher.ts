import type { PageLimits, PageRequest, Pager, RawPage } from './page.js';

/** Requests pages before they are read. */
export class Prefetcher<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #pages = new Map<number, Promise<RawPage<T, Extra>>>();
  #controller = new AbortController();

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  /** The page of a request: the prefetched one, or one that is requested now. */
  take(request: PageRequest, limits: PageLimits): Promise<RawPage<T, Extra>> {
    const prefetched = this.#pages.get(request.offset);
    if (!prefetched) {
      this.cancel();
      return this.#pager.fetch(request, limits);
    }
    this.#pages.delete(request.offset);
    return prefetched;
  }

  /** Requests the pages that follow if the list does not change: each `step` entries further, none beyond `total`. */
  schedule({ offset, limit }: PageRequest, step: number, total: number, deadlineMs: number | undefined): void {
    for (let page = 0; page < this.#pager.prefetch; page += 1) {
      const request = { offset: offset + page * step, limit };
      // The first entry of a page is one that was read before.
      if (request.offset + 1 >= total) return;
      if (this.#pages.has(request.offset)) continue;
      const promise = this.#pager.fetch(request, { signal: this.#controller.signal, deadlineMs });
      // The page may never be taken; its rejection must not count as unhandled.
      promise.catch(() => undefined);
      this.#pages.set(request.offset, promise);
    }
  }

  /** Aborts the prefetched pages: the list has changed, or the iteration has ended. */
  cancel(): void {
    if (this.#pages.size === 0) return;
    this.#pages.clear();
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}
