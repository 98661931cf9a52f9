/** How many attempts may be in flight at first after an event. */
export const usualWindow = 8;
/** The window doubles after this long without a response, so that attempts that hang do not block the others. */
const stallMs = 200;
/** The same after an event, when a service that does not respond may be overloaded. */
const eventStallMs = 1000;
/** A window is the first again after this long without a call. */
const idleMs = 10_000;
/** What is known of a limit is forgotten after this long without an event. */
const forgetMs = 60_000;
/** How late an attempt may be without a loss of rate, in milliseconds, because timers are not exact. */
const slackMs = 20;
/** Up to this share of the last responses may be random 429s. */
const randomShare = 0.15;
/** The share is that of between 25 and 50 responses. */
const countedResponses = 50;
/** This many rounds in a row are not random; and this many if a limit is known. */
const leastRounds = 3;
const leastRoundsAtLimit = 2;
/** A first event of fewer 429s shows no limit if the next attempt succeeds. */
const leastOfLimit = 4;
/** A shorter `Retry-After`, for example 0, would make all clients retry at the same time. */
const leastRetryAfterMs = 500;
/** The first pause without a `Retry-After`: no shorter, so that the service's own second is over after it. */
const firstPauseMs = 1000;
/** More events are not remembered. A call that retries more often waits for these. */
const rememberedEvents = 100;

/** What the result of an attempt says about a limit; `other` says nothing. */
export type LimitSignal = 'accepted' | 'throttled' | 'other';

/** What the pause after a 429 depends on. */
export interface PauseRules {
  /** What the service asked for. */
  readonly retryAfterMs?: number | undefined;
  /** How often the pause doubles without it. */
  readonly doublings?: number | undefined;
  /** The longest pause without it. */
  readonly maxPauseMs?: number | undefined;
  /** Whether the call has no retry left. Then its 429 counts as an event, so that it waits with the others. */
  readonly isLast?: boolean | undefined;
  /** Whether another seller got its first 429 just before. Then the limit of the application is near: it counts as no round. */
  readonly isShared?: boolean | undefined;
}

/**
 * Decides when attempts are sent: how many at once, how many per second, and after which pause. A seller has one for each
 * group of endpoints, and so has the application. It has no timers: all times are given, of `performance.now()`.
 *
 * A 429 that was sent after the last one was received begins a round. What is not random is an event: it pauses, lowers the
 * rate, and leaves a window of one. A success that was sent after the last 429 ends the row of rounds.
 */
export class Bucket {
  inFlight = 0;
  /** The last `Retry-After` since the last success. */
  lastRetryAfterMs: number | undefined;
  /** When the 429s in a row began that count for the end of a call. */
  rowBeganAt = Infinity;
  readonly #firstWindow: number;
  #window: number;
  readonly #rate = new AdaptiveRate();
  #nextAt = 0;
  #pausedUntil = 0;
  #lastUseAt = 0;
  /** When the last response arrived, the first attempt was sent, or the window was doubled without a response. */
  #progressAt = 0;
  #responses = 0;
  #throttles = 0;
  /** How many rounds came in a row. */
  #inRow = 0;
  /** The events in this row. */
  #events: { readonly at: number; readonly until: number }[] = [];
  #eventsInRow = 0;
  /** How many 429s the last event had, and whether it was the first that is remembered. */
  #throttlesOfEvent = 0;
  #isFirstEvent = false;
  #roundAt = -Infinity;
  #eventAt = -Infinity;
  /** Whether something has succeeded since the last event. */
  #hasSucceeded: boolean;

  /** `isShared`: a first 429 may concern its seller only, so it says nothing here, also if nothing has succeeded yet. */
  constructor(firstWindow: number, isShared: boolean) {
    this.#firstWindow = this.#window = firstWindow;
    this.#hasSucceeded = isShared;
  }

  /** Whether the last response was a 429. */
  get isThrottled(): boolean {
    return this.#inRow > 0;
  }

  /** Whether nothing has succeeded since the last event. */
  get isSilent(): boolean {
    return this.#eventsInRow > 0;
  }

  /** Whether it has no pause, and no event that it remembers. */
  isCalm(now: number): boolean {
    return now >= this.#pausedUntil && now - this.#eventAt > forgetMs;
  }

