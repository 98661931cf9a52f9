import { redactUrl } from '../errors/redact.js';
import type { ResponseHeaders } from '../transport/response-headers.js';
import { RateLimitError } from '../errors/status-errors.js';
import { emitWait } from '../observability/events.js';
import { acquireLimiter, releaseLimiter } from '../rate-limit/limiter.js';
import type { LimitedAttempt } from '../rate-limit/limiter.js';
import type { RateLimitSignal } from '../rate-limit/adaptive-limit.js';
import type { Admission } from '../rate-limit/rate-limiter.js';
import { parseRetryAfter } from '../retry/retry-after.js';
import { warningOf } from './error-response.js';
import type { RequestContext } from './request-context.js';

/**
 * Waits until an attempt may be sent: first for the user's limiter, then for the client's rate limiter.
 *
 * @throws {RateLimitError} when the service asked all calls to wait for longer than `maxRetryDelayMs`, or has responded
 * 429 to all of them for as long as the retries of this one would take.
 */
export async function acquireAttempt(context: RequestContext): Promise<void> {
  const { scope, rateLimiter, sequence, startedAt, maxRetries, runtime } = context;
  const { limiter, maxConcurrency = Infinity, maxRetryDelayMs } = runtime.options;
  const next = context.attempts + 1;
  if (limiter) await acquireLimiter(limiter, limitedAttempt(context, next), scope);
  if (rateLimiter.tryAcquire(maxConcurrency)) return;
  try {
    const admission = await rateLimiter.acquire(scope, {
      sequence,
      maxInFlight: maxConcurrency,
      maxPauseMs: maxRetryDelayMs,
      maxRetries,
      startedAt,
      onWait: (waitMs) => emitWait(context, waitMs, 'rate limit'),
    });
    if (admission !== 'admitted') throw notSentError(context, admission);
  } catch (error) {
    if (limiter) releaseLimiter(limiter, limitedAttempt(context, next));
    throw error;
  }
}

/**
 * Reports the end of an attempt to both limiters. `sentAt` is a time of `performance.now()`.
 *
 * @returns whether the attempt got a 429 that concerns all calls.
 */
export function releaseAttempt(
  context: RequestContext,
  { status, headers }: { readonly status: number | undefined; readonly headers: ResponseHeaders | undefined },
  sentAt: number,
): boolean {
  const { limiter, maxConcurrency = Infinity } = context.runtime.options;
  const isThrottled = context.rateLimiter.release(rateLimitSignal(status), sentAt, maxConcurrency);
  if (!limiter) return isThrottled;
  const retryAfterMs = headers && parseRetryAfter(headers, Date.now());
  releaseLimiter(limiter, limitedAttempt(context, context.attempts), { status, retryAfterMs });
  return isThrottled;
}

function limitedAttempt({ info: { endpoint, baseUrl } }: RequestContext, attempt: number): LimitedAttempt {
  return { endpoint, attempt, host: new URL(baseUrl).host };
}

/** The error of a call that is not sent because other calls got a 429. */
function notSentError(context: RequestContext, admission: Exclude<Admission, 'admitted'>): RateLimitError {
  const { request, rateLimiter, attempts, outcomeUnknown } = context;
  const { endpoint } = request;
  const retryAfterMs = admission === 'paused' ? rateLimiter.pausedMs : undefined;
  const seconds = retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1000));
  const reason =
    seconds === undefined
      ? 'the service has responded with a 429 to all calls for as long as its retries would take'
      : `after a 429 the service asked to wait, for ${seconds} s more`;
  const what = `${endpoint.method} ${endpoint.path} was not sent${attempts > 0 ? ' again' : ''}`;
  return new RateLimitError(`${what}: ${reason}${warningOf(endpoint, false, outcomeUnknown)}`, {
    status: 429,
    headers: new Headers(seconds === undefined ? {} : { 'retry-after': seconds }),
    body: undefined,
    url: redactUrl(request.url),
    endpoint,
    attempts,
    causes: [],
    retryAfterMs,
    outcomeUnknown,
  });
}

/** What a status says about the rate limit of the service; `undefined` means no response. */
function rateLimitSignal(status: number | undefined): RateLimitSignal {
  if (status === undefined || status >= 500) return 'other';
  return status === 429 ? 'throttled' : 'accepted';
}
