import type { WriteRecords } from '../../work/write-records.js';
import { isLastingError, isOfToken } from '../../work/failures.js';
import { describeFailure } from '../../work/log.js';
import { moderationPauseMs, overdue } from '../../work/moderation-pause.js';
import { givenUp, verdictOf } from '../../work/policy.js';
import { RunWrites } from '../../work/run-writes.js';
import type { Lease, Verdict } from '../../work/store.js';
import type { Run, Task } from '../../work/task.js';
import { entryOf } from '../entry.js';
import type { InboxEntry } from '../entry.js';
import { unhandledMs } from '../unhandled.js';
import { DropNotificationError, ForeignClientError, MessageRejectedError, NotHandledHereError, UnknownSellerError, UnrecoverableError, isOf } from './errors.js'; // prettier-ignore
import { doneFact, givenUpFact, handledMs, isSettled } from './facts.js';
import type { Handling } from './handling.js';
import { isNotFound } from './read-notification.js';
import { decisionOf, readDecision } from './replies.js';
import type { RepliesDecision } from './replies.js';
import type { RunContext } from './running-context.js';

/** The most dead letters of a seller and topic; beyond it, the oldest is deleted. */
const mostDead = 1_000;
/** When an unread list that could not be read is asked again, in milliseconds. */
const unreadAgainMs = 60_000;
/** How long it can be seen that moderation rejected a message of a handler, in milliseconds. */
const rejectedMs = 14 * 86_400_000;
/**
 * When an entry is offered again that this process cannot handle: after as long as it has waited, and within these limits, in
 * milliseconds. Many of a topic that nobody handles must not take the turns of others.
 */
const [soonestMs, latestMs] = [10_000, 300_000];

/** What a worker does with a notification: calls its handler, and decides and tells what follows. */
export class NotificationTask implements Task {
  readonly #entry: InboxEntry;
  readonly #lease: Lease;
  readonly #run: Run;
  readonly #handling: Handling;
  readonly #startedAt = performance.now();
  #records: WriteRecords | undefined;
  #handlerRun: RunContext | undefined;
  #readAgain: { readonly inMs: number | undefined } | undefined;
  /** Nobody is told what has become of it: there was nothing to do. */
  #isSilent = false;

  constructor(lease: Lease, run: Run, handling: Handling) {
    this.#entry = entryOf(lease);
    this.#lease = lease;
    this.#run = run;
    this.#handling = handling;
  }

