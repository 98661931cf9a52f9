import { jitteredDelay } from './backoff.js';
import { isNotFoundRead } from './dispatcher.js';
import { DropNotificationError, UnrecoverableError } from './errors.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import { FifoMap } from '../stores/fifo-map.js';
import type { Lease } from '../stores/store.js';

/** What follows from a failed attempt. */
export type Consequence =
  { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'dead' } | { readonly kind: 'drop' };

interface FailedRun extends Pick<Lease, 'attempt' | 'stalledCount'> {
  /** The entry's. */
  readonly key: string;
}

/** From this many stalls on, an entry runs alone: if it ends the process again, no other entry is affected. */
export const stallsUntilAlone = 2;

/** Whether an entry has ended the process too often to be handled again. */
export function hasStalledTooOften(stalledCount: number, { attempts }: ResolvedReceiverOptions['retry']): boolean {
  return stalledCount >= Math.min(Math.max(attempts, stallsUntilAlone + 1), 5);
}

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

  consequenceOf(error: unknown, { key, attempt, stalledCount }: FailedRun): Consequence {
    const failures = attempt - stalledCount;
    const wasNotFound = this.#notFound.get(key) === failures - 1;
    this.forget(key);
    const consequence = this.#decide(error, failures, wasNotFound);
    if (consequence.kind === 'retry' && isNotFoundRead(error)) this.#remember(key, failures);
    return consequence;
  }

  #decide(error: unknown, failures: number, wasNotFound: boolean): Consequence {
    try {
      return decide(error, failures, wasNotFound, this.#retry);
    } catch {
      // A handler may throw anything, also an error whose properties throw.
      return decide(undefined, failures, wasNotFound, this.#retry);
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
  wasNotFound: boolean,
  retry: ResolvedReceiverOptions['retry'],
): Consequence {
  if (error instanceof DropNotificationError) return { kind: 'drop' };
  if (error instanceof UnrecoverableError) return { kind: 'dead' };
  if (failures >= retry.attempts) return { kind: 'dead' };
  // The service may announce a question before it can return it. A second 404 is final.
  if (isNotFoundRead(error)) return wasNotFound ? { kind: 'dead' } : { kind: 'retry', delayMs: retry.notFoundMs };
  return { kind: 'retry', delayMs: Math.max(jitteredDelay(failures, retry), retryAfterOf(error, retry.capMs)) };
}

/** The delay that the service asked for, if the failure is one of its error responses; at most `capMs`. */
function retryAfterOf(error: unknown, capMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, capMs) : 0;
}
