import { exponentialDelay } from '../handling/backoff.js';
import type { Inbox } from '../inbox.js';
import type { LeaseId, Settlement } from '../stores/store.js';

/** What is to be stored at the end of a lease. */
export type Outcome = Pick<Settlement, 'done' | 'doneUntil' | 'retryInMs' | 'released' | 'unstarted' | 'deadLetter'>;

/** The outcome of a handler that was not waited for. */
export const released: Outcome = { done: [], retryInMs: 0, released: true };

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
  outcome: Outcome,
  isKept = () => false,
): Promise<boolean | undefined> {
  const { store, options, reporter } = inbox;
  const isStoreClosed = (): boolean => inbox.stage === 'closed';
  for (let attempt = 1; !isStoreClosed(); attempt += 1) {
    try {
      return await store.settle({ groupId, token, deduplicationMs: options.deduplicationMs, ...outcome });
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
