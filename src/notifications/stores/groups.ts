import type { QueuedNotification } from '../queued-notification.js';

/** An entry that waits. */
export interface WaitingNotification {
  readonly entry: QueuedNotification;
  attempts: number;
}

/** The waiting entries of one resource. */
export interface Group {
  readonly name: string;
  /** By `sentAt`, then by arrival. */
  waiting: WaitingNotification[];
  /** When the lane may be lent: while it is lent, the end of the loan. */
  readyAt: number;
  workerId: string | undefined;
}

/** Lanes, and which of them is due first: a binary heap whose outdated places are skipped when they come up. */
export class Groups {
  readonly #lanes = new Map<string, Group>();
  readonly #heap: { readonly at: number; readonly lane: Group }[] = [];

  get(name: string): Group | undefined {
    return this.#lanes.get(name);
  }

  /** Puts an entry in its place. */
  insert(waiting: WaitingNotification, now: number): void {
    const { groupId: name, sentAt } = waiting.entry;
    let lane = this.#lanes.get(name);
    if (!lane) {
      lane = { name, waiting: [], readyAt: now, workerId: undefined };
      this.#lanes.set(name, lane);
      this.#push({ at: now, lane });
    }
    const place = lane.waiting.findLastIndex(({ entry }) => entry.sentAt <= sentAt) + 1;
    lane.waiting.splice(place, 0, waiting);
  }

  /** Says when a lane may be lent next, or drops it where nothing waits in it. */
  release(lane: Group, readyAt: number): void {
    lane.workerId = undefined;
    if (lane.waiting.length === 0) this.#lanes.delete(lane.name);
    else this.moveTo(lane, readyAt);
  }

  moveTo(lane: Group, readyAt: number): void {
    lane.readyAt = readyAt;
    this.#push({ at: readyAt, lane });
  }

  /** The lane that is due first; `undefined` where nothing waits. */
  first(): Group | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (top.lane.readyAt === top.at && this.#lanes.get(top.lane.name) === top.lane) return top.lane;
      this.#pop();
    }
    return undefined;
  }

  #push(place: { at: number; lane: Group }): void {
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
