import { exponentialDelay } from '../handling/backoff.js';
import type { Dispatcher } from '../handling/dispatcher.js';
import { closingError, describeFailure } from '../handling/errors.js';
import { FailurePolicy, hasStalledTooOften } from '../handling/failure-policy.js';
import type { Reporter } from '../handling/reporter.js';
import type { ResolvedReceiverOptions } from '../resolve-options.js';
import type { Run, RunResult } from './run.js';
import type { Lease, NotificationStore, Settlement } from '../stores/store.js';

/** What follows from a run: what is to be stored. */
export type Outcome = Pick<Settlement, 'done' | 'retryInMs' | 'released' | 'deadLetter'>;

const released: Outcome = { done: [], retryInMs: 0, released: true };
const settleBackoff = { baseMs: 200, capMs: 5_000 };

/** Runs the handlers of leases, and stores the results. */
export class Runner {
  readonly #store: NotificationStore;
  readonly #dispatcher: Dispatcher;
  readonly #options: ResolvedReceiverOptions;
  readonly #reporter: Reporter;
  readonly #policy: FailurePolicy;
  readonly #claimed: () => Promise<void> | undefined;
  #isClosing = false;
  #isAborting = false;
  #isStoreClosed = false;

  /** @param claimed Waits for the claim that is under way, if there is one. */
  constructor(
    store: NotificationStore,
    dispatcher: Dispatcher,
    options: ResolvedReceiverOptions,
    reporter: Reporter,
    claimed: () => Promise<void> | undefined,
  ) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#options = options;
    this.#reporter = reporter;
    this.#policy = new FailurePolicy(options.retry);
    this.#claimed = claimed;
  }

  /** Results that cannot be stored are given up sooner from now on. */
  close(): void {
    this.#isClosing = true;
  }

  /** Results are given up from now on: the next process handles these notifications again. */
  closeStore(): void {
    this.#isStoreClosed = true;
  }

  /** Aborts the signals of handlers. What fails from now on is released. */
  abort(runs: Iterable<Run>): void {
    this.#isAborting = true;
    for (const { controller } of runs) controller.abort(closingError());
  }

  /** Runs the handler of a lease. Resolves to `undefined` when the lease was lost. */
  async handle(run: Run): Promise<Outcome | undefined> {
    const { lease } = run;
    try {
      this.#assertNotStalledTooOften(lease);
      await this.#dispatcher.handle(lease.entry, run);
      this.#policy.forget(lease.entry.key);
      return { done: keysOf(lease) };
    } catch (error) {
      return run.hasLostLease ? undefined : this.#outcomeOf(lease, error);
    }
  }

  /** Stores what follows from a run. */
  async settle(run: Run, outcome: Outcome | undefined): Promise<RunResult> {
    const { lease } = run;
    const handled =
      outcome !== undefined && (await this.#settleRun(run, outcome)) && outcome.done.includes(lease.entry.key);
    return { keys: keysOf(lease), handled };
  }

  #assertNotStalledTooOften({ stalledCount }: Lease): void {
    if (hasStalledTooOften(stalledCount, this.#options.retry)) {
      throw new Error(`The process ended each of the ${stalledCount} times that this was handled`);
    }
  }

  /** Decides on a failed run, and reports the failure. */
  #outcomeOf(lease: Lease, error: unknown): Outcome {
    const { entry, attempt, coalescedKeys } = lease;
    if (this.#isAborting) return released;
    const hasStalled = hasStalledTooOften(lease.stalledCount, this.#options.retry);
    const consequence = hasStalled
      ? { kind: 'dead' as const }
      : this.#policy.consequenceOf(error, { ...lease, key: entry.key });
    if (consequence.kind === 'drop') return { done: keysOf(lease) };
    this.#reporter.handlerFailed({ entry, error, attempt, dead: consequence.kind === 'dead' });
    if (consequence.kind === 'retry') return { done: [], retryInMs: consequence.delayMs };
    return { done: coalescedKeys, deadLetter: { key: entry.key, failure: describeFailure(error) } };
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
    this.#reporter.failed('A notification took longer than its lease, so its result was ignored');
    return false;
  }

  /** Gives back leases whose handlers have not run. */
  async release(leases: readonly Lease[]): Promise<void> {
    await Promise.all(leases.map((lease) => this.#settle(lease, released)));
  }

  /**
   * Stores the result of a lease, and retries while the lease is kept: an unreachable store does not cause a second run.
   *
   * @returns whether the lease was still valid; `undefined` when the store stayed unreachable, or is closed.
   */
  async #settle({ groupId, token }: Lease, outcome: Outcome, isKept = () => false): Promise<boolean | undefined> {
    const { deduplicationMs } = this.#options;
    for (let attempt = 1; this.#canStore(); attempt += 1) {
      try {
        return await this.#store.settle({ groupId, token, deduplicationMs, ...outcome });
      } catch (error) {
        if (!this.#canStore()) break;
        this.#reporter.failed('The result of a notification was not stored', error);
        if (attempt >= 5 && (this.#isClosing || !isKept())) return undefined;
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, settleBackoff)));
      }
    }
    return undefined;
  }

  #canStore(): boolean {
    return !this.#isStoreClosed;
  }
}

function keysOf({ coalescedKeys, entry }: Lease): readonly string[] {
  return [...coalescedKeys, entry.key];
}
