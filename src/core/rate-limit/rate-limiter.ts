import type { CancelScope } from '../scope/cancel-scope.js';
import { CallQueue } from './call-queue.js';
import type { AcquireRequest, QueuedAttempt } from './call-queue.js';
import { RecentCount, ThrottleShare } from './recent-responses.js';

/** The maximum number of attempts in flight as long as nothing is known about the service's limit. */
const firstWindow = 8;
/** The window doubles after this long without a response, so that attempts that hang do not block the others. */
const stallMs = 200;
/** The same after a 429, when a service that does not respond may be overloaded. */
const throttledStallMs = 1000;
/** A window expires after `idleMs` without a call, a rate after `forgetMs` without a 429. */
const idleMs = 10_000;
const forgetMs = 60_000;
/** The factor for the rate after a 429: the new rate is below the limit, so that other calls do not get a 429 too. */
const rateCut = 0.85;
/** With fewer responses per second, the limit cannot be estimated. */
const leastKnownRate = 2;
/** How late an attempt may be without a loss of rate, in milliseconds, because timers are not exact. */
const slackMs = 20;

/** What the result of an attempt says about the rate limit. */
export type RateLimitSignal = 'accepted' | 'throttled' | 'other';

/**
 * Keeps all calls of one host and token below the service's rate limit.
 *
 * Before a 429, it limits the number of attempts in flight. This window grows with the responses, by half per round
 * trip, so that only a part of a burst can exceed an unknown limit. After a 429, all calls wait. Then they are sent at
 * a rate that is a little lower than the rate of the responses before the 429, and that increases until the next 429.
 * A success lifts this rate if there was only one 429: the calls before it may have been slower than the limit.
 */
export class RateLimiter {
  #inFlight = 0;
  #window = firstWindow;
  /** Attempts per second; `undefined` while no limit is known. */
  #rate: number | undefined;
  #nextAt = 0;
  #pausedUntil = 0;
  #lastCutAt = -Infinity;
  #lastUseAt = 0;
  #throttles = 0;
  /** Whether the only sign of a limit is one 429, which may be random. Then the next success lifts the limit. */
  #isSingleThrottle = false;
  readonly #waiting = new CallQueue();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #responses = new RecentCount();
  readonly #share = new ThrottleShare();
  /** When the last response arrived, the first attempt was sent, or the window was doubled without a response. */
  #progressAt = 0;

  /** Whether no call uses it and it has no recent 429, so it can be dropped. */
  get isIdle(): boolean {
    const now = performance.now();
    return this.#inFlight === 0 && this.#waiting.all.length === 0 && now - this.#lastCutAt > forgetMs;
  }

