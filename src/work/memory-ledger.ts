/* oxlint-disable typescript/require-await -- the interface is asynchronous, this ledger is not */
import { FifoMap } from './fifo-map.js';
import type { Ledger } from './ledger.js';

interface Kept {
  readonly value: string;
  /** A time of `performance.now()`. */
  readonly until: number;
}

/** How many values are kept; the oldest is deleted first. */
const maxKept = 1_000_000;

/** A ledger in this process's memory. */
export class MemoryLedger implements Ledger {
  readonly #kept = new FifoMap<Kept>(maxKept);

  async get(key: string): Promise<string | undefined> {
    return this.valueOf(key);
  }

  valueOf(key: string): string | undefined {
    const kept = this.#kept.get(key);
    return kept && kept.until > performance.now() ? kept.value : undefined;
  }

  async replace(key: string, expected: string | undefined, value: string, ms: number): Promise<boolean> {
    if (this.valueOf(key) !== expected) return false;
    this.set(key, value, ms);
    return true;
  }

  set(key: string, value: string, ms: number): void {
    this.#kept.delete(key);
    this.#kept.set(key, { value, until: performance.now() + ms });
  }
}
