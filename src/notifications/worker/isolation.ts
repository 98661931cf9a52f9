import { stallsUntilAlone } from '../handling/failure-policy.js';
import type { Lease } from '../stores/store.js';

/** What to claim next. */
export interface NextClaim {
  readonly limit: number;
  /** The group whose entry is to run alone. */
  readonly groupId?: string;
}

/** Runs entries alone that have stalled before: if one of them ends the process, no other entry stalls with it. */
export class Isolation {
  /** The group of an entry that waits until no other handler runs. */
  #waiting: string | undefined;
  #isAlone = false;
  /**
   * At the start and after a suspect, claims are small: most of a large claim might be suspects too, and if the process ends
   * before it has released them, each has stalled once more without having run.
   */
  #limit = 1;

  /** The most leases to ask for at a time. */
  get limit(): number {
    return this.#limit;
  }

  /** What to claim while `running` handlers run; `undefined` for nothing. */
  next(running: number, concurrency: number): NextClaim | undefined {
    if (running === 0) this.#isAlone = false;
    if (this.#isAlone) return undefined;
    if (this.#waiting !== undefined) return running > 0 ? undefined : { limit: 1, groupId: this.#waiting };
    const limit = Math.min(concurrency - running, this.#limit);
    return limit > 0 ? { limit } : undefined;
  }

  /** Decides which of the claimed leases start now, and which are released because they have to run alone. */
  admit(leases: readonly Lease[], running: number): { start: readonly Lease[]; release: readonly Lease[] } {
    this.#waiting = undefined;
    const suspects = leases.filter(({ stalledCount }) => stalledCount >= stallsUntilAlone);
    if (suspects[0] === undefined) {
      if (leases.length > 0) this.#limit *= 2;
      return { start: leases, release: [] };
    }
    this.#limit = 1;
    if (leases.length === 1 && running === 0) {
      this.#isAlone = true;
      return { start: leases, release: [] };
    }
    this.#waiting = suspects[0].groupId;
    return { start: leases.filter((lease) => !suspects.includes(lease)), release: suspects };
  }
}
