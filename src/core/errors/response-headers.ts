/** Response headers. The platform's object is created only if a caller needs it. */
export interface ResponseHeaders {
  /** Returns the value of a header by its name in lower case, or `null`. Several values are joined with `, `. */
  get(name: string): string | null;
  /** Returns the platform's object, which is the same each time. */
  toHeaders(): Headers;
}

/** Returns the platform's headers as `ResponseHeaders`. */
export function responseHeaders(headers: Headers): ResponseHeaders {
  return { get: (name) => headers.get(name), toHeaders: () => headers };
}

/** Returns the headers with each value changed. A header is omitted if `change` returns `null`. */
export function changedHeaders(
  headers: ResponseHeaders,
  change: (name: string, value: string) => string | null,
): ResponseHeaders {
  let changed: Headers | undefined;
  const copy = (): Headers => {
    const copied = new Headers();
    for (const [name, value] of headers.toHeaders()) {
      const shown = change(name, value);
      if (shown !== null) copied.append(name, shown);
    }
    return copied;
  };
  return {
    get: (name) => {
      const value = headers.get(name);
      return value === null ? null : change(name, value);
    },
    toHeaders: () => (changed ??= copy()),
  };
}

/** A longer one is a mistake, for example a time instead of a duration. It would stop the client for good. */
const longestRetryAfterMs = 24 * 3_600_000;

/**
 * Parses `Retry-After` (seconds or an HTTP date) and returns the wait in milliseconds; `undefined` if there is none of
 * at most 24 hours.
 */
export function parseRetryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const seconds = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(value)?.[1];
  // A date is compared with the service's clock, because the clock of this machine may be wrong.
  const ms =
    seconds === undefined
      ? (parseHttpDate(value) ?? NaN) - (parseHttpDate(headers.get('date')) ?? now)
      : Number(seconds) * 1000;
  return ms <= longestRetryAfterMs ? Math.ceil(Math.max(0, ms)) : undefined;
}

/** Parses an HTTP date to milliseconds since 1970. `Date.parse` alone would accept `-5`. */
export function parseHttpDate(value: string | null): number | undefined {
  if (value === null || !/^[A-Z][a-z]+,? [\w -]+:\d\d/.test(value)) return undefined;
  // The oldest format has no zone, and `Date.parse` would read it as local time: `Sun Mar  1 12:00:00 2026`.
  const date = Date.parse(/ \d{4}$/.test(value) ? `${value} GMT` : value);
  return Number.isNaN(date) ? undefined : date;
}
