import type { QueuedNotification } from '../queued-notification.js';

/** A waiting entry. */
export interface WaitingNotification {
  readonly entry: QueuedNotification;
  /** The length of its JSON. */
  readonly bytes: number;
  failures: number;
  stalls: number;
}

/** The waiting entries of one resource. */
export interface Group {
  readonly name: string;
  /** By `sentAt`, then by arrival. */
  waiting: WaitingNotification[];
  /** When the group may be leased; while it is leased, the end of the lease. */
  readyAt: number;
  /** The current lease, also after it has expired. */
  lease: { readonly token: string; readonly leased: WaitingNotification } | undefined;
}

/** The groups, ordered by when they are due: a binary heap whose outdated items are skipped when they reach the top. */
export class Groups {
  readonly #groups = new Map<string, Group>();
  readonly #heap: { readonly at: number; readonly group: Group }[] = [];

  get(name: string): Group | undefined {
    return this.#groups.get(name);
  }

  /** Inserts an entry by its time. */
  insert(waiting: WaitingNotification, now: number): void {
    const { groupId: name, sentAt } = waiting.entry;
    let group = this.#groups.get(name);
    if (!group) {
      group = { name, waiting: [], readyAt: now, lease: undefined };
      this.#groups.set(name, group);
      this.#push({ at: now, group });
    }
    const index = group.waiting.findLastIndex(({ entry }) => entry.sentAt <= sentAt) + 1;
    group.waiting.splice(index, 0, waiting);
  }

  /** Ends a group's lease, and deletes the group if it is empty. */
  release(group: Group, readyAt: number): void {
    group.lease = undefined;
    if (group.waiting.length === 0) this.#groups.delete(group.name);
    else this.moveTo(group, readyAt);
  }

  moveTo(group: Group, readyAt: number): void {
    group.readyAt = readyAt;
    this.#push({ at: readyAt, group });
  }

  /** The group that is due first; `undefined` when there is none. */
  first(): Group | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (top.group.readyAt === top.at && this.#groups.get(top.group.name) === top.group) return top.group;
      this.#pop();
    }
    return undefined;
  }

  #push(item: { at: number; group: Group }): void {
    const heap = this.#heap;
    let index = heap.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || above.at <= item.at) break;
      heap[index] = above;
      heap[parent] = item;
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
