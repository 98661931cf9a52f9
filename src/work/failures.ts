import { AccessTokenError, ClosedError, GrantRevokedError } from '../core/errors/errors.js';
import { callOf } from '../core/errors/seller-error.js';
import { AuthenticationError } from '../core/errors/status-errors.js';
import type { BookedWrite } from '../core/operation/write-book.js';
import { describeFailure } from './log.js';

/** How many causes of an error are looked at. */
const maxCauses = 5;

/** An error, and what caused it. */
export function* causesOf(error: unknown): Generator<object> {
  let each = error;
  for (let depth = 0; depth < maxCauses && typeof each === 'object' && each !== null; depth += 1) {
    yield each;
    each = (each as { cause?: unknown }).cause;
  }
}

/**
 * Whether a write may or may not have been carried out, which led to an error, and must not be carried out twice. A request for a
 * token is no write: the next run asks for one again.
 */
export function isUnknownOutcome(error: unknown): boolean {
  try {
    for (const each of causesOf(error)) {
      if (each instanceof AccessTokenError) return false;
      if ((each as { outcomeUnknown?: unknown }).outcomeUnknown === true && callOf(each)?.isRepeatable !== true)
        return true;
    }
  } catch {
    // A revoked proxy.
  }
  return false;
}

/** Whether the token led to an error: there was none, or the service rejected it. */
export function isOfToken(error: unknown): boolean {
  return isCausedBy(error, AccessTokenError, GrantRevokedError, AuthenticationError);
}

/** Whether another part of the process was closed first, which led to an error. */
export function isOfClosing(error: unknown): boolean {
  return isCausedBy(error, ClosedError);
}

function isCausedBy(error: unknown, ...classes: readonly (abstract new (...args: never[]) => Error)[]): boolean {
  try {
    return [...causesOf(error)].some((each) => classes.some((Class) => each instanceof Class));
  } catch {
    // A revoked proxy.
    return false;
  }
}

/** Whether an error says of itself that waiting does not help. */
export function isLastingError(error: unknown): boolean {
  return (error as { readonly isLasting?: unknown } | undefined | null)?.isLasting === true;
}

/** The delay that the service asked for, if the failure is one of its error responses; at most `capMs`. */
export function retryAfterOf(error: unknown, capMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, capMs) : 0;
}

/** What a person reads of what was given up: the last error, and which writes may have been carried out all the same. */
export function describeGivenUp(error: unknown, writes: readonly Pick<BookedWrite, 'target' | 'state'>[]): string {
  const open = writes.filter(({ state }) => state === 'sent').map(({ target }) => target.split(' ', 1)[0]);
  const failure = describeFailure(error);
  return open.length > 0 ? `${failure} (${[...new Set(open)].join(' and ')} may have been carried out)` : failure;
}
