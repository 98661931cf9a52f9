import type { CancelScope } from '../scope/cancel-scope.js';
import { Bucket, usualWindow, type LimitSignal, type PauseRules } from './bucket.js';

/** A call that waits for its turn. */
export interface TurnRequest {
  /** It was sent before, or had its turn before. Such calls are sent first. */
  readonly isRetry: boolean;
  /** When the call began, a time of `performance.now()`. */
  readonly startedAt: number;
  readonly maxRetries: number;
  /** The longest pause for which the call waits. */
  readonly maxPauseMs: number;
  /** Is told how long the call waits, as far as that is known, at most once. */
  readonly onWait: (waitMs: number) => void;
}

/** Why a call does not get a turn, and the `Retry-After` of its error. */
export interface AcquireRejection {
  /** `paused`: for longer than it waits. `exhausted`: there were only 429s for as long as its retries would take. */
  readonly reason: 'paused' | 'exhausted';
  readonly retryAfterMs: number | undefined;
}

interface WaitingCall extends TurnRequest {
  before?: WaitingCall;
  after?: WaitingCall;
  /** `undefined` when it has been told. */
  tell: ((waitMs: number) => void) | undefined;
  isAdmitted?: boolean;
  isSettled?: boolean;
  readonly settle: (rejection: AcquireRejection | undefined) => void;
}

/** What the queues of one token share. */
export class TokenLimit {
  /** How many calls use it, also those that wait for their token or before a retry. */
  calls = 0;
  /** By group of endpoints. */
  readonly buckets = new Map<string, Bucket>();
  readonly turnQueues = new Map<string, TurnQueue>();
  /** Those that have calls that wait. */
  readonly waiting = new Set<TurnQueue>();
  /** How many attempts are in flight, of the calls with the same `concurrency`, over all groups. */
  readonly inFlight = new Map<number, number>();

  /** Whether it can be dropped. */
  isIdle(now: number): boolean {
    return this.calls === 0 && [...this.buckets.values()].every((bucket) => bucket.isCalm(now));
  }

  /** Looks again at the queues that wait: the queue of the oldest call is the first. */
  wake(now: number): void {
    const turnQueues = [...this.waiting].sort((a, b) => a.oldestAt - b.oldestAt);
    for (const turnQueue of turnQueues) turnQueue.refresh(now);
    for (const { application } of turnQueues) application.pump(now);
  }
}

