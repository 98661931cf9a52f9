import { EarlierWriteOpenError, EarlierWriteUnknownError } from '../../core/errors/errors.js';
import type { WriteRecords } from '../../work/write-records.js';
import { jitteredDelay } from '../../work/backoff.js';
import { isLastingError, isUnknownOutcome, retryAfterOf } from '../../work/failures.js';
import { DropNotificationError, NotConfirmedError, NotHandledHereError, UnknownSellerError, UnrecoverableError } from './errors.js'; // prettier-ignore
import { dead } from './outcome.js';
import type { LastFailure, Outcome } from './outcome.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import { FifoMap } from '../../work/fifo-map.js';
import type { Lease } from '../stores/store.js';

/** One failed run, as far as its consequence depends on it. */
export interface FailedRun {
  /** The entry's. */
  readonly key: string;
  /** How many attempts have failed, this one included. */
  readonly failures: number;
  readonly maxAttempts: number;
  /** The 404 of the handler's `read()`, if there was one. */
  readonly notFound: unknown;
  /** When the notification arrived, in milliseconds since 1970. */
  readonly arrivedAt?: number | undefined;
  /** The error of the attempt before, if the store or queue keeps it. */
  readonly lastFailure?: LastFailure | undefined;
  /** The writes of the run, if something keeps them. */
  readonly records?: WriteRecords | undefined;
  /** Whether a queue has the entry, and no store. */
  readonly isQueued?: boolean | undefined;
}

/**
 * When a 404 of a notification that has just arrived is tried again, in milliseconds after its arrival. With the first attempt
 * that is four reads at most.
 */
const readAgainAtMs = [5_000, 20_000, 60_000];
/** Timers may be early, and the first attempt late: attempts are at least this far apart, in milliseconds. */
const leastBetweenMs = 1_000;

/**
 * When an entry is offered again that this process cannot handle: after as long as it has waited, and within these limits, in
 * milliseconds. Many of a topic that nobody handles must not take the turns of others.
 */
const [soonestMs, latestMs] = [10_000, 300_000];
/** How long a queue keeps what nobody can handle, in milliseconds. A store has its own limit. */
const unhandledMs = 3 * 86_400_000;

/** From this many stalls in a row on, an entry is suspected to end the process. More are counted only if it ran alone. */
export const stallsUntilSuspect = 2;

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
  /** How many failures an entry had when the last one was permanent, for queues that do not keep the last error. */
  readonly #permanent: FifoMap<number>;

  /** @param maxPermanent How many entries are remembered. One that is forgotten is tried once more. */
  constructor(retry: ResolvedReceiverOptions['retry'], maxPermanent = 100_000) {
    this.#retry = retry;
    this.#permanent = new FifoMap(maxPermanent);
  }

  outcomeOf(error: unknown, run: FailedRun): Outcome {
    const { key, failures, lastFailure } = run;
    const wasPermanent = lastFailure?.isPermanent ?? this.#permanent.get(key) === failures - 1;
    this.forget(key);
    const outcome = this.#outcomeOf(error, run, wasPermanent);
    if (outcome.kind === 'retry' && outcome.isPermanent) this.#permanent.set(key, failures);
    return outcome;
  }

  #outcomeOf(error: unknown, run: FailedRun, wasPermanent: boolean): Outcome {
    try {
      return outcomeOf(error, run, wasPermanent, this.#retry);
    } catch {
      // A handler may throw anything, also an error whose properties throw.
      return retryOrGiveUp(error, run, { isPermanent: false, leastMs: 0 }, this.#retry);
    }
  }

  /** The entry was handled. */
  forget(key: string): void {
    this.#permanent.delete(key);
  }
}

/** What an error says of the next attempt. */
interface Verdict {
  readonly isPermanent: boolean;
  /** How long the service asked to wait, in milliseconds. */
  readonly leastMs: number;
}

function outcomeOf(
  error: unknown,
  run: FailedRun,
  wasPermanent: boolean,
  retry: ResolvedReceiverOptions['retry'],
): Outcome {
  if (error instanceof UnknownSellerError) return { kind: 'dropped', isUnknownSeller: true };
  if (error instanceof DropNotificationError) return { kind: 'dropped', isUnknownSeller: false };
  if (error instanceof NotHandledHereError) return notHandledHere(error, run);
  if (error instanceof EarlierWriteOpenError) return { kind: 'release', inMs: error.retryAfterMs, error };
  if (error instanceof UnrecoverableError || error instanceof EarlierWriteUnknownError)
    return dead(error, run.records?.writes);
  // The next run reads back what is kept. What is not kept could be sent twice.
  if (isUnknownOutcome(error) && !run.records?.writes.some(({ state }) => state === 'sent'))
    return dead(error, run.records?.writes);
  const isMissing = error !== undefined && error === run.notFound;
  const againInMs = isMissing ? nextReadInMs(run.arrivedAt) : undefined;
  if (againInMs !== undefined && run.failures < run.maxAttempts)
    return { kind: 'retry', inMs: againInMs, error, isPermanent: true };
  const isPermanent = isMissing || isLastingError(error) || run.records?.wasRejected(error) === true;
  // The first one may be of a branch that the handler does not take again once it has read the resource anew.
  if (isPermanent && wasPermanent) return dead(error, run.records?.writes);
  return retryOrGiveUp(error, run, { isPermanent, leastMs: retryAfterOf(error, retry.capMs) }, retry);
}

function notHandledHere(error: unknown, run: FailedRun): Outcome {
  const { arrivedAt = Date.now(), isQueued = false } = run;
  const ageMs = Date.now() - arrivedAt;
  if (isQueued && ageMs > unhandledMs) return dead(error, run.records?.writes);
  return { kind: 'release', inMs: Math.min(Math.max(ageMs, soonestMs), latestMs), error };
}

function retryOrGiveUp(
  error: unknown,
  run: FailedRun,
  { isPermanent, leastMs }: Verdict,
  retry: ResolvedReceiverOptions['retry'],
): Outcome {
  const { failures, maxAttempts } = run;
  if (failures >= maxAttempts) return dead(error, run.records?.writes);
  return { kind: 'retry', inMs: Math.max(jitteredDelay(failures, retry), leastMs), error, isPermanent };
}

/** The service may announce a resource before it can return it; `undefined` when it has had time enough. */
function nextReadInMs(arrivedAt: number | undefined): number | undefined {
  if (arrivedAt === undefined) return undefined;
  const ageMs = Math.max(0, Date.now() - arrivedAt);
  const next = readAgainAtMs.find((ms) => ms > ageMs + leastBetweenMs);
  return next === undefined ? undefined : next - ageMs;
}

/** Whether nothing has confirmed a notification. Thousands of these come at once, and the log has told why. */
export function isNotConfirmed(error: unknown): boolean {
  try {
    return error instanceof NotConfirmedError;
  } catch {
    // A revoked proxy.
    return false;
  }
}
