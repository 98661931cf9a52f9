import { EarlierWriteOpenError, EarlierWriteUnknownError } from '../core/errors/errors.js';
import { jitteredDelay } from './backoff.js';
import { describeGivenUp, isLastingError, isUnknownOutcome, retryAfterOf } from './failures.js';
import { describeFailure } from './log.js';
import type { RetryLimits } from './retry.js';
import type { Verdict } from './store.js';
import type { RunNotes } from './task.js';

/** How often an entry may end the process before it is given up. */
export const mostStalls = 5;

/** The process ended each time that an entry was handled. */
export class EndsProcessError extends Error {
  override readonly name = 'EndsProcessError';
}

/** A failed run, as far as its consequence depends on it. */
export interface FailedRun {
  /** How many earlier runs have failed. */
  readonly failures: number;
  /** What was reached, this run included. */
  readonly notes: RunNotes;
  readonly retry: RetryLimits;
  readonly leaseMs: number;
  /** Whether a person has to look at once. What may have been carried out is read back first. */
  readonly isFinal?: ((error: unknown) => boolean) | undefined;
  /** Whether waiting does not help. @default `isLastingError` */
  readonly isLasting?: ((error: unknown) => boolean) | undefined;
}

/**
 * Decides what follows from an error of a run: it is tried again later, or a person decides. Never throws, although the error may
 * be anything.
 */
export function verdictOf(error: unknown, run: FailedRun): Verdict {
  try {
    return judge(error, run);
  } catch {
    // An error whose properties throw. Nothing of it is asked again.
    return retryOrGiveUp(error, run, { isLasting: false, leastMs: 0 });
  }
}

function judge(error: unknown, run: FailedRun): Verdict {
  const { notes, retry, isFinal = () => false, isLasting = isLastingError } = run;
  if (error instanceof EarlierWriteOpenError)
    return { state: 'open', inMs: error.retryAfterMs, failed: false, failure: describeFailure(error), notes };
  if (error instanceof EarlierWriteUnknownError) return readAgainOrGiveUp(error, run);
  if (error instanceof EndsProcessError || isUnnoted(error, notes)) return givenUp(error, notes);
  // What may have been carried out is read back by the next run.
  if (!isUnknownOutcome(error) && isFinal(error)) return givenUp(error, notes);
  const lasts = isLasting(error);
  // The first one may be of a branch that the handler does not take again once it has read the resource anew.
  if (lasts && notes.wasLasting === true) return givenUp(error, notes);
  return retryOrGiveUp(error, run, { isLasting: lasts, leastMs: retryAfterOf(error, retry.capMs) });
}

/** Whether something may have been carried out that no note knows: the next run would not read it back. */
export function isUnnoted(error: unknown, { writes = [] }: RunNotes): boolean {
  return isUnknownOutcome(error) && !writes.some(({ state }) => state === 'sent');
}

/**
 * What else was written to the conversation may be of an entry whose own outcome is being read back; that of a process that was
 * killed is, once its lease is over.
 */
function readAgainOrGiveUp(error: EarlierWriteUnknownError, { notes, leaseMs }: FailedRun): Verdict {
  const unknowns = (notes.unknowns ?? 0) + 1;
  const inMs = [2_000, 10_000, leaseMs + 10_000][unknowns - 1];
  if (inMs === undefined) return givenUp(error, notes);
  return { state: 'open', inMs, failed: false, failure: describeFailure(error), notes: { ...notes, unknowns } };
}

interface Delay {
  readonly isLasting: boolean;
  /** How long the service asked to wait, in milliseconds. */
  readonly leastMs: number;
}

function retryOrGiveUp(error: unknown, run: FailedRun, { isLasting, leastMs }: Delay): Verdict {
  const failures = run.failures + 1;
  const { wasLasting, ...rest } = run.notes;
  if (failures > run.retry.maxRetries) return givenUp(error, rest);
  const notes = isLasting ? { ...rest, wasLasting: true } : rest;
  const inMs = Math.max(jitteredDelay(failures, run.retry), leastMs);
  return { state: 'open', inMs, failed: true, failure: describeFailure(error), notes };
}

/** Gives an entry up, with what was reached: a person decides. */
export function givenUp(error: unknown, { wasLasting, ...notes }: RunNotes): Verdict {
  const failure = describeGivenUp(error, notes.writes ?? []);
  return { state: 'dead', inMs: Infinity, failed: true, failure, notes, keepsData: true };
}
