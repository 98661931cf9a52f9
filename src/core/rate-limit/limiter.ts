import type { Endpoint } from '../endpoint.js';
import { ConnectionError } from '../errors/errors.js';
import { SellerError } from '../errors/seller-error.js';
import { ignoreErrors } from '../ignore-errors.js';
import type { AttemptInfo, AttemptReport, Limiter } from '../options/limiter.js';
import type { CancelScope } from '../retry/cancel-scope.js';

/** The part of an attempt that a limiter needs. */
interface LimitedAttempt {
  readonly endpoint: Endpoint;
  readonly attempt: number;
  readonly baseUrl: string;
}

/** Waits until the user's limiter permits the attempt. The deadline and the signal of the call end the wait. */
export async function acquireLimiter(
  limiter: Limiter,
  { endpoint, attempt, baseUrl }: LimitedAttempt,
  scope: CancelScope,
): Promise<void> {
  const controller = new AbortController();
  const info: AttemptInfo = { endpoint, attempt, host: hostOf(baseUrl), signal: controller.signal };
  let permission: Promise<void> | undefined;
  try {
    await scope.race(
      () => (permission = (async () => limiter.acquire(info))()),
      (error) => {
        controller.abort(error);
      },
    );
  } catch (error) {
    // A limiter that ignores the signal may permit the attempt later, although it is no longer sent.
    if (error === scope.reason) permission?.then(() => releaseLimiter(limiter, { endpoint, attempt, baseUrl }), ignore);
    if (error instanceof SellerError) throw error;
    const message = `${endpoint.method} ${endpoint.path} was not sent: the limiter rejected it; see \`cause\``;
    throw new ConnectionError(message, { cause: error, attempts: attempt - 1 });
  }
}

const notSent = { status: undefined, retryAfterMs: undefined };
const ignore = (): void => undefined;

/** Reports the result of an attempt to the user's limiter. Without a report, the attempt was not sent. */
export function releaseLimiter(
  limiter: Limiter,
  { endpoint, attempt, baseUrl }: LimitedAttempt,
  { status, retryAfterMs }: Pick<AttemptReport, 'status' | 'retryAfterMs'> = notSent,
): void {
  ignoreErrors(() => limiter.release?.({ endpoint, attempt, host: hostOf(baseUrl), status, retryAfterMs }));
}

function hostOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}
