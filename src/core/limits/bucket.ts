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
/** Up to this share of the last responses may be random 429s. */
const randomShare = 0.15;
/** The share is that of this many responses. */
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
  readonly #firstWindow: number;
  #window: number;
  readonly #rate = new AdaptiveRate();
  #pausedUntil = 0;
  /** When the last response arrived, the first attempt was sent, or the window was doubled without a response. */
  #progressAt = 0;
  /** Which of the last responses since the last event were 429s. */
  #answers: boolean[] = [];
  #row = noRow;
  /** The last event, as long as it is remembered. */
  #event: LimitEvent | undefined;
  /** Whether something has succeeded since the last event. */
  #hasSucceeded: boolean;

  /** `isShared`: a first 429 may concern its seller only, so it says nothing here, also if nothing has succeeded yet. */
  constructor(firstWindow: number, isShared: boolean) {
    this.#firstWindow = this.#window = firstWindow;
    this.#hasSucceeded = isShared;
  }

  /** Whether the last response was a 429. */
  get isThrottled(): boolean {
    return this.#row.rounds > 0;
  }

  /** Whether nothing has succeeded since the last event. */
  get isSilent(): boolean {
    return this.#row.doublings > 0;
  }

  /** When the 429s in a row began that count for the end of a call. */
  get rowBeganAt(): number {
    return this.#row.beganAt;
  }

  /** Whether it has no pause, and no event that it remembers. */
  isCalm(now: number): boolean {
    return now >= this.#pausedUntil && (!this.#event || now - this.#event.at > forgetMs);
  }

  isOpen(now: number): boolean {
    if (this.inFlight === 0) this.#forget(now);
    return this.inFlight + 1 <= this.#window && now >= this.#pausedUntil && now >= this.#rate.nextAt;
  }

  /** When to look again if it is closed. */
  nextChangeAt(now: number): number {
    const opensAt = this.#opensAt;
    return opensAt > now ? opensAt : this.#progressAt + this.stallMs;
  }

  /** When its pause is over, and the next slot of its rate has come. */
  get #opensAt(): number {
    return Math.max(this.#pausedUntil, this.#rate.nextAt);
  }

  /** How long the window waits for a response before it doubles. */
  get stallMs(): number {
    return this.#event ? eventStallMs : stallMs;
  }

  pausedMs(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  /** How long a call waits for its turn if `before` others are sent first. */
  waitMs(before: number, now: number): number {
    const opensAt = this.#opensAt;
    const rate = this.#rate.perSecond(now);
    return opensAt <= now ? 0 : opensAt - now + (rate === undefined ? 0 : (before * 1000) / rate);
  }

  /** How many events came in a row since a time, with one whose pause was not over. */
  eventsSince(time: number): number {
    return this.#row.events.filter(({ until }) => until > time).length;
  }

  /** How long there were only 429s since a time. */
  silentMs(since: number, now: number): number {
    return now - Math.max(since, this.#row.events[0]?.at ?? now);
  }

  /** Records that an attempt is sent. */
  admit(now: number): void {
    // Without attempts in flight, no response was expected.
    if (this.inFlight === 0) this.#progressAt = now;
    this.inFlight += 1;
    this.#rate.spend(now);
  }

  /** Records that an attempt has ended. */
  end(result: LimitSignal, now: number, sentAt: number): void {
    const wasFull = this.inFlight + 1 > this.#window;
    this.inFlight -= 1;
    this.#progressAt = now;
    if (result !== 'accepted') return;
    this.#answer(false);
    this.#rate.accept(now);
    if (wasFull) this.#window += 0.5;
    if (this.#row.doublings > 0) this.#row = { ...this.#row, events: [], doublings: 1 };
    if (sentAt <= this.#row.lastAt) return;
    this.#hasSucceeded = true;
    if (this.#row.rounds === 0) return;
    // A single event of few 429s may have been random.
    if (this.#event?.isFirst && this.#event.throttles < leastOfLimit) this.#rate.forget();
    this.#row = { ...noRow, lastAt: this.#row.lastAt };
    this.lastRetryAfterMs = undefined;
    this.#window = Math.max(this.#window, Math.min(usualWindow, this.#firstWindow));
  }

  /** Hears a 429. @returns whether its call waits for the bucket; otherwise it may be random */
  hear(now: number, sentAt: number, rules: PauseRules = {}): boolean {
    const { retryAfterMs, isLast = false, isShared = false } = rules;
    const isNews = sentAt > (this.#event?.at ?? -Infinity);
    if (isNews) {
      this.#answer(true);
      if (sentAt > this.#row.lastAt) this.#row = withRound(this.#row, now, isShared);
      const hasReason = (retryAfterMs ?? 0) >= leastRetryAfterMs || isLast;
      if (!hasReason && this.#hasSucceeded && mayBeRandom(this.#answers, this.#row.rounds, this.#rate.perSecond(now)))
        return false;
      this.#beginEvent(now);
    }
    if (this.#event) this.#event.throttles += 1;
    if (retryAfterMs !== undefined) this.lastRetryAfterMs = retryAfterMs;
    if (isNews || retryAfterMs !== undefined)
      this.#pausedUntil = Math.max(this.#pausedUntil, now + pauseMs(this.#row.doublings, rules));
    if (isNews && !isShared && this.#row.events.length < rememberedEvents)
      this.#row = { ...this.#row, events: [...this.#row.events, { at: now, until: this.#pausedUntil }] };
    return true;
  }

  #beginEvent(now: number): void {
    // Without a success since the last event, nothing is known of the rate.
    if (this.#hasSucceeded) this.#rate.cut(now);
    this.#window = Math.min(usualWindow, 2 ** this.#row.doublings);
    this.#row = { ...this.#row, lastAt: now, doublings: this.#row.doublings + 1 };
    this.#event = { at: now, isFirst: !this.#event, throttles: 0 };
    this.#hasSucceeded = false;
    this.#answers = [];
  }

  #answer(isThrottled: boolean): void {
    this.#answers.push(isThrottled);
    if (this.#answers.length > countedResponses) this.#answers.shift();
  }

  /**
   * Doubles the window if no response arrived for a while.
   *
   * @returns whether calls wait for a response, and not for a time.
   */
  growIfStalled(now: number): boolean {
    if (now < this.#opensAt || this.isOpen(now)) return false;
    if (now - this.#progressAt < this.stallMs) return true;
    this.#window *= 2;
    this.#progressAt = now;
    return true;
  }

  #forget(now: number): void {
    if (now - this.#progressAt > idleMs) this.#window = Math.min(this.#window, this.#firstWindow);
    if (!this.#event || now - this.#event.at <= forgetMs) return;
    this.#event = undefined;
    this.#rate.forget();
    this.#window = this.#firstWindow;
  }
}

/** A 429, or several at once, that was no random one. */
interface LimitEvent {
  readonly at: number;
  /** Whether none was remembered before. */
  readonly isFirst: boolean;
  throttles: number;
}

/** The rounds since the last success. */
interface ThrottledRow {
  readonly rounds: number;
  /** When the last one began, also of the row before. */
  readonly lastAt: number;
  /** See `rowBeganAt`. */
  readonly beganAt: number;
  /** Those for which calls end, with the end of their pauses: none before something succeeded that was sent at the same time. */
  readonly events: readonly { readonly at: number; readonly until: number }[];
  /** How many events it has: each doubles window and pause. One after such a success, which shows a rate, and no closed service. */
  readonly doublings: number;
}

const noRow: ThrottledRow = { rounds: 0, lastAt: -Infinity, beganAt: Infinity, events: [], doublings: 0 };

function withRound(row: ThrottledRow, now: number, isShared: boolean): ThrottledRow {
  const round = { ...row, rounds: row.rounds + 1, lastAt: now };
  return isShared ? { ...round, events: [], beganAt: Infinity } : { ...round, beganAt: Math.min(row.beganAt, now) };
}

/** Whether a 429 after a success may be random. `rate` is the known limit. */
function mayBeRandom(answers: readonly boolean[], rounds: number, rate: number | undefined): boolean {
  const throttles = answers.filter(Boolean).length;
  const isRare = throttles <= Math.max(randomShare * answers.length, 1);
  return isRare && rounds < (rate === undefined ? leastRounds : leastRoundsAtLimit);
}

/** How long a 429 pauses, after this number of events in its row. */
function pauseMs(events: number, { retryAfterMs, doublings = 0, maxPauseMs = Infinity }: PauseRules): number {
  if (retryAfterMs !== undefined && retryAfterMs >= leastRetryAfterMs) return retryAfterMs;
  // All clients of the service got it at the same time.
  const first =
    retryAfterMs === undefined ? firstPauseMs * (1 + 0.1 * Math.random()) : leastRetryAfterMs * (1 + Math.random());
  return Math.min(2 ** Math.min(events - 1, doublings) * first, maxPauseMs);
}

/** The constants of the adaptive retry mode of the AWS SDKs. */
const beta = 0.7;
const scale = 0.4;
/** How late an attempt may be without a loss of rate, in milliseconds, because timers are not exact. */
const slackMs = 20;

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
  /** When the next attempt may be sent. */
  nextAt = 0;

  /** `undefined` while no limit is known. */
  perSecond(now: number): number | undefined {
    return this.#beforeCut === undefined ? undefined : cubicRate(this.#beforeCut, (now - this.#cutAt) / 1000);
  }

  /** Records that an attempt is sent. */
  spend(now: number): void {
    if (this.#beforeCut === undefined) return;
    this.nextAt = Math.max(this.nextAt, now - slackMs) + 1000 / (this.perSecond(now) ?? Infinity);
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
    this.nextAt = 0;
  }
}
