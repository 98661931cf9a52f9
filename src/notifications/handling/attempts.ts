import type { WriteRecord } from '../../core/recover/write-hook.js';
import type { WriteRecords } from '../../work/write-records.js';
import type { Inbox } from '../inbox.js';
import { caughtUpKey } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import { FifoMap } from '../../work/fifo-map.js';
import { Dispatcher } from './dispatcher.js';
import { isOfToken, isUnknownOutcome } from '../../work/failures.js';
import { FailurePolicy, hasStalledTooOften, isNotConfirmed } from './failure-policy.js';
import { RunWrites } from '../../work/run-writes.js';
import { dead } from './outcome.js';
import type { LastFailure, Outcome } from './outcome.js';
import type { RunContext } from './running-context.js';
import { messageRememberedMs } from './unread.js';

/** One attempt to handle an entry, for a store or for a queue. */
export interface HandlingAttempt extends RunContext {
  readonly stalledCount: number;
  /** The error of the attempt before, if the store or queue keeps it. */
  readonly lastFailure?: LastFailure | undefined;
  /** The writes of earlier runs. */
  readonly writes?: readonly WriteRecord[] | undefined;
  /**
   * Keeps the writes of this run, until it has ended. Resolves to `false` when another run has the entry.
   *
   * @default undefined: a write whose response is lost is a dead letter
   */
  readonly note?: ((writes: readonly WriteRecord[]) => Promise<boolean>) | undefined;
  /** Which writes to keep with an entry that is not handled. Set when the run has ended. */
  kept?: readonly WriteRecord[] | undefined;
  /** Whether a person has it now: `catchUp` does not add it again. Set when the run has ended. */
  isGivenUp?: boolean;
  /** @default `retry.attempts`; infinite where the queue counts them itself */
  readonly maxAttempts?: number | undefined;
  /** Whether another process has the entry now: then nothing of this attempt is reported. */
  readonly isLost?: boolean;
}

/** What the ledger has of a message after a handler that wrote something, or may have. */
const answered = 'answered';
/** What it has of a question or message that was given up: which entry a person has. */
const givenUpAs = (key: string): string => `given up ${key}`;

/** How long `catchUp` leaves a question or message to the person who has its dead letter, in milliseconds. */
const givenUpMs = 14 * 86_400_000;

/** For this many writes it is remembered with which error the service has rejected them. */
const maxRejections = 1_000;

/** Runs handlers, and decides what follows. */
export class Attempts {
  readonly #inbox: Inbox;
  readonly #dispatcher: Dispatcher;
  readonly #policy: FailurePolicy;
  /** By write: those of entries that are tried again. */
  readonly #rejections = new FifoMap<unknown>(maxRejections);

  constructor(inbox: Inbox) {
    this.#inbox = inbox;
    this.#dispatcher = new Dispatcher(inbox);
    this.#policy = new FailurePolicy(inbox.options.retry);
  }

  /** Runs the handler, reports what came of it, and returns what follows. Never rejects. */
  async run(entry: QueuedNotification, attempt: HandlingAttempt): Promise<Outcome> {
    const startedAt = performance.now();
    const outcome = await this.#outcomeOf(entry, attempt);
    attempt.isGivenUp = outcome.kind === 'dead' && attempt.confirmed !== false && !isOfToken(outcome.error);
    if (attempt.isGivenUp && !attempt.isLost) await this.#remember(entry, givenUpAs(entry.key), givenUpMs);
    if (!attempt.isLost) this.#report(entry, attempt.attempt, outcome, performance.now() - startedAt);
    return outcome;
  }

