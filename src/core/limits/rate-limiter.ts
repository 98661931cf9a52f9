import type { CancelScope } from '../scope/cancel-scope.js';
import type { ApplicationLimit, Member } from './application-limit.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import type { RateLimitSignal } from './adaptive-limit.js';
import { WaitingCalls } from './waiting-calls.js';
import type { AcquireRequest, Admission, WaitingCall } from './waiting-calls.js';

/** Keeps the calls of one token below the service's rate limit: that of the token, and that of its application. */
export class RateLimiter implements Member {
  /** How many calls use it, also those that wait for their token or before a retry. */
  calls = 0;
  readonly #application: ApplicationLimit;
  /** Without a window: before a 429, only the application has one. */
  readonly #limit = new AdaptiveLimit(Infinity);
  readonly #waiting = new WaitingCalls();
  /** How many attempts are in flight, of the calls with the same `maxInFlight`. */
  readonly #inFlight = new Map<number, number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many calls of the application had succeeded before the 429s that this token got in a row. */
  #acceptedBefore: number | undefined;

  constructor(application: ApplicationLimit) {
    this.#application = application;
  }

  /** Whether it can be dropped: no call uses it, and it has no pause and no recent 429. */
  get isIdle(): boolean {
    return this.calls === 0 && this.#limit.isCalm(performance.now());
  }

  /** Admits an attempt immediately if that is possible. At most `maxInFlight` of these attempts are in flight. */
  tryAcquire(maxInFlight: number): boolean {
    const now = performance.now();
    if (this.#application.size > 0 && (this.#application.hasTurns || this.#next)) return false;
    if (!this.#application.limit.isOpen(now) || !this.#limit.isOpen(now) || !this.#hasRoom(maxInFlight)) return false;
    this.#admit(maxInFlight, now);
    return true;
  }

  /** Waits for the turn of a call. `onWait` receives the duration, as far as it is known. */
  async acquire(scope: CancelScope, request: AcquireRequest): Promise<Admission> {
    const rejection = this.#rejectionOf(request);
    if (rejection) return rejection;
    let waiting: WaitingCall | undefined;
    return scope.race(
      () =>
        new Promise<Admission>((resolve) => {
          const onWait = inOwnContext(request.onWait);
          waiting = { ...request, onWait, place: 0, settle: resolve, admission: undefined };
          this.#add(waiting);
        }),
      () => {
        // The call ended after its admission and before its next step, so its place is free again.
        if (waiting?.admission === 'admitted') this.release('other', 0, request.maxInFlight);
        else if (waiting && !waiting.admission) {
          this.#remove(waiting);
          this.#refresh(performance.now());
        }
        this.#application.pump();
      },
    );
  }

  /**
   * Records that an attempt has ended; `sentAt` is a time of `performance.now()`, and `maxInFlight` is that of its
   * admission.
   *
   * @returns the limit that a 429 is about. A rare 429 among many accepted calls is random, so it is about none.
   */
  release(result: RateLimitSignal, sentAt: number, maxInFlight: number): AdaptiveLimit | undefined {
    const now = performance.now();
    const hasWaiting = this.#application.size > 0;
    this.#count(maxInFlight, -1);
    this.#application.limit.end(result, now, sentAt, hasWaiting);
    this.#limit.end(result, now, sentAt, hasWaiting && this.#waiting.size > 0);
    if (result === 'accepted') {
      this.#acceptedBefore = undefined;
      this.#application.accepted += 1;
    }
    const limit = result === 'throttled' ? this.#throttle(now, sentAt) : undefined;
    if (limit) {
      // The caller pauses the calls after a 429, so the next attempts are admitted only after that.
      this.#application.setReady(this, false);
      this.#wakeIn(0);
      this.#application.pumpIn(0);
    } else if (hasWaiting) {
      this.#refresh(now);
      this.#application.pump();
    }
    return limit;
  }

  #throttle(now: number, sentAt: number): AdaptiveLimit | undefined {
    this.#acceptedBefore ??= this.#application.accepted;
    const isOfAll = this.#application.isLimitOfAll(this, this.#acceptedBefore);
    if (!isOfAll && this.#limit.isRandom) return undefined;
    const limit = isOfAll ? this.#application.limit : this.#limit;
    limit.cut(now, sentAt);
    this.#reconsiderAll(limit, now);
    return limit;
  }

  /** How long the calls are still paused, in milliseconds. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  get #pausedUntil(): number {
    return Math.max(this.#limit.pausedUntil, this.#application.limit.pausedUntil);
  }

  /** How many 429s in a row concerned the calls since a time. */
  throttlesSince(time: number): number {
    return Math.max(this.#limit.throttlesSince(time), this.#application.limit.throttlesSince(time));
  }

  /** Pauses the calls that a limit concerns: the one that `release` returned, otherwise that of the token. */
  pauseFor(ms: number, limit = this.#limit): void {
    const now = performance.now();
    limit.pauseUntil(now + ms);
    this.#reconsiderAll(limit, now);
    this.#application.pump();
  }

  #reconsiderAll(limit: AdaptiveLimit, now: number): void {
    const members = limit === this.#limit ? [this] : this.#application.waiting;
    for (const member of members) member.reconsider(now);
  }

  reconsider(now: number): void {
    if (this.throttlesSince(0) > 1 || this.#pausedUntil - now > this.#waiting.shortestPauseMs)
      for (const [call, rejection] of this.#waiting.hopeless((each) => this.#rejectionOf(each)))
        this.#settle(call, rejection);
    if (this.#pausedUntil > now) this.#waiting.notify((before) => this.#waitFor(before, now));
    this.#refresh(now);
  }

  #rejectionOf({ maxPauseMs, maxRetries, startedAt }: AcquireRequest): 'paused' | 'exhausted' | undefined {
    if (this.pausedMs > maxPauseMs) return 'paused';
    // One 429 is no sign, also for a call without retries.
    return this.throttlesSince(startedAt) > Math.max(maxRetries, 1) ? 'exhausted' : undefined;
  }

  #add(call: WaitingCall): void {
    const now = performance.now();
    this.#waiting.add(call);
    this.#application.size += 1;
    this.#application.waiting.add(this);
    this.#refresh(now);
    this.#application.pump();
    if (!call.admission) this.#waiting.notifyOne(call, this.#waitFor(this.#waiting.before(call), now));
  }

  #remove(call: WaitingCall): void {
    this.#waiting.remove(call);
    this.#application.size -= 1;
    if (this.#waiting.size === 0) this.#application.waiting.delete(this);
  }

  #settle(call: WaitingCall, admission: Admission): void {
    this.#remove(call);
    call.admission = admission;
    call.settle(admission);
  }

  #waitFor(before: number, now: number): number {
    return Math.max(this.#limit.waitFor(before, now), this.#application.waitFor(before, now));
  }

  /** The first call whose own limit is not reached. */
  get #next(): WaitingCall | undefined {
    return this.#waiting.first((maxInFlight) => this.#hasRoom(maxInFlight));
  }

  #hasRoom(maxInFlight: number): boolean {
    return (this.#inFlight.get(maxInFlight) ?? 0) < maxInFlight;
  }

  #count(maxInFlight: number, change: 1 | -1): void {
    this.#inFlight.set(maxInFlight, (this.#inFlight.get(maxInFlight) ?? 0) + change);
  }

