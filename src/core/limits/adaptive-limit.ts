import { RecentCount, ThrottleShare } from './recent-responses.js';

/** The window of an application while nothing is known about its limit, and of every rate. */
export const firstWindow = 8;
/** The window doubles after this long without a response, so that attempts that hang do not block the others. */
const stallMs = 200;
/** The same after a 429, when a service that does not respond may be overloaded. */
const throttledStallMs = 1000;
/** A window expires after `idleMs` without a call, a rate after `forgetMs` without a 429. */
const idleMs = 10_000;
const forgetMs = 60_000;
/** The factor for the rate after a 429: the new rate is below the limit, so that other calls do not get a 429 too. */
const rateCut = 0.85;
/** With fewer responses per second, the limit cannot be estimated from one 429. */
const leastKnownRate = 2;
/** Two 429s within this time, with a success between them, show that the limit is even lower. */
const slowLimitMs = 5000;
/** How late an attempt may be without a loss of rate, in milliseconds, because timers are not exact. */
const slackMs = 20;
/** This many 429s without a success are remembered. A call that retries more often waits for this many. */
const rememberedThrottles = 100;

/** What the result of an attempt says about the rate limit. */
export type RateLimitSignal = 'accepted' | 'throttled' | 'other';

/**
 * When attempts are sent, of an application or of one token: how many at once, how many per second, and after which
 * pause. It has no timers: all times are given, of `performance.now()`.
 *
 * Before a 429, it limits the number of attempts in flight. This window grows with the responses, by half per round
 * trip, so that only a part of a burst can exceed an unknown limit. After a 429, all calls wait. Then they are sent at
 * a rate that is a little lower than the rate of the responses before the 429, and that increases until the next 429.
 * A success lifts this rate if 429s were rare: the calls before may have been slower than the limit.
 */
export class AdaptiveLimit {
  inFlight = 0;
  readonly #initialWindow: number;
  #window: number;
  /** Attempts per second; `undefined` while no limit is known. */
  #rate: number | undefined;
  #nextAt = 0;
  #pausedUntil = 0;
  #lastCutAt = -Infinity;
  #lastUseAt = 0;
  #lastAcceptedAt = -Infinity;
  /** When there were 429s since the last success; each after the pause that followed the one before. */
  #throttledAt: number[] = [];
  /** Whether the only sign of a limit is a rare 429, which may be random. Then the next success lifts the limit. */
  #isRareThrottle = false;
  readonly #responses = new RecentCount();
  readonly #share = new ThrottleShare();
  /** When the last response arrived, the first attempt was sent, or the window was doubled without a response. */
  #progressAt = 0;

  constructor(initialWindow: number) {
    this.#initialWindow = initialWindow;
    this.#window = initialWindow;
  }

  /** Whether it has no pause and no recent 429. */
  isCalm(now: number): boolean {
    return now >= this.#pausedUntil && now - this.#lastCutAt > forgetMs;
  }

  isOpen(now: number): boolean {
    if (this.inFlight === 0) this.#forget(now);
    return this.inFlight < this.#window && now >= this.opensAt;
  }

