import { redactUrl } from '../errors/redactor.js';
import { RateLimitError } from '../errors/status-errors.js';
import { emitWait } from '../options/events.js';
import { acquireLimiter, releaseLimiter } from '../limits/limiter.js';
import type { LimitedAttempt } from '../limits/limiter.js';
import type { Limiter } from '../options/limiter.js';
import type { Admission } from '../limits/waiting-calls.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { warningOf } from '../response/api-error.js';
import type { BufferedResponse } from '../response/body.js';
import type { ClientCall } from './call.js';

/**
 * Waits until an attempt may be sent: first for the user's limiter, then for the client's rate limiter.
 *
 * @throws {RateLimitError} when the service asked all calls to wait for longer than `maxRetryDelayMs`, or has responded
 * 429 to all of them for as long as the retries of this one would take.
 */
export async function waitForTurn(call: ClientCall): Promise<void> {
  const { scope, rateLimiter, sequence, startedAt, maxInFlight, maxRetries, runtime } = call;
  const { limiter, maxRetryDelayMs } = runtime.options;
  const next = limitedAttempt(call, call.attempts + 1);
  if (limiter) {
    await acquireLimiter(limiter, next, scope);
    if (rateLimiter.tryAcquire(maxInFlight)) return;
  }
  try {
    const admission = await rateLimiter.acquire(scope, {
      sequence,
      maxInFlight,
      maxPauseMs: maxRetryDelayMs,
      maxRetries,
      startedAt,
      onWait: (waitMs) => emitWait(call, waitMs, 'rate limit'),
    });
    if (admission !== 'admitted') throw notSentError(call, admission);
  } catch (error) {
    if (limiter) releaseLimiter(limiter, next);
    throw error;
  }
}

/** Reports the end of an attempt to the user's limiter. */
export function reportToLimiter(
  limiter: Limiter,
  call: ClientCall,
  status: number | undefined,
  response: BufferedResponse | undefined,
): void {
  const retryAfterMs = response && parseRetryAfter(response.headers, Date.now());
  releaseLimiter(limiter, limitedAttempt(call, call.attempts), { status, retryAfterMs });
}

function limitedAttempt({ info: { endpoint, baseUrl } }: ClientCall, attempt: number): LimitedAttempt {
  return { endpoint, attempt, host: new URL(baseUrl).host };
}

/** The error of a call that is not sent because other calls got a 429. */
function notSentError(call: ClientCall, admission: Exclude<Admission, 'admitted'>): RateLimitError {
  const { request, rateLimiter, attempts, outcomeUnknown } = call;
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
