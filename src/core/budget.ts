/** A call that fails for good has taken so many repeats with it; then only successes earn new ones. */
const capacity = 100;
/** What a success without a repeat earns, in repeats. */
const earnings = 0.2;

/**
 * How many repeats a client may still send: an outage is not to be answered with twice or three times the load.
 *
 * A repeat costs one. A success gives back what its own repeats cost, or a little where it needed none. Waits that the
 * service asked for with 429 cost nothing: the gate paces them.
 */
export class RetryBudget {
  #left = capacity;

  /** Takes a repeat out; `false` when there is none left. */
  take(): boolean {
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** A call succeeded after so many repeats. */
  earn(repeats: number): void {
    if (this.#left < capacity) this.#left = Math.min(capacity, this.#left + Math.max(repeats, earnings));
  }
}
