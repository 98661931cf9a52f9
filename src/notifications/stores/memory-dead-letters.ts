import { FifoMap } from './fifo-map.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter } from './store.js';
import { bytesOf } from './waiting-list.js';
import type { WaitingNotification } from './waiting-list.js';

/** The dead letters of an inbox in memory. */
export class MemoryDeadLetters {
  readonly #limits: ResolvedLimits;
  readonly #dead = new FifoMap<{ readonly letter: DeadLetter; readonly bytes: number }>();
  #bytes = 0;
  #added = 0;

  constructor(limits: ResolvedLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#dead.size;
  }

  has(key: string): boolean {
    return this.#dead.has(key);
  }

  /** Adds an entry after its last attempt. Returns what the log says of those that are deleted for want of room. */
  add({ entry, failures, stalls }: WaitingNotification, failure: string): string[] {
    const number = ++this.#added;
    const letter = { entry, attempts: failures + stalls + 1, failure, deadLetteredAt: Date.now(), number };
    const bytes = bytesOf(letter);
    this.#dead.set(entry.key, { letter, bytes });
    this.#bytes += bytes;
    const { maxDead, maxDeadBytes } = this.#limits;
    const problems: string[] = [];
    for (let oldest = this.#dead.oldest(); oldest !== undefined; oldest = this.#dead.oldest()) {
      if (this.#dead.size <= maxDead && this.#bytes <= maxDeadBytes) break;
      this.take(oldest);
      problems.push(deletedForRoom(oldest));
    }
    return problems;
  }

  /** Deletes one, and returns it. */
  take(key: string): DeadLetter | undefined {
    const dead = this.#dead.get(key);
    if (!dead) return undefined;
    this.#dead.delete(key);
    this.#bytes -= dead.bytes;
    return dead.letter;
  }

  /** Those after one, oldest first. */
  list(limit: number, after: number): DeadLetter[] {
    const letters = [...this.#dead.values()].map(({ letter }) => letter);
    return letters.filter(({ number }) => number > after).slice(0, limit);
  }
}
