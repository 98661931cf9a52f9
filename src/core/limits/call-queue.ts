/** A call in a queue. Its queue sets `before` and `after`. */
export interface QueuedCall<C> {
  before?: C | undefined;
  after?: C | undefined;
}

/** Calls in the order in which they came. Adding and removing one takes the same time, however many there are. */
export class CallQueue<C extends QueuedCall<C>> {
  size = 0;
  first: C | undefined;
  #last: C | undefined;

  add(call: C): void {
    call.before = this.#last;
    if (this.#last) this.#last.after = call;
    else this.first = call;
    this.#last = call;
    this.size += 1;
  }

  /** Removes a call that is in the queue. */
  remove(call: C): void {
    const { before, after } = call;
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.#last = before;
    this.size -= 1;
  }

  *[Symbol.iterator](): Generator<C> {
    for (let call = this.first; call;) {
      const { after } = call;
      yield call;
      call = after;
    }
  }
}
