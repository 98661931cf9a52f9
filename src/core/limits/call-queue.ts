/** A call in a queue. Its queue sets `place`. */
export interface QueuedCall {
  readonly sequence: number;
  place: number;
}

/**
 * Calls by their sequence, as a binary heap. Every call knows its place, so that adding and removing one of n takes
 * log n steps.
 */
export class CallQueue<C extends QueuedCall> {
  readonly #heap: C[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** The call with the lowest sequence. */
  get first(): C | undefined {
    return this.#heap[0];
  }

  /** All calls, in no order. */
  get all(): readonly C[] {
    return this.#heap;
  }

  /** How many calls have a lower sequence. It takes as many steps. */
  countBefore(sequence: number, place = 0): number {
    const call = this.#heap[place];
    if (call === undefined || call.sequence >= sequence) return 0;
    return 1 + this.countBefore(sequence, 2 * place + 1) + this.countBefore(sequence, 2 * place + 2);
  }

  add(call: C): void {
    this.#put(call, this.#heap.length);
    this.#rise(call);
  }

  /** Removes a call that is in the queue. */
  remove(call: C): void {
    const last = this.#heap.pop();
    if (last === undefined || last === call) return;
    this.#put(last, call.place);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(call: C): void {
    while (call.place > 0) {
      const parentPlace = (call.place - 1) >> 1;
      const parent = this.#heap[parentPlace];
      if (parent === undefined || parent.sequence <= call.sequence) return;
      this.#swap(parent, call);
    }
  }

  #sink(call: C): void {
    for (;;) {
      const left = this.#heap[2 * call.place + 1];
      const right = this.#heap[2 * call.place + 2];
      const child = left && right && right.sequence < left.sequence ? right : left;
      if (child === undefined || child.sequence >= call.sequence) return;
      this.#swap(call, child);
    }
  }

  #swap(upper: C, lower: C): void {
    const { place } = upper;
    this.#put(upper, lower.place);
    this.#put(lower, place);
  }

  #put(call: C, place: number): void {
    this.#heap[place] = call;
    call.place = place;
  }
}
