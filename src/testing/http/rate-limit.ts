import type { Clock } from '../clock.js';
import { FakeMarketplaceError, readAs, assertFields } from '../errors.js';
import { rateLimit } from '../settings.js';
import { errorResponse, respond, type Call, type Interceptor } from './handler.js';

/** The maximum number of calls of an application, with the tokens of all its users, or of a user. */
export type RateLimit = NonNullable<ServiceRateLimiter['limit']>;

/**
 * Responds 429 to calls above a rate. It counts per application or per user, by the marketplace's clock.
 *
 * @example
 * marketplace.rateLimiter.set({ perSecond: 10, retryAfter: true });
 * marketplace.rateLimiter.set({ perMinute: 600, per: 'user' });
 * marketplace.rateLimiter.set(undefined);
 */
export class ServiceRateLimiter {
  readonly #clock: Clock;
  #limit: RateLimit | undefined;
  #calls = new Map<string, number[]>();

  /** @internal */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The limit; `undefined` without one. */
  get limit():
    | {
        /** Calls per second. */
        readonly perSecond?: number | undefined;
        /** Calls per minute. */
        readonly perMinute?: number | undefined;
        /** Whose calls count together. A token without application counts by its user. @default 'application' */
        readonly per?: 'application' | 'user' | undefined;
        /** Whether a 429 has a `Retry-After`. The live service usually sends none. @default false */
        readonly retryAfter?: boolean | undefined;
      }
    | undefined {
    return this.#limit;
  }

  /** Sets the limit; `undefined` removes it. @throws {FakeMarketplaceError} when the limit is invalid */
  set(limit: ServiceRateLimiter['limit']): void {
    if (limit) assertLimit(limit);
    this.#limit = limit;
    this.#calls = new Map();
  }

  /** @internal */
  readonly interceptor: Interceptor = async (call, next) => {
    const waitMs = this.#take(this.#callerOf(call));
    if (waitMs === 0) return next();
    const headers = this.#limit?.retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {};
    return respond(call, errorResponse({ status: 429, message: 'Too many requests' }, {}, headers));
  };

  /** Returns what the calls of a caller are counted by. */
  #callerOf({ request, bearer }: Call): string {
    if (!bearer) return request.headers.get('authorization') ?? '';
    const { user_id, application_id } = bearer;
    return this.#limit?.per === 'user' || application_id === null ? `user ${user_id}` : `application ${application_id}`;
  }

  /** Counts a call. @returns how long to wait before it is allowed; 0 when it is */
  #take(caller: string): number {
    if (!this.#limit) return 0;
    const { perSecond = Infinity, perMinute = Infinity } = this.#limit;
    const now = this.#clock.ms;
    this.#dropOldCallers(now);
    // The clock may have been set back.
    const calls = (this.#calls.get(caller) ?? []).filter((at) => at <= now);
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

function assertLimit(limit: RateLimit): void {
  assertFields('`limit`', limit, Object.keys(rateLimit.shape));
  const { perSecond, perMinute } = readAs(rateLimit, limit);
  if (!perSecond && !perMinute) throw new FakeMarketplaceError('`limit` needs `perSecond` or `perMinute`');
}
