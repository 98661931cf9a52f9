import type { MemoryEntry } from './memory-entry.js';
import { SortedList } from './sorted-list.js';

/** The entries of kinds that no worker has claimed yet, and until when they are kept. */
export class MemoryUnclaimed {
  readonly #queues = new Map<string, SortedList<MemoryEntry>>();
  readonly #expired = new Map<string, number>();

  add(entry: MemoryEntry): void {
    const { unclaimedMs, kind } = entry.work;
    if (unclaimedMs === undefined) return;
    const queue = this.#queues.get(kind) ?? new SortedList(isKeptShorter);
    this.#queues.set(kind, queue);
    queue.add(entry);
  }

  /** A worker claims some kinds: what it has of them is kept. Returns those of other kinds whose time is over. */
  expire(claimed: readonly string[]): MemoryEntry[] {
    for (const kind of claimed) this.#queues.delete(kind);
    const now = Date.now();
    const expired: MemoryEntry[] = [];
    for (const queue of this.#queues.values())
      for (let next = queue.first; next && keptUntil(next) <= now; next = queue.first) {
        expired.push(next);
        queue.delete(next);
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

function keptUntil({ addedAt, work: { unclaimedMs = Infinity } }: MemoryEntry): number {
  return addedAt + unclaimedMs;
}

function isKeptShorter(a: MemoryEntry, b: MemoryEntry): boolean {
  const [own, other] = [keptUntil(a), keptUntil(b)];
  return own < other || (own === other && a.number < b.number);
}
