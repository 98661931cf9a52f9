import { isSuspect } from '../handling/failure-policy.js';
import type { Claim, Lease } from '../stores/store.js';

/** What a worker knows when it decides what to claim, and what to start. */
export interface Load {
  /** How many handlers may run at once. */
  readonly concurrency: number;
  /** How many handlers run. */
  readonly used: number;
  /** Whether a suspect runs: an entry that has stalled before, and may be what ends the process. */
  readonly runsSuspect: boolean;
  /** Whether that suspect runs alone, so that it is to blame if the process ends: nothing starts beside it. */
  readonly isAlone: boolean;
  /** The groups of suspects that wait to run alone. The first is next. */
  readonly suspects: readonly string[];
  /** Whether the others still have time to end before a suspect starts beside them. */
  readonly canWait: boolean;
  /**
   * The most leases to ask for at a time. At the start and after a suspect it is small: most of a large claim might be suspects
   * too, and each has to be given back.
   */
  readonly batch: number;
}

/** What to claim next. */
export type NextClaim = Pick<Claim, 'limit' | 'groupId' | 'alone'>;

/** What becomes of leases. */
export interface AdmittedLeases {
  readonly start: readonly Lease[];
  /** Suspects that are given back, to be claimed by name later. */
  readonly returned: readonly Lease[];
  readonly batch: number;
}

/** What to claim now; `undefined` for nothing. */
export function nextClaim(load: Load): NextClaim | undefined {
  const { concurrency, used, runsSuspect, isAlone, canWait, batch } = load;
  const limit = Math.min(concurrency - used, batch);
  if (limit <= 0 || isAlone) return undefined;
  const [groupId] = load.suspects;
  const alone = used === 0 && (limit === 1 || groupId !== undefined);
  if (groupId === undefined || runsSuspect) return alone ? { limit, alone } : { limit };
  if (alone) return { limit: 1, groupId, alone };
  return canWait ? undefined : { limit: 1, groupId };
}

/** Decides which leases start. Suspects run one at a time, and alone where that is possible. */
export function admissionOf(
  leases: readonly Lease[],
  { used, runsSuspect, canWait, batch, concurrency }: Load,
): AdmittedLeases {
  const suspects = leases.filter(isSuspect);
  const startsOne = !runsSuspect && (!canWait || used + leases.length === 1);
  const returned = startsOne ? suspects.slice(1) : suspects;
  const start = leases.filter((lease) => !returned.includes(lease));
  if (suspects.length > 0) return { start, returned, batch: 1 };
  return { start, returned, batch: leases.length > 0 ? Math.min(batch * 2, concurrency) : batch };
}
