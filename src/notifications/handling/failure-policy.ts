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

/** How long after a first 404 the handler runs again, in milliseconds. */
const notFoundMs = 5_000;

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

/** Decides what follows from failed attempts. Stalls are not failures: they do not use up attempts. */
export class FailurePolicy {
  readonly #retry: ResolvedReceiverOptions['retry'];
  /** How many failures an entry had when the last one was the 404 of a `read()`. */
  readonly #notFound: FifoMap<number>;

  /** @param maxNotFound How many entries are remembered after a 404. One that is forgotten is read once more. */
  constructor(retry: ResolvedReceiverOptions['retry'], maxNotFound = 100_000) {
    this.#retry = retry;
    this.#notFound = new FifoMap(maxNotFound);
  }

  consequenceOf(error: unknown, { key, failures, notFound }: FailedRun): Consequence {
    const wasNotFound = this.#notFound.get(key) === failures - 1;
    this.forget(key);
    const consequence = this.#consequenceOf(error, failures);
    // The service may announce a question before it can return it. A second 404 is final.
    if (consequence.kind !== 'retry' || error === undefined || error !== notFound) return consequence;
    if (wasNotFound) return { kind: 'dead' };
    this.#notFound.set(key, failures);
    return { kind: 'retry', delayMs: notFoundMs };
  }

  #consequenceOf(error: unknown, failures: number): Consequence {
    try {
      return consequenceOf(error, failures, this.#retry);
    } catch {
      // A handler may throw anything, also an error whose properties throw.
      return consequenceOf(undefined, failures, this.#retry);
    }
  }

  /** The entry was handled. */
  forget(key: string): void {
    this.#notFound.delete(key);
  }
}

function consequenceOf(error: unknown, failures: number, retry: ResolvedReceiverOptions['retry']): Consequence {
  if (error instanceof DropNotificationError) return { kind: 'drop' };
  if (error instanceof UnrecoverableError) return { kind: 'dead' };
  if (failures >= retry.attempts) return { kind: 'dead' };
  const delayMs = Math.max(jitteredDelay(failures, retry), retryAfterOf(error, retry.capMs));
  // Thousands of these come at once, and the log has told why.
  return { kind: 'retry', delayMs, isQuiet: error instanceof NotConfirmedError };
}

/** The delay that the service asked for, if the failure is one of its error responses; at most `capMs`. */
function retryAfterOf(error: unknown, capMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, capMs) : 0;
}
