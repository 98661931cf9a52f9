/** The marketplace's time. It follows the machine's clock, or stands still where it was set until a test moves it. */
export class Clock {
  #fixed: number | undefined;

  constructor(start?: Date | string | number) {
    if (start !== undefined) this.set(start);
  }

  /** The time now, in milliseconds since 1970. */
  get ms(): number {
    return this.#fixed ?? Date.now();
  }

  /** The time now as the service writes it. */
  get iso(): string {
    return new Date(this.ms).toISOString();
  }

  /** Whether it stands still until it is moved. */
  get isStopped(): boolean {
    return this.#fixed !== undefined;
  }

  /** Stops the clock at a moment. */
  set(moment: Date | string | number): void {
    const ms = new Date(moment).getTime();
    if (Number.isNaN(ms))
      throw new TypeError(`The clock takes a date, an ISO 8601 text or milliseconds, not ${String(moment)}`);
    this.#fixed = ms;
  }

  /** Stops the clock, if it runs, and moves it forward. */
  advance({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }: Span): void {
    this.#fixed = this.ms + ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000 + ms;
  }

  /** Lets something happen at another moment, and goes back to where the clock was. */
  at<T>(moment: Date | string | number, act: () => T): T {
    const kept = this.#fixed;
    this.set(moment);
    try {
      return act();
    } finally {
      this.#fixed = kept;
    }
  }

  /** Lets the clock follow the machine's again. */
  run(): void {
    this.#fixed = undefined;
  }
}

/** A length of time. */
export interface Span {
  readonly days?: number;
  readonly hours?: number;
  readonly minutes?: number;
  readonly seconds?: number;
  readonly ms?: number;
}
