import { isSuspect } from '../handling/failure-policy.js';
import type { Lease } from '../stores/store.js';
import { admissionOf, nextClaim } from './policy.js';
import type { Load, NextClaim } from './policy.js';

/** How many handlers may start: what to ask the store for, and what of it may start. */
export class Capacity {
  readonly #concurrency: number;
  readonly #runs: ReadonlyMap<string, { readonly lease: Lease }>;
  readonly #suspects = new Set<string>();
  #batch = 1;

  /** @param runs The handlers that run now, until their results are stored. */
  constructor(concurrency: number, runs: ReadonlyMap<string, { readonly lease: Lease }>) {
    this.#concurrency = concurrency;
    this.#runs = runs;
  }

  get #load(): Load {
    return {
      concurrency: this.#concurrency,
      used: this.#runs.size,
      runsSuspect: [...this.#runs.values()].some(({ lease }) => isSuspect(lease)),
      suspects: [...this.#suspects],
      batch: this.#batch,
    };
  }

  /** What may be claimed now; `undefined` for nothing. */
  next(): NextClaim | undefined {
    return nextClaim(this.#load);
  }

  /** A suspect was claimed by name: another process may have it, or it may be handled. */
  forgetSuspect(groupId: string): void {
    this.#suspects.delete(groupId);
  }

  /** Decides which leases start now, and which are given back. */
  admit(leases: readonly Lease[]): { start: readonly Lease[]; giveBack: readonly Lease[] } {
    const { start, giveBack, batch } = admissionOf(leases, this.#load);
    this.#batch = batch;
    for (const { groupId } of start) this.#suspects.delete(groupId);
    for (const { groupId } of giveBack) this.#suspects.add(groupId);
    return { start, giveBack };
  }
}
