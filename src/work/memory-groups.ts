import { hasBegun, isEarlier } from './memory-entry.js';
import type { MemoryEntry } from './memory-entry.js';
import { MemoryLine } from './memory-line.js';
import { SortedList } from './sorted-list.js';

/** The open entries in memory: of each group, the head alone is leased. */
export class MemoryGroups {
  /** The entries of each group, in their order. */
  readonly #groups = new Map<string, SortedList<MemoryEntry>>();
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
    const entries = this.#groups.get(group) ?? new SortedList(isEarlier);
    this.#groups.set(group, entries);
    entries.add(entry);
    const head = this.#heads.get(group);
    if (!head || (entries.first === entry && !hasBegun(head))) this.#promote(entry, 0, head?.turn);
  }

  /** Removes an entry, which has ended. The next one of its group is its head. */
  leave(entry: MemoryEntry): void {
    const { group } = entry.work;
    const entries = this.#groups.get(group);
    entries?.delete(entry);
    if (this.#heads.get(group) !== entry) return;
    if (entries?.first) {
      this.#promote(entries.first);
      return;
    }
    this.lineOf(entry.work.kind).leave(entry);
    this.#heads.delete(group);
    this.#groups.delete(group);
  }

  /** A head is due again after a delay. One that has not begun makes way for one that was sent earlier. */
  delay(entry: MemoryEntry, inMs: number): void {
    entry.token = undefined;
    this.#promote(hasBegun(entry) ? entry : (this.#groups.get(entry.work.group)?.first ?? entry), inMs);
  }

  /** Makes an entry the head of its group: due at once or after a delay. */
  #promote(head: MemoryEntry, inMs = 0, turn?: number): void {
    const { group, kind } = head.work;
    const before = this.#heads.get(group);
    if (before) this.lineOf(before.work.kind).leave(before);
    this.#heads.set(group, head);
    if (inMs > 0) this.lineOf(kind).setLater(head, performance.now() + inMs);
    else this.lineOf(kind).setDue(head, turn);
  }
}
