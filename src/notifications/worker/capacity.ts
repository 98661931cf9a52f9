import { Isolation } from './isolation.js';
import type { NextClaim } from './isolation.js';
import type { Lease } from '../stores/store.js';

/** How many handlers may start: what to ask the store for, and what of it may start. */
export class Capacity {
  readonly #concurrency: number;
  readonly #runs: ReadonlyMap<string, unknown>;
  readonly #isolation = new Isolation();
  /** Leases that the store was asked for, and that it may still give out. */
  #asked = 0;

  /** @param runs The handlers that run now, until their results are stored. */
  constructor(concurrency: number, runs: ReadonlyMap<string, unknown>) {
    this.#concurrency = concurrency;
    this.#runs = runs;
  }

  get #used(): number {
    return this.#runs.size + this.#asked;
  }

  /** What may be claimed now; `undefined` for nothing. */
  next(): NextClaim | undefined {
    return this.#isolation.next(this.#used, this.#concurrency);
  }

  /** Whether an entry may be leased as it is added. */
  hasCapacityForAdded(): boolean {
    const next = this.next();
    return next !== undefined && next.groupId === undefined && this.#asked < this.#isolation.limit;
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

  /** Decides which leases start now, of those that were asked for, and which are released because they have to run alone. */
  admit(leases: readonly Lease[], asked: number): { start: readonly Lease[]; release: readonly Lease[] } {
    this.#asked -= asked;
    return this.#isolation.admit(leases, this.#used);
  }
}
