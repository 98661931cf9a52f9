import { parseHttpDate } from '../errors/response-headers.js';

/** The header has no fraction of a second. */
const headerMs = 1000;
/** A clock that differs by more is told: then dates prove less. */
const toldMs = 2000;
/** A single header may be wrong, but not five that agree. */
const fewest = 5;

/**
 * By how much the clock of this machine is ahead of a service's, as the `Date` headers of many responses show: each was written
 * between the sending of its request and its arrival.
 */
export class ServiceClock {
  #least = -Infinity;
  #most = Infinity;
  /** How many headers agree. */
  #count = 0;
  #isTold = false;

  /** By how much it is ahead at least, in milliseconds; 0 if nothing shows that. */
  get aheadMs(): number {
    return this.#count < fewest ? 0 : Math.max(0, this.#least);
  }

  /**
   * Learns from a response that has just arrived, and whose request was sent at a time of `Date.now()`. `tell` is called once if
   * the clocks differ.
   */
  observe(sentAt: number, headers: Pick<Headers, 'get'>, tell: (aheadMs: number) => void): void {
    const stated = parseHttpDate(headers.get('date'));
    // A response of a cache says when it was stored.
    if (stated === undefined || headers.get('age') !== null) return;
    const [least, most] = [sentAt - stated - headerMs, Date.now() - stated];
    // One of the clocks was set.
    const isOther = least > this.#most || most < this.#least;
    this.#least = isOther ? least : Math.max(least, this.#least);
    this.#most = isOther ? most : Math.min(most, this.#most);
    this.#count = isOther ? 1 : this.#count + 1;
    if (this.#isTold || this.#count < fewest || (this.#least <= toldMs && this.#most >= -toldMs)) return;
    this.#isTold = true;
    tell((this.#least + this.#most) / 2);
  }
}
