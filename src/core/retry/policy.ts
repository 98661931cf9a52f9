import type { RetryClass } from '../endpoint.js';

/** Why an attempt failed, for the decision about a retry. */
export type Failure =
  | {
      /**
       * `notSent`: no connection was made, so nothing was sent. `noResponse`: the network failed, or no response came in
       * time, after something may have been sent.
       */
      readonly kind: 'notSent' | 'noResponse';
      readonly status?: undefined;
      readonly retryAfterMs?: undefined;
      readonly transient?: undefined;
    }
  /** The service responded with an error. `transient`: the service certainly did nothing and asks to try again. */
  | {
      readonly kind: 'errorResponse';
      readonly status: number;
      readonly retryAfterMs?: number | undefined;
      readonly transient?: boolean;
    };

/** The input of `planRetry`. */
export interface RetryState {
  readonly retry: RetryClass;
  readonly failure: Failure;
  /** How many retries were sent. */
  readonly retries: number;
  readonly maxRetries: number;
  /** Whether the body can be sent again: it does not come from a stream. */
  readonly isReplayable: boolean;
  /** The time until the deadline of the call. */
  readonly remainingMs: number;
  readonly maxDelayMs: number;
  /** Whether the failure is a 429 that concerns all calls. */
  readonly pausesAll: boolean;
  /** How long to wait after a 429 that has no `Retry-After`. */
  readonly throttleDelayMs: number;
}

/** What to do after a failed attempt. */
export interface RetryPlan {
  /** Whether to send the request again. */
  readonly retry: boolean;
  /** How long to wait before the retry. */
  readonly delayMs: number;
  /** How long all calls of this client have to wait, because a 429 concerns all of them. */
  readonly pauseAllMs?: number | undefined;
}

/** The maximum of the first delay. It doubles with each retry. */
const initialDelayMs = 500;
export const giveUp: RetryPlan = { retry: false, delayMs: 0 };

/** Decides whether and when a failed attempt is retried. It has no side effects: the caller pauses and waits. */
export function planRetry(state: RetryState): RetryPlan {
  const { retry, failure, retries, maxRetries, maxDelayMs, remainingMs } = state;
  const { status, retryAfterMs = 0 } = failure;
  // The pause prevents that later calls send requests that would get a 429 too.
  if (retryAfterMs > maxDelayMs) return status === 429 ? { ...giveUp, pauseAllMs: retryAfterMs } : giveUp;
  const ownDelayMs = state.pausesAll
    ? Math.min(state.throttleDelayMs, maxDelayMs)
    : backoffDelay(retries, maxDelayMs, failure.retryAfterMs === undefined ? 0 : 0.5);
  // A shorter `Retry-After`, for example 0, is ignored, because all clients would retry at the same time.
  const delayMs = retryAfterMs >= initialDelayMs ? retryAfterMs : ownDelayMs;
  const mayRetry = retries < maxRetries && state.isReplayable && shouldRetry(retry, failure);
  // Without a retry and without a `Retry-After`, there is no reason to pause.
  const pause = state.pausesAll && (mayRetry || failure.retryAfterMs !== undefined) ? { pauseAllMs: delayMs } : {};
  // A retry after the deadline would fail.
  return { retry: mayRetry && delayMs < remainingMs, delayMs, ...pause };
}

/** Returns an exponential delay with jitter, in milliseconds. `floor` is the share that is not random, from 0 to 1. */
function backoffDelay(retries: number, maxDelayMs: number, floor: number): number {
  const longest = Math.min(maxDelayMs, initialDelayMs * 2 ** retries);
  return longest * (floor + (1 - floor) * Math.random());
}

const transientStatuses = new Set<number | undefined>([408, 425, 429, 500, 502, 503, 504]);

/** Whether the retry class of the endpoint allows a retry. */
function shouldRetry(retry: RetryClass, failure: Failure): boolean {
  if (failure.kind === 'notSent') return true;
  // The service did nothing, so a write can be sent again too.
  if (failure.transient || failure.status === 429) return true;
  return retry !== 'unsafe' && (failure.kind === 'noResponse' || transientStatuses.has(failure.status));
}

/**
 * Whether a failed write may have been carried out nevertheless: it got no response, or the service failed and did not
 * state that it did nothing. Every `outcomeUnknown` in this library comes from this function.
 */
export function mayHaveSucceeded(retry: RetryClass, failure: Failure): boolean {
  if (retry === 'safe') return false;
  if (failure.kind !== 'errorResponse') return failure.kind === 'noResponse';
  return failure.status >= 500 && failure.status !== 501 && !failure.transient;
}

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
