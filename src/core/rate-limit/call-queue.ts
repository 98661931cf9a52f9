/** A call that waits until fewer than `maxInFlight` attempts of calls with the same `maxInFlight` are in flight. */
export interface QueuedCall {
  readonly sequence: number;
  readonly maxInFlight: number;
}

/**
 * The calls that wait for a rate limiter, in the order of their sequence.
 *
 * Clients with different limits share it. A call whose own limit is reached does not delay the calls of other clients, so
 * the attempts in flight are counted for each limit.
 */
export class CallQueue<Call extends QueuedCall> {
  /** All waiting calls, in order. */
  readonly all: Call[] = [];
  readonly #inFlight = new Map<number, number>();

  /** The first call whose own limit is not reached. */
  get next(): Call | undefined {
    return this.all.find(({ maxInFlight }) => this.hasRoom(maxInFlight));
  }

  hasRoom(maxInFlight: number): boolean {
    return (this.#inFlight.get(maxInFlight) ?? 0) < maxInFlight;
  }

  /** Counts an attempt that is sent (1) or has ended (-1). */
  count(maxInFlight: number, change: 1 | -1): void {
    this.#inFlight.set(maxInFlight, (this.#inFlight.get(maxInFlight) ?? 0) + change);
  }

  /** Adds a call, and returns how many calls are before it. */
  add(call: Call): number {
    const place = this.all.findLastIndex(({ sequence }) => sequence < call.sequence) + 1;
    this.all.splice(place, 0, call);
    return place;
  }

  /** Removes a call, if it waits. */
  remove(call: Call): void {
    const place = this.all.indexOf(call);
    // The first one, which is the usual one, without moving the others.
    if (place === 0) this.all.shift();
    else if (place > 0) this.all.splice(place, 1);
  }
}
