import type { CancelScope } from '../retry/cancel-scope.js';
import { RecentCount, ThrottleShare } from './recent-responses.js';

/** How many attempts may be in flight at the same time while nothing is known of the service's limit. */
const firstWindow = 8;
/** Without a response for this long the window doubles: attempts that hang must not hold the others back. */
const stallMs = 200;
/** The same after a 429: then a service that does not respond may be one that is overloaded. */
const throttledStallMs = 1000;
/** A window expires after this long without a call, a rate after this long without a 429; in milliseconds. */
const idleMs = 10_000;
const forgetMs = 60_000;
/** What is left of the rate after a 429: below the limit, so that the other calls do not get a 429 as well. */
const rateCut = 0.85;
/** Fewer responses per second than this say nothing about a limit. */
const leastKnownRate = 2;
/** How much of the rate may be caught up at once, in milliseconds: timers are not exact. */
const slackMs = 20;

/** A call that asks for its turn. Calls are sent in the order in which they were made, retries included. */
interface AcquireRequest {
  readonly sequence: number;
  readonly maxInFlight: number;
  /** The longest pause that it waits for. */
  readonly maxPauseMs: number;
  readonly onWait: (waitMs: number) => void;
}

interface QueuedAttempt extends AcquireRequest {
  /** Ends the wait: it may be sent, or the pause is too long. */
  readonly settle: (admitted: boolean) => void;
  notified: boolean;
}

/** The result of an attempt, as far as the rate limit is concerned. */
export type RateLimitSignal = 'accepted' | 'throttled' | 'other';

