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

/** What the headers of a response say of the end of its endpoint, as a clause; `undefined` if they say nothing. */
function endOf(headers: Pick<ResponseHeaders, 'get'>, now: number): string | undefined {
  const clauses: string[] = [];
  const deprecation = headers.get('deprecation');
  // A date of structured fields (RFC 9745); in its drafts a boolean or an HTTP date.
  const since = Number(/^@(-?\d{1,11})$/.exec(deprecation ?? '')?.[1] ?? NaN) * 1000;
  const at = Number.isNaN(since) ? parseHttpDate(deprecation) : since;
  if (at !== undefined) clauses.push(`${at > now ? 'will be deprecated on' : 'is deprecated since'} ${dayOf(at)}`);
  else if (deprecation === 'true' || deprecation === '?1') clauses.push('is deprecated');
  const sunset = parseHttpDate(headers.get('sunset'));
  if (sunset !== undefined) clauses.push(`${sunset > now ? 'will' : 'was to'} be switched off on ${dayOf(sunset)}`);
  return clauses.length === 0 ? undefined : clauses.join(' and ');
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const dayMs = 24 * 3_600_000;
/** More endpoints than a program calls, unless it writes ids into its paths: more are not told on the same day. */
const mostTold = 500;

/** Tells of endpoints that a service will end, by `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of its responses: each once a day. */
export class EndNotices {
  /** By the name of the endpoint: when it was told. */
  readonly #told = new Map<string, number>();

  observe(
    { name, method, path }: { readonly name: string; readonly method: string; readonly path: string },
    headers: Pick<ResponseHeaders, 'get'>,
    tell: (message: string) => unknown,
  ): unknown {
    const now = Date.now();
    const end = endOf(headers, now);
    // Also after a clock was set back by days.
    if (end === undefined || Math.abs(now - (this.#told.get(name) ?? -Infinity)) < dayMs) return undefined;
    if (this.#told.size >= mostTold && !this.#told.has(name))
      for (const [other, at] of this.#told) if (Math.abs(now - at) >= dayMs) this.#told.delete(other);
    if (this.#told.size >= mostTold && !this.#told.has(name)) return undefined;
    this.#told.set(name, now);
    return tell(
      `${method} ${path} ${end}. Its response says so: look for a later version of this package, or for its successor`,
    );
  }
}
