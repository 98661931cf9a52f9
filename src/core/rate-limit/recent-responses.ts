/** Up to this many 429s among the last responses are random: the service sheds load but does not enforce a limit. */
const maxRandomThrottles = 3;
const rememberedResponses = 100;
/** With fewer responses, every 429 pauses all calls. */
const leastResponses = 50;

/** Counts the 429s among the last hundred responses. */
export class ThrottleShare {
  readonly #throttled: boolean[] = [];
  #next = 0;
  #throttles = 0;

  add(isThrottled: boolean): void {
    if (this.#throttled[this.#next]) this.#throttles -= 1;
    if (isThrottled) this.#throttles += 1;
    this.#throttled[this.#next] = isThrottled;
    this.#next = (this.#next + 1) % rememberedResponses;
  }

  /** Whether the 429s are too rare for a rate limit. */
  get isRandom(): boolean {
    return this.#throttled.length >= leastResponses && this.isRare;
  }

  /** The same, also while too few responses are known to be sure. */
  get isRare(): boolean {
    return this.#throttles <= maxRandomThrottles;
  }
}

/** Counts the events in the last second, with two counters. */
export class RecentCount {
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