  isOpen(now: number): boolean {
    if (this.inFlight === 0) this.#forget(now);
    return this.inFlight + 1 <= this.#window && now >= this.#pausedUntil && now >= this.#nextAt;
  }

  /** When to look again if it is closed. */
  nextChangeAt(now: number): number {
    const opensAt = Math.max(this.#pausedUntil, this.#nextAt);
    return opensAt > now ? opensAt : this.#progressAt + this.stallMs;
  }

  /** How long the window waits for a response before it doubles. */
  get stallMs(): number {
    return this.#eventAt === -Infinity ? stallMs : eventStallMs;
  }

  pausedMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** How long a call waits for its turn if `before` others are sent first. */
  waitMs(before: number, now: number): number {
    const opensAt = Math.max(this.#pausedUntil, this.#nextAt);
    const rate = this.#rate.perSecond(now);
    return opensAt <= now ? 0 : opensAt - now + (rate === undefined ? 0 : (before * 1000) / rate);
  }

  /** How many events came in a row since a time, with one whose pause was not over. */
  eventsSince(time: number): number {
    return this.#events.filter(({ until }) => until > time).length;
  }

  /** How long there were only 429s since a time. */
  silentMs(since: number, now: number): number {
    return now - Math.max(since, this.#events[0]?.at ?? now);
  }

  /** Records that an attempt is sent. */
  admit(now: number): void {
    // Without attempts in flight, no response was expected.
    if (this.inFlight === 0) this.#progressAt = now;
    this.inFlight += 1;
    const rate = this.#rate.perSecond(now);
    if (rate !== undefined) this.#nextAt = Math.max(this.#nextAt, now - slackMs) + 1000 / rate;
  }

  /** Records that an attempt has ended. */
  end(result: LimitSignal, now: number, sentAt: number): void {
    const wasFull = this.inFlight + 1 > this.#window;
    this.inFlight -= 1;
    this.#lastUseAt = this.#progressAt = now;
    if (result !== 'accepted') return;
    this.#count();
    this.#rate.accept(now);
    if (wasFull) this.#window += 0.5;
    // What succeeds at the same time shows that not all get a 429.
    if (this.#events.length > 0) this.#events = [];
    // A round with a success too shows a rate, and no service that is closed.
    this.#eventsInRow = Math.min(1, this.#eventsInRow);
    if (sentAt <= this.#roundAt) return;
    this.#hasSucceeded = true;
    if (this.#inRow > 0) this.#endRow();
  }

  #endRow(): void {
    // A single event of few 429s may have been random.
    if (this.#isFirstEvent && this.#throttlesOfEvent < leastOfLimit) this.#forgetRate();
    this.#inRow = this.#eventsInRow = 0;
    this.rowBeganAt = Infinity;
    this.#events = [];
    this.lastRetryAfterMs = undefined;
    this.#window = Math.max(this.#window, Math.min(usualWindow, this.#firstWindow));
  }

  /** Hears a 429. @returns whether its call waits for the bucket; otherwise it may be random */
  hear(now: number, sentAt: number, rules: PauseRules = {}): boolean {
    const { retryAfterMs } = rules;
    const isNews = sentAt > this.#eventAt;
    if (isNews) this.#beginRound(now, sentAt, rules);
    const hasReason = (retryAfterMs ?? 0) >= leastRetryAfterMs || rules.isLast === true;
    if (isNews && !hasReason && this.#mayBeRandom(now)) return false;
    if (isNews) this.#beginEvent(now);
    this.#throttlesOfEvent += 1;
    if (retryAfterMs !== undefined) this.lastRetryAfterMs = retryAfterMs;
    if (isNews || retryAfterMs !== undefined)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + this.#pauseMs(rules));
    if (isNews && !rules.isShared && this.#events.length < rememberedEvents)
      this.#events.push({ at: now, until: this.#pausedUntil });
    return true;
  }

  #beginRound(now: number, sentAt: number, { isShared }: PauseRules): void {
    this.#count();
    this.#throttles += 1;
    if (sentAt <= this.#roundAt) return;
    this.#roundAt = now;
    this.#inRow += 1;
    if (isShared) this.#events = [];
    this.rowBeganAt = isShared ? Infinity : Math.min(this.rowBeganAt, now);
  }

  #mayBeRandom(now: number): boolean {
    const least = this.#rate.perSecond(now) === undefined ? leastRounds : leastRoundsAtLimit;
    const isRare = this.#throttles <= Math.max(randomShare * this.#responses, 1);
    return isRare && this.#hasSucceeded && this.#inRow < least;
  }

  #beginEvent(now: number): void {
    this.#isFirstEvent = this.#eventAt === -Infinity;
    this.#throttlesOfEvent = 0;
    // Without a success since the last event, nothing is known of the rate.
    if (this.#hasSucceeded) this.#rate.cut(now);
    this.#window = Math.min(usualWindow, 2 ** this.#eventsInRow);
    this.#eventsInRow += 1;
    this.#eventAt = this.#roundAt = now;
    this.#hasSucceeded = false;
    this.#responses = this.#throttles = 0;
  }

  #pauseMs({ retryAfterMs, doublings = 0, maxPauseMs = Infinity }: PauseRules): number {
    if (retryAfterMs !== undefined && retryAfterMs >= leastRetryAfterMs) return retryAfterMs;
    // All clients of the service got it at the same time.
    const first =
      retryAfterMs === undefined ? firstPauseMs * (1 + 0.1 * Math.random()) : leastRetryAfterMs * (1 + Math.random());
    return Math.min(2 ** Math.min(this.#eventsInRow - 1, doublings) * first, maxPauseMs);
  }

  #count(): void {
    this.#responses += 1;
    if (this.#responses <= countedResponses) return;
    this.#responses /= 2;
    this.#throttles /= 2;
  }

  /**
   * Doubles the window if no response arrived for a while.
   *
   * @returns whether calls wait for a response, and not for a time.
   */
  growIfStalled(now: number): boolean {
    if (now < Math.max(this.#pausedUntil, this.#nextAt) || this.isOpen(now)) return false;
    if (now - this.#progressAt < this.stallMs) return true;
    this.#window *= 2;
    this.#progressAt = now;
    return true;
  }

  #forget(now: number): void {
    if (now - this.#lastUseAt > idleMs) this.#window = Math.min(this.#window, this.#firstWindow);
    if (this.#eventAt === -Infinity || now - this.#eventAt <= forgetMs) return;
    this.#eventAt = -Infinity;
    this.#forgetRate();
    this.#window = this.#firstWindow;
  }

  #forgetRate(): void {
    this.#rate.forget();
    this.#nextAt = 0;
  }
}

/** The constants of the adaptive retry mode of the AWS SDKs. */
const beta = 0.7;
const scale = 0.4;

/**
 * Returns the rate a time after a cut, per second: the cubic curve of the adaptive retry mode of the AWS SDKs. It begins at
 * seven tenths of the rate before the cut, stays near that rate for a while, and then rises fast.
 */
export function cubicRate(beforeCut: number, secondsAfter: number): number {
  const plateau = Math.cbrt((beforeCut * (1 - beta)) / scale);
  return scale * (secondsAfter - plateau) ** 3 + beforeCut;
}

/** The rate at which attempts are sent. All times are given, of `performance.now()`. */
export class AdaptiveRate {
  /** How many responses were accepted in the second that began at `#secondAt`, and in the one before. */
  #accepted = 0;
  #acceptedBefore = 0;
  #secondAt = 0;
  #beforeCut: number | undefined;
  #cutAt = -Infinity;

  /** `undefined` while no limit is known. */
  perSecond(now: number): number | undefined {
    return this.#beforeCut === undefined ? undefined : cubicRate(this.#beforeCut, (now - this.#cutAt) / 1000);
  }

  accept(now: number): void {
    const seconds = (now - this.#secondAt) / 1000;
    if (seconds >= 1) {
      this.#acceptedBefore = seconds < 2 ? this.#accepted : 0;
      this.#accepted = 0;
      this.#secondAt = now;
    }
    this.#accepted += 1;
  }

  /** Cuts the rate after an event, at most once a second. */
  cut(now: number): void {
    const seconds = (now - this.#secondAt) / 1000;
    const accepted = seconds < 2 ? Math.max(this.#accepted, seconds < 1 ? this.#acceptedBefore : 0) : 0;
    if (accepted === 0 || now - this.#cutAt < 1000) return;
    this.#beforeCut = Math.min(this.perSecond(now) ?? Infinity, accepted);
    this.#cutAt = now;
  }

  forget(): void {
    this.#beforeCut = undefined;
  }
}
