import type { Entry } from './entry.js';

/** An entry that waits. */
export interface Waiting {
  readonly entry: Entry;
  attempts: number;
}

/** The waiting entries of one resource. */
export interface Lane {
  readonly name: string;
  /** By `sentAt`, then by arrival. */
  waiting: Waiting[];
  /** When the lane may be lent: while it is lent, the end of the loan. */
  readyAt: number;
  holder: string | undefined;
}

/** Lanes, and which of them is due first: a binary heap whose outdated places are skipped when they come up. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #heap: { readonly at: number; readonly lane: Lane }[] = [];

  get(name: string): Lane | undefined {
    return this.#lanes.get(name);
  }

  /** Puts an entry in its place. */
  insert(waiting: Waiting, now: number): void {
    const { lane: name, sentAt } = waiting.entry;
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = { name, waiting: [], readyAt: now, holder: undefined };
      this.#lanes.set(name, lane);
      this.#push({ at: now, lane });
    }
    const place = lane.waiting.findLastIndex(({ entry }) => entry.sentAt <= sentAt) + 1;
    lane.waiting.splice(place, 0, waiting);
  }

  /** Says when a lane may be lent next, or drops it where nothing waits in it. */
  release(lane: Lane, readyAt: number): void {
    lane.holder = undefined;
    if (lane.waiting.length === 0) this.#lanes.delete(lane.name);
    else this.moveTo(lane, readyAt);
  }

  moveTo(lane: Lane, readyAt: number): void {
    lane.readyAt = readyAt;
    this.#push({ at: readyAt, lane });
  }

  /** The lane that is due first; `undefined` where nothing waits. */
  first(): Lane | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (top.lane.readyAt === top.at && this.#lanes.get(top.lane.name) === top.lane) return top.lane;
      this.#pop();
    }
    return undefined;
  }

  #push(place: { at: number; lane: Lane }): void {
    const heap = this.#heap;
    let index = heap.push(place) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || above.at <= place.at) break;
      heap[index] = above;
      heap[parent] = place;
      index = parent;
    }
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const right = heap[child + 1];
      if (right && right.at < (heap[child]?.at ?? Infinity)) child += 1;
      const below = heap[child];
      if (!below || below.at >= last.at) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}
