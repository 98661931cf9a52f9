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
  #highestSequence = 0;

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
    this.#highestSequence = Math.max(this.#highestSequence, call.sequence);
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
    for (const call of this.#all) {
      const rejection = rejectionOf(call);
      if (rejection) hopeless.push([call, rejection]);
      else this.shortestPauseMs = Math.min(this.shortestPauseMs, call.maxPauseMs);
    }
    return hopeless;
  }

  get #all(): WaitingCall[] {
    return [...this.#queues.values()].flatMap(({ all }) => all);
  }

  /** How many calls are sent before one that waits. */
  before({ sequence }: WaitingCall): number {
    // Usually it is the last one. Only a retry is sent before others, and few are sent before it.
    if (sequence === this.#highestSequence) return this.size - 1;
    return [...this.#queues.values()].reduce((count, queue) => count + queue.countBefore(sequence), 0);
  }

  /** Tells the calls that do not know yet that they wait, each by the number of calls before it. */
  notify(waitFor: (before: number) => number): void {
    if (this.#unnotified.size === 0) return;
    const inOrder = this.#all.sort((a, b) => a.sequence - b.sequence);
    for (const [before, call] of inOrder.entries())
      if (this.#unnotified.has(call)) this.notifyOne(call, waitFor(before));
  }

  notifyOne(call: WaitingCall, waitMs: number): void {
    if (waitMs === 0) return;
    this.#unnotified.delete(call);
    call.onWait(waitMs);
  }
}
