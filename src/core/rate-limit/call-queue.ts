/** A call that waits for its turn. Calls and their retries are sent in the order in which the calls were made. */
export interface AcquireRequest {
  readonly sequence: number;
  /** It waits until fewer attempts of calls with the same `maxInFlight` are in flight. */
  readonly maxInFlight: number;
  /** The longest pause for which the call waits. */
  readonly maxPauseMs: number;
  readonly onWait: (waitMs: number) => void;
}

/** An attempt in the queue. */
export interface QueuedAttempt extends AcquireRequest {
  /** Ends the wait: the call is admitted, or the pause is too long. */
  readonly settle: (admitted: boolean) => void;
  isAdmitted: boolean;
  notified: boolean;
}

/**
 * The calls that wait for a rate limiter, in the order of their sequence.
 *
 * Clients with different limits share it. A call whose own limit is reached does not delay the calls of other clients, so
 * the attempts in flight are counted for each limit.
 */
export class CallQueue {
  /** All waiting calls, in order. */
  readonly all: QueuedAttempt[] = [];
  readonly #inFlight = new Map<number, number>();

  /** The first call whose own limit is not reached. */
  get next(): QueuedAttempt | undefined {
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
  add(call: QueuedAttempt): number {
    const place = this.all.findLastIndex(({ sequence }) => sequence < call.sequence) + 1;
    this.all.splice(place, 0, call);
    return place;
  }

  /** Removes a call, if it waits. */
  remove(call: QueuedAttempt): void {
    const place = this.all.indexOf(call);
    // The first one, which is the usual one, without moving the others.
    if (place === 0) this.all.shift();
    else if (place > 0) this.all.splice(place, 1);
  }
}
