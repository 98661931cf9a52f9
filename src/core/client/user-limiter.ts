import type { AttemptInfo, AttemptReport, Limiter } from '../options/limiter.js';
import { ConnectionError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';
import { ignoreErrors } from '../scope/ignore-errors.js';
import type { CancelScope } from '../scope/cancel-scope.js';

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
