import { isIso } from '../core/schema/dates.js';
import { FakeMarketplaceError } from './errors.js';
import { assertObject } from './state/assert-fields.js';

/**
 * The marketplace's clock. It stands still at the time where it was set, or runs from there; at the start, it shows the
 * machine's time.
 *
 * @example
 * marketplace.clock.set('2026-03-02T12:00:00Z');
 * marketplace.clock.advance({ days: 1, hours: 6 });
 * marketplace.clock.at('2026-03-01', () => marketplace.ask({ from: { user_id: 31 }, item_id: 'MLA100', text: 'Is it new?' }));
 * marketplace.clock.run(); // runs on from the time that it shows
 * marketplace.clock.set(new Date());
 * marketplace.clock.run(); // follows the machine's clock again
 */
export class Clock {
  /** The time at which it stands still; otherwise `undefined`. */
  #stoppedAt: number | undefined;
  /** How far a running clock is ahead of the machine's, in milliseconds. */
  #aheadMs = 0;
  readonly #listeners = new Set<() => void>();

  constructor(start?: Date | string | number) {
    if (start !== undefined) this.set(start);
  }

  /** The current time, in milliseconds since 1970. */
  get ms(): number {
    return this.#stoppedAt ?? Math.min(Date.now() + this.#aheadMs, lastTime);
  }

  /** The current time as ISO 8601 in UTC. */
  get iso(): string {
    return new Date(this.ms).toISOString();
  }

  /** Whether the clock stands still. */
  get isStopped(): boolean {
    return this.#stoppedAt !== undefined;
  }

  /**
   * Stops the clock at a time. Without a time zone, it is in UTC.
   *
   * @throws {FakeMarketplaceError} when `time` is not a date of the years 1 to 9999
   */
  set(time: Date | string | number): void {
    const ms = timeMs(time);
    if (Number.isNaN(ms))
      throw new FakeMarketplaceError(`the clock takes a Date, an ISO 8601 string or milliseconds, not ${String(time)}`);
    if (!isTime(ms)) throw new FakeMarketplaceError('the clock takes a time of the years 1 to 9999');
    this.#stoppedAt = ms;
    this.#changed();
  }

  /**
   * Stops the clock, if it runs, and moves it forward, or back if the sum is negative.
   *
   * @throws {FakeMarketplaceError} when a unit is unknown, or the clock would leave the years 1 to 9999.
   */
  advance(span: Span): void {
    assertObject('a duration', span, ` with ${[...units].join(', ')}`);
    const unknown = Object.keys(span).find((unit) => !units.has(unit));
    if (unknown !== undefined)
      throw new FakeMarketplaceError(`there is no unit ${unknown}; there are ${[...units].join(', ')}`);
    const { days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 } = span;
    this.set(this.ms + ((days * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000 + ms);
  }

  /**
   * Runs a function at another time, then restores the clock.
   *
   * @throws {FakeMarketplaceError} when `time` is not a date of the years 1 to 9999
   */
  at<T>(time: Date | string | number, run: () => T): T {
    if (typeof run !== 'function') throw new FakeMarketplaceError('`run` is a function');
    const restore = this.checkpoint();
    this.set(time);
    try {
      return run();
    } finally {
      restore();
    }
  }

  /** @internal Adds a listener for when the clock is moved, stopped or runs again. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** @internal Saves the time. @returns a function that restores it */
  checkpoint(): () => void {
    const [stoppedAt, aheadMs] = [this.#stoppedAt, this.#aheadMs];
    return () => {
      [this.#stoppedAt, this.#aheadMs] = [stoppedAt, aheadMs];
      this.#changed();
    };
  }

  /** Makes a stopped clock run on from the time that it shows. */
  run(): void {
    if (this.#stoppedAt === undefined) return;
    this.#aheadMs = this.#stoppedAt - Date.now();
    this.#stoppedAt = undefined;
    this.#changed();
  }

  /** @internal Goes back to the start: to `start`, where it stands still, or to the machine's clock. */
  reset(start: Date | string | number | undefined): void {
    [this.#stoppedAt, this.#aheadMs] = [undefined, 0];
    if (start === undefined) this.#changed();
    else this.set(start);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const units: ReadonlySet<string> = new Set(['days', 'hours', 'minutes', 'seconds', 'ms'] satisfies (keyof Span)[]);

/**
 * A time in milliseconds since 1970; `NaN` if it is none, such as February 30. Without a time zone it is in UTC, whatever the
 * zone of the machine.
 */
export function timeMs(time: Date | string | number): number {
  if (typeof time !== 'string') return new Date(time).getTime();
  const ms = new Date(/^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(time) ? `${time}Z` : time).getTime();
  const day = /^\d{4}-\d{2}-\d{2}/.exec(time)?.[0];
  return Number.isNaN(ms) || (day !== undefined && !isIso(day)) ? NaN : ms;
}

const firstTime = Date.parse('0001-01-01T00:00:00Z');
/** The last millisecond of the year 9999. */
export const lastTime: number = Date.UTC(10_000, 0) - 1;

/** Whether a time, in milliseconds since 1970, has a year of four digits in ISO 8601. */
export function isTime(ms: number): boolean {
  return ms >= firstTime && ms <= lastTime;
}

/** A duration; the parts add up. */
export interface Span {
  /** Days of 24 hours. */
  readonly days?: number | undefined;
  /** Hours. */
  readonly hours?: number | undefined;
  /** Minutes. */
  readonly minutes?: number | undefined;
  /** Seconds. */
  readonly seconds?: number | undefined;
  /** Milliseconds. */
  readonly ms?: number | undefined;
}

/** Waits in the machine's time. The fake timers of a test do not replace `AbortSignal.timeout`, so they do not stop it. */
export function lasting(ms: number): Promise<void> {
  // Such a signal does not keep a process alive; this timer does.
  const alive = setInterval(() => undefined, 60_000);
  return new Promise((resolve) => {
    AbortSignal.timeout(ms).addEventListener('abort', () => {
      clearInterval(alive);
      resolve();
    });
  });
}
