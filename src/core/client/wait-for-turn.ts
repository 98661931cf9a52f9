import { ConnectionError } from '../errors/errors.js';
import { redactUrl } from '../errors/redactor.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { SellerError } from '../errors/seller-error.js';
import { RateLimitError } from '../errors/status-errors.js';
import { groupOf } from '../limits/limits.js';
import type { AcquireRejection } from '../limits/limits.js';
import { emitWait } from '../options/events.js';
import type { AttemptInfo, Limiter } from '../options/limiter.js';
import { userOf } from '../recover/user-of-token.js';
import { warningOf } from '../response/api-error.js';
import type { BufferedResponse } from '../response/body.js';
import type { CancelScope } from '../scope/cancel-scope.js';
import { ignoreErrors } from '../scope/wait.js';
import type { ClientCall } from './call.js';

/**
 * Waits until an attempt may be sent: first for a place in the queue of the call, and last, just before it is sent, for the
 * user's limiter.
 *
 * @throws {RateLimitError} when the service asked the seller to wait for longer than `maxRetryDelayMs`, or has responded
 * only 429 for as long as the retries of the call would take.
 */
export async function waitForTurn(call: ClientCall): Promise<void> {
  const { turnQueue, scope, runtime } = call;
  const { limiter } = runtime.options;
  for (let isFirst = true; ; isFirst = false) {
    if (!turnQueue.tryAcquire()) await waitInTurnQueue(call, !isFirst);
    if (!limiter) return;
    const next = limitedAttempt(call, call.attempts + 1);
    try {
      await acquireLimiter(limiter, next, scope);
    } catch (error) {
      turnQueue.giveBack();
      throw error;
    }
    if (turnQueue.pausedMs === 0) return;
    // A pause began meanwhile. Nothing is held during it.
    turnQueue.giveBack();
    releaseLimiter(limiter, next);
  }
}

async function waitInTurnQueue(call: ClientCall, hadTurn: boolean): Promise<void> {
  const { turnQueue, scope, startedAt, maxRetries, runtime, attempts } = call;
  const rejection = await turnQueue.acquire(scope, {
    isRetry: hadTurn || attempts > 0,
    startedAt,
    maxRetries,
    maxPauseMs: runtime.options.maxRetryDelayMs,
    onWait: (waitMs) => emitWait(call, waitMs, 'rate limit'),
  });
  if (rejection) throw notSentError(call, rejection);
}

/** Reports the result of an attempt to the user's limiter. */
export function reportToLimiter(
  limiter: Limiter,
  call: ClientCall,
  status: number | undefined,
  response: BufferedResponse | undefined,
): void {
  const retryAfterMs = response && parseRetryAfter(response.headers, Date.now());
  releaseLimiter(limiter, limitedAttempt(call, call.attempts), status, retryAfterMs);
}

/**
 * Gives back the place of an attempt that got a 429.
 *
 * @returns whether all calls of its queue wait.
 */
export function releaseThrottled(call: ClientCall, { headers }: BufferedResponse, sentAt: number): boolean {
  const { turnQueue, maxRetries, faultRetries, runtime } = call;
  const isEvent = turnQueue.release('throttled', sentAt, {
    retryAfterMs: parseRetryAfter(headers, Date.now()),
    isLast: faultRetries >= Math.max(maxRetries, 1),
    doublings: Math.max(0, maxRetries - 1),
    maxPauseMs: runtime.options.maxRetryDelayMs,
  });
  // After the row of 429s has begun to which it belongs.
  call.throttledAt.push(performance.now());
  return isEvent;
}

function limitedAttempt(call: ClientCall, attempt: number): LimitedAttempt {
  const { endpoint, baseUrl } = call.info;
  const user = userOf(endpoint, call.request.input, call.token);
  return { endpoint, attempt, host: new URL(baseUrl).host, user, ...groupOf(endpoint) };
}

/** An attempt that needs the permission of a limiter. */
type LimitedAttempt = Omit<AttemptInfo, 'signal'>;

/** Waits until the user's limiter permits the attempt. The deadline and the signal of the call end the wait. */
async function acquireLimiter(limiter: Limiter, attempt: LimitedAttempt, scope: CancelScope): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  let permission: Promise<void> | undefined;
  try {
    await scope.race(
      () => (permission = (async () => limiter.acquire({ ...attempt, signal }))()),
      (error) => controller.abort(error),
    );
  } catch (error) {
    // A limiter that ignores the signal may permit the attempt later, although it is no longer sent.
    if (error === scope.reason)
      permission?.then(
        () => releaseLimiter(limiter, attempt),
        () => undefined,
      );
    if (error instanceof SellerError) throw error;
    const { method, path } = attempt.endpoint;
    const message = `${method} ${path} was not sent: the limiter rejected it; see \`cause\``;
    throw new ConnectionError(message, { cause: error, attempts: attempt.attempt - 1 });
  }
}

/** Reports the result of an attempt to the user's limiter. Without a report, the attempt was not sent. */
function releaseLimiter(limiter: Limiter, attempt: LimitedAttempt, status?: number, retryAfterMs?: number): void {
  ignoreErrors(() => limiter.release?.({ ...attempt, status, retryAfterMs }));
}

/** The error of a call that is not sent because of the 429s of other calls. */
function notSentError(call: ClientCall, { reason, retryAfterMs }: AcquireRejection): RateLimitError {
  const { request, attempts, outcomeUnknown } = call;
  const { endpoint } = request;
  const seconds = retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1000));
  const why =
    reason === 'exhausted'
      ? 'the service has responded with a 429 to all calls for as long as its retries would take'
      : `after a 429 the service asked to wait, for ${seconds} s more`;
  const what = `${endpoint.method} ${endpoint.path} was not sent${attempts > 0 ? ' again' : ''}`;
  return new RateLimitError(`${what}: ${why}${warningOf(endpoint, false, outcomeUnknown)}`, {
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