  get opensAt(): number {
    return Math.max(this.#pausedUntil, this.#rate === undefined ? 0 : this.#nextAt);
  }

  /** When to look again if it is closed. */
  nextChangeAt(now: number): number {
    return this.opensAt > now ? this.opensAt : this.#progressAt + this.stallMs;
  }

  /** How long the window waits for a response before it doubles. */
  get stallMs(): number {
    return this.#throttledAt.length === 0 && this.#rate === undefined ? stallMs : throttledStallMs;
  }

  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** How long a call waits for its turn if `before` others are sent first. */
  waitFor(before: number, now: number): number {
    return this.opensAt <= now ? 0 : this.opensAt - now + (this.#rate === undefined ? 0 : (before * 1000) / this.#rate);
  }

  /** Whether the 429s are too rare for a limit. */
  get isRandom(): boolean {
    return this.#share.isRandom;
  }

  /** How many 429s there were since a time, and since the last success. */
  throttlesSince(time: number): number {
    return this.#throttledAt.filter((at) => at >= time).length;
  }

  /** How long all calls wait after a 429 without `Retry-After`, in milliseconds. It grows as the waits of one call with its retries. */
  backoffMs(maxRetries: number): number {
    const { length } = this.#throttledAt;
    // The success before it shows that the service is there, so a short wait is enough to see whether this was random.
    if (this.#isRareThrottle && this.#lastAcceptedAt > -Infinity) return 100 + 100 * Math.random();
    const doublings = Math.min(Math.max(length - 1, 0), Math.max(maxRetries - 1, 0));
    return 2 ** doublings * (500 + 500 * Math.random());
  }

  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }

  /** Records that an attempt is sent. */
  admit(now: number): void {
    // Without attempts in flight, no response was expected.
    if (this.inFlight === 0) this.#progressAt = now;
    this.inFlight += 1;
    if (this.#rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1000 / this.#rate;
  }

  /** Records that an attempt has ended; `hasWaiting`: whether calls wait now. */
  end(result: RateLimitSignal, now: number, sentAt: number, hasWaiting: boolean): void {
    const wasFull = this.inFlight >= this.#window;
    this.inFlight -= 1;
    this.#lastUseAt = now;
    this.#progressAt = now;
    if (result !== 'other') this.#share.add(result === 'throttled');
    if (result === 'accepted') this.#accept(now, sentAt, wasFull, hasWaiting);
  }

  #accept(now: number, sentAt: number, wasFull: boolean, hasWaiting: boolean): void {
    this.#throttledAt = [];
    this.#lastAcceptedAt = now;
    this.#responses.add(now);
    if (wasFull) this.#window += 0.5;
    if (this.#isRareThrottle && sentAt > this.#lastCutAt) this.#liftLimit();
    // A program that makes one call after the other has none that waits now, but its next call would wait.
    if (this.#rate !== undefined && (hasWaiting || now < this.#nextAt)) {
      const calmSeconds = (now - Math.max(this.#lastCutAt, this.#pausedUntil)) / 1000;
      this.#rate *= 1 + (0.03 + 0.02 * Math.min(calmSeconds, 20)) / this.#rate;
    }
  }

  /** Lowers the rate after a 429. */
  cut(now: number, sentAt: number): void {
    const isFirst = this.#rate === undefined && this.#throttledAt.length === 0;
    this.#isRareThrottle = (isFirst || this.#isRareThrottle) && this.#share.isRare;
    // An attempt that was sent before the last cut says nothing about the current rate.
    if (sentAt <= this.#lastCutAt) return;
    this.#isRareThrottle &&= isFirst;
    this.#rate = this.#rateAfterCut(now);
    this.#window = this.#rate === undefined ? 1 : firstWindow;
    // After a 429 without a pause, another one says nothing new.
    const last = this.#throttledAt.at(-1) ?? -Infinity;
    if (this.#pausedUntil >= last && this.#throttledAt.length < rememberedThrottles) this.#throttledAt.push(now);
    this.#lastCutAt = now;
  }

  #rateAfterCut(now: number): number | undefined {
    const rate = this.#rate ?? this.#responses.perSecond(now);
    const isSlow = this.#lastAcceptedAt > this.#lastCutAt && now - this.#lastCutAt < slowLimitMs;
    if (rate >= leastKnownRate) return rate * rateCut;
    return this.#rate === undefined && !isSlow ? undefined : Math.max(rate * rateCut, 0.5);
  }

  /**
   * Doubles the window if no response arrived for a while, so that attempts that hang do not block the others.
   *
   * @returns whether calls wait for a response, and not for a time.
   */
  growIfStalled(now: number): boolean {
    if (this.opensAt > now || this.isOpen(now)) return false;
    if (now - this.#progressAt >= this.stallMs) {
      if (this.inFlight >= this.#window) this.#window *= 2;
      this.#progressAt = now;
    }
    return true;
  }

  #liftLimit(): void {
    this.#isRareThrottle = false;
    this.#rate = undefined;
    this.#window = Math.max(this.#window, this.#initialWindow);
  }

  #forget(now: number): void {
    if (now - this.#lastUseAt > idleMs) this.#window = Math.min(this.#window, this.#initialWindow);
    if (now - this.#lastCutAt <= forgetMs) return;
    this.#rate = undefined;
    this.#window = Math.max(this.#window, this.#initialWindow);
  }
}
