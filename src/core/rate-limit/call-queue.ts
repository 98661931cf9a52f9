/** A call that waits until fewer than `maxInFlight` attempts of calls with the same `maxInFlight` are in flight. */
export interface QueuedCall {
  readonly sequence: number;
  readonly maxInFlight: number;
}

/** The calls with the same `maxInFlight`: how many are in flight, and those that wait, by their sequence. */
interface CallGroup<Call> {
  inFlight: number;
  readonly waiting: Call[];
}

/**
 * The calls that wait for a rate limiter, in the order of their sequence.
 *
 * Clients with different limits share it. A call whose own limit is reached does not delay the calls of other clients,
 * so each limit has its own list. There are only a few limits, but there may be thousands of calls.
 */
export class CallQueue<Call extends QueuedCall> {
  readonly #groups = new Map<number, CallGroup<Call>>();

  /** All waiting calls, in order. */
  get all(): Call[] {
    return [...this.#groups.values()].flatMap(({ waiting }) => waiting).sort((a, b) => a.sequence - b.sequence);
  }

  get isEmpty(): boolean {
    for (const { waiting } of this.#groups.values()) if (waiting.length > 0) return false;
    return true;
  }

  /** The first call whose own limit is not reached. */
  get next(): Call | undefined {
    let next: Call | undefined;
    for (const [maxInFlight, { inFlight, waiting }] of this.#groups) {
      const [first] = waiting;
      if (first && inFlight < maxInFlight && !(next && next.sequence < first.sequence)) next = first;
    }
    return next;
  }

  hasRoom(maxInFlight: number): boolean {
    return this.#group(maxInFlight).inFlight < maxInFlight;
  }

  /** Counts an attempt that is sent (1) or has ended (-1). */
  count(maxInFlight: number, change: 1 | -1): void {
    this.#group(maxInFlight).inFlight += change;
  }

  /** Adds a call, and returns how many calls are before it. */
  add(call: Call): number {
    const own = this.#group(call.maxInFlight);
    let before = 0;
    for (const group of this.#groups.values()) {
      const place = group.waiting.findLastIndex(({ sequence }) => sequence < call.sequence) + 1;
      if (group === own) group.waiting.splice(place, 0, call);
      before += place;
    }
    return before;
  }

  /** Removes a call, if it waits. */
  remove(call: Call): void {
    const { waiting } = this.#group(call.maxInFlight);
    const place = waiting.indexOf(call);
    if (place === 0) waiting.shift();
    else if (place > 0) waiting.splice(place, 1);
  }

  #group(maxInFlight: number): CallGroup<Call> {
    let group = this.#groups.get(maxInFlight);
    if (!group) this.#groups.set(maxInFlight, (group = { inFlight: 0, waiting: [] }));
    return group;
  }
}
