import type { Endpoint } from '../endpoint.js';
import { ConnectionError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';
import { ignoreErrors } from '../ignore-errors.js';
import type { CancelScope } from '../scope/cancel-scope.js';

/** An attempt that waits for a limiter. */
export interface AttemptInfo {
  readonly endpoint: Endpoint;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The host of the service. */
  readonly host: string;
  /** Aborts when the call ends early: the caller aborted it, or its deadline has passed. */
  readonly signal: AbortSignal;
}

/** The result of an attempt that a limiter had permitted. */
export interface AttemptReport {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly host: string;
  /** The status of the response; `undefined` if there was no response. */
  readonly status: number | undefined;
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

/**
 * Decides when attempts are sent. Use your own limiter to share a limit between processes or machines. The rate limiter
 * of the client still applies after it.
 *
 * @example
 * import type { Limiter } from 'marketplace-seller-sdk';
 * const limiter: Limiter = {
 *   acquire: async ({ host, signal }) => {
 *     await fetch(`https://limits.internal/${host}`, { method: 'POST', signal });
 *   },
 * };
 */
export interface Limiter {
  /** Called before each attempt. When the promise resolves, the attempt is sent; when it rejects, the call fails. */
  acquire(attempt: AttemptInfo): void | Promise<void>;
  /** Called when an attempt has ended. Its errors are ignored. */
  release?(report: AttemptReport): void;
}

/** An attempt that needs the permission of a limiter. */
export type LimitedAttempt = Omit<AttemptInfo, 'signal'>;

/** Waits until the user's limiter permits the attempt. The deadline and the signal of the call end the wait. */
export async function acquireLimiter(limiter: Limiter, attempt: LimitedAttempt, scope: CancelScope): Promise<void> {
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
    if (error === scope.reason) permission?.then(() => releaseLimiter(limiter, attempt), ignore);
    if (error instanceof SellerError) throw error;
    const { method, path } = attempt.endpoint;
    const message = `${method} ${path} was not sent: the limiter rejected it; see \`cause\``;
    throw new ConnectionError(message, { cause: error, attempts: attempt.attempt - 1 });
  }
}

const notSent = { status: undefined, retryAfterMs: undefined };
const ignore = (): void => undefined;

/** Reports the result of an attempt to the user's limiter. Without a report, the attempt was not sent. */
export function releaseLimiter(
  limiter: Limiter,
  attempt: LimitedAttempt,
  report: Pick<AttemptReport, 'status' | 'retryAfterMs'> = notSent,
): void {
  ignoreErrors(() => limiter.release?.({ ...attempt, ...report }));
}
