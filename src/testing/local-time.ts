import { FakeMarketplaceError } from './errors.js';

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
