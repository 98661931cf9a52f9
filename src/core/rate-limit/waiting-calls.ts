import { CallQueue } from './call-queue.js';
import type { QueuedCall } from './call-queue.js';

/** A call that waits for its turn. Calls and their retries are sent in the order in which the calls were made. */
export interface AcquireRequest {
  readonly sequence: number;
  /** It waits until fewer attempts of calls with the same `maxInFlight` are in flight. */
  readonly maxInFlight: number;
  /** The longest pause for which the call waits. */
  readonly maxPauseMs: number;
  readonly maxRetries: number;
  /** When the call began, a time of `performance.now()`. */
  readonly startedAt: number;
  readonly onWait: (waitMs: number) => void;
}

/**
 * How a wait ended. `paused`: all calls are paused for longer than the call waits. `exhausted`: every response has been
 * a 429 for as long as the retries of the call would take.
 */
export type Admission = 'admitted' | 'paused' | 'exhausted';

export interface WaitingCall extends AcquireRequest, QueuedCall {
  readonly settle: (admission: Admission) => void;
  admission: Admission | undefined;
}

/** The calls of one token that wait. Which of them is next, the caller decides with `hasRoom`. */
export class WaitingCalls {
  /** A lower bound of the pauses for which they wait. */
  shortestPauseMs = Infinity;
  /** By `maxInFlight`: a call whose limit is reached does not delay the calls of other clients. */
  readonly #queues = new Map<number, CallQueue<WaitingCall>>();
  readonly #unnotified = new Set<WaitingCall>();

  get size(): number {
    let size = 0;
    for (const queue of this.#queues.values()) size += queue.size;
    return size;
  }

  add(call: WaitingCall): void {
    let queue = this.#queues.get(call.maxInFlight);
    if (!queue) this.#queues.set(call.maxInFlight, (queue = new CallQueue()));
    queue.add(call);
    this.#unnotified.add(call);
    this.shortestPauseMs = Math.min(this.shortestPauseMs, call.maxPauseMs);
  }

  remove(call: WaitingCall): void {
    this.#queues.get(call.maxInFlight)?.remove(call);
    this.#unnotified.delete(call);
  }

  /** The first call for which there is room. */
  first(hasRoom: (maxInFlight: number) => boolean): WaitingCall | undefined {
    let found: WaitingCall | undefined;
    for (const [maxInFlight, { first }] of this.#queues)
      if (first && hasRoom(maxInFlight) && !(found && found.sequence < first.sequence)) found = first;
    return found;
  }

  /** Returns the calls that wait in vain, with the reason. */
  hopeless(rejectionOf: (call: AcquireRequest) => Admission | undefined): (readonly [WaitingCall, Admission])[] {
    const hopeless: (readonly [WaitingCall, Admission])[] = [];
    this.shortestPauseMs = Infinity;
    for (const call of [...this.#queues.values()].flatMap(({ all }) => all)) {
      const rejection = rejectionOf(call);
      if (rejection) hopeless.push([call, rejection]);
      else this.shortestPauseMs = Math.min(this.shortestPauseMs, call.maxPauseMs);
    }
    return hopeless;
  }

  /** Tells the calls that do not know yet that they wait, each by the number of calls before it. */
  notify(waitFor: (before: number) => number): void {
    let before = 0;
    for (const call of this.#unnotified) this.notifyOne(call, waitFor(before++));
  }

  notifyOne(call: WaitingCall, waitMs: number): void {
    if (waitMs === 0) return;
    this.#unnotified.delete(call);
    call.onWait(waitMs);
  }
}
