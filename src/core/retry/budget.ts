/** A hundred retries; a call that fails in the end does not give its retries back. */
const capacity = 500;
/** What a retry costs, and what a success without one deposits. */
const cost = 5;
const earnings = 1;

/**
 * How many retries a client may still send, so that an outage does not double or triple the load.
 *
 * A success gives back what its own retries cost, or a little where it needed none. Waits that the service asked for
 * with 429 cost nothing: the rate limiter spaces those attempts.
 */
export class RetryBudget {
  #left = capacity;

  /** Takes a retry out; `false` when there is none left. */
  tryWithdraw(): boolean {
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** Records a call that succeeded after this many retries. */
  deposit(retries: number): void {
    if (this.#left < capacity) this.#left = Math.min(capacity, this.#left + Math.max(retries * cost, earnings));
  }
}
