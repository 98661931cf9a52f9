import { isIso } from '../core/schema/define.js';
import { assertObject, FakeMarketplaceError } from './errors.js';

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

/** The time zone of each site. */
const zones: Readonly<Record<string, string>> = {
  MBO: 'America/La_Paz',
  MCO: 'America/Bogota',
  MCR: 'America/Costa_Rica',
  MEC: 'America/Guayaquil',
  MGT: 'America/Guatemala',
  MHN: 'America/Tegucigalpa',
  MLA: 'America/Argentina/Buenos_Aires',
  MLB: 'America/Sao_Paulo',
  MLC: 'America/Santiago',
  MLM: 'America/Mexico_City',
  MLU: 'America/Montevideo',
  MLV: 'America/Caracas',
  MNI: 'America/Managua',
  MPA: 'America/Panama',
  MPE: 'America/Lima',
  MPY: 'America/Asuncion',
  MRD: 'America/Santo_Domingo',
  MSV: 'America/El_Salvador',
};

/** Whether a value is the code of a site. */
export function isSite(site_id: unknown): boolean {
  return typeof site_id === 'string' && Object.hasOwn(zones, site_id);
}

/** @throws {FakeMarketplaceError} when a site does not exist */
export function assertSite(site_id: string): void {
  if (isSite(site_id)) return;
  const sites = Object.keys(zones).join(', ');
  throw new FakeMarketplaceError(`\`site_id\` is a site such as MLA, not ${site_id}; the sites are ${sites}`);
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** A time in the time zone of a site. */
export interface LocalTime {
  /** 0 for Sunday, 6 for Saturday. */
  readonly weekday: number;
  /** 0 to 23. */
  readonly hour: number;
  /** The calendar date, e.g. `2026-03-02`. */
  readonly date: string;
}

/** Converts a time to the time zone of a site; UTC for an unknown site. */
export function localTime(ms: number, site_id: string): LocalTime {
  const local = new Date(ms + offsetMinutes(ms, site_id) * 60_000);
  return { weekday: local.getUTCDay(), hour: local.getUTCHours(), date: local.toISOString().slice(0, 10) };
}

/** Formats a time in the time zone of a site, e.g. `2026-03-02T09:30:00.000-03:00`. */
export function localInstant(ms: number, site_id: string): string {
  const withoutOffset = new Date(ms + offsetMinutes(ms, site_id) * 60_000).toISOString().slice(0, -1);
  return withoutOffset + offsetOf(ms, site_id);
}

/** Returns how far the clock of a site is ahead of UTC, in minutes. */
function offsetMinutes(ms: number, site_id: string): number {
  const [hours = 0, minutes = 0] = offsetOf(ms, site_id).split(':').map(Number);
  return hours * 60 + Math.sign(hours) * minutes;
}

/** Returns the offset of the clock of a site from UTC, e.g. `-03:00`; a formatter prints it as `GMT-03:00`. */
function offsetOf(ms: number, site_id: string): string {
  const key = `${site_id} ${Math.floor(ms / quarterHourMs)}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const name = formatterFor(zones[site_id] ?? 'UTC')
    .formatToParts(ms)
    .find(({ type }) => type === 'timeZoneName');
  const offset = /[+-]\d\d:\d\d/.exec(name?.value ?? '')?.[0] ?? '+00:00';
  if (offsets.size >= mostOffsets) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** Clocks change at a quarter of an hour. */
const quarterHourMs = 900_000;
/** By site and quarter of an hour: a formatter takes some 20 µs. */
const offsets = new Map<string, string>();
const mostOffsets = 10_000;

const dayMs = 86_400_000;

/** Returns when each of the last days of a site starts, the oldest first. The last one contains the time `end`. */
export function startsOfDays(end: number, count: number, site_id: string): number[] {
  const lastDay = localDay(end, site_id);
  return Array.from({ length: count }, (_, index) => startOfDay(lastDay - count + 1 + index, site_id));
}

/** The number of days from 1970 to the local date. */
function localDay(ms: number, site_id: string): number {
  return Math.floor((ms + offsetMinutes(ms, site_id) * 60_000) / dayMs);
}

function startOfDay(day: number, site_id: string): number {
  const midnight = day * dayMs;
  const withOffsetAt = (ms: number): number => midnight - offsetMinutes(ms, site_id) * 60_000;
  // All sites are west of UTC: this is the offset of the evening before. It is another one if clocks changed at midnight.
  const start = withOffsetAt(midnight);
  return localDay(start, site_id) === day ? start : withOffsetAt(midnight + dayMs / 2);
}

function formatterFor(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatters.set(timeZone, formatter);
  }
  return formatter;
}
