/** What a queue orders. */
export interface Prioritized {
  /** The lowest is first. */
  readonly priority: number;
  /** Orders equal priorities. */
  readonly number: number;
}

/** A binary heap. */
export class PriorityQueue<T extends Prioritized> {
  readonly #heap: T[] = [];

  peek(): T | undefined {
    return this.#heap[0];
  }

  push(added: T): void {
    const heap = this.#heap;
    let index = heap.push(added) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || isBefore(above, added)) break;
      heap[index] = above;
      heap[parent] = added;
      index = parent;
    }
  }

  pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (left && right && isBefore(right, left)) child += 1;
      const below = heap[child];
      if (!below || isBefore(last, below)) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Prioritized, b: Prioritized): boolean {
  return a.priority < b.priority || (a.priority === b.priority && a.number < b.number);
}
