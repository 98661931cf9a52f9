import type { RunContext } from '../handling/running-context.js';
import type { Lease } from '../stores/store.js';

/** What came of a lease. */
export interface RunResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** One lease whose handler runs. */
export class Run implements RunContext {
  lease: Lease;
  /**
   * A later lease of the same group: the worker stood still for longer than the first one, or has stored its result already
   * and does not know it yet.
   */
  next: Lease | undefined;
  /** Another process may run it now: its result is ignored. */
  hasLostLease = false;
  /** The 404 of its `read()`. */
  notFound: unknown;
  readonly controller = new AbortController();
  readonly #ended = Promise.withResolvers<RunResult>();

  constructor(lease: Lease) {
    this.lease = lease;
  }

  get attempt(): number {
    return this.lease.attempt;
  }

  get coalescedCount(): number {
    return this.lease.coalescedKeys.length;
  }

  /** The lease that the store knows. */
  get latestLease(): Lease {
    return this.next ?? this.lease;
  }

  get result(): Promise<RunResult> {
    return this.#ended.promise;
  }

  end(result: RunResult): void {
    this.#ended.resolve(result);
  }

  /** Another process has taken over. */
  loseLease(): void {
    this.hasLostLease = true;
    this.controller.abort(new LeaseLostError('Another process has taken over'));
  }
}
