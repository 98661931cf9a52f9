import { FakeMarketplaceError } from '../errors.js';
import { assertFields } from '../state/assert-fields.js';
import { bearerToken } from './authorization.js';
import { asJsonp } from './conventions.js';
import { HandlerResponse } from './handler.js';
import { jsonResponse } from './recorded-body.js';
import type { Interceptor } from './router.js';

/** The maximum number of calls of an application, with the tokens of all its sellers. */
export interface RateLimit {
  /** Calls per second. */
  readonly perSecond?: number | undefined;
  /** Calls per minute. */
  readonly perMinute?: number | undefined;
  /** Whether a 429 has a `Retry-After`. The live service usually sends none. @default false */
  readonly retryAfter?: boolean | undefined;
}

/** The maximum of each rate. */
const maxRate = 10_000;

/**
 * Responds 429 to calls above a rate. It counts per application, by the machine's clock: the calls of one seller count for
 * the others. A token without application counts for itself.
 *
 * @example
 * marketplace.rateLimiter.set({ perSecond: 10, retryAfter: true });
 * marketplace.rateLimiter.set(undefined);
 */
export class ServiceRateLimiter {
  #limit: RateLimit | undefined;
  #calls = new Map<string, number[]>();
  readonly #applicationOf: (token: string) => number | null | undefined;

  /** `applicationOf` returns the application of an access token, if it has one. */
  constructor(applicationOf: (token: string) => number | null | undefined) {
    this.#applicationOf = applicationOf;
  }

  /** Sets the limit; `undefined` removes it. @throws {FakeMarketplaceError} when the limit is invalid */
  set(limit: RateLimit | undefined): void {
    if (limit) assertLimit(limit);
    this.#limit = limit;
    this.#calls = new Map();
  }

  /** @internal */
  readonly interceptor: Interceptor = async (request, _endpoint, next) => {
    const waitMs = this.#take(this.#callerOf(request));
    return waitMs > 0
      ? tooManyRequests(request, this.#limit?.retryAfter ? Math.ceil(waitMs / 1000) : undefined)
      : next();
  };

  #callerOf(request: Request): string {
    const token = bearerToken(request.headers) ?? '';
    const application = this.#applicationOf(token);
    return application ? `application ${application}` : token;
  }

  /** Counts a call. @returns how long to wait before it is allowed; 0 when it is */
  #take(caller: string): number {
    if (!this.#limit) return 0;
    const { perSecond = Infinity, perMinute = Infinity } = this.#limit;
    const now = Date.now();
    this.#dropOldCallers(now);
    const calls = this.#calls.get(caller) ?? [];
    const waitMs = Math.max(waitFor(calls, now, perSecond, 1000), waitFor(calls, now, perMinute, 60_000));
    if (waitMs > 0) return waitMs;
    // Older calls are not needed to compute a rate.
    const kept = calls.slice(-Math.max(...[perSecond, perMinute].filter(Number.isFinite)));
    this.#calls.delete(caller);
    this.#calls.set(caller, [...kept, now]);
    return 0;
  }

  /** Removes the callers that have not called for a minute. The map is in the order of the last calls. */
  #dropOldCallers(now: number): void {
    for (const [caller, calls] of this.#calls) {
      if ((calls.at(-1) ?? 0) > now - 60_000) return;
      this.#calls.delete(caller);
    }
  }
}

/** How long until a window of calls has room for one more. */
function waitFor(calls: readonly number[], now: number, max: number, windowMs: number): number {
  const oldest = Number.isFinite(max) ? calls.at(-max) : undefined;
  return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now);
}

function tooManyRequests(request: Request, retryAfter: number | undefined): Response {
  const body = { message: 'Too many requests', error: 'too_many_requests', status: 429, cause: [] };
  const headers = { ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) };
  const callback = new URL(request.url).searchParams.get('callback');
  if (callback !== null) return asJsonp(callback, new HandlerResponse(429, body), headers);
  return jsonResponse(body, { status: 429, headers });
}

function assertLimit(limit: RateLimit): void {
  assertFields('`limit`', limit, ['perSecond', 'perMinute', 'retryAfter']);
  const { perSecond, perMinute } = limit;
  for (const [name, rate] of Object.entries({ perSecond, perMinute })) {
    if (rate !== undefined && !(Number.isInteger(rate) && rate >= 1 && rate <= maxRate))
      throw new FakeMarketplaceError(`a rate must be an integer of at least 1 and at most ${maxRate}: \`${name}\``);
  }
  if (perSecond === undefined && perMinute === undefined)
    throw new FakeMarketplaceError('`limit` needs `perSecond` or `perMinute`');
}
