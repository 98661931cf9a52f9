import type { RetryClass } from '../operation/endpoint.js';
import type { Failure } from './failure.js';

/*
 * When is a POST sent twice? This file decides it. A write that is not idempotent is sent again only
 * - after a 401, with a new token, once: the service did nothing,
 * - after a failure with which it certainly did nothing: no connection, a 429, a documented temporary error,
 * - after reading back has proved that it was not carried out (`unknownOutcome: 'confirm'`).
 *
 * Below this, a transport may send a request again only if nothing was written to the connection.
 */

/**
 * What is known of the attempts of a call that have ended. `none`: none of them can have been carried out. `unknown`: a
 * write may have been carried out. `notDone`: reading back proved that it was not.
 */
export type WriteOutcome = 'none' | 'unknown' | 'notDone';

/** The state of a call after a failed attempt. */
export interface CallState {
  readonly retry: RetryClass;
  readonly outcome: WriteOutcome;
  /** Whether the token can be replaced: only once, and only the client's own. */
  readonly canReplaceToken: boolean;
  /** Whether the write can be read back, and the client shall do it. */
  readonly canConfirm: boolean;
  /** Whether the write was read back after this attempt. */
  readonly isConfirmed: boolean;
  /**
   * How many retries were sent. After a 429 for which the queue waits, only those since its last success: while calls succeed,
   * waiting goes on.
   */
  readonly retries: number;
  readonly maxRetries: number;
  /** Whether the budget allows another retry. */
  readonly hasBudget: boolean;
  /** Whether the body can be sent again: it does not come from a stream. */
  readonly isReplayable: boolean;
  /** The time since the request was sent first. */
  readonly elapsedMs: number;
  /** The time until the deadline of the call. */
  readonly remainingMs: number;
  readonly maxWaitMs: number;
  /** How long all calls of the queue wait, if the failure is a 429 for which they do. */
  readonly queuePausedMs: number | undefined;
}

/** What to do after a failed attempt. */
export type NextStep =
  | { readonly kind: 'replaceToken' }
  /** Send again: after `waitMs`, or, without it, when the pause of the queue is over. */
  | { readonly kind: 'retry'; readonly waitMs?: number }
  /**
   * Read back, first or when the pause of the queue is over. `once`: one reading is enough, because there was proof before, and
   * the service has done nothing since.
   */
  | { readonly kind: 'confirm'; readonly once: boolean; readonly waitsForTurn: boolean }
  | { readonly kind: 'throw' };

/** Decides what to do after a failed attempt. It has no side effects: the client carries the step out. */
export function nextStep(failure: Failure, state: CallState): NextStep {
  const hasNoProof = state.isConfirmed && state.outcome === 'unknown';
  if (failure.isFinal || hasNoProof) return { kind: 'throw' };
  if (failure.status === 401 && state.canReplaceToken && state.isReplayable) return { kind: 'replaceToken' };
  const waitsForTurn = state.queuePausedMs !== undefined;
  const waitMs = canRetry(failure, state) ? (state.queuePausedMs ?? waitAfter(failure, state)) : Infinity;
  // A retry after the deadline would fail.
  const isInTime = waitMs < state.remainingMs;
  const confirms = state.canConfirm && !state.isConfirmed && needsConfirmation(failure, state);
  // An idempotent write may be sent again without proof, so it is read back only if no retry is left.
  if (isInTime && (waitsForTurn || state.hasBudget) && (!confirms || state.retry === 'idempotent'))
    return waitsForTurn ? { kind: 'retry' } : { kind: 'retry', waitMs };
  if (!confirms) return { kind: 'throw' };
  const once = state.outcome === 'notDone' && failure.status === 429;
  // It is read back when the pause is over, unless that would be too late for a retry.
  return { kind: 'confirm', once, waitsForTurn: waitsForTurn && isInTime };
}

function needsConfirmation(failure: Failure, { outcome }: CallState): boolean {
  // A write that was sent again may fail because the first attempt was carried out nevertheless.
  return outcome === 'unknown' || (outcome === 'notDone' && failure.status !== undefined && failure.status < 500);
}

