import { AdaptiveLimit, firstWindow } from './adaptive-limit.js';

/** A token of the application, as far as the application's limit knows it. */
export interface Member {
  /** Sends its next call, if its own limit allows, and says whether it has another one. */
  sendNext(now: number): void;
  /** Ends the calls that do not wait for so long, and tells the others how long they wait. */
  reconsider(now: number): void;
  /** Tells the calls that do not know yet that they wait. */
  report(waitMs: number): void;
}

/** This many calls of other tokens that succeeded show that a 429 is about one token. */
const enoughSuccesses = 3;

/**
 * The limit of an application: what all tokens share. It gives each token that has a call a turn, one after the other,
 * so that a token with many calls does not delay those of the others.
 */
export class ApplicationLimit {
  readonly limit = new AdaptiveLimit(firstWindow);
  /** How many calls wait. */
  size = 0;
  /** How many calls succeeded so far. */
  accepted = 0;
  /** The members with calls that wait. */
  readonly waiting = new Set<Member>();
  /** The members that can send a call as soon as the application can, in the order of their turns. */
  readonly #ready = new Set<Member>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastThrottled: Member | undefined;
  #acceptedAtThrottle = 0;

  /** Whether calls are to be sent before a new one. */
  get hasTurns(): boolean {
    return this.#ready.size > 0;
  }

  /** How long a call waits at most if `before` calls of its token are sent first. The tokens take turns. */
  waitFor(before: number, now: number): number {
    return this.limit.waitFor(Math.min(this.size, (before + 1) * this.waiting.size) - 1, now);
  }

  setReady(member: Member, isReady: boolean): void {
    if (isReady) this.#ready.add(member);
    else this.#ready.delete(member);
  }

  /**
   * Whether a 429 of a token is about the application. It is about the token alone if no other token got one, or if
   * calls of other tokens succeeded since the last 429, or since the first of the 429s that this token got in a row
   * (`accepted` was then `acceptedBefore`).
   */
  isLimitOfAll(member: Member, acceptedBefore: number): boolean {
    const isAlone = this.#lastThrottled === undefined || this.#lastThrottled === member;
    const successes = this.accepted - Math.min(this.#acceptedAtThrottle, acceptedBefore);
    this.#lastThrottled = member;
    this.#acceptedAtThrottle = this.accepted;
    return !isAlone && successes < enoughSuccesses && !this.limit.isRandom;
  }

  /** Sends every call that can be sent now, and sets a timer for the next one. */
  pump(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    for (const member of this.#ready) {
      if (!this.limit.isOpen(now)) break;
      // It adds itself again, behind the others, if it has another call.
      this.#ready.delete(member);
      member.sendNext(now);
    }
    if (this.#ready.size === 0) return;
    this.pumpIn(Math.max(1, Math.ceil(this.limit.nextChangeAt(now) - now)));
  }

  pumpIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onTimer(), ms);
  }

  #onTimer(): void {
    const now = performance.now();
    const isStalled = this.limit.growIfStalled(now);
    this.pump();
    // The attempts that still wait need a response of another attempt.
    if (isStalled) for (const member of this.waiting) member.report(this.limit.stallMs);
  }
}
