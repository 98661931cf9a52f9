/** A hundred repeats; a call that fails for good has taken its own with it. */
const capacity = 500;
/** What a repeat costs, and what a success without one earns. */
const cost = 5;
const earnings = 1;

/**
 * How many repeats a client may still send: an outage is not to be answered with twice or three times the load.
 *
 * A success gives back what its own repeats cost, or a little where it needed none. Waits that the service asked for
 * with 429 cost nothing: the gate paces them.
 */
export class RetryBudget {
  #left = capacity;

  /** Takes a repeat out; `false` when there is none left. */
  tryWithdraw(): boolean {
    if (this.#left < cost) return false;
    this.#left -= cost;
    return true;
  }

  /** A call succeeded after so many repeats. */
  deposit(repeats: number): void {
    if (this.#left < capacity) this.#left = Math.min(capacity, this.#left + Math.max(repeats * cost, earnings));
  }
}
