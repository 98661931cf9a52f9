import type { ApiError } from '../errors/response-errors.js';
import type { PageRequest } from './page.js';

/**
 * Finds the last entries that can be reached where a service rejects large offsets. Some reject a page by its offset,
 * others by the offset of its end. Both limits are searched by halving what is between an accepted and a rejected one.
 */
export class OffsetCeiling {
  #acceptedOffset = -1;
  #rejectedOffset = Infinity;
  #acceptedEnd = 0;
  #rejectedEnd = Infinity;
  #rejection: ApiError | undefined;

  /** Whether a request was rejected. */
  get isKnown(): boolean {
    return this.#rejection !== undefined;
  }

  /** Records a page that was returned. */
  accept({ offset }: PageRequest, length: number): void {
    this.#acceptedOffset = Math.max(this.#acceptedOffset, offset);
    this.#acceptedEnd = Math.max(this.#acceptedEnd, offset + length);
  }

  /** Records a request that was rejected, and why. `limit` is the length of its page. */
  reject({ offset, limit }: PageRequest & { readonly limit: number }, error: ApiError): void {
    this.#rejection ??= error;
    const end = offset + limit;
    if (end > this.#acceptedEnd + 1) {
      this.#rejectedEnd = end;
      return;
    }
    // Not even one new entry is returned at this offset, so the service judges by the offset.
    this.#rejectedOffset = offset;
    this.#rejectedEnd = Infinity;
  }

  /**
   * Returns a request that may be accepted, with entries that were not returned yet. If there is none, all that can be
   * reached were returned, and the first rejection is the reason.
   */
  within(request: PageRequest, pageLength: number): PageRequest | ApiError {
    if (!this.#rejection) return request;
    const isTooFar = request.offset >= this.#rejectedOffset;
    const offset = isTooFar ? middle(this.#acceptedOffset, this.#rejectedOffset) : request.offset;
    if (isTooFar && offset <= this.#acceptedOffset) return this.#rejection;
    const wanted = offset + (request.limit ?? pageLength);
    const end = wanted < this.#rejectedEnd ? wanted : middle(this.#acceptedEnd, this.#rejectedEnd);
    return end > this.#acceptedEnd ? { offset, limit: end - offset } : this.#rejection;
  }
}

function middle(low: number, high: number): number {
  return Math.floor((low + high) / 2);
}
