import type { PageRequest } from './page.js';

/**
 * Finds the last entries that can be reached where a service refuses large offsets. Some refuse a page by its offset,
 * others by the offset of its end. Both limits are searched by halving what is between an accepted and a refused one.
 */
export class OffsetCeiling {
  #acceptedOffset = -1;
  #refusedOffset = Infinity;
  #acceptedEnd = 0;
  #refusedEnd = Infinity;

  /** Whether a request was refused. */
  get isKnown(): boolean {
    return this.#refusedOffset < Infinity || this.#refusedEnd < Infinity;
  }

  /** Records a page that was returned. */
  accept({ offset }: PageRequest, length: number): void {
    this.#acceptedOffset = Math.max(this.#acceptedOffset, offset);
    this.#acceptedEnd = Math.max(this.#acceptedEnd, offset + length);
  }

  /** Records a request that was refused. `limit` is the length of its page. */
  refuse({ offset, limit }: PageRequest & { readonly limit: number }): void {
    const end = offset + limit;
    if (end > this.#acceptedEnd + 1) {
      this.#refusedEnd = end;
      return;
    }
    // Not even one new entry is returned at this offset, so the service judges by the offset.
    this.#refusedOffset = offset;
    this.#refusedEnd = Infinity;
  }

  /** Returns a request that may be accepted, with entries that were not returned yet; `undefined` if there is none. */
  within(request: PageRequest, pageLength: number): PageRequest | undefined {
    if (!this.isKnown) return request;
    const isTooFar = request.offset >= this.#refusedOffset;
    const offset = isTooFar ? middle(this.#acceptedOffset, this.#refusedOffset) : request.offset;
    if (isTooFar && offset <= this.#acceptedOffset) return undefined;
    const wanted = offset + (request.limit ?? pageLength);
    const end = wanted < this.#refusedEnd ? wanted : middle(this.#acceptedEnd, this.#refusedEnd);
    return end > this.#acceptedEnd ? { offset, limit: end - offset } : undefined;
  }
}

function middle(low: number, high: number): number {
  return Math.floor((low + high) / 2);
}
