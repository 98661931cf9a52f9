import type { MemoryEntry } from './memory-entry.js';
import { PriorityQueue } from './priority-queue.js';
import type { Prioritized } from './priority-queue.js';

interface Unclaimed extends Prioritized {
  readonly entry: MemoryEntry;
}

/** The entries of kinds that no worker has claimed yet, and until when they are kept. */
export class MemoryUnclaimed {
  readonly #queues = new Map<string, PriorityQueue<Unclaimed>>();
  readonly #expired = new Map<string, number>();

  add(entry: MemoryEntry): void {
    const { unclaimedMs, kind } = entry.work;
    if (unclaimedMs === undefined) return;
    const queue = this.#queues.get(kind) ?? new PriorityQueue<Unclaimed>();
    this.#queues.set(kind, queue);
    queue.push({ priority: entry.addedAt + unclaimedMs, number: entry.number, entry });
  }

  /** A worker claims some kinds: what it has of them is kept. Returns those of other kinds whose time is over. */
  expire(claimed: readonly string[]): MemoryEntry[] {
    for (const kind of claimed) this.#queues.delete(kind);
    const now = Date.now();
    const expired: MemoryEntry[] = [];
    for (const queue of this.#queues.values())
      for (let next = queue.peek(); next && next.priority <= now; next = queue.peek()) {
        expired.push(next.entry);
        queue.pop();
      }
    return expired;
  }

  count({ work: { kind } }: MemoryEntry): void {
    this.#expired.set(kind, (this.#expired.get(kind) ?? 0) + 1);
  }

  expired(kinds: readonly string[]): number {
    return kinds.reduce((sum, kind) => sum + (this.#expired.get(kind) ?? 0), 0);
  }
}
