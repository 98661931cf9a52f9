import type { Dispatcher } from '../handling/dispatcher.js';
import { describeFailure } from '../handling/errors.js';
import { hasStalledTooOften } from '../handling/failure-policy.js';
import type { FailurePolicy } from '../handling/failure-policy.js';
import type { RunContext } from '../handling/running-context.js';
import type { Inbox } from '../inbox.js';
import { caughtUpKey } from '../queued-notification.js';
import { released, settle } from './settle.js';
import type { Outcome } from './settle.js';
import type { Lease } from '../stores/store.js';

/** What the runs of a worker have in common. */
export interface RunParts {
  readonly inbox: Inbox;
  readonly dispatcher: Dispatcher;
  readonly policy: FailurePolicy;
  /** Waits for the claim that is under way, if there is one. */
  readonly claimed: () => Promise<void> | undefined;
}

/** What came of a lease. */
export interface RunResult {
  readonly keys: readonly string[];
  readonly handled: boolean;
}

class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** One lease: runs its handler, and stores the result. */
export class Run implements RunContext {
  /**
   * A later lease of the same group: the worker stood still for longer than the first one, or has stored its result already
   * and does not know it yet.
   */
  next: Lease | undefined;
  notFound: unknown;
  readonly controller = new AbortController();
  /** Resolves once the result is stored. Absent before the start. */
  result: Promise<RunResult> | undefined;
  readonly #parts: RunParts;
  #lease: Lease;
  /** Another process may run it now: its result is ignored. */
  #hasLostLease = false;

  constructor(lease: Lease, parts: RunParts) {
    this.#lease = lease;
    this.#parts = parts;
  }

  get lease(): Lease {
    return this.#lease;
  }

  get attempt(): number {
    return this.#lease.attempt;
  }

  get coalescedCount(): number {
    return this.#lease.coalescedKeys.length;
  }

  /** The lease that the store knows. */
  get latestLease(): Lease {
    return this.next ?? this.#lease;
  }

  /** Runs the handler, and stores what follows. Never rejects. */
  start(): Promise<RunResult> {
    return (this.result = this.#run());
  }

  async #run(): Promise<RunResult> {
    const lease = this.#lease;
    try {
      const outcome = await this.#handle();
      const isSettled = outcome !== undefined && (await this.#settleLatest(outcome));
      return { keys: keysOf(lease), handled: isSettled && outcome.done.includes(lease.entry.key) };
    } catch (error) {
      this.#parts.inbox.reporter.failed('The store gave out an entry that cannot be handled', error);
      return { keys: [], handled: false };
    }
  }

  /** Runs the handler. Resolves to `undefined` when the lease was lost. */
  async #handle(): Promise<Outcome | undefined> {
    const { inbox, dispatcher, policy } = this.#parts;
    const { entry, stalledCount, attempt } = this.#lease;
    const startedAt = performance.now();
    if (hasStalledTooOften(stalledCount, inbox.options.retry))
      return this.#givenUp(new Error(`The process ended each of the ${stalledCount} times that this was handled`));
    try {
      await dispatcher.handle(entry, this);
      policy.forget(entry.key);
      if (this.#hasLostLease) return undefined;
      inbox.reporter.handled({ entry, attempt, durationMs: performance.now() - startedAt });
      return this.#handled();
    } catch (error) {
      return this.#hasLostLease ? undefined : this.#failed(error);
    }
  }

  /** What `catchUp` found stands for all that was sent before; that a question was handled is kept for `catchUp`. */
  #handled(): Outcome {
    const { groupId, notification, caughtUp, sentAt } = this.#lease.entry;
    const keys = keysOf(this.#lease);
    if (caughtUp) return { done: keys, doneUntil: sentAt };
    const canCatchUp = this.#parts.inbox.options.clientFor !== undefined && notification.topic === 'questions';
    return { done: canCatchUp ? [...keys, caughtUpKey(groupId)] : keys };
  }

  /** Decides on a failure, and reports it. */
  #failed(error: unknown): Outcome {
    const { inbox, policy } = this.#parts;
    const { entry, attempt, stalledCount } = this.#lease;
    if (inbox.stage === 'aborting' || inbox.stage === 'closed') return released;
    const failed = { key: entry.key, failures: attempt - stalledCount, notFound: this.notFound };
    const consequence = policy.consequenceOf(error, failed);
    if (consequence.kind === 'drop') return this.#handled();
    if (consequence.kind === 'dead') return this.#givenUp(error);
    if (!consequence.isQuiet) inbox.reporter.handlerFailed({ entry, error, attempt, dead: false });
    return { done: [], retryInMs: consequence.delayMs };
  }

  #givenUp(error: unknown): Outcome {
    const { entry, attempt, coalescedKeys } = this.#lease;
    this.#parts.inbox.reporter.handlerFailed({ entry, error, attempt, dead: true });
    return { done: coalescedKeys, deadLetter: { key: entry.key, failure: describeFailure(error) } };
  }

  /** Stores the result. A lease that the worker itself has replaced meanwhile does not count as lost. */
  async #settleLatest(outcome: Outcome): Promise<boolean> {
    const { inbox, claimed } = this.#parts;
    const isKept = (): boolean => !this.next && !this.controller.signal.aborted;
    for (;;) {
      const isSettled = await settle(inbox, this.#lease, outcome, isKept);
      if (isSettled !== false) return isSettled === true;
      await claimed();
      if (!this.next) break;
      this.#lease = this.next;
      this.next = undefined;
    }
    inbox.reporter.failed('A notification took longer than its lease, so its result was ignored');
    return false;
  }

  /** Gives back the lease while the handler still runs. The result is ignored from now on. */
  async release(): Promise<void> {
    this.loseLease();
    await settle(this.#parts.inbox, this.latestLease, released);
  }

  /** Another process has taken over. */
  loseLease(): void {
    this.#hasLostLease = true;
    this.controller.abort(new LeaseLostError('Another process has taken over'));
  }
}

function keysOf({ coalescedKeys, entry }: Lease): readonly string[] {
  return [...coalescedKeys, entry.key];
}
