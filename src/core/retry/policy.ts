import type { RetryClass } from '../endpoint.js';

/** Why one attempt failed, as far as retrying is concerned. */
export type Failure =
  /** No connection was made: nothing was sent. */
  | { readonly kind: 'notSent' }
  /** The network failed, or no response came in time, after something may have been sent. */
  | { readonly kind: 'noResponse' }
  /** The service responded with an error. `transient`: it certainly did nothing, and asks to try again. */
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
  const { retryAfterMs, status } = failure.kind === 'errorResponse' ? failure : noResponse;
  // Later calls need not find out by requests of their own that they have to wait.
  if (retryAfterMs !== undefined && retryAfterMs > maxDelayMs)
    return status === 429 ? { ...giveUp, pauseAllMs: retryAfterMs } : giveUp;
  const concernsAll = status === 429 && state.pausesAll;
  const ownDelayMs = concernsAll
    ? Math.min(state.throttleDelayMs, maxDelayMs)
    : backoffDelay({ initialDelayMs, maxDelayMs }, retries, retryAfterMs === undefined ? 0 : 0.5, random);
  const delayMs = isLong(retryAfterMs) ? retryAfterMs : ownDelayMs;
  const mayRetry = retries < maxRetries && state.isReplayable && shouldRetry(retry, failure);
  // Without a retry and without a `Retry-After` there is nothing to wait for.
  const pause = concernsAll && (mayRetry || retryAfterMs !== undefined) ? { pauseAllMs: delayMs } : {};
  // A retry that cannot end before the deadline is not begun.
  return { retry: mayRetry && delayMs < remainingMs, delayMs, ...pause };
}

const noResponse = { retryAfterMs: undefined, status: undefined };

/** A shorter `Retry-After`, such as 0, names no time: with it alone, all clients would come back at once. */
function isLong(retryAfterMs: number | undefined): retryAfterMs is number {
  return retryAfterMs !== undefined && retryAfterMs >= initialDelayMs;
}

/** An exponential delay with jitter, in milliseconds. `floor` is the part of it that is not random, from 0 to 1. */
function backoffDelay(backoff: BackoffOptions, retries: number, floor: number, random: () => number): number {
  const longest = Math.min(backoff.maxDelayMs, backoff.initialDelayMs * 2 ** retries);
  return longest * (floor + (1 - floor) * random());
}

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether a failed attempt may be retried at all, by the endpoint's retry class. */
function shouldRetry(retry: RetryClass, failure: Failure): boolean {
  if (failure.kind === 'notSent') return true;
  // The service did nothing: also a write may be sent again.
  if (failure.kind === 'errorResponse' && (failure.transient || failure.status === 429)) return true;
  return retry !== 'unsafe' && (failure.kind === 'noResponse' || transientStatuses.has(failure.status));
}

/**
 * Whether a write that failed may have been carried out all the same: it got no response, or the service failed without
 * stating that it did nothing. Every "outcome unknown" in this library comes from here.
 */
export function mayHaveSucceeded(retry: RetryClass, failure: Failure): boolean {
  if (retry === 'safe' || failure.kind === 'notSent') return false;
  if (failure.kind === 'noResponse') return true;
  return failure.status >= 500 && failure.status !== 501 && !failure.transient;
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
