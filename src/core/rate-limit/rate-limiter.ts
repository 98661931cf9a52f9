import type { CancelScope } from '../retry/cancel-scope.js';

/** How many attempts may be in flight at the same time while nothing is known of the service's limit. */
const firstWindow = 8;
/** A window expires after this long without a call, a rate after this long without a 429; in milliseconds. */
const idleMs = 10_000;
const forgetMs = 60_000;
/** What is left of the rate after a 429: below the limit, so that the other calls do not get a 429 as well. */
const rateCut = 0.85;
/** Fewer responses per second than this say nothing about a limit. */
const leastKnownRate = 2;
/** How much of the rate may be caught up at once, in milliseconds: timers are not exact. */
const slackMs = 20;

/** A call that waits for its turn. Calls are sent in the order in which they were made, retries included. */
interface QueuedAttempt {
  readonly sequence: number;
  readonly maxInFlight: number;
  readonly admit: () => void;
  readonly onWait: (waitMs: number) => void;
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

  /** Waits for the turn of a call. `onWait` gets the duration, where it is known. */
  async acquire(
    scope: CancelScope,
    sequence: number,
    maxInFlight: number,
    onWait: (waitMs: number) => void,
  ): Promise<void> {
    let admitted = false;
    let waiting: QueuedAttempt | undefined;
    await scope.race(
      () =>
        new Promise<void>((resolve) => {
          const admit = (): void => {
            admitted = true;
            resolve();
          };
          waiting = { sequence, maxInFlight, admit, onWait, notified: false };
          this.#queue(waiting);
        }),
      () => {
        if (admitted) this.release('other', 0);
        else if (waiting) this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        this.#pump();
      },
    );
  }

  /** Records that an attempt has ended; `sentAt` is a time of `performance.now()`. */
  release(result: RateLimitSignal, sentAt: number): void {
    const now = performance.now();
    const wasFull = this.#inFlight >= this.#window;
    this.#inFlight -= 1;
    this.#lastUseAt = now;
    if (result === 'accepted') this.#onAccepted(now, wasFull);
    if (result === 'throttled') this.#onThrottle(now, sentAt);
    if (this.#waiting.length > 0) this.#pump();
  }

  /** How long all calls should wait after a 429 without `Retry-After`, in milliseconds. */
  get backoffMs(): number {
    return 2 ** Math.min(Math.max(this.#throttles - 1, 0), 5) * (500 + 500 * Math.random());
  }

  /** Holds all calls back for this long. */
  pauseFor(ms: number): void {
    const now = performance.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + ms);
    this.#pump();
    for (const [place, waiting] of this.#waiting.entries()) this.#notify(waiting, place, now);
  }

  #isOpen(now: number, maxInFlight: number): boolean {
    if (this.#inFlight >= Math.min(maxInFlight, this.#window)) return false;
    return now >= this.#pausedUntil && (this.#rate === undefined || now >= this.#nextAt);
  }

  #admit(now: number): void {
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
      next.admit();
      next = this.#waiting[0];
    }
    if (next && this.#opensAt > now) {
      this.#timer = setTimeout(
        () => {
          this.#pump();
        },
        Math.ceil(this.#opensAt - now),
      );
    }
  }

  get #opensAt(): number {
    return Math.max(this.#pausedUntil, this.#rate === undefined ? 0 : this.#nextAt);
  }

  #notify(waiting: QueuedAttempt, place: number, now: number): void {
    if (waiting.notified || this.#opensAt <= now) return;
    waiting.notified = true;
    waiting.onWait(this.#opensAt - now + (this.#rate === undefined ? 0 : (place * 1000) / this.#rate));
  }
}

/** How many events there were in the last second, from two counters. */
class RecentCount {
  #second = 0;
  #count = 0;
  #before = 0;

  add(now: number): void {
    this.#advanceTo(Math.floor(now / 1000));
    this.#count += 1;
  }

  perSecond(now: number): number {
    this.#advanceTo(Math.floor(now / 1000));
    return this.#count + this.#before * (1 - (now % 1000) / 1000);
  }

  #advanceTo(second: number): void {
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
