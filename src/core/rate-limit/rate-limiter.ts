import type { CancelScope } from '../scope/cancel-scope.js';
import type { ApplicationLimit, Member } from './application-limit.js';
import { CallQueue } from './call-queue.js';
import type { QueuedCall } from './call-queue.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import type { RateLimitSignal } from './adaptive-limit.js';

/** A call that waits for its turn. Calls and their retries are sent in the order in which the calls were made. */
export interface AcquireRequest {
  readonly sequence: number;
  /** It waits until fewer attempts of calls with the same `maxInFlight` are in flight. */
  readonly maxInFlight: number;
  /** The longest pause for which the call waits. */
  readonly maxPauseMs: number;
  readonly maxRetries: number;
  /** When the call began, a time of `performance.now()`. */
  readonly startedAt: number;
  readonly onWait: (waitMs: number) => void;
}

/**
 * How a wait ended. `paused`: all calls are paused for longer than the call waits. `exhausted`: every response has been
 * a 429 for as long as the retries of the call would take.
 */
export type Admission = 'admitted' | 'paused' | 'exhausted';

interface WaitingCall extends AcquireRequest, QueuedCall {
  readonly settle: (admission: Admission) => void;
  admission: Admission | undefined;
}

/** The calls with the same `maxInFlight`. A call whose limit is reached does not delay the calls of other clients. */
interface ConcurrencyGroup {
  readonly queue: CallQueue<WaitingCall>;
  inFlight: number;
}

/** Keeps the calls of one token below the service's rate limit: that of the token, and that of its application. */
export class RateLimiter implements Member {
  readonly #application: ApplicationLimit;
  /** Without a window: before a 429, only the application has one. */
  readonly #limit = new AdaptiveLimit(Infinity);
  /** Whose limit the last 429 was about. */
  #limited = this.#limit;
  readonly #groups = new Map<number, ConcurrencyGroup>();
  #size = 0;
  /** A lower bound of the pauses for which the calls wait. */
  #shortestPauseMs = Infinity;
  readonly #unnotified = new Set<WaitingCall>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How many calls of the application had succeeded before the 429s that this token got in a row. */
  #acceptedBefore: number | undefined;

  constructor(application: ApplicationLimit) {
    this.#application = application;
  }

  /** Whether no call uses it and it has no recent 429, so it can be dropped. */
  get isIdle(): boolean {
    return this.#size === 0 && this.#limit.isIdle(performance.now());
  }

