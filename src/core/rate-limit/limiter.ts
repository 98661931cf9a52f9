import type { AttemptResult } from '../pipeline/send-attempt.js';
import type { Endpoint } from '../endpoint.js';
import type { RequestContext } from '../pipeline/request-context.js';
import { ConnectionError } from '../errors/errors.js';
import { parseRetryAfter } from '../retry/policy.js';
import { SellerError } from '../errors/seller-error.js';

/** An attempt that asks to pass a gate. */
export interface AttemptInfo {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  /** The host that is called. */
  readonly host: string;
  /** Ends the wait: the call was aborted, or its deadline is over. */
  readonly signal: AbortSignal;
}

/** What came of an attempt that had passed a gate. */
export interface AttemptReport {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly host: string;
  /** The status of the answer; `undefined` where there was none. */
  readonly status: number | undefined;
  /** What the service asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Lets attempts out. Give one of your own to share a limit between processes or machines; the client's own pacing after
 * a 429 stays in force behind it.
 */
export interface Limiter {
  /** Asked before each attempt, which is sent when the promise resolves. A rejection ends the call, unsent. */
  acquire(visit: AttemptInfo): void | Promise<void>;
  /** Told when an attempt is over. */
  release?(passage: AttemptReport): void;
}

/** Waits at a gate of the user's, within the bounds of the call. */
export async function acquireLimiter(gate: Limiter, { endpoint, scope, call }: RequestContext): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const visit: AttemptInfo = { endpoint, attempt: scope.attempts + 1, host: hostOf(call.baseUrl), signal };
  try {
    await scope.race(
      async () => gate.acquire(visit),
      (error) => {
        controller.abort(error);
      },
    );
  } catch (error) {
    if (error instanceof SellerError) throw error;
    const message = `${endpoint.method} ${endpoint.path} was not sent: the limiter rejected it; see \`cause\``;
    throw new ConnectionError(message, { cause: error, attempts: scope.attempts });
  }
}

/** Tells a gate of the user's what came of an attempt. */
export function releaseLimiter(gate: Limiter, { endpoint, scope, call }: RequestContext, outcome: AttemptResult): void {
  const answer = outcome.kind === 'answer' ? outcome.answer : undefined;
  try {
    gate.release?.({
      endpoint,
      attempt: scope.attempts,
      host: hostOf(call.baseUrl),
      status: answer?.status,
      retryAfterMs: answer && parseRetryAfter(answer.headers, Date.now()),
    });
  } catch {
    // The attempt is over and must be told as what it was.
  }
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}