  get #attempt(): number {
    return this.#lease.failures + this.#lease.stalls + 1;
  }

  async run(): Promise<Verdict> {
    const { notes, signal } = this.#run;
    const { clients } = this.#handling;
    const { notification } = this.#entry;
    // The handler has ended, and moderation had not decided about its messages.
    if (notes.followedSince !== undefined)
      return this.#afterHandler(await readDecision(notes.writes, (await clients.of(notification)) ?? {}, signal));
    if (isSettled(this.#entry, this.#lease.fact)) return this.#drop(handledMs);
    if (notification.pack_id !== undefined) {
      await this.#handling.addMessagesOf(notification);
      return this.#drop(handledMs);
    }
    return notes.missingAt === undefined ? this.#handle() : this.#lookForMessage(notes.missingAt);
  }

  async #handle(): Promise<Verdict> {
    try {
      await this.#callHandler();
    } catch (error) {
      if (!this.#isMissing(error) || this.#readAgainInMs() !== undefined) throw error;
      const isLookedFor = this.#run.notes.shownIn !== undefined;
      if (isLookedFor || this.#entry.notification.message_id === undefined) throw error;
      return this.#lookForMessage(Date.now());
    }
    return this.#afterHandler(decisionOf(this.#run.notes.writes));
  }

  /** Before a message is dropped: the conversations of the unread list may show it although its own path does not. */
  async #lookForMessage(missingAt: number): Promise<Verdict> {
    const { clients, known } = this.#handling;
    const { user_id, message_id = '' } = this.#entry.notification;
    this.#run.notes = { ...this.#run.notes, missingAt };
    const client = await clients.of(this.#entry.notification);
    if (!client?.messages) return this.#dropNotShown();
    try {
      const shown = await known.shown.find(client, user_id, message_id, missingAt);
      if ('againInMs' in shown) return { state: 'open', inMs: shown.againInMs, failed: false };
      if (shown.shownIn === undefined) return this.#dropNotShown();
      this.#run.notes = { ...this.#run.notes, missingAt: undefined, shownIn: shown.shownIn };
    } catch (error) {
      const isOver = this.#lease.failures >= this.#handling.context.options.retry.maxRetries;
      if (isOver || isLastingError(error) || isNotFound(error)) return this.#dropNotShown();
      return { state: 'open', inMs: unreadAgainMs, failed: true, failure: describeFailure(error) };
    }
    return this.#handle();
  }

  async #callHandler(): Promise<void> {
    const { dispatcher, context, known } = this.#handling;
    const { reporter, store } = context;
    const run = this.#run;
    const kept = new RunWrites({
      writes: run.notes.writes ?? [],
      note: (writes) => run.note({ ...run.notes, writes }),
      ledger: store.ledger,
      failed: (message, error) => reporter.failed(message, error),
      signal: run.signal,
      rejections: known.rejections,
    });
    const { records } = kept;
    this.#records = records;
    const { signal } = run;
    const isMissing = run.notes.shownIn !== undefined;
    const { shownIn = this.#entry.shownIn } = run.notes;
    const abort = (reason: Error): void => run.abort(reason);
    this.#handlerRun = { attempt: this.#attempt, signal, abort, records, shownIn, isMissing };
    try {
      await dispatcher.handle(this.#entry, this.#handlerRun);
      // A handler may have caught the error of a write that an earlier run has sent.
      if (records.stoppedBy) throw records.stoppedBy;
      records.forgetRejections();
    } finally {
      if (this.#handlerRun.wasFound) known.missing.wasFound(this.#entry.notification.user_id);
      const writes = await kept.end();
      if (writes.length > 0) run.notes = { ...run.notes, writes };
    }
  }

  /** What follows from what moderation has decided about the messages of the handler. */
  #afterHandler(decision: RepliesDecision): Verdict {
    const { notes } = this.#run;
    if (decision.state === 'pending' && this.#handling.followsModeration) {
      const { followedSince = Date.now() } = notes;
      const inMs = moderationPauseMs(followedSince);
      this.#run.notes = { ...notes, followedSince };
      if (inMs !== undefined) return { state: 'open', inMs, failed: false };
      // If a person has it handled again, its messages are followed as long again.
      return { ...givenUp(new Error(overdue), { ...notes, followedSince: undefined }), mostDead };
    }
    const fact = this.#doneFact();
    if (decision.state === 'rejected')
      return { state: 'rejected', inMs: rejectedMs, failed: false, failure: decision.reason, keepsData: true, fact };
    // What it came to is known by its resource.
    return { state: 'done', inMs: this.#entry.caughtUp ? 0 : handledMs, failed: false, fact };
  }

  #doneFact(): Verdict['fact'] {
    if (!this.#hasFacts) return undefined;
    // A handler may have caught the error of a write, and read it back by itself.
    const hasWritten = this.#run.notes.writes?.some(({ state }) => state !== 'rejected') === true;
    return doneFact(this.#entry, { hasWritten, readAt: this.#handlerRun?.readAt ?? 0 });
  }

  get #hasFacts(): boolean {
    return this.#handling.context.options.clientFor !== undefined && this.#entry.notification.known;
  }

  failed(error: unknown): Verdict {
    const verdict = this.#special(error) ?? this.#general(error);
    if (verdict.state !== 'dead') return verdict;
    this.#records?.forgetRejections();
    // The next token may be right, and the next client too: then `catchUp` finds it.
    const isGivenUp = this.#hasFacts && !isOfToken(error) && !isOf(error, ForeignClientError);
    return { ...verdict, mostDead, ...(isGivenUp && { fact: givenUpFact(this.#entry) }) };
  }

  /** What follows from an error of the inbox itself. */
  #special(error: unknown): Verdict | undefined {
    // The user may become a seller of ours: nothing is remembered.
    if (isOf(error, UnknownSellerError)) return this.#drop(0, 'clientFor returned no client, so its user is not ours');
    // Whatever the handler throws about a message of the seller, nothing has to be done.
    if (isOf(error, DropNotificationError) || this.#handlerRun?.isOwnMessage) return this.#drop(handledMs);
    if (isOf(error, NotHandledHereError)) return this.#later();
    if (isOf(error, UnrecoverableError)) return givenUp(error, this.#run.notes);
    return this.#isMissing(error) ? this.#missing(error) : undefined;
  }

  #isMissing(error: unknown): boolean {
    const { notification } = this.#entry;
    // A conversation that the service does not show is one of others: it is forbidden.
    if (notification.pack_id !== undefined) return isLastingError(error) && !isOfToken(error);
    // What may have been carried out is read back.
    if (this.#run.notes.writes?.some(({ state }) => state === 'sent')) return false;
    const { notFound, wasFound, shownIn } = this.#handlerRun ?? {};
    // What a conversation has shown exists.
    return error !== undefined && error === notFound && !(wasFound && shownIn !== undefined);
  }

  /** When what is missing is read again, in milliseconds; `undefined` when it is not. */
  #readAgainInMs(): number | undefined {
    if (this.#readAgain) return this.#readAgain.inMs;
    const { known, context } = this.#handling;
    const { notification, arrivedAt } = this.#entry;
    const { failures } = this.#lease;
    if (failures === 0) known.missing.wasMissing(notification.user_id);
    const inMs = known.missing.againInMs(notification.user_id, arrivedAt);
    this.#readAgain = { inMs: failures < context.options.retry.maxRetries ? inMs : undefined };
    return this.#readAgain.inMs;
  }

  #general(error: unknown): Verdict {
    const { retry, leaseMs } = this.#handling.context.options;
    const isLasting = (each: unknown): boolean => isLastingError(each) || this.#records?.wasRejected(each) === true;
    return verdictOf(error, { failures: this.#lease.failures, notes: this.#run.notes, retry, leaseMs, isLasting });
  }

  /** @param reason What to say of it; none: there was nothing to do. */
  #drop(inMs: number, reason?: string): Verdict {
    this.#isSilent = true;
    if (reason !== undefined) this.#handling.context.reporter.dropped(reason);
    return { state: 'done', inMs, failed: false };
  }

  /** Another process may have a handler. */
  #later(): Verdict {
    const ageMs = Date.now() - this.#entry.arrivedAt;
    if (ageMs > unhandledMs) return this.#drop(0, 'no process has a handler for its topic');
    return { state: 'open', inMs: Math.min(Math.max(ageMs, soonestMs), latestMs), failed: false };
  }

  #dropNotShown(): Verdict {
    const { context } = this.#handling;
    context.reporter.notShown(this.#entry.notification.user_id);
    return this.#drop(0);
  }

  /** The service did not show the resource: `catchUp` finds the true ones. */
  #missing(error: unknown): Verdict {
    const inMs = this.#readAgainInMs();
    const { notes } = this.#run;
    if (inMs !== undefined) return { state: 'open', inMs, failed: true, failure: describeFailure(error), notes };
    return this.#entry.notification.known ? this.#dropNotShown() : givenUp(error, notes);
  }

  isObserved({ state, failed }: Verdict): boolean {
    const { onSuccess, onFailure } = this.#handling.context.options;
    if (this.#isSilent) return false;
    if (state === 'done') return onSuccess !== undefined;
    return (failed || state === 'rejected') && onFailure !== undefined;
  }

  async tell({ state, failed, failure = '' }: Verdict, error: unknown): Promise<void> {
    const { reporter } = this.#handling.context;
    const [entry, attempt] = [this.#entry, this.#attempt];
    if (this.#isSilent) return;
    if (state === 'done') {
      await reporter.handled({ entry, attempt, durationMs: performance.now() - this.#startedAt });
    } else if (state === 'rejected') {
      const rejection = { entry, error: new MessageRejectedError(failure), attempt, dead: false };
      await reporter.handlerFailed(rejection, 'it is handled, and a person has to look');
    } else if (failed) {
      const dead = state === 'dead';
      const consequence = dead ? 'it is a dead letter now' : 'it will be retried';
      await reporter.handlerFailed({ entry, error: error ?? new Error(failure), attempt, dead }, consequence);
    } else if (error instanceof Error) {
      reporter.warnedOnce(error.message);
    }
  }
}
