/** Enough for a hundred retries. */
const capacity = 500;
/** What a retry costs, and what a success without retries deposits. */
const cost = 5;
const earnings = 1;

/**
 * Limits the retries of a client, so that an outage does not double or triple the load.
 *
 * A call that succeeds returns the cost of its retries, or a small deposit if it needed none. A call that fails returns
 * nothing. Retries after a 429 that pauses all calls cost nothing, because the rate limiter already delays them.
 */
export class RetryBudget {
  /** Whether enough is left for a retry. */
  isEnough = true;
  /** What the retries have cost, and successes have not returned. */
  spent = 0;

  /** Withdraws the cost of a retry. */
  withdraw(): void {
    this.#change(cost);
  }

  /** Records a call that succeeded after this many retries. */
  deposit(retries: number): void {
    this.#change(-Math.max(retries * cost, earnings));
  }

  #change(by: number): void {
    this.spent = Math.max(0, this.spent + by);
    this.isEnough = this.spent + cost <= capacity;
  }
}
