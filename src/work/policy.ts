import {
  AccessTokenError,
  ClosedError,
  EarlierWriteOpenError,
  EarlierWriteUnknownError,
  GrantRevokedError,
} from '../core/errors/errors.js';
import { AuthenticationError } from '../core/errors/response-errors.js';
import { callOf } from '../core/errors/seller-error.js';
import { integerFrom, type Rule } from '../core/options/rules.js';
import { endpointOf, type WriteRecord } from '../core/recover/write-hook.js';
import { longestTimerMs } from '../core/scope/cancel-scope.js';
import { describeFailure } from './log.js';
import type { Run, RunNotes, Verdict } from './store.js';

/** The process ended each time that an entry was handled, at last while nothing else ran. */
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
  return retryOrGiveUp(error, run, { isLasting: lasts, leastMs: retryAfterOf(error, retry.maxDelayMs) });
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
export function givenUp(error: unknown, notes: RunNotes): Verdict {
  return forPerson(describeFailure(error), notes);
}

function forPerson(reason: string, { wasLasting, ...notes }: RunNotes): Verdict {
  const failure = describeGivenUp(reason, notes.writes ?? []);
  return { state: 'dead', inMs: Infinity, failed: true, failure, notes, keepsData: true };
}

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

/** The delay that the service asked for, if the failure is one of its error responses; at most `maxDelayMs`. */
export function retryAfterOf(error: unknown, maxDelayMs: number): number {
  const retryAfterMs = (error as { retryAfterMs?: unknown } | undefined | null)?.retryAfterMs;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? Math.min(retryAfterMs, maxDelayMs) : 0;
}

/** What a person reads of what was given up: the last error, and which writes may have been carried out all the same. */
export function describeGivenUp(
  failure: string,
  writes: readonly Pick<WriteRecord, 'endpoint' | 'target' | 'state'>[],
): string {
  const open = writes.filter(({ state }) => state === 'sent').map(endpointOf);
  return open.length > 0 ? `${failure} (${[...new Set(open)].join(' and ')} may have been carried out)` : failure;
}

/** An exponential backoff: the first delay and the longest, in milliseconds. */
export interface Backoff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The delay after attempt number `attempt`: twice as long each time. */
export function exponentialDelay(attempt: number, { firstDelayMs, maxDelayMs }: Backoff): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1));
}

/** The same, less up to half at random, so that failures at the same time are not retried at the same time. */
export function jitteredDelay(attempt: number, backoff: Backoff): number {
  return exponentialDelay(attempt, backoff) * (1 - Math.random() / 2);
}

/** How failed notifications and jobs are retried. */
export interface RetryOptions {
  /**
   * The most retries after the first attempt; then the notification or job becomes a dead letter. 0: it is tried once.
   *
   * @default 23, which takes 6 to 12 hours
   */
  readonly maxRetries?: number | undefined;
  /**
   * The first delay, in milliseconds. Each next one is twice as long, less up to half at random.
   *
   * @default 1000
   */
  readonly firstDelayMs?: number | undefined;
  /**
   * The longest delay, in milliseconds, also for a Retry-After.
   *
   * @default 3600000, which is an hour
   */
  readonly maxDelayMs?: number | undefined;
}

/** The same, with the defaults filled in. */
export type RetryLimits = Readonly<Record<keyof RetryOptions, number>>;

export const retryDefaults: RetryLimits = { maxRetries: 23, firstDelayMs: 1_000, maxDelayMs: 3_600_000 };

export const time: Rule = (value) =>
  typeof value === 'number' && value > 0 && value <= longestTimerMs
    ? undefined
    : `takes a number of milliseconds above 0 and at most ${longestTimerMs}`;

export const retryRules: Readonly<Record<keyof RetryOptions, Rule>> = {
  maxRetries: integerFrom(0),
  firstDelayMs: time,
  maxDelayMs: time,
};

/** The first pause before a message is read that moderation has not decided about, and the longest, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [2_000, 300_000];
/** How long moderation may take, in milliseconds: the buyer is waiting, and a person has to look. */
const timeoutMs = 24 * 3_600_000;

/**
 * Decides what follows while moderation has not decided about what a run has sent: it is read again later, or a person decides. The
 * run notes since when that is so.
 */
export function whilePending(run: Pick<Run, 'notes'>): Verdict {
  const { followedSince = Date.now(), ...notes } = run.notes;
  run.notes = { ...notes, followedSince };
  const ageMs = Math.max(0, Date.now() - followedSince);
  // If a person has it tried again, it is followed as long again.
  if (ageMs >= timeoutMs) return forPerson('Moderation has not decided about the message within 24 hours', notes);
  const inMs = Math.min(Math.max(ageMs / 2, firstPauseMs), longestPauseMs, timeoutMs - ageMs);
  return { state: 'open', inMs, failed: false, notes: run.notes };
}
