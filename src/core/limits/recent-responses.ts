/** Up to this many 429s among the last hundred responses, and among the last ten, are random. */
const maxRandomThrottles = 10;
const maxRandomInARow = 4;
/** Up to this many may be random while too few responses are known to be sure. */
const maxRareThrottles = 3;
const rememberedResponses = 100;
const latestResponses = 10;
/** With fewer responses, every 429 pauses all calls. */
const leastResponses = 25;

/** Counts the 429s among the last hundred responses. A service that sheds load at random enforces no limit. */
export class ThrottleShare {
  readonly #throttled: boolean[] = [];
  #next = 0;
  #throttles = 0;
  #latestThrottles = 0;

  add(isThrottled: boolean): void {
    const before = this.#throttled[(this.#next + rememberedResponses - latestResponses) % rememberedResponses];
    this.#throttles += Number(isThrottled) - Number(this.#throttled[this.#next] ?? false);
    this.#latestThrottles += Number(isThrottled) - Number(before ?? false);
    this.#throttled[this.#next] = isThrottled;
    this.#next = (this.#next + 1) % rememberedResponses;
  }

  /** Whether the 429s are too rare for a rate limit. A limit's 429s come in rows. */
  get isRandom(): boolean {
    return (
      this.#throttled.length >= leastResponses &&
      this.#throttles <= maxRandomThrottles &&
      this.#latestThrottles <= maxRandomInARow
    );
  }

  /** Whether they may be random, also while too few responses are known to be sure. */
  get isRare(): boolean {
    return this.#throttles <= maxRareThrottles;
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