  /** Admits an attempt immediately if that is possible. At most `maxInFlight` of these attempts are in flight. */
  tryAcquire(maxInFlight: number): boolean {
    const now = performance.now();
    if (this.#inFlight === 0) this.#forget(now);
    if (!this.#isOpen(now) || !this.#waiting.hasRoom(maxInFlight) || this.#waiting.next) return false;
    this.#admit(now, maxInFlight);
    return true;
  }

  /**
   * Waits for the turn of a call. `onWait` receives the duration, as far as it is known.
   *
   * @returns whether the call is admitted; `false` if all calls are paused for longer than `maxPauseMs`.
   */
  async acquire(scope: CancelScope, request: AcquireRequest): Promise<boolean> {
    if (this.pausedMs > request.maxPauseMs) return false;
    let waiting: QueuedAttempt | undefined;
    return scope.race(
      () =>
        new Promise<boolean>((resolve) => {
          waiting = { ...request, settle: resolve, isAdmitted: false, notified: false };
          this.#queue(waiting);
        }),
      () => {
        // The call ended after its admission and before its next step, so its place is free again.
        if (waiting?.isAdmitted) this.release('other', 0, request.maxInFlight);
        else if (waiting) this.#waiting.remove(waiting);
        this.#pump();
      },
    );
  }

  /**
   * Records that an attempt has ended; `sentAt` is a time of `performance.now()`, and `maxInFlight` is that of its
   * admission.
   *
   * @returns whether the result is a 429 that concerns all calls. A rare 429 among many accepted calls is random.
   */
  release(result: RateLimitSignal, sentAt: number, maxInFlight: number): boolean {
    const now = performance.now();
    const wasFull = this.#inFlight >= this.#window;
    this.#inFlight -= 1;
    this.#waiting.count(maxInFlight, -1);
    this.#lastUseAt = now;
    this.#progressAt = now;
    if (result !== 'other') this.#share.add(result === 'throttled');
    const concernsAll = result === 'throttled' && !this.#share.isRandom;
    if (result === 'accepted') this.#onAccepted(now, sentAt, wasFull);
    if (concernsAll) this.#onThrottle(now, sentAt);
    if (this.#waiting.all.length > 0) {
      // The caller pauses all calls after a 429, so the next attempts are admitted only after that.
      if (concernsAll) this.#pumpIn(0);
      else this.#pump();
    }
    return concernsAll;
  }

  /** How long all calls are still paused, in milliseconds. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  /** How long all calls wait after a 429 without `Retry-After`, in milliseconds. */
  get backoffMs(): number {
    return 2 ** Math.min(Math.max(this.#throttles - 1, 0), 5) * (500 + 500 * Math.random());
  }

  /** Pauses all calls for this long. */
  pauseFor(ms: number): void {
    const now = performance.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
    for (const waiting of this.#waiting.all.filter(({ maxPauseMs }) => maxPauseMs < ms)) {
      this.#waiting.remove(waiting);
      waiting.settle(false);
    }
    this.#pump();
    for (const [place, waiting] of [...this.#waiting.all].entries()) this.#notify(waiting, place, now);
  }

  #isOpen(now: number): boolean {
    return this.#inFlight < this.#window && now >= this.#opensAt;
  }

  #admit(now: number, maxInFlight: number): void {
    // Without attempts in flight, no response was expected.
    if (this.#inFlight === 0) this.#progressAt = now;
    this.#inFlight += 1;
    this.#waiting.count(maxInFlight, 1);
    if (this.#rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1000 / this.#rate;
  }

  #onAccepted(now: number, sentAt: number, wasFull: boolean): void {
    this.#throttles = 0;
    this.#responses.add(now);
    if (wasFull) this.#window += 0.5;
    if (this.#isSingleThrottle && sentAt > this.#lastCutAt) this.#liftLimit();
    // A program that makes one call after the other has none that waits now, but its next call would wait.
    if (this.#rate !== undefined && (this.#waiting.all.length > 0 || now < this.#nextAt)) {
      const calmSeconds = (now - Math.max(this.#lastCutAt, this.#pausedUntil)) / 1000;
      this.#rate *= 1 + (0.03 + 0.02 * Math.min(calmSeconds, 20)) / this.#rate;
    }
  }

  #onThrottle(now: number, sentAt: number): void {
    const isSentBefore = sentAt < this.#lastCutAt;
    this.#isSingleThrottle = !isSentBefore && this.#rate === undefined && this.#throttles === 0 && this.#share.isRare;
    // An attempt that was sent before the last cut says nothing about the current rate.
    if (isSentBefore) return;
    const rate = this.#rate ?? this.#responses.perSecond(now);
    this.#rate =
      rate >= leastKnownRate ? rate * rateCut : this.#rate === undefined ? undefined : Math.max(rate * rateCut, 0.5);
    this.#window = this.#rate === undefined ? 1 : firstWindow;
    this.#lastCutAt = now;
    this.#throttles += 1;
  }

  #liftLimit(): void {
    this.#isSingleThrottle = false;
    this.#rate = undefined;
    this.#window = Math.max(this.#window, firstWindow);
  }

  #forget(now: number): void {
    if (now - this.#lastUseAt > idleMs) this.#window = Math.min(this.#window, firstWindow);
    if (this.#rate !== undefined && now - this.#lastCutAt > forgetMs) this.#rate = undefined;
  }

  #queue(waiting: QueuedAttempt): void {
    const place = this.#waiting.add(waiting);
    this.#pump();
    if (!waiting.isAdmitted) this.#notify(waiting, place, performance.now());
  }

  /** Admits every attempt that can be sent now, and sets a timer for the next one. */
  #pump(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    for (let next; this.#isOpen(now) && (next = this.#waiting.next);) {
      this.#waiting.remove(next);
      this.#admit(now, next.maxInFlight);
      next.isAdmitted = true;
      next.settle(true);
    }
    if (this.#waiting.all.length === 0) return;
    if (this.#opensAt > now) {
      this.#pumpIn(Math.ceil(this.#opensAt - now));
    } else {
      this.#timer = setTimeout(() => this.#onStall(), Math.max(1, Math.ceil(this.#progressAt + this.#stallMs - now)));
    }
  }

  #pumpIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#pump(), ms);
  }

  /** Doubles the window if no response arrived for a while, so that attempts that hang do not block the others. */
  #onStall(): void {
    const now = performance.now();
    if (now - this.#progressAt >= this.#stallMs) {
      if (this.#inFlight >= this.#window) this.#window *= 2;
      this.#progressAt = now;
    }
    this.#pump();
    // The attempts that still wait need a response of another attempt.
    for (const waiting of [...this.#waiting.all]) this.#report(waiting, this.#stallMs);
  }

  get #stallMs(): number {
    return this.#throttles === 0 && this.#rate === undefined ? stallMs : throttledStallMs;
  }

  get #opensAt(): number {
    return Math.max(this.#pausedUntil, this.#rate === undefined ? 0 : this.#nextAt);
  }

  #notify(waiting: QueuedAttempt, place: number, now: number): void {
    if (this.#opensAt <= now) return;
    this.#report(waiting, this.#opensAt - now + (this.#rate === undefined ? 0 : (place * 1000) / this.#rate));
  }

  #report(waiting: QueuedAttempt, waitMs: number): void {
    if (waiting.notified) return;
    waiting.notified = true;
    waiting.onWait(waitMs);
  }
}
