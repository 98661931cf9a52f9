import { jitteredDelay } from './backoff.js';
import { isNotFoundRead } from './dispatcher.js';
import { DropNotificationError, UnrecoverableError } from './errors.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import type { Lease } from './stores/store.js';

/** What follows from a failed attempt. */
export type Consequence =
  { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'dead' } | { readonly kind: 'drop' };

type Counts = Pick<Lease, 'attempt' | 'stalledCount'>;

/** From this many stalls on, an entry runs alone: if it ends the process again, no other entry is affected. */
export const stallsUntilAlone = 2;

/** Whether an entry has ended the process too often to be handled again. */
export function hasStalledTooOften(stalledCount: number, { attempts }: ResolvedReceiverOptions['retry']): boolean {
  return stalledCount >= Math.min(Math.max(attempts, stallsUntilAlone + 1), 5);
}

/** Decides what follows from a failed attempt. Stalls are not failures: they do not use up attempts. */
export function consequenceOf(error: unknown, lease: Counts, retry: ResolvedReceiverOptions['retry']): Consequence {
  try {
    return decide(error, lease, retry);
  } catch {
    // A handler may throw anything, also an error whose properties throw.
    return decide(undefined, lease, retry);
  }
}

function decide(
  error: unknown,
  { attempt, stalledCount }: Counts,
  retry: ResolvedReceiverOptions['retry'],
): Consequence {
  if (error instanceof DropNotificationError) return { kind: 'drop' };
  if (error instanceof UnrecoverableError) return { kind: 'dead' };
  const failures = attempt - stalledCount;
  if (failures >= retry.attempts) return { kind: 'dead' };
  // The service may announce a question before it can return it. A second 404 is final.
  if (isNotFoundRead(error)) return failures > 1 ? { kind: 'dead' } : { kind: 'retry', delayMs: retry.notFoundMs };
  return { kind: 'retry', delayMs: Math.max(jitteredDelay(failures, retry), retryAfterOf(error, retry.capMs)) };
}

/** The delay that the service asked for, if the failure is one of its error responses; at most `capMs`. */
function retryAfterOf(error: unknown, capMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, capMs) : 0;
}
