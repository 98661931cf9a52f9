import { refine, unknown, withFacts } from './define.js';
import type { Schema } from './schema.js';

const iso = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A point in time in an input: a `Date`, or ISO 8601 text, which is sent unchanged. */
export const dateTimeInput: Schema<Date | string> = withFacts(
  refine(
    unknown as Schema<Date | string>,
    (value) => {
      const written = writtenDate(value);
      return typeof written !== 'string' || timeOf(written) === undefined || !isIso(written)
        ? 'a date is a Date or ISO 8601 text such as "2026-03-01T00:00:00Z"'
        : undefined;
    },
    { type: 'string', format: 'date-time' },
  ),
  { type: 'string', write: writtenDate },
);

/** Whether the text has `T` before the time, and a day that its month has: `Date.parse` reads February 30 as March 2. */
export function isIso(written: string): boolean {
  const day = written.slice(0, 10);
  return !written.includes(' ') && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}

/** A date as it is sent; an invalid `Date` becomes an empty text, which the rule above rejects. */
export function writtenDate(date: Date | string): string {
  if (!(date instanceof Date)) return date;
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Whether `from` is after `to`; `undefined` if only one of them has a time zone, because then the order is unknown. */
export function isAfter(from: string, to: string): boolean | undefined {
  const [start, end] = [timeOf(from), timeOf(to)];
  return start?.zoned === end?.zoned && start && end ? start.at > end.at : undefined;
}

/**
 * Returns the milliseconds since 1970 of ISO 8601 text; `NaN` for other text. Without a time zone, it is read as UTC.
 */
export function millisecondsOf(written: string): number {
  return timeOf(written)?.at ?? Number.NaN;
}

/** Whether ISO 8601 text has a time zone. */
export function isZoned(written: string): boolean {
  return timeOf(written)?.zoned === true;
}

function timeOf(written: string): { at: number; zoned: boolean } | undefined {
  const found = iso.exec(written);
  if (!found) return undefined;
  const zone = found[1];
  const colons = zone && /^[+-]\d{4}$/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : (zone ?? 'Z');
  const bare = (zone ? written.slice(0, -zone.length) : written).replace(' ', 'T');
  const at = Date.parse(bare.length === 10 ? `${bare}T00:00Z` : bare + colons);
  return Number.isNaN(at) ? undefined : { at, zoned: zone !== undefined };
}