/** The calls of a token to a group of endpoints, with the same `concurrency`. Retries are sent before new calls. */
export class TurnQueue implements Waiter {
  /** What all sellers share. */
  readonly application: ApplicationLimit;
  readonly #token: TokenLimit;
  /** That of the seller. */
  readonly bucket: Bucket;
  readonly #maxInFlight: number;
  readonly #retries = new CallQueue<WaitingCall>();
  readonly #calls = new CallQueue<WaitingCall>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(application: ApplicationLimit, token: TokenLimit, bucket: Bucket, maxInFlight: number) {
    this.application = application;
    this.#token = token;
    this.bucket = bucket;
    this.#maxInFlight = maxInFlight;
  }

  /** Ends the use by a call. */
  leave(): void {
    this.#token.calls -= 1;
  }

  /** How long its calls are still paused, in milliseconds. */
  get pausedMs(): number {
    const now = performance.now();
    return Math.max(this.bucket.pausedMs(now), this.application.bucket.pausedMs(now));
  }

  /** Admits an attempt immediately if that is possible and overtakes no call. */
  tryAcquire(): boolean {
    const now = performance.now();
    const isFree = this.application.ready.size === 0 && !this.#token.waiting.has(this) && this.#hasRoom;
    if (!isFree || !this.application.bucket.isOpen(now) || !this.bucket.isOpen(now)) return false;
    this.#admit(now);
    return true;
  }

  /** Waits for the turn of a call. @returns why it gets none; `undefined` when an attempt is admitted */
  async acquire(scope: CancelScope, request: TurnRequest): Promise<AcquireRejection | undefined> {
    const rejection = this.#rejectionOf(request, performance.now());
    if (rejection) return rejection;
    let call: WaitingCall | undefined;
    return scope.race(
      () =>
        new Promise<AcquireRejection | undefined>((settle) => {
          call = { ...request, settle, tell: inOwnContext(request.onWait) };
          this.#add(call);
        }),
      () => {
        // The call ended after its admission and before its next step, so its place is free again.
        if (call?.isAdmitted) this.giveBack();
        else if (call && !call.isSettled) this.#remove(call, performance.now());
      },
    );
  }

  /** Gives back the place of an attempt that is not sent. */
  giveBack(): void {
    this.release('other', 0);
  }

  /**
   * Records that an attempt has ended; `sentAt` is a time of `performance.now()`.
   *
   * @returns whether it was a 429 for which all calls of the queue wait. A random one concerns its own call only.
   */
  release(result: LimitSignal, sentAt: number, rules?: PauseRules): boolean {
    const now = performance.now();
    // One for which no call waits blocks its seller, and shows no rate of the application.
    const { retryAfterMs = 0, maxPauseMs = Infinity } = rules ?? {};
    const isFirst = result === 'throttled' && !this.bucket.isThrottled && retryAfterMs <= maxPauseMs;
    if (this.#maxInFlight !== Infinity) this.#countInFlight(-1);
    this.bucket.end(result, now, sentAt);
    this.application.bucket.end(result, now, sentAt);
    const isEvent = result === 'throttled' && this.#hear(now, sentAt, rules);
    if (isFirst) this.application.hear(this.bucket, now, sentAt, rules?.retryAfterMs);
    if (this.#token.waiting.size > 0) this.#token.wake(now);
    if (this.application.ready.size > 0) this.application.pump(now);
    return isEvent;
  }

  #hear(now: number, sentAt: number, rules: PauseRules | undefined): boolean {
    const pausedMs = this.bucket.pausedMs(now);
    const isEvent = this.bucket.hear(now, sentAt, { ...rules, isShared: this.application.isNear(this.bucket, now) });
    if (this.bucket.pausedMs(now) > pausedMs || this.bucket.inFlight === 0)
      for (const turnQueue of this.#token.waiting) if (turnQueue.bucket === this.bucket) turnQueue.reconsider(now);
    return isEvent;
  }

  /** When the oldest call that waits began. */
  get oldestAt(): number {
    return Math.min(this.#retries.first?.startedAt ?? Infinity, this.#calls.first?.startedAt ?? Infinity);
  }

  reconsider(now: number, leastMs = 0): void {
    let before = 0;
    for (const queue of [this.#retries, this.#calls])
      for (const call of queue) {
        const rejection = this.#rejectionOf(call, now);
        if (rejection) this.#settle(call, now, rejection);
        else this.#tell(call, Math.max(leastMs, this.#waitMs(before++, now)));
      }
  }

  sendNext(now: number): void {
    const next = this.#retries.first ?? this.#calls.first;
    if (!next || !this.#hasRoom || !this.bucket.isOpen(now)) return;
    this.#admit(now);
    next.isAdmitted = true;
    this.#settle(next, now, undefined);
  }

  /** Asks for a turn if a call can be sent, and otherwise looks again when the limit of the seller may have changed. */
  refresh(now: number): void {
    clearTimeout(this.#timer);
    const hasNext = this.#size > 0 && this.#hasRoom;
    const isOpen = hasNext && this.bucket.isOpen(now);
    if (isOpen) this.application.ready.add(this);
    else this.application.ready.delete(this);
    if (!hasNext || isOpen) return;
    const waitMs = Math.max(1, Math.ceil(this.bucket.nextChangeAt(now) - now));
    this.#timer = setTimeout(() => this.#onTimer(), waitMs);
  }

  #onTimer(): void {
    const now = performance.now();
    const isStalled = this.bucket.growIfStalled(now);
    this.#token.wake(now);
    if (isStalled) this.reconsider(now, this.bucket.stallMs);
  }

  get #size(): number {
    return this.#retries.size + this.#calls.size;
  }

  get #hasRoom(): boolean {
    return this.#maxInFlight === Infinity || (this.#token.inFlight.get(this.#maxInFlight) ?? 0) < this.#maxInFlight;
  }

  #countInFlight(change: 1 | -1): void {
    this.#token.inFlight.set(this.#maxInFlight, (this.#token.inFlight.get(this.#maxInFlight) ?? 0) + change);
  }

  #admit(now: number): void {
    if (this.#maxInFlight !== Infinity) this.#countInFlight(1);
    this.bucket.admit(now);
    this.application.bucket.admit(now);
  }

  #add(call: WaitingCall): void {
    const now = performance.now();
    const before = call.isRetry ? this.#retries.size : this.#size;
    (call.isRetry ? this.#retries : this.#calls).add(call);
    this.#token.waiting.add(this);
    this.application.waiting.add(this);
    this.refresh(now);
    this.application.pump(now);
    if (!call.isSettled) this.#tell(call, this.#waitMs(before, now));
  }

  #remove(call: WaitingCall, now: number): void {
    (call.isRetry ? this.#retries : this.#calls).remove(call);
    call.isSettled = true;
    if (this.#size === 0) {
      this.#token.waiting.delete(this);
      this.application.waiting.delete(this);
    }
    this.refresh(now);
  }

  #settle(call: WaitingCall, now: number, rejection: AcquireRejection | undefined): void {
    this.#remove(call, now);
    call.settle(rejection);
  }

  #waitMs(before: number, now: number): number {
    return Math.max(this.bucket.waitMs(before, now), this.application.bucket.waitMs(before, now));
  }

  #tell(call: WaitingCall, waitMs: number): void {
    if (waitMs === 0) return;
    call.tell?.(waitMs);
    call.tell = undefined;
  }

  #rejectionOf({ startedAt, maxRetries, maxPauseMs }: TurnRequest, now: number): AcquireRejection | undefined {
    const retryAfterMs = this.bucket.pausedMs(now);
    if (retryAfterMs > maxPauseMs) return { reason: 'paused', retryAfterMs: Math.ceil(retryAfterMs) };
    // One round is no sign, also for a call without retries. Its patience is the time that its retries take.
    const retries = Math.max(maxRetries, 1);
    const patienceMs = Math.max((2 ** retries - 1) * 1000, retries * (this.bucket.lastRetryAfterMs ?? 0));
    // What the seller has in flight may still succeed.
    if (this.bucket.inFlight > 0) return undefined;
    const isSilent = this.application.bucket.silentMs(startedAt, now) >= patienceMs;
    const isExhausted = isSilent || this.bucket.eventsSince(startedAt) > retries;
    return isExhausted
      ? {
          reason: 'exhausted',
          retryAfterMs: this.bucket.lastRetryAfterMs ?? this.application.bucket.lastRetryAfterMs,
        }
      : undefined;
  }
}

