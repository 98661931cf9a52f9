import type { CancelScope } from '../retry/cancel-scope.js';

/** So many attempts may be under way at once before anything is known of the service's limit. */
const firstWindow = 8;
/** A window is not trusted after so long without a call, a pace not after so long without a 429; in milliseconds. */
const idleMs = 10_000;
const forgetMs = 60_000;
/** What is left of the pace after a 429: below the limit, so that the others are not refused as well. */
const cut = 0.85;
/** Fewer answers per second than this say nothing of a limit. */
const leastKnownRate = 2;
/** How much of the pace may be caught up at once, in milliseconds: timers are not exact. */
const slackMs = 20;

/** A call that waits for its turn. Calls go out in the order in which they were made, repeats included. */
interface QueuedAttempt {
  readonly sequence: number;
  readonly maxInFlight: number;
  readonly admit: () => void;
  readonly onWait: (waitMs: number) => void;
  notified: boolean;
}

/** What came of an attempt, as far as the pace is concerned. */
export type RateLimitSignal = 'answered' | 'throttled' | 'other';

/**
 * What one 429 tells all calls of a host and token.
 *
 * Before a 429 it is a window that opens as answers come in (half as wide again a round), so that a burst does not run
 * into an unknown limit as a whole. At a 429 everybody waits; then calls go out one by one, a little slower than they
 * were answered before, and faster again as long as that goes well.
 */
export class RateLimiter {
  #inFlight = 0;
  #window = firstWindow;
  /** Attempts per second; `undefined` while no limit is known. */
  #rate: number | undefined;
  #nextAt = 0;
  #closedUntil = 0;
  #lastCutAt = -Infinity;
  #lastUseAt = 0;
  #throttles = 0;
  readonly #waiting: QueuedAttempt[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #answers = new RecentCount();

  /** Nobody uses it and it knows nothing that matters. */
  get isIdle(): boolean {
    const now = performance.now();
    return this.#inFlight === 0 && this.#waiting.length === 0 && now - this.#lastCutAt > forgetMs;
  }

  /** Lets an attempt out at once if that is possible; at most `maxInFlight` may be under way. */
  tryAcquire(maxInFlight: number): boolean {
    const now = performance.now();
    if (this.#inFlight === 0) this.#forget(now);
    if (this.#waiting.length > 0 || !this.#isOpen(now, maxInFlight)) return false;
    this.#admit(now);
    return true;
  }

  /** Waits for the turn of a call. `onWait` is told how long that will take, where it is known. */
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

  /** An attempt is over; `sentAt` as `performance.now()` told it. */
  release(result: RateLimitSignal, sentAt: number): void {
    const now = performance.now();
    const wasFull = this.#inFlight >= this.#window;
    this.#inFlight -= 1;
    this.#lastUseAt = now;
    if (result === 'answered') this.#onAnswer(now, wasFull);
    if (result === 'throttled') this.#onThrottle(now, sentAt);
    if (this.#waiting.length > 0) this.#pump();
  }

  /** How long everybody should wait after a 429, in milliseconds, where the service does not say. */
  get backoffMs(): number {
    return 2 ** Math.min(Math.max(this.#throttles - 1, 0), 5) * (500 + 500 * Math.random());
  }

  /** Nobody asks for so long. */
  pauseFor(ms: number): void {
    const now = performance.now();
    this.#closedUntil = Math.max(this.#closedUntil, now + ms);
    this.#pump();
    for (const [place, waiting] of this.#waiting.entries()) this.#notify(waiting, place, now);
  }

  #isOpen(now: number, most: number): boolean {
    if (this.#inFlight >= Math.min(most, this.#window)) return false;
    return now >= this.#closedUntil && (this.#rate === undefined || now >= this.#nextAt);
  }

  #admit(now: number): void {
    this.#inFlight += 1;
    if (this.#rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1000 / this.#rate;
  }

  #onAnswer(now: number, wasFull: boolean): void {
    this.#throttles = 0;
    this.#answers.add(now);
    if (wasFull) this.#window += 0.5;
    if (this.#rate !== undefined && this.#waiting.length > 0) {
      const calmSeconds = (now - Math.max(this.#lastCutAt, this.#closedUntil)) / 1000;
      this.#rate *= 1 + (0.03 + 0.02 * Math.min(calmSeconds, 20)) / this.#rate;
    }
  }

  #onThrottle(now: number, sentAt: number): void {
    // What was sent before the last cut tells nothing of the pace since.
    if (sentAt < this.#lastCutAt) return;
    const rate = this.#rate ?? this.#answers.perSecond(now);
    this.#rate = rate >= leastKnownRate ? rate * cut : this.#rate === undefined ? undefined : Math.max(rate * cut, 0.5);
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

  /** Lets out whoever may go, and sets a timer for the next where only time is missing. */
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
    return Math.max(this.#closedUntil, this.#rate === undefined ? 0 : this.#nextAt);
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
    this.#turnTo(Math.floor(now / 1000));
    this.#count += 1;
  }

  perSecond(now: number): number {
    this.#turnTo(Math.floor(now / 1000));
    return this.#count + this.#before * (1 - (now % 1000) / 1000);
  }

  #turnTo(second: number): void {
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#count : 0;
    this.#count = 0;
    this.#second = second;
  }
}
