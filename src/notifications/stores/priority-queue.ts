/** A binary heap: the item with the lowest priority number is first. */
export class PriorityQueue<T> {
  readonly #heap: { readonly priority: number; readonly item: T }[] = [];

  peek(): { readonly priority: number; readonly item: T } | undefined {
    return this.#heap[0];
  }

  push(priority: number, item: T): void {
    const heap = this.#heap;
    const added = { priority, item };
    let index = heap.push(added) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (!above || above.priority <= priority) break;
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
      const right = heap[child + 1];
      if (right && right.priority < (heap[child]?.priority ?? Infinity)) child += 1;
      const below = heap[child];
      if (!below || below.priority >= last.priority) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}
