import { hasBegun, isEarlier } from './memory-entry.js';
import type { MemoryEntry } from './memory-entry.js';
import { MemoryLine } from './memory-line.js';

/** The open entries in memory: of each group, the head alone is leased. */
export class MemoryGroups {
  /** The entries of each group, in their order. */
  readonly #groups = new Map<string, MemoryEntry[]>();
  readonly #heads = new Map<string, MemoryEntry>();
  readonly #lines = new Map<string, MemoryLine>();

  lineOf(kind: string): MemoryLine {
    const line = this.#lines.get(kind) ?? new MemoryLine();
    this.#lines.set(kind, line);
    return line;
  }

  headOf(entry: MemoryEntry): MemoryEntry | undefined {
    return this.#heads.get(entry.work.group);
  }

  /** Adds an open entry. A head that has not begun makes way for one that was sent earlier. */
  enter(entry: MemoryEntry): void {
    const { group } = entry.work;
    const entries = this.#groups.get(group) ?? [];
    this.#groups.set(group, entries);
    entries.splice(placeOf(entries, entry), 0, entry);
    const head = this.#heads.get(group);
    if (!head) this.#promote(group);
    else if (entries[0] === entry && !hasBegun(head)) this.#promote(group, { turn: head.turn });
  }

  /** Removes an entry, which has ended. The next one of its group is its head. */
  leave(entry: MemoryEntry): void {
    const { group } = entry.work;
    const entries = this.#groups.get(group) ?? [];
    entries.splice(entries.indexOf(entry), 1);
    if (entries.length === 0) this.#groups.delete(group);
    if (entry.isHead) this.#promote(group);
  }

  /** A head is due again after a delay. One that has not begun makes way for one that was sent earlier. */
  delay(entry: MemoryEntry, inMs: number): void {
    entry.token = undefined;
    this.#promote(entry.work.group, { inMs, head: hasBegun(entry) ? entry : undefined });
  }

  /** Makes an entry, or the first of its group, the head: due at once or after a delay. */
  #promote(
    group: string,
    {
      inMs = 0,
      turn,
      head = this.#groups.get(group)?.[0],
    }: { inMs?: number; turn?: number | undefined; head?: MemoryEntry | undefined } = {},
  ): void {
    const before = this.#heads.get(group);
    if (before) {
      this.lineOf(before.work.kind).leave(before);
      before.isHead = false;
    }
    this.#heads.delete(group);
    if (!head) return;
    this.#heads.set(group, head);
    head.isHead = true;
    const line = this.lineOf(head.work.kind);
    if (inMs > 0) line.setLater(head, performance.now() + inMs);
    else line.setDue(head, turn);
  }
}

/** Most are sent last, and of those that are not, the place is found by halves. */
function placeOf(entries: readonly MemoryEntry[], entry: MemoryEntry): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = entries[middle];
    if (other && isEarlier(other, entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}
