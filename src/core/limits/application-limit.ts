import { Bucket, usualWindow } from './bucket.js';

/** The calls of a token that wait for their turn. */
export interface Waiter {
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

  /** Whether another seller got its first 429 within the last second. */
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
