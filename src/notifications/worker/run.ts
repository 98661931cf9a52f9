import type { HandlingAttempt } from '../handling/attempts.js';
import type { Lease } from '../stores/store.js';
import type { RunResult } from './group-requests.js';

/** One lease whose handler runs here. */
export interface Run extends HandlingAttempt {
  lease: Lease;
  /**
   * A later lease of the same group: the worker stood still for longer than the first one, or has stored its result already
   * and does not know it yet.
   */
  next?: Lease | undefined;
  /** Another process may run it now: its result is ignored. */
  isLost: boolean;
  /** Resolves once the result is stored. */
  result: Promise<RunResult>;
}

/** The lease that the store knows. */
export function latestOf({ lease, next }: Run): Lease {
  return next ?? lease;
}

/** What comes of a run is ignored from now on. */
export function lose(run: Run): void {
  run.isLost = true;
  run.controller.abort(new LeaseLostError('Another process has taken over'));
}

class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
