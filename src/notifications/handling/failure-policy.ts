import { jitteredDelay } from './backoff.js';
import { DropNotificationError, NotConfirmedError, UnrecoverableError } from './errors.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import { FifoMap } from '../stores/fifo-map.js';
import type { Lease } from '../stores/store.js';

/** What follows from a failed attempt. */
export type Consequence =
  | { readonly kind: 'retry'; readonly delayMs: number; readonly isQuiet?: boolean }
  | { readonly kind: 'dead' }
  | { readonly kind: 'drop' };

interface FailedRun {
  /** The entry's. */
  readonly key: string;
  /** How many attempts have failed, this one included. */
  readonly failures: number;
  /** The 404 of the handler's `read()`, if there was one. */
  readonly notFound: unknown;
}

/** From this many stalls in a row on, an entry is suspected to end the process. */
const stallsUntilSuspect = 2;

/** Whether an entry is suspected to end the process. Only one such entry runs at a time. */
export function isSuspect({ stalledCount }: Pick<Lease, 'stalledCount'>): boolean {
  return stalledCount >= stallsUntilSuspect;
}

/** Whether an entry has ended the process too often to be handled again. */
export function hasStalledTooOften(stalledCount: number, { attempts }: ResolvedReceiverOptions['retry']): boolean {
  return stalledCount >= Math.min(Math.max(attempts, stallsUntilSuspect + 1), 5);
}

/** Whether the failure is a 404 of `read()`, and whether the one before was one too. */
type NotFound = false | { readonly wasNotFound: boolean };

/** Decides what follows from failed attempts. Stalls are not failures: they do not use up attempts. */
export class FailurePolicy {
  readonly #retry: ResolvedReceiverOptions['retry'];
  readonly #maxNotFound: number;
  /** How many failures an entry had when the last one was the 404 of a `read()`. */
  readonly #notFound = new FifoMap<number>();

  /** @param maxNotFound How many entries are remembered after a 404. One that is forgotten is read once more. */
  constructor(retry: ResolvedReceiverOptions['retry'], maxNotFound = 100_000) {
    this.#retry = retry;
    this.#maxNotFound = maxNotFound;
  }

  consequenceOf(error: unknown, { key, failures, notFound }: FailedRun): Consequence {
    const isNotFound = error !== undefined && error === notFound;
    const wasNotFound = this.#notFound.get(key) === failures - 1;
    this.forget(key);
    const consequence = this.#decide(error, failures, isNotFound && { wasNotFound });
    if (consequence.kind === 'retry' && isNotFound) this.#remember(key, failures);
    return consequence;
  }

  #decide(error: unknown, failures: number, notFound: NotFound): Consequence {
    try {
      return decide(error, failures, notFound, this.#retry);
    } catch {
      // A handler may throw anything, also an error whose properties throw.
      return decide(undefined, failures, notFound, this.#retry);
    }
  }

  #remember(key: string, failures: number): void {
    this.#notFound.set(key, failures);
    const oldest = this.#notFound.size > this.#maxNotFound ? this.#notFound.oldest() : undefined;
    if (oldest !== undefined) this.forget(oldest);
  }

  /** The entry was handled. */
  forget(key: string): void {
    this.#notFound.delete(key);
  }
}

function decide(
  error: unknown,
  failures: number,
  notFound: NotFound,
  retry: ResolvedReceiverOptions['retry'],
): Consequence {
  if (error instanceof DropNotificationError) return { kind: 'drop' };
  if (error instanceof UnrecoverableError) return { kind: 'dead' };
  if (failures >= retry.attempts) return { kind: 'dead' };
  // The service may announce a question before it can return it. A second 404 is final.
  if (notFound) return notFound.wasNotFound ? { kind: 'dead' } : { kind: 'retry', delayMs: retry.notFoundMs };
  const delayMs = Math.max(jitteredDelay(failures, retry), retryAfterOf(error, retry.capMs));
  // Thousands of these come at once, and the log has told why.
  return { kind: 'retry', delayMs, isQuiet: error instanceof NotConfirmedError };
}

/** The delay that the service asked for, if the failure is one of its error responses; at most `capMs`. */
function retryAfterOf(error: unknown, capMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, capMs) : 0;
}