  /** Admits an attempt immediately if that is possible. At most `maxInFlight` of these attempts are in flight. */
  tryAcquire(maxInFlight: number): boolean {
    const now = performance.now();
    const group = this.#groupOf(maxInFlight);
    if (!this.#application.limit.isOpen(now) || !this.#limit.isOpen(now) || group.inFlight >= maxInFlight) return false;
    if (this.#application.hasTurns || this.#next) return false;
    this.#admit(group, now);
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
          waiting = {
            ...request,
            onWait: inOwnContext(request.onWait),
            place: 0,
            settle: resolve,
            admission: undefined,
          };
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
   * @returns whether the result is a 429 that concerns other calls. A rare 429 among many accepted calls is random.
   */
  release(result: RateLimitSignal, sentAt: number, maxInFlight: number): boolean {
    const now = performance.now();
    this.#groupOf(maxInFlight).inFlight -= 1;
    this.#application.limit.end(result, now, sentAt, this.#application.size > 0);
    this.#limit.end(result, now, sentAt, this.#size > 0);
    if (result === 'accepted') {
      this.#acceptedBefore = undefined;
      this.#application.countAccepted();
    }
    if (result === 'throttled' && this.#throttle(now, sentAt)) {
      // The caller pauses the calls after a 429, so the next attempts are admitted only after that.
      this.#application.setReady(this, false);
      this.#wakeIn(0);
      this.#application.pumpIn(0);
      return true;
    }
    this.#refresh(now);
    this.#application.pump();
    return false;
  }

  #throttle(now: number, sentAt: number): boolean {
    this.#acceptedBefore ??= this.#application.accepted;
    const isOfAll = this.#application.isLimitOfAll(this, this.#acceptedBefore);
    if (!isOfAll && this.#limit.isRandom) return false;
    this.#limited = isOfAll ? this.#application.limit : this.#limit;
    this.#limited.cut(now, sentAt);
    this.#reconsiderAll(now);
    return true;
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

  /** How long all calls wait after a 429 without `Retry-After`, in milliseconds. */
  backoffMs(maxRetries: number): number {
    return this.#limited.backoffMs(maxRetries);
  }

  /** Pauses the calls that the last 429 concerns. */
  pauseFor(ms: number): void {
    const now = performance.now();
    this.#limited.pauseUntil(now + ms);
    this.#reconsiderAll(now);
    this.#application.pump();
  }

  #reconsiderAll(now: number): void {
    const members = this.#limited === this.#limit ? [this] : this.#application.waiting;
    for (const member of members) member.reconsider(now);
  }

  reconsider(now: number): void {
    if (this.throttlesSince(0) > 1 || this.#pausedUntil - now > this.#shortestPauseMs) this.#rejectHopeless();
    if (this.#pausedUntil > now) this.#notify(now);
    this.#refresh(now);
  }

  /** Ends the calls that wait in vain. */
  #rejectHopeless(): void {
    this.#shortestPauseMs = Infinity;
    for (const call of [...this.#groups.values()].flatMap(({ queue }) => queue.all)) {
      const rejection = this.#rejectionOf(call);
      if (rejection) this.#settle(call, rejection);
      else this.#shortestPauseMs = Math.min(this.#shortestPauseMs, call.maxPauseMs);
    }
  }

  #rejectionOf({ maxPauseMs, maxRetries, startedAt }: AcquireRequest): 'paused' | 'exhausted' | undefined {
    if (this.pausedMs > maxPauseMs) return 'paused';
    // One 429 is no sign, also for a call without retries.
    return this.throttlesSince(startedAt) > Math.max(maxRetries, 1) ? 'exhausted' : undefined;
  }

  #add(call: WaitingCall): void {
    const now = performance.now();
    const [before, beforeInAll] = [this.#size, this.#application.size];
    this.#groupOf(call.maxInFlight).queue.add(call);
    this.#unnotified.add(call);
    this.#size += 1;
    this.#application.size += 1;
    this.#application.waiting.add(this);
    this.#shortestPauseMs = Math.min(this.#shortestPauseMs, call.maxPauseMs);
    this.#refresh(now);
    this.#application.pump();
    if (!call.admission) this.#notifyOne(call, before, beforeInAll, now);
  }

  #remove(call: WaitingCall): void {
    this.#groupOf(call.maxInFlight).queue.remove(call);
    this.#unnotified.delete(call);
    this.#size -= 1;
    this.#application.size -= 1;
    if (this.#size === 0) this.#application.waiting.delete(this);
  }

  #settle(call: WaitingCall, admission: Admission): void {
    this.#remove(call);
    call.admission = admission;
    call.settle(admission);
  }

  #groupOf(maxInFlight: number): ConcurrencyGroup {
    let group = this.#groups.get(maxInFlight);
    if (!group) this.#groups.set(maxInFlight, (group = { queue: new CallQueue(), inFlight: 0 }));
    return group;
  }

  /** The first call whose own limit is not reached. */
  get #next(): WaitingCall | undefined {
    let next: WaitingCall | undefined;
    for (const [maxInFlight, { queue, inFlight }] of this.#groups) {
      const { first } = queue;
      if (first && inFlight < maxInFlight && !(next && next.sequence < first.sequence)) next = first;
    }
    return next;
  }

  #admit(group: ConcurrencyGroup, now: number): void {
    group.inFlight += 1;
    this.#limit.admit(now);
    this.#application.limit.admit(now);
  }

  sendNext(now: number): void {
    const next = this.#next;
    if (next && this.#limit.isOpen(now)) {
      this.#admit(this.#groupOf(next.maxInFlight), now);
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
    if (this.#size === 0) return;
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
    for (const call of this.#unnotified) call.onWait(waitMs);
    this.#unnotified.clear();
  }

  #notify(now: number): void {
    let place = 0;
    for (const call of this.#unnotified) this.#notifyOne(call, place, place++, now);
  }

  #notifyOne(call: WaitingCall, before: number, beforeInAll: number, now: number): void {
    const waitMs = Math.max(this.#limit.waitFor(before, now), this.#application.limit.waitFor(beforeInAll, now));
    if (waitMs === 0) return;
    this.#unnotified.delete(call);
    call.onWait(waitMs);
  }
}

/** Calls a function in the async context of now: a wait is reported when another call ends, or by a timer of another one. */
function inOwnContext(report: (waitMs: number) => void): (waitMs: number) => void {
  const { promise, resolve } = Promise.withResolvers<number>();
  void promise.then(report);
  return resolve;
}