  #admit(maxInFlight: number, now: number): void {
    this.#count(maxInFlight, 1);
    this.#limit.admit(now);
    this.#application.limit.admit(now);
  }

  sendNext(now: number): void {
    const next = this.#next;
    if (next && this.#limit.isOpen(now)) {
      this.#admit(next.maxInFlight, now);
      this.#settle(next, 'admitted');
    }
    this.#refresh(now);
  }

  /** Asks for a turn if a call can be sent, and otherwise looks again when its limit may have changed. */
  #refresh(now: number): void {
    clearTimeout(this.#timer);
    const hasNext = this.#next !== undefined;
    const isOpen = this.#limit.isOpen(now);
    this.#application.setReady(this, hasNext && isOpen);
    if (hasNext && !isOpen) this.#wakeIn(Math.max(1, Math.ceil(this.#limit.nextChangeAt(now) - now)));
  }

  #wakeIn(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => this.#wake(), ms);
  }

  #wake(): void {
    const now = performance.now();
    const isStalled = this.#limit.growIfStalled(now);
    this.#refresh(now);
    this.#application.pump();
    if (isStalled) this.report(this.#limit.stallMs);
  }

  report(waitMs: number): void {
    this.#waiting.notify(() => waitMs);
  }
}

/** Calls a function in the async context of now: a wait is reported when another call ends, or by a timer of another one. */
function inOwnContext(report: (waitMs: number) => void): (waitMs: number) => void {
  const { promise, resolve } = Promise.withResolvers<number>();
  void promise.then(report);
  return resolve;
}
