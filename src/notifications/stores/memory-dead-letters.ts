import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from '../../work/fifo-map.js';
import { deletedForRoom } from './store-limits.js';
import type { ResolvedLimits } from './store-limits.js';
import type { DeadLetter } from './store.js';
import { bytesOf } from './waiting-list.js';
import type { WaitingNotification } from './waiting-list.js';

type Writes = WaitingNotification['writes'];

/** The dead letters of an inbox in memory. */
export class MemoryDeadLetters {
  readonly #limits: ResolvedLimits;
  readonly #dead = new FifoMap<{ readonly letter: DeadLetter; readonly bytes: number; readonly writes: Writes }>();
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
  add({ entry, failures, stalls, writes }: WaitingNotification, failure: string): string[] {
    const number = ++this.#added;
    const letter = { entry, attempts: failures + stalls + 1, failure, deadLetteredAt: Date.now(), number };
    const bytes = bytesOf(letter);
    this.#dead.set(entry.key, { letter, bytes, writes });
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

  /** Deletes one, and returns its entry. */
  take(key: string): { readonly entry: QueuedNotification; readonly writes: Writes } | undefined {
    const dead = this.#dead.get(key);
    if (!dead) return undefined;
    this.#dead.delete(key);
    this.#bytes -= dead.bytes;
    return { entry: dead.letter.entry, writes: dead.writes };
  }

  /** Those after one, oldest first. */
  list(limit: number, after: number): DeadLetter[] {
    const letters = [...this.#dead.values()].map(({ letter }) => letter);
    return letters.filter(({ number }) => number > after).slice(0, limit);
  }
}
