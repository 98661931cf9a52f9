import type { PageLimits, PageRequest, Pager, RawPage } from './page.js';

/** Requests pages before they are read. */
export class Prefetcher<T, Extra> {
  readonly #pager: Pager<T, Extra>;
  readonly #pages = new Map<number, Promise<RawPage<T, Extra>>>();
  #controller = new AbortController();

  constructor(pager: Pager<T, Extra>) {
    this.#pager = pager;
  }

  /** Returns the prefetched page of a request, or requests it now. */
  take(request: PageRequest, limits: PageLimits): Promise<RawPage<T, Extra>> {
    const prefetched = this.#pages.get(request.offset);
    if (!prefetched) {
      this.cancel();
      return this.#pager.fetch(request, limits);
    }
    this.#pages.delete(request.offset);
    return prefetched;
  }

  /**
   * Requests the pages that follow if the list does not change: each `step` entries after the last, none after `total`.
   */
  schedule({ offset, limit }: PageRequest, step: number, total: number, deadlineMs: number | undefined): void {
    for (let page = 0; page < this.#pager.prefetch; page += 1) {
      const request = { offset: offset + page * step, limit };
      // The first entry of a page was already read, so a page with only this entry is not needed.
      if (request.offset + 1 >= total) return;
      if (this.#pages.has(request.offset)) continue;
      const promise = this.#pager.fetch(request, { signal: this.#controller.signal, deadlineMs });
      // If the page is never taken, its rejection must not count as unhandled.
      promise.catch(() => undefined);
      this.#pages.set(request.offset, promise);
    }
  }

  /** Aborts the prefetched pages, because the list has changed or the iteration has ended. */
  cancel(): void {
    if (this.#pages.size === 0) return;
    this.#pages.clear();
    this.#controller.abort();
    this.#controller = new AbortController();
  }
}