/**
 * Keeps all calls of one host and token below the service's rate limit.
 *
 * Before a 429 it is a window that opens as responses come in (half as wide again per round), so that a burst does not
 * run into an unknown limit as a whole. At a 429 every call waits; then calls are sent one by one, a little slower than
 * responses came in before, and faster again while no further 429 comes.
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
  readonly #waiting: QueuedAttempt[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #responses = new RecentCount();
  readonly #share = new ThrottleShare();
  /** When a response last came, the first attempt was sent, or the window was opened without a response. */
  #progressAt = 0;

  /** Nothing uses it and it knows nothing that matters. */
  get isIdle(): boolean {
    const now = performance.now();
    return this.#inFlight === 0 && this.#waiting.length === 0 && now - this.#lastCutAt > forgetMs;
  }

  /** Admits an attempt at once if that is possible; at most `maxInFlight` may be in flight. */
  tryAcquire(maxInFlight: number): boolean {
    const now = performance.now();
    if (this.#inFlight === 0) this.#forget(now);
    if (this.#waiting.length > 0 || !this.#isOpen(now, maxInFlight)) return false;
    this.#admit(now);
    return true;
  }

  /**
   * Waits for the turn of a call. `onWait` gets the duration, as far as it is known.
   *
   * @returns whether it may be sent; `false` where all calls are paused for longer than `maxPauseMs`.
   */
  async acquire(scope: CancelScope, request: AcquireRequest): Promise<boolean> {
    if (this.pausedMs > request.maxPauseMs) return false;
    let isAdmitted = false;
    let waiting: QueuedAttempt | undefined;
    return scope.race(
      () =>
        new Promise<boolean>((resolve) => {
          const settle = (admitted: boolean): void => {
            isAdmitted = admitted;
            resolve(admitted);
          };
          waiting = { ...request, settle, notified: false };
          this.#queue(waiting);
        }),
      () => {
        // The call ended between its admission and its next step: its place is free again.
        if (isAdmitted) this.release('other', 0);
        else if (waiting) this.#remove(waiting);
        this.#pump();
      },
    );
  }

  /**
   * Records that an attempt has ended; `sentAt` is a time of `performance.now()`.
   *
   * @returns whether a 429 concerns all calls. A rare one among many accepted calls is random.
   */
  release(result: RateLimitSignal, sentAt: number): boolean {
    const now = performance.now();
    const wasFull = this.#inFlight >= this.#window;
    this.#inFlight -= 1;
    this.#lastUseAt = now;
    this.#progressAt = now;
    if (result !== 'other') this.#share.add(result === 'throttled');
    const concernsAll = result === 'throttled' && !this.#share.isRandom;
    if (result === 'accepted') this.#onAccepted(now, wasFull);
    if (concernsAll) this.#onThrottle(now, sentAt);
    if (this.#waiting.length > 0) {
      // The pause that follows a 429 comes first.
      if (concernsAll) this.#pumpIn(0);
      else this.#pump();
    }
    return concernsAll;
  }

  /** How long all calls are still paused, in milliseconds. */
  get pausedMs(): number {
    return Math.max(0, this.#pausedUntil - performance.now());
  }

  /** How long all calls should wait after a 429 without `Retry-After`, in milliseconds. */
  get backoffMs(): number {
    return 2 ** Math.min(Math.max(this.#throttles - 1, 0), 5) * (500 + 500 * Math.random());
  }

  /** Holds all calls back for this long. */
  pauseFor(ms: number): void {
    const now = performance.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
    for (const waiting of this.#waiting.filter(({ maxPauseMs }) => maxPauseMs < ms)) {
      this.#remove(waiting);
      waiting.settle(false);
    }
    this.#pump();
    for (const [place, waiting] of this.#waiting.entries()) this.#notify(waiting, place, now);
  }

  #isOpen(now: number, maxInFlight: number): boolean {
    if (this.#inFlight >= Math.min(maxInFlight, this.#window)) return false;
    return now >= this.#pausedUntil && (this.#rate === undefined || now >= this.#nextAt);
  }

  #admit(now: number): void {
    // While nothing was in flight, no response was missing.
    if (this.#inFlight === 0) this.#progressAt = now;
    this.#inFlight += 1;
    if (this.#rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1000 / this.#rate;
  }

  #onAccepted(now: number, wasFull: boolean): void {
    this.#throttles = 0;
    this.#responses.add(now);
    if (wasFull) this.#window += 0.5;
    if (this.#rate !== undefined && this.#waiting.length > 0) {
      const calmSeconds = (now - Math.max(this.#lastCutAt, this.#pausedUntil)) / 1000;
      this.#rate *= 1 + (0.03 + 0.02 * Math.min(calmSeconds, 20)) / this.#rate;
    }
  }

  #onThrottle(now: number, sentAt: number): void {
    // What was sent before the last cut says nothing about the rate since.
    if (sentAt < this.#lastCutAt) return;
    const rate = this.#rate ?? this.#responses.perSecond(now);
    this.#rate =
      rate >= leastKnownRate ? rate * rateCut : this.#rate === undefined ? undefined : Math.max(rate * rateCut, 0.5);
    this.#window = this.#rate === undefined ? 1 : firstWindow;
    this.#lastCutAt = now;
    this.#throttles += 1;
  }

  #forget(now: number): void {
    if (now - this.#lastUseAt > idleMs) this.#window = Math.min(this.#window, firstWindow);
    if (this.#rate !== undefined && now - this.#lastCutAt > forgetMs) this.#rate = undefined;
  }

  #queue(waiting: QueuedAttempt): void {
    const list = this.#waiting;
    const before = list.findLastIndex(({ sequence }) => sequence < waiting.sequence);
    const place = before + 1;
    list.splice(place, 0, waiting);
    this.#pump();
    if (list[place] === waiting) this.#notify(waiting, place, performance.now());
  }

  /** Admits every attempt that may be sent, and sets a timer for the next where only time is missing. */
  #pump(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    let next = this.#waiting[0];
    while (next && this.#isOpen(now, next.maxInFlight)) {
      this.#waiting.shift();
      this.#admit(now);
      next.settle(true);
      next = this.#waiting[0];
    }
    if (!next) return;
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

  /** Nothing came back for a while: opens the window, so that attempts that hang hold nothing back. */
  #onStall(): void {
    const now = performance.now();
    if (now - this.#progressAt >= this.#stallMs) {
      if (this.#inFlight >= this.#window) this.#window *= 2;
      this.#progressAt = now;
    }
    this.#pump();
    // Those that still wait do so for a response, or for `maxConcurrency`.
    for (const waiting of this.#waiting) this.#report(waiting, this.#stallMs);
  }

  get #stallMs(): number {
    return this.#throttles === 0 && this.#rate === undefined ? stallMs : throttledStallMs;
  }

  #remove(waiting: QueuedAttempt): void {
    const place = this.#waiting.indexOf(waiting);
    if (place >= 0) this.#waiting.splice(place, 1);
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