/** Whether the request may be sent again, if there is time for it. */
function canRetry(failure: Failure, { retry, retries, maxRetries, isReplayable, maxWaitMs }: CallState): boolean {
  const { retryAfterMs = 0 } = failure;
  return retries < maxRetries && isReplayable && retryAfterMs <= maxWaitMs && isRetryable(retry, failure);
}

const transientStatuses = new Set<number | undefined>([408, 425, 429, 500, 502, 503, 504]);

/** Whether the retry class of the endpoint allows a retry. */
function isRetryable(retry: RetryClass, failure: Failure): boolean {
  if (failure.kind === 'notSent') return true;
  // The service did nothing, so a write can be sent again too.
  if (failure.didNothing || failure.status === 429) return true;
  return retry !== 'unsafe' && (failure.kind === 'noResponse' || transientStatuses.has(failure.status));
}

/** The maximum of the first wait. It doubles with each retry. */
const firstWaitMs = 500;
/** The same after a first 429 that may be random. */
const firstRandomWaitMs = 50;
/** A deploy of the service takes about this long. The last retry of a read comes after it, if nothing limits its time. */
const outageMs = 4000;

/** How long this call waits before a retry, if its queue does not. */
function waitAfter(failure: Failure, state: CallState): number {
  const { retries, maxWaitMs } = state;
  const { status, retryAfterMs = 0 } = failure;
  // A shorter `Retry-After`, for example 0, is ignored, because all clients would retry at the same time.
  if (retryAfterMs >= firstWaitMs) return retryAfterMs;
  if (status === 429) return Math.min(maxWaitMs, randomThrottleWaitMs(retries));
  const longest = Math.min(maxWaitMs, firstWaitMs * 2 ** retries);
  const ms = withJitter(longest, failure.retryAfterMs === undefined ? 0 : 0.5);
  return isPatient(failure, state) ? Math.max(ms, untilOutageEnds(state)) : ms;
}

/** A first 429 is retried soon. A second one may be due to a limit after all. */
function randomThrottleWaitMs(retries: number): number {
  return retries === 0 ? withJitter(firstRandomWaitMs, 0) : withJitter(firstWaitMs * 2 ** (retries - 1), 0.5);
}

const outageStatuses = new Set<number | undefined>([500, 502, 503, 504]);

/** Whether the last retry of a read waits for the end of an outage. A single retry would make each short fault a long one. */
function isPatient({ status }: Failure, state: CallState): boolean {
  const { retry, retries, maxRetries, maxWaitMs, remainingMs } = state;
  const isLastOfSeveral = retries > 0 && retries === maxRetries - 1;
  const longestMs = untilOutageEnds(state, 1);
  return (
    retry === 'safe' && isLastOfSeveral && outageStatuses.has(status) && longestMs < Math.min(maxWaitMs, remainingMs)
  );
}

/** How long the outage may go on, of which the call has waited for a part. */
function untilOutageEnds({ elapsedMs }: CallState, random = Math.random()): number {
  return outageMs - elapsedMs + firstWaitMs * random;
}

/** Returns a random wait, in milliseconds. `floor` is the share that is not random, from 0 to 1. */
function withJitter(longest: number, floor: number): number {
  return longest * (floor + (1 - floor) * Math.random());
}

/** Enough for a hundred retries. */
const capacity = 500;
/** What a retry costs, and what a success without retries deposits. */
const cost = 5;
const earnings = 1;

/**
 * Limits the retries of a client, so that an outage does not double or triple the load.
 *
 * A call that succeeds returns the cost of its retries, or a small deposit if it needed none. A call that fails returns
 * nothing. Retries after a 429 that pauses all calls cost nothing, because the rate limiter already delays them.
 */
export class RetryBudget {
  /** Whether enough is left for a retry. */
  isEnough = true;
  /** What the retries have cost, and successes have not returned. */
  spent = 0;

  /** Withdraws the cost of a retry. */
  withdraw(): void {
    this.#change(cost);
  }

  /** Records a call that succeeded after this many retries. */
  deposit(retries: number): void {
    this.#change(-Math.max(retries * cost, earnings));
  }

  #change(by: number): void {
    this.spent = Math.max(0, this.spent + by);
    this.isEnough = this.spent + cost <= capacity;
  }
}
