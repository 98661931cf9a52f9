import { FifoMap } from './fifo-map.js';
import { ownerOf } from './memory-entry.js';
import type { MemoryEntry } from './memory-entry.js';
import { deadLetterDeleted } from './problems.js';

/** The dead entries in memory, in the order in which they were given up. */
export class MemoryDead {
  readonly #all = new Map<string, MemoryEntry>();
  readonly #ofOwners = new Map<string, FifoMap<MemoryEntry>>();

  get(key: string): MemoryEntry | undefined {
    return this.#all.get(key);
  }

  values(): Iterable<MemoryEntry> {
    return this.#all.values();
  }

  /** Adds one. Returns what the log says of those that are deleted because their owner has more than `most`. */
  add(entry: MemoryEntry, most: number): string[] {
    const { work } = entry;
    const ofOwner = this.#ofOwners.get(ownerOf(work)) ?? new FifoMap<MemoryEntry>();
    this.#ofOwners.set(ownerOf(work), ofOwner);
    this.#all.set(work.key, entry);
    ofOwner.set(work.key, entry);
    const problems: string[] = [];
    for (let key = ofOwner.oldest(); key !== undefined && ofOwner.size > most; key = ofOwner.oldest()) {
      this.take(key);
      problems.push(deadLetterDeleted(key, most));
    }
    return problems;
  }

  /** Removes one. */
  take(key: string): MemoryEntry | undefined {
    const entry = this.#all.get(key);
    if (!entry) return undefined;
    this.#all.delete(key);
    const ofOwner = this.#ofOwners.get(ownerOf(entry.work));
    ofOwner?.delete(key);
    if (ofOwner?.size === 0) this.#ofOwners.delete(ownerOf(entry.work));
    return entry;
  }
}