/** Calls a function in the async context of now: a wait is reported when another call ends, or by a timer of another one. */
function inOwnContext(report: (waitMs: number) => void): (waitMs: number) => void {
  const { promise, resolve } = Promise.withResolvers<number>();
  void promise.then(report);
  return resolve;
}

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

/** The calls of a token that wait for their turn. */
interface Waiter {
  /** That of its seller. */
  readonly bucket: Pick<Bucket, 'isThrottled'>;
  /** Sends its next call, if its own limit allows. */
  sendNext(now: number): void;
  /** Ends the calls that do not wait any longer, and tells the others how long they wait, at least `leastMs`. */
  reconsider(now: number, leastMs?: number): void;
}

const never: { readonly seller: unknown; readonly at: number } = { seller: undefined, at: -Infinity };

/**
 * The limit of an application for a group of endpoints: what all sellers share. Those that can send take turns, so that
 * one with many calls does not delay the others.
 *
 * Its bucket receives a 429 only of a seller whose response before was none, and one of a single seller says nothing. So a
 * seller that is limited alone slows the others down little. It never obeys a `Retry-After`: that is for the seller.
 */
export class ApplicationLimit {
  readonly bucket = new Bucket(usualWindow, true);
  /** Those that have calls that wait. */
  readonly waiting = new Set<Waiter>();
  /** Those that can send a call as soon as the application can, in the order of their turns: before any new call. */
  readonly ready = new Set<Waiter>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last two sellers that got a first 429, and when. */
  #throttled = { latest: never, other: never };
  /** Whether the next probe is that of a seller that got no 429. */
  #probesFresh = true;

  /** Whether another seller got its first 429 within the last three seconds. */
  isNear(seller: unknown, now: number): boolean {
    const { latest, other } = this.#throttled;
    return now - (latest.seller === seller ? other : latest).at < 3000;
  }

  /** Hears the 429 of a seller whose response before was none. Its `Retry-After` is only remembered, for errors. */
  hear(seller: unknown, now: number, sentAt: number, retryAfterMs: number | undefined): void {
    const { latest, other } = this.#throttled;
    this.#throttled = { latest: { seller, at: now }, other: latest.seller === seller ? other : latest };
    if (retryAfterMs !== undefined) this.bucket.lastRetryAfterMs = retryAfterMs;
    const wasPaused = this.bucket.pausedMs(now) > 0;
    if (!this.bucket.hear(now, sentAt) || wasPaused) return;
    this.#probesFresh = true;
    for (const waiter of this.waiting) waiter.reconsider(now);
  }

  /** Sends every call that can be sent now, and sets a timer for the next one. */
  pump(now: number): void {
    clearTimeout(this.#timer);
    while (this.ready.size > 0 && this.bucket.isOpen(now)) {
      const next = this.#next();
      if (!next) break;
      // It adds itself again, behind the others, if it has another call.
      this.ready.delete(next);
      next.sendNext(now);
    }
    if (this.ready.size === 0) return;
    this.#timer = setTimeout(() => this.#onTimer(), Math.max(1, Math.ceil(this.bucket.nextChangeAt(now) - now)));
  }

  /** After an event, sellers that got no 429 and those that got one are asked alternately. */
  #next(): Waiter | undefined {
    const ready = [...(this.bucket.isSilent ? this.ready : [])];
    const probe = ready.find(({ bucket }) => bucket.isThrottled !== this.#probesFresh);
    if (ready.length > 0) this.#probesFresh = !this.#probesFresh;
    return probe ?? this.ready.values().next().value;
  }

  #onTimer(): void {
    const now = performance.now();
    const isStalled = this.bucket.growIfStalled(now);
    this.pump(now);
    // The calls that still wait need a response of another attempt.
    if (isStalled) for (const waiter of this.ready) waiter.reconsider(now, this.bucket.stallMs);
  }
}
