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
  /** Leases that the store was asked for, and that it may still give out. */
  #asked = 0;

  /** @param runs The handlers that run now, until their results are stored. */
  constructor(concurrency: number, runs: ReadonlyMap<string, { readonly lease: Lease }>) {
    this.#concurrency = concurrency;
    this.#runs = runs;
  }

  get #load(): Load {
    return {
      concurrency: this.#concurrency,
      used: this.#runs.size + this.#asked,
      runsSuspect: [...this.#runs.values()].some(({ lease }) => isSuspect(lease)),
      suspects: [...this.#suspects],
      batch: this.#batch,
    };
  }

  /** What may be claimed now; `undefined` for nothing. */
  next(): NextClaim | undefined {
    return nextClaim(this.#load);
  }

  /** Whether suspects were given back, to be claimed by name. */
  get hasSuspects(): boolean {
    return this.#suspects.size > 0;
  }

  /** Whether an entry may be leased as it is added. */
  hasCapacityForAdded(): boolean {
    const next = this.next();
    return next !== undefined && next.groupId === undefined && this.#asked < this.#batch;
  }

  /** Asks the store for leases, and reserves capacity for them until they are admitted, or the store fails. */
  async ask<T>(asked: number, ask: () => Promise<T>): Promise<T> {
    this.#asked += asked;
    try {
      return await ask();
    } catch (error) {
      this.#asked -= asked;
      throw error;
    }
  }

  /** Nothing was leased of what was asked for. */
  admitNone(asked: number): void {
    this.#asked -= asked;
  }

  /** A suspect was claimed by name: another process may have it, or it may be handled. */
  forgetSuspect(groupId: string): void {
    this.#suspects.delete(groupId);
  }

  /** Decides which leases start now, of those that were asked for, and which are given back. */
  admit(leases: readonly Lease[], asked: number): { start: readonly Lease[]; giveBack: readonly Lease[] } {
    this.#asked -= asked;
    const { start, giveBack, batch } = admissionOf(leases, this.#load);
    this.#batch = batch;
    for (const { groupId } of start) this.#suspects.delete(groupId);
    for (const { groupId } of giveBack) this.#suspects.add(groupId);
    return { start, giveBack };
  }
}
