import { exponentialDelay } from '../../work/backoff.js';
import { describeFailure } from '../../work/log.js';
import type { Outcome } from '../handling/outcome.js';
import type { HandlingAttempt } from '../handling/attempts.js';
import type { Inbox } from '../inbox.js';
import { caughtUpKey } from '../queued-notification.js';
import type { Lease, LeaseId, Settlement } from '../stores/store.js';

/** What is stored at the end of a lease. */
export type Result = Omit<Settlement, keyof LeaseId | 'deduplicationMs'> & Partial<Pick<Settlement, 'deduplicationMs'>>;

/** The result of a handler that was not waited for. */
export const released: Result = { done: [], retryInMs: 0, released: true };

type RunFacts = Pick<HandlingAttempt, 'readAt' | 'kept' | 'confirmed' | 'isGivenUp'>;

/** Turns the outcome of a run into what is stored of it. */
export function resultOf(outcome: Outcome, lease: Lease, inbox: Inbox, run: RunFacts): Result {
  const { confirmed } = run;
  return { ...settled(outcome, lease, inbox, run), ...(confirmed !== undefined && { confirmed }) };
}

function settled(
  outcome: Outcome,
  { entry, coalescedKeys }: Lease,
  { options }: Inbox,
  { readAt = 0, kept = [], isGivenUp = false }: RunFacts,
): Result {
  const keys = [...coalescedKeys, entry.key];
  const canCatchUp = options.clientFor !== undefined && entry.notification.known && !entry.caughtUp;
  const caughtUpKeys = canCatchUp ? [caughtUpKey(entry.groupId)] : [];
  if (outcome.kind === 'done') {
    // What `catchUp` found stands for all that arrived before its resource was read.
    if (entry.caughtUp) return { done: keys, doneUntil: readAt };
    return { done: [...keys, ...caughtUpKeys] };
  }
  // The user may become a seller of ours: nothing is remembered.
  if (outcome.kind === 'dropped') return { done: keys, ...(outcome.isUnknownSeller && { deduplicationMs: 0 }) };
  const writes = kept.length > 0 ? { writes: kept } : {};
  if (outcome.kind === 'release') return { ...released, retryInMs: outcome.inMs, ...writes };
  if (outcome.kind === 'dead') {
    const { failure } = outcome;
    const done = isGivenUp ? [...coalescedKeys, ...caughtUpKeys] : coalescedKeys;
    return { done, deadLetter: { key: entry.key, failure }, ...writes };
  }
  const { error, inMs, isPermanent } = outcome;
  return { done: [], retryInMs: inMs, lastFailure: { failure: describeFailure(error), isPermanent }, ...writes };
}

const settleBackoff = { baseMs: 200, capMs: 5_000 };

/**
 * Ends a lease, and retries while it is kept: an unreachable store does not cause a second run.
 *
 * @returns whether the lease was still valid; `undefined` when the store stayed unreachable, or is closed: then the next
 * process handles the notification again.
 */
export async function settle(
  inbox: Inbox,
  { groupId, token }: LeaseId,
  result: Result,
  isKept = () => false,
): Promise<boolean | undefined> {
  const { store, options, reporter } = inbox;
  const isStoreClosed = (): boolean => inbox.stage === 'closed';
  for (let attempt = 1; !isStoreClosed(); attempt += 1) {
    try {
      return await store.settle({ groupId, token, deduplicationMs: options.deduplicationMs, ...result });
    } catch (error) {
      if (isStoreClosed()) break;
      reporter.failed('The result of a notification was not stored', error);
      if (attempt >= 5 && (inbox.stage !== 'open' || !isKept())) break;
      await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, settleBackoff)));
    }
  }
  return undefined;
}

/** Gives back leases whose handlers have not run: to be claimed by name later, or for another process now. */
export async function giveBack(inbox: Inbox, leases: readonly LeaseId[]): Promise<void> {
  const retryInMs = inbox.stage === 'open' ? inbox.options.leaseMs / 2 : 0;
  await Promise.all(leases.map((lease) => settle(inbox, lease, { ...released, retryInMs, unstarted: true })));
}
