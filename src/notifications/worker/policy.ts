import { isSuspect } from '../handling/failure-policy.js';
import type { Lease } from '../stores/store.js';

/** What a worker knows when it decides what to claim, and what to start. */
export interface Load {
  /** How many handlers may run at once. */
  readonly concurrency: number;
  /** How many handlers run. */
  readonly used: number;
  /** Whether a suspect runs: an entry that has stalled before, and may be what ends the process. */
  readonly runsSuspect: boolean;
  /** The groups of suspects that were given back, because only one of them runs at a time. The first is next. */
  readonly suspects: readonly string[];
  /**
   * The most leases to ask for at a time. At the start and after a suspect it is small: most of a large claim might be suspects
   * too, and if the process ends before it has given them back, each has stalled once more without having run.
   */
  readonly batch: number;
}

/** What to claim next. */
export interface NextClaim {
  readonly limit: number;
  /** The group of a suspect. */
  readonly groupId?: string;
}

/** What becomes of leases. */
export interface AdmittedLeases {
  readonly start: readonly Lease[];
  /** Suspects that are given back, to be claimed by name later. */
  readonly returned: readonly Lease[];
  readonly batch: number;
}

/** What to claim now; `undefined` for nothing. */
export function nextClaim({ concurrency, used, runsSuspect, suspects, batch }: Load): NextClaim | undefined {
  const limit = Math.min(concurrency - used, batch);
  if (limit <= 0) return undefined;
  return suspects[0] === undefined || runsSuspect ? { limit } : { limit: 1, groupId: suspects[0] };
}

/** Decides which leases start. Suspects run one at a time, beside entries that have not stalled. */
export function admissionOf(leases: readonly Lease[], { runsSuspect, batch, concurrency }: Load): AdmittedLeases {
  const suspects = leases.filter(isSuspect);
  const returned = runsSuspect ? suspects : suspects.slice(1);
  const start = leases.filter((lease) => !returned.includes(lease));
  if (suspects.length > 0) return { start, returned, batch: 1 };
  return { start, returned, batch: leases.length > 0 ? Math.min(batch * 2, concurrency) : batch };
}
