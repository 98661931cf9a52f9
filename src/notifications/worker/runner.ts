import { exponentialDelay } from '../handling/backoff.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import { describeFailure } from '../handling/errors.js';
import { FailurePolicy, hasStalledTooOften } from '../handling/failure-policy.js';
import type { Inbox } from '../inbox.js';
import { caughtUpKey } from '../queued-notification.js';
import type { Run, RunResult } from './run.js';
import type { Lease, Settlement } from '../stores/store.js';

/** What follows from a run: what is to be stored. */
export type Outcome = Pick<Settlement, 'done' | 'doneUntil' | 'retryInMs' | 'released' | 'unstarted' | 'deadLetter'>;

const released: Outcome = { done: [], retryInMs: 0, released: true };
const settleBackoff = { baseMs: 200, capMs: 5_000 };

/** Runs the handlers of leases, and stores the results. */
export class Runner {
  readonly #inbox: Inbox;
  readonly #dispatcher: Dispatcher;
  readonly #policy: FailurePolicy;
  readonly #claimed: () => Promise<void> | undefined;

  /** @param claimed Waits for the claim that is under way, if there is one. */
  constructor(inbox: Inbox, dispatcher: Dispatcher, claimed: () => Promise<void> | undefined) {
    this.#inbox = inbox;
    this.#dispatcher = dispatcher;
    this.#policy = new FailurePolicy(inbox.options.retry);
    this.#claimed = claimed;
  }

  /** Runs the handler of a lease, and stores what follows. */
  async run(run: Run): Promise<RunResult> {
    const { lease } = run;
    try {
      const outcome = await this.#handle(run);
      const isSettled = outcome !== undefined && (await this.#settleRun(run, outcome));
      return { keys: keysOf(lease), handled: isSettled && outcome.done.includes(lease.entry.key) };
    } catch (error) {
      this.#inbox.reporter.failed('The store gave out an entry that cannot be handled', error);
      return { keys: [], handled: false };
    }
  }

  /** Runs the handler of a lease. Resolves to `undefined` when the lease was lost. */
  async #handle(run: Run): Promise<Outcome | undefined> {
    const { entry, stalledCount } = run.lease;
    const startedAt = performance.now();
    if (hasStalledTooOften(stalledCount, this.#inbox.options.retry)) {
      const error = new Error(`The process ended each of the ${stalledCount} times that this was handled`);
      return this.#givenUp(run.lease, error);
    }
    try {
      await this.#dispatcher.handle(entry, run);
      this.#policy.forget(entry.key);
      if (run.hasLostLease) return undefined;
      this.#inbox.reporter.handled({ entry, attempt: run.attempt, durationMs: performance.now() - startedAt });
      return this.#handled(run.lease);
    } catch (error) {
      return run.hasLostLease ? undefined : this.#outcomeOf(run, error);
    }
  }

  /** What `catchUp` found stands for all that was sent before; that a question was handled is kept for `catchUp`. */
  #handled(lease: Lease): Outcome {
    const { groupId, notification, caughtUp, sentAt } = lease.entry;
    const keys = keysOf(lease);
    if (caughtUp) return { done: keys, doneUntil: sentAt };
    const canCatchUp = this.#inbox.options.clientFor !== undefined && notification.topic === 'questions';
    return { done: canCatchUp ? [...keys, caughtUpKey(groupId)] : keys };
  }

  #givenUp({ entry, attempt, coalescedKeys }: Lease, error: unknown): Outcome {
    this.#inbox.reporter.handlerFailed({ entry, error, attempt, dead: true });
    return { done: coalescedKeys, deadLetter: { key: entry.key, failure: describeFailure(error) } };
  }

  /** Decides on a failed run, and reports the failure. */
  #outcomeOf({ lease, notFound }: Run, error: unknown): Outcome {
    const { entry, attempt, stalledCount } = lease;
    if (this.#inbox.stage === 'aborting' || this.#inbox.stage === 'closed') return released;
    const failures = attempt - stalledCount;
    const consequence = this.#policy.consequenceOf(error, { key: entry.key, failures, notFound });
    if (consequence.kind === 'drop') return this.#handled(lease);
    if (consequence.kind === 'dead') return this.#givenUp(lease, error);
    if (!consequence.isQuiet) this.#inbox.reporter.handlerFailed({ entry, error, attempt, dead: false });
    return { done: [], retryInMs: consequence.delayMs };
  }

  /** Stores the result of a run. A lease that the worker itself has replaced meanwhile does not count as lost. */
  async #settleRun(run: Run, outcome: Outcome): Promise<boolean> {
    const isKept = (): boolean => run.next === undefined && !run.controller.signal.aborted;
    for (;;) {
      const isSettled = await this.#settle(run.lease, outcome, isKept);
      if (isSettled !== false) return isSettled === true;
      await this.#claimed();
      if (!run.next) break;
      run.lease = run.next;
      run.next = undefined;
    }
    this.#inbox.reporter.failed('A notification took longer than its lease, so its result was ignored');
    return false;
  }

  /** Gives back leases whose handlers have not run: to be claimed by name later, or for another process now. */
  async giveBack(leases: readonly Lease[]): Promise<void> {
    const retryInMs = this.#inbox.stage === 'open' ? this.#inbox.options.leaseMs / 2 : 0;
    const outcome: Outcome = { done: [], retryInMs, released: true, unstarted: true };
    await Promise.all(leases.map((lease) => this.#settle(lease, outcome)));
  }

  /** Gives back the lease of a handler that still runs. Its result is ignored from now on. */
  async release(run: Run): Promise<void> {
    run.loseLease();
    await this.#settle(run.latestLease, released);
  }

  /**
   * Stores the result of a lease, and retries while the lease is kept: an unreachable store does not cause a second run.
   *
   * @returns whether the lease was still valid; `undefined` when the store stayed unreachable, or is closed.
   */
  async #settle({ groupId, token }: Lease, outcome: Outcome, isKept = () => false): Promise<boolean | undefined> {
    const { store, options, reporter } = this.#inbox;
    for (let attempt = 1; !this.#isStoreClosed(); attempt += 1) {
      try {
        return await store.settle({ groupId, token, deduplicationMs: options.deduplicationMs, ...outcome });
      } catch (error) {
        if (this.#isStoreClosed()) break;
        reporter.failed('The result of a notification was not stored', error);
        if (attempt >= 5 && (this.#inbox.stage !== 'open' || !isKept())) return undefined;
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, settleBackoff)));
      }
    }
    return undefined;
  }

  /** Then results are given up: the next process handles these notifications again. */
  #isStoreClosed(): boolean {
    return this.#inbox.stage === 'closed';
  }
}

function keysOf({ coalescedKeys, entry }: Lease): readonly string[] {
  return [...coalescedKeys, entry.key];
}
