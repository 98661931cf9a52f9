import type { RequestContext } from '../pipeline/request-context.js';
import type { ClientRuntime } from '../pipeline/build-request.js';
import { shouldRetry, retryDelay } from './policy.js';
import type { Failure } from './policy.js';

/** The first wait before a repeat is at most so long, in milliseconds. */
const initialDelayMs = 500;

/** How long to wait before a repeat; `undefined` where there is none. A 429 makes everybody wait at the gate. */
export function planRetry(
  { endpoint, options, scope, renewed, rateLimiter, upload }: RequestContext,
  failure: Failure,
  { options: { maxRetryDelayMs, maxRetries }, shared }: ClientRuntime,
): number | undefined {
  const throttled = failure.kind === 'errorResponse' && failure.status === 429;
  const asked = failure.kind === 'errorResponse' ? failure.retryAfterMs : undefined;
  const repeats = scope.attempts - 1 - Number(renewed);
  const mayGoOn =
    repeats < (options.maxRetries ?? maxRetries) &&
    shouldRetry(endpoint.retry, failure) &&
    upload?.isReplayable !== false;
  const wait = throttled
    ? (asked ?? Math.min(rateLimiter.backoffMs, maxRetryDelayMs))
    : retryDelay({ initialDelayMs, maxDelayMs: maxRetryDelayMs }, repeats + 1, failure);
  if (wait === undefined || wait > maxRetryDelayMs) return undefined;
  if (throttled && (mayGoOn || asked !== undefined)) rateLimiter.pauseFor(wait);
  if (!mayGoOn || wait >= scope.remainingMs) return undefined;
  return throttled || shared.budget.tryWithdraw() ? wait : undefined;
}
