/** A longer one is a mistake, for example a time instead of a duration. It would stop the client for good. */
const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Parses `Retry-After` (seconds or an HTTP date) and returns the wait in milliseconds; `undefined` if there is none of
 * at most 24 hours.
 */
export function parseRetryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after');
  const seconds = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(value ?? '')?.[1];
  // A date is compared with the service's clock, because the clock of this machine may be wrong.
  const ms =
    seconds === undefined
      ? (parseHttpDate(value) ?? NaN) - (parseHttpDate(headers.get('date')) ?? now)
      : Number(seconds) * 1000;
  return ms <= longestRetryAfterMs ? Math.max(0, ms) : undefined;
}

/** Parses an HTTP date to milliseconds since 1970. `Date.parse` alone would accept `-5`. */
export function parseHttpDate(value: string | null): number | undefined {
  if (value === null || !/^[A-Z][a-z]+,? [\w -]+:\d\d/.test(value)) return undefined;
  // The oldest format has no zone, and `Date.parse` would read it as local time: `Sun Mar  1 12:00:00 2026`.
  const date = Date.parse(/ \d{4}$/.test(value) ? `${value} GMT` : value);
  return Number.isNaN(date) ? undefined : date;
}
