import { EarlierWriteOpenError, EarlierWriteUnknownError } from '../core/errors/errors.js';
import { ApiError } from '../core/errors/response-errors.js';
import { jitteredDelay } from '../work/backoff.js';
import { describeGivenUp, isLastingError, isUnknownOutcome, retryAfterOf } from '../work/failures.js';
import { describeFailure } from '../work/log.js';
import type { JobProgress } from './job.js';
import type { ResolvedOutboxOptions } from './options.js';
import type { JobResult } from './run-job.js';
import type { JobSettlement } from './store.js';

/** What follows from a run, without what it has reached. */
export type JobOutcome = Omit<JobSettlement, 'progress'>;

/** Decides what follows from how far a job came. */
export function outcomeOf(result: JobResult, { deduplicationMs }: ResolvedOutboxOptions): JobOutcome {
  if (result.state === 'pending') return { state: 'waiting', inMs: result.inMs, failed: false };
  if (result.state === 'overdue') return { state: 'dead', inMs: Infinity, failed: true, reason: result.reason };
  return { failed: false, inMs: deduplicationMs, ...result };
}

/**
 * When an outcome is looked at again that the service does not show, in milliseconds: what else was written to the conversation
 * may be a job whose own outcome is being read back. That of a process that was killed is, once its lease is over.
 */
function unknownPauseMs(unknowns: number, { leaseMs }: ResolvedOutboxOptions): number | undefined {
  return [2_000, 10_000, leaseMs + 10_000][unknowns - 1];
}

/** Decides what follows from an error. `failures` are those of earlier runs. */
export function outcomeOfError(
  error: unknown,
  failures: number,
  { unknowns = 1, writes }: JobProgress,
  options: ResolvedOutboxOptions,
): JobOutcome {
  const { retry } = options;
  if (error instanceof EarlierWriteOpenError) return { state: 'waiting', inMs: error.retryAfterMs, failed: false };
  const reason = describeFailure(error);
  const pauseMs = error instanceof EarlierWriteUnknownError ? unknownPauseMs(unknowns, options) : undefined;
  if (pauseMs !== undefined) return { state: 'waiting', inMs: pauseMs, failed: false, reason };
  if (isFinal(error) || failures + 1 >= retry.attempts)
    return { state: 'dead', inMs: Infinity, failed: true, reason: describeGivenUp(error, writes) };
  const inMs = Math.max(jitteredDelay(failures + 1, retry), retryAfterOf(error, retry.capMs));
  return { state: 'waiting', inMs, failed: true, reason };
}

/** Of the errors of a request, these may pass without a change of it. */
const passing = new Set([401, 408, 409, 423, 425, 429]);

/** Whether a person has to look. What may have been carried out is read back first. */
function isFinal(error: unknown): boolean {
  if (error instanceof EarlierWriteUnknownError) return true;
  if (isUnknownOutcome(error)) return false;
  return isLastingError(error) || (error instanceof ApiError && error.status < 500 && !passing.has(error.status));
}
