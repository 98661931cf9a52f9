import type { Inbox } from '../inbox.js';
import { caughtUpKey } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from '../stores/fifo-map.js';
import { Dispatcher } from './dispatcher.js';
import { FailurePolicy, hasStalledTooOften, isQuiet } from './failure-policy.js';
import type { LastFailure, Outcome } from './outcome.js';
import type { RunContext } from './running-context.js';
import { messageRememberedMs } from './unread.js';

/** One attempt to handle an entry, for a store or for a queue. */
export interface HandlingAttempt extends RunContext {
  readonly stalledCount: number;
  /** The error of the attempt before, if the store or queue keeps it. */
  readonly lastFailure?: LastFailure | undefined;
  /** @default `retry.attempts`; infinite where the queue counts them itself */
  readonly maxAttempts?: number | undefined;
  /** Whether another process has the entry now: then nothing of this attempt is reported. */
  readonly isLost?: boolean;
}

/** What is said once is remembered for so many topics and versions. */
const maxSaid = 1_000;

/** Runs handlers, and decides what follows. */
export class Attempts {
  readonly #inbox: Inbox;
  readonly #dispatcher: Dispatcher;
  readonly #policy: FailurePolicy;
  readonly #said = new FifoMap<true>(maxSaid);

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    this.#dispatcher = new Dispatcher(inbox);
    this.#policy = new FailurePolicy(inbox.options.retry);
  }

  /** Runs the handler, reports what came of it, and returns what follows. Never rejects. */
  async run(entry: QueuedNotification, attempt: HandlingAttempt): Promise<Outcome> {
    const startedAt = performance.now();
    const outcome = await this.#outcomeOf(entry, attempt);
    if (!attempt.isLost) this.#report(entry, attempt.attempt, outcome, performance.now() - startedAt);
    return outcome;
  }

  async #outcomeOf(entry: QueuedNotification, attempt: HandlingAttempt): Promise<Outcome> {
    const { stalledCount, lastFailure, maxAttempts = this.#inbox.options.retry.attempts } = attempt;
    if (hasStalledTooOften(stalledCount, this.#inbox.options.retry)) {
      const error = new Error(`The process ended each of the ${stalledCount} times that this was handled`);
      return { kind: 'dead', error };
    }
    try {
      await this.#dispatcher.handle(entry, attempt);
      this.#policy.forget(entry.key);
      await this.#remember(entry);
      return { kind: 'done' };
    } catch (error) {
      if (this.#isAborting()) return { kind: 'release', inMs: 0, error };
      if (attempt.isOwnMessage) return { kind: 'dropped', isUnknownSeller: false };
      const { key, arrivedAt } = entry;
      const failures = attempt.attempt - stalledCount;
      return this.#policy.outcomeOf(error, {
        key,
        failures,
        maxAttempts,
        arrivedAt,
        lastFailure,
        notFound: attempt.notFound,
      });
    }
  }

  /** Remembers for `catchUp` what a store does not remember, or not for long enough. */
  async #remember({ groupId, notification }: QueuedNotification): Promise<void> {
    const { ledger, options } = this.#inbox;
    if (!ledger || !options.clientFor || !notification.known) return;
    const isMessage = notification.topic === 'messages';
    const ms = isMessage ? messageRememberedMs : options.deduplicationMs;
    try {
      if (options.queue || isMessage) await ledger.replace(caughtUpKey(groupId), undefined, 'handled', ms);
    } catch (error) {
      this.#inbox.reporter.failed('It was not kept that a notification was handled', error);
    }
  }

  /** What fails after `close()` has aborted it is the fault of the deploy. */
  #isAborting(): boolean {
    return this.#inbox.stage === 'aborting' || this.#inbox.stage === 'closed';
  }

  #report(entry: QueuedNotification, attempt: number, outcome: Outcome, durationMs: number): void {
    const { reporter } = this.#inbox;
    if (outcome.kind === 'done') reporter.handled({ entry, attempt, durationMs });
    if (outcome.kind === 'dead') reporter.handlerFailed({ entry, error: outcome.error, attempt, dead: true });
    if (outcome.kind === 'retry' && !isQuiet(outcome.error))
      reporter.handlerFailed({ entry, error: outcome.error, attempt, dead: false });
    if (outcome.kind === 'release' && !this.#isAborting()) this.#say(outcome.error);
  }

  /** Says once why entries are not handled here. */
  #say(error: unknown): void {
    const reason = (error as Error).message;
    if (this.#said.has(reason)) return;
    this.#said.set(reason, true);
    this.#inbox.reporter.warned(reason);
  }

  /** Called after the signals of the handlers were aborted: their time limit has no use any more. */
  close(): void {
    this.#dispatcher.close();
  }
}