  async #outcomeOf(entry: QueuedNotification, attempt: HandlingAttempt): Promise<Outcome> {
    const { stalledCount, lastFailure, maxAttempts = this.#inbox.options.retry.attempts } = attempt;
    if (hasStalledTooOften(stalledCount, this.#inbox.options.retry)) {
      const error = new Error(`The process ended each of the ${stalledCount} times that this was handled`);
      return dead(error, attempt.writes);
    }
    const writes = this.#writesOf(attempt);
    const run = { ...attempt, records: writes?.records };
    const failed = (error: unknown): Outcome => {
      const { key, arrivedAt } = entry;
      const failures = attempt.attempt - stalledCount;
      const { notFound, records } = run;
      const isQueued = this.#inbox.options.queue !== undefined;
      const failedRun = { key, failures, maxAttempts, arrivedAt, lastFailure, notFound, records, isQueued };
      const outcome = this.#policy.outcomeOf(error, failedRun);
      if (outcome.kind === 'dead') records?.forgetRejections();
      return outcome;
    };
    try {
      if (await this.#isSettled(entry)) return { kind: 'dropped', isUnknownSeller: false };
      await this.#dispatcher.handle(entry, run);
      // A handler may have caught the error of a write that an earlier run has sent.
      if (writes?.records.stoppedBy) return failed(writes.records.stoppedBy);
      this.#policy.forget(entry.key);
      writes?.records.forgetRejections();
      await this.#rememberDone(entry, writes?.records);
      return { kind: 'done' };
    } catch (error) {
      const isLost = !run.records && isUnknownOutcome(error);
      if (this.#isAborting() && !isLost) return { kind: 'release', inMs: 0, error };
      return run.isOwnMessage ? { kind: 'dropped', isUnknownSeller: false } : failed(error);
    } finally {
      attempt.readAt = run.readAt ?? 0;
      attempt.confirmed = run.confirmed;
      attempt.kept = await writes?.end();
    }
  }

  /** What keeps the writes of a run; `undefined` where nothing can keep them. */
  #writesOf({ writes = [], note, controller }: HandlingAttempt): RunWrites | undefined {
    if (!note) return undefined;
    const { ledger, reporter } = this.#inbox;
    const failed = (message: string, error: unknown): void => reporter.failed(message, error);
    return new RunWrites({ writes, note, ledger, failed, signal: controller.signal, rejections: this.#rejections });
  }

  /**
   * A message that a handler has answered is not answered again, whatever else the service has to say about it; nor is one that a
   * person has as another entry.
   */
  async #isSettled({ key, groupId, notification }: QueuedNotification): Promise<boolean> {
    const { ledger, options } = this.#inbox;
    if (!ledger || !options.clientFor || notification.topic !== 'messages') return false;
    const known = await ledger.get(caughtUpKey(groupId));
    return known === answered || (known?.startsWith(givenUpAs('')) === true && known !== givenUpAs(key));
  }

  /** Remembers for `catchUp` what a store does not remember, or not for long enough. */
  async #rememberDone(entry: QueuedNotification, records: WriteRecords | undefined): Promise<void> {
    const { options } = this.#inbox;
    const isMessage = entry.notification.topic === 'messages';
    // A handler may have caught the error of a write, and read it back by itself.
    const value = records?.writes.some(({ state }) => state !== 'rejected') ? answered : 'handled';
    const ms = isMessage ? messageRememberedMs : options.deduplicationMs;
    if (options.queue || isMessage) await this.#remember(entry, value, ms);
  }

  async #remember({ groupId, notification }: QueuedNotification, value: string, ms: number): Promise<void> {
    const { ledger, options, reporter } = this.#inbox;
    if (!ledger || !options.clientFor || !notification.known) return;
    try {
      const key = caughtUpKey(groupId);
      const known = await ledger.get(key);
      if (known !== answered) await ledger.replace(key, known, value, ms);
    } catch (error) {
      reporter.failed('It was not kept how a notification ended', error);
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
    if (outcome.kind === 'retry' && !isNotConfirmed(outcome.error))
      reporter.handlerFailed({ entry, error: outcome.error, attempt, dead: false });
    if (outcome.kind === 'release' && !this.#isAborting()) reporter.warnedOnce((outcome.error as Error).message);
  }

  /** Called after the signals of the handlers were aborted: their time limit has no use any more. */
  close(): void {
    this.#dispatcher.close();
  }
}
