import { FifoMap } from './fifo-map.js';
import { ownerOf } from './memory-entry.js';
import type { Work } from './store.js';

/** What is known of the open entries of an owner and kind. */
interface Known {
  /** How many may be added before they are counted again. */
  room: number;
  /** A time of `Date.now()`. */
  readonly until: number;
}

/** How many owners and kinds are remembered. */
const maxOwners = 10_000;
/** A part of the room that was counted is used without counting again: eight processes together do not use more than there is. */
const shareOfRoom = 1 / 8;
/** How long a count is used, in milliseconds: other processes add and end entries too. */
const roomMs = 1_000;
const fullMs = 250;

/** Spares the counting of open entries, which takes as long as there are many. */
export class OpenCounts {
  readonly #known = new FifoMap<Known>(maxOwners);
  readonly #full = new Set<string>();

  /** Takes a place for an entry. `count`: nobody knows whether there is one. */
  take(work: Work): 'free' | 'full' | 'count' {
    const known = this.#known.get(ownerOf(work));
    if (!known || known.until < Date.now()) return 'count';
    if (known.room < 0) return 'full';
    return (known.room -= 1) >= 0 ? 'free' : this.#forget(work);
  }

  #forget(work: Work): 'count' {
    this.#known.delete(ownerOf(work));
    return 'count';
  }

  /** They were counted. */
  set(work: Work, open: number, most: number): void {
    const room = Math.floor((most - open) * shareOfRoom);
    const isFull = open >= most;
    if (isFull) this.#full.add(ownerOf(work));
    if (room > 0 || isFull)
      this.#known.set(ownerOf(work), { room: isFull ? -1 : room, until: Date.now() + (isFull ? fullMs : roomMs) });
  }

  /** Something has ended: there may be room where there was none. */
  freed(): void {
    for (const owner of this.#full) this.#known.delete(owner);
    this.#full.clear();
  }
}
