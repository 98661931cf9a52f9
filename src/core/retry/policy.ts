import type { RetryClass } from '../endpoint.js';

/** Why one attempt failed, as far as retrying is concerned. */
export type Failure =
  /** No connection was made: nothing was sent. */
  | { readonly kind: 'notSent' }
  /** The network failed, or no response came in time, after something may have been sent. */
  | { readonly kind: 'noResponse' }
  /** The service responded with an error. `transient`: it stated that it did nothing and asks to try again. */
  | {
      readonly kind: 'errorResponse';
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly transient?: boolean;
    };

/** The delays between attempts. */
export interface BackoffOptions {
  /** The first delay is at most this long; each next one may be twice as long. */
  readonly initialDelayMs: number;
  /** No delay is longer; a longer `Retry-After` ends the call. */
  readonly maxDelayMs: number;
}

/** What `planRetry` decides by. */
export interface RetryState {
  readonly retry: RetryClass;
  readonly failure: Failure;
  /** How many retries were sent, and how many may be. */
  readonly retries: number;
  readonly maxRetries: number;
  /** The body can be sent again: it does not come from a stream. */
  readonly isReplayable: boolean;
  /** How long the call may still take. */
  readonly remainingMs: number;
  readonly maxDelayMs: number;
  /** The failure is a 429 that concerns all calls, not only this one. */
  readonly pausesAll: boolean;
  /** How long to wait after a 429 that has no `Retry-After`. */
  readonly throttleDelayMs: number;
}

/** What follows a failed attempt. */
export interface RetryPlan {
  /** Whether to send the request again. */
  readonly retry: boolean;
  /** How long to wait before that. */
  readonly delayMs: number;
  /** How long every call of this client has to wait: a 429 concerns all of them, not only the one that got it. */
  readonly pauseAllMs?: number | undefined;
}

const initialDelayMs = 500;
const giveUp: RetryPlan = { retry: false, delayMs: 0 };

/** Decides whether a failed attempt is retried, and when. It changes nothing: pausing and waiting is up to the caller. */
export function planRetry(state: RetryState, random = Math.random): RetryPlan {
  const { retry, failure, retries, maxRetries, maxDelayMs, remainingMs } = state;
  const is429 = failure.kind === 'errorResponse' && failure.status === 429;
  const retryAfterMs = failure.kind === 'errorResponse' ? failure.retryAfterMs : undefined;
  const isThrottled = is429 && (state.pausesAll || retryAfterMs !== undefined);
  const backoffMs = retryDelay({ initialDelayMs, maxDelayMs }, retries + 1, failure, random);
  // Later calls need not find out by requests of their own that they have to wait.
  if (backoffMs === undefined) return isThrottled ? { ...giveUp, pauseAllMs: retryAfterMs } : giveUp;
  const delayMs = isThrottled ? Math.min(retryAfterMs ? backoffMs : state.throttleDelayMs, maxDelayMs) : backoffMs;
  const mayRetry = retries < maxRetries && state.isReplayable && shouldRetry(retry, failure);
  // Without a retry and without a `Retry-After` there is nothing to wait for.
  const pause = isThrottled && (mayRetry || retryAfterMs !== undefined) ? { pauseAllMs: delayMs } : {};
  // A retry that cannot end before the deadline is not begun.
  return { retry: mayRetry && delayMs < remainingMs, delayMs, ...pause };
}

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether a failed attempt may be retried at all, by the endpoint's retry class. */
function shouldRetry(retry: RetryClass, failure: Failure): boolean {
  if (failure.kind === 'notSent') return true;
  // The service did nothing: also a write may be sent again.
  if (failure.kind === 'errorResponse' && (failure.transient || failure.status === 429)) return true;
  if (retry !== 'unsafe') return failure.kind === 'noResponse' || transientStatuses.has(failure.status);
  return failure.kind === 'errorResponse' && failure.status === 503 && failure.retryAfterMs !== undefined;
}

/**
 * Whether a write that failed may have been carried out all the same: it got no response, or the service failed without
 * stating that it did nothing. Every "outcome unknown" in this library comes from here.
 */
export function mayHaveSucceeded(retry: RetryClass, failure: Failure): boolean {
  if (retry === 'safe' || failure.kind === 'notSent') return false;
  if (failure.kind === 'noResponse') return true;
  if (failure.status < 500 || failure.status === 501 || failure.transient) return false;
  return !(failure.status === 503 && failure.retryAfterMs !== undefined);
}

/**
 * How long to wait before attempt number `attempt + 1`, in milliseconds: what the service asked for, else full jitter
 * over an exponential backoff. `undefined` where the service asks for more than `maxDelayMs`.
 */
function retryDelay(
  backoff: BackoffOptions,
  attempt: number,
  failure: Failure,
  random = Math.random,
): number | undefined {
  const retryAfterMs = failure.kind === 'errorResponse' ? failure.retryAfterMs : undefined;
  // `Retry-After: 0` names no time: without a delay of our own, all calls would come back at once.
  if (retryAfterMs) return retryAfterMs > backoff.maxDelayMs ? undefined : retryAfterMs;
  return random() * Math.min(backoff.maxDelayMs, backoff.initialDelayMs * 2 ** (attempt - 1));
}

/** No HTTP date is longer. */
const longestDate = 64;

/** The wait that `Retry-After` asks for (seconds or an HTTP date), in milliseconds; `undefined` where there is none. */
export function parseRetryAfter(headers: Pick<Headers, 'get'>, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value || value.length > longestDate) return undefined;
  const seconds = /^(\d+(?:\.\d+)?)(?:,|$)/.exec(value)?.[1];
  if (seconds !== undefined) return Number(seconds) * 1000;
  const date = parseHttpDate(value);
  // Measured by the service's own clock: this machine's may be wrong.
  return date === undefined ? undefined : Math.max(0, date - (parseHttpDate(headers.get('date')) ?? now));
}

/** The time of an HTTP date, in milliseconds; `Date.parse` alone would accept `-5`. */
export function parseHttpDate(value: string | null): number | undefined {
  const date = value !== null && value.length <= longestDate && /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date;
}
