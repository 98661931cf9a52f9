import { ConfigurationError } from '../core/errors/errors.js';
import { optionIssues } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { Backlog } from './backlog.js';
import { CatchUpRounds } from './catch-up-rounds.js';
import { catchUp } from './catch-up.js';
import type { CatchUpOptions, CatchUpResult } from './catch-up.js';
import { DeadLetters } from '../work/dead-letters.js';
import { Deliveries } from './deliveries.js';
import { Attempts } from './handling/attempts.js';
import { UnrecoverableError, closingError } from './handling/errors.js';
import type { Outcome } from './handling/outcome.js';
import type { OwnTopics } from './handling/own-topic.js';
import { ReadConversations } from './handling/read-conversations.js';
import type { NotificationClient } from './handling/read-notification.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { inboxOf } from './inbox.js';
import type { Inbox } from './inbox.js';
import { isReadReceipt, parseNotification } from './notification.js';
import type { ReceiverOptions } from './options.js';
import { queuedNotification } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import { QueueRuns } from './queues/queue-runs.js';
import type { HandleOptions } from './queues/queue-runs.js';
import { resolveReceiverOptions } from './resolve-options.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import { statsOf } from './stores/store.js';
import type { DeadLetter, StoreStats, WaitingEntry } from './stores/store.js';
import { abortGraceMs, endsWithin } from '../work/ends-within.js';
import { WaitingEntries } from '../work/waiting-entries.js';
import { Worker } from './worker/worker.js';

const isDuration: Rule = (ms) => (typeof ms === 'number' && ms >= 0 ? undefined : 'must be a number of at least 0');

/**
 * Creates an inbox for notifications: it accepts and stores them, and calls a handler for each at least once.
 *
 * @example
 * const receiver = createReceiver({
 *   clientFor: (user_id) => clients[user_id],
 *   on: { questions: async (notification, { read }) => answer(await read()) },
 * });
 * http.createServer(nodeHandler(receiver)).listen(8080);
 * receiver.start();
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function createReceiver<
  Client extends NotificationClient = NotificationClient,
  Topics extends OwnTopics = OwnTopics,
>(options: ReceiverOptions<Client, Topics>): Receiver {
  return new Receiver(resolveReceiverOptions(options));
}

/** What a receiver's store holds, and what the receiver could not read. */
export interface ReceiverStats extends StoreStats {
  /**
   * How many JSON objects this process has acknowledged and dropped: they are not notifications, or of a topic without a handler
   * that the queue or the full store does not take; absent if none.
   */
  readonly unreadable?: number;
}

/** How a receiver closes. */
export interface CloseOptions {
  /**
   * How long running handlers may take to end, in milliseconds. After that their signals are aborted, and what they did not
   * finish within a second is handled again by the next process.
   *
   * @default 5000
   */
  readonly graceMs?: number | undefined;
}

/**
 * An inbox for notifications. Create one with `createReceiver`.
 *
 * @example
 * const receiver = createReceiver({
 *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
 *   on: {
 *     questions: async (_, { read }) => {
 *       console.log((await read()).text);
 *     },
 *   },
 * });
 * receiver.start();
 * const notification = { user_id: 7, topic: 'questions', resource: `/questions/${question_id}` };
 * // What `nodeHandler`, `fetchHandler` and `fastifyHandler` do with a request:
 * const { status } = await receiver.receive({ method: 'POST', header: () => null, body: async () => notification });
 * await receiver.idle(); // in tests: until everything has been handled
 * await receiver.close({ graceMs: 5000 });
 */
export class Receiver {
  /** The notifications that were given up: list, replay or remove them. */
  readonly deadLetters: DeadLetters<DeadLetter>;
  /** The notifications that are not handled yet: list, retry now or remove them. */
  readonly waiting: WaitingEntries<WaitingEntry>;
  readonly #inbox: Inbox;
  readonly #attempts: Attempts;
  readonly #worker: Worker;
  readonly #queueRuns: QueueRuns;
  readonly #deliveries: Deliveries;
  readonly #backlog: Backlog;
  readonly #rounds: CatchUpRounds;
  readonly #conversations = new ReadConversations();
  #closed: Promise<void> | undefined;

  constructor(options: ResolvedReceiverOptions) {
    this.#inbox = inboxOf(options);
    this.#attempts = new Attempts(this.#inbox);
    this.#worker = new Worker(this.#inbox, this.#attempts);
    this.#queueRuns = new QueueRuns(this.#inbox, this.#attempts);
    this.#deliveries = new Deliveries(this.#inbox, this.#worker);
    this.#backlog = new Backlog(this.#inbox, () => this.#worker.isStarted);
    this.#rounds = new CatchUpRounds(this.#inbox, () => this.catchUp());
    const wake = (): void => this.#worker.wake();
    this.deadLetters = new DeadLetters(this.#inbox.stored, wake);
    this.waiting = new WaitingEntries(this.#inbox.stored, wake);
  }

  /**
   * Starts to handle what the store has from an earlier process, and looks for what the `sellers` missed. Call it
   * once your application is ready. The first delivery starts the handling too.
   */
  start(): void {
    if (this.#inbox.stage !== 'open') return;
    const { sellers, queue } = this.#inbox.options;
    if (!queue) {
      this.#worker.start();
      void this.#backlog.reportTopics();
    }
    if (sellers) this.#rounds.start();
  }

  /** Responds to one delivery: what an adapter calls. Never throws. */
  receive(request: IncomingRequest): Promise<OutgoingResponse> {
    return this.#deliveries.receive(request);
  }

  /**
   * Adds a notification that was not delivered, such as one from a list of missed ones: its text, or the object. Resolves once
   * it is stored. A notification that waits, or was handled within `deduplicationMs`, is not handled again. That
   * a message was read is no work, and is not stored.
   *
   * @example
   * await receiver.add({ user_id: 7, topic: 'questions', resource: `/questions/${question_id}` });
   * @throws {NotificationError} when it is not a notification.
   * @throws {StoreFullError} when the store is full.
   */
  async add(notification: string | object): Promise<void> {
    const parsed = parseNotification(notification);
    if (!isReadReceipt(parsed)) await this.#addNew(await queuedNotification(parsed, Date.now()));
  }

  /**
   * Looks for the unanswered questions of sellers and for the unread messages of the last 7 days that nobody has answered, and
   * handles those that neither wait nor were handled: their notifications may never have come. Marks nothing as read. A dead
   * letter stays with a person: for 14 days its question or message is not added again, unless the service did not show it, or
   * rejected the token. `start()` calls it for the `sellers`, and again every 15 minutes (`catchUpEveryMs`), in one of the
   * processes on a store.
   *
   * A conversation is read again when its count of unread messages has changed, and else after 1 hour, 2, 4, up to 8.
   *
   * A seller for whom something fails does not end it: see `failed`. A notification that comes after a handler began to read
   * its question is handled too, because it may be about a change.
   *
   * @example
   * const { found, added, failed } = await receiver.catchUp({ user_ids: [7] });
   * @throws {ConfigurationError} when an option is unknown or wrong, or without `clientFor`.
   */
  async catchUp(options: CatchUpOptions = {}): Promise<CatchUpResult> {
    return catchUp(this.#inbox, options, this.#conversations, async (entry) => this.#addCaughtUp(entry));
  }

  /** A queue does not know what was handled or given up, and a store not for long enough. */
  async #addCaughtUp(entry: QueuedNotification): Promise<boolean> {
    if ((await this.#inbox.ledger?.get(entry.key)) !== undefined) return false;
    return (await this.#addNew(entry)) === 'added';
  }

  async #addNew(entry: QueuedNotification): Promise<unknown> {
    if (this.#inbox.stage !== 'open') throw closingError();
    const { queue } = this.#inbox.options;
    return queue ? queue.add(entry).then(() => 'added') : this.#worker.add(entry);
  }

  /**
   * Counts the notifications: those that wait, run, and were given up, the age of the oldest, and the last arrival by topic.
   *
   * @example
   * const { waiting, running, dead, oldestAgeMs, topics } = await receiver.stats();
   * console.log(waiting, running, dead, oldestAgeMs, topics.questions?.lastArrivalAt);
   * @throws {ConfigurationError} with a `queue` without `inbox`, which counts its jobs itself.
   */
  async stats(): Promise<ReceiverStats> {
    const { options, stored } = this.#inbox;
    if (options.queue && !options.queue.inbox)
      throw new ConfigurationError('stats() needs a store or bullmqQueue; other queues count their jobs themselves');
    const { unreadable } = this.#deliveries;
    return { ...(await statsOf(stored)), ...(unreadable > 0 && { unreadable }) };
  }

  /**
   * Handles an entry that a queue has stored: what the queue's worker calls. How often and when it is retried is left to the
   * queue; `run` is for a queue that can delay a job.
   *
   * @throws whatever the handler throws, so that the queue retries; an `UnrecoverableError` when it should not; an `Error`
   * when the handler did not run: once `close()` was called, without a handler for the topic, or for an entry of a newer version.
   * @example
   * // Where `queue` stores the entries that `createReceiver({ queue })` adds:
   * for (const entry of queue) await receiver.handle(entry, { attempt: 1 });
   */
  async handle(entry: QueuedNotification, options: HandleOptions = {}): Promise<void> {
    const outcome = await this.#queueRuns.run(entry, options, Infinity);
    if (outcome.kind === 'done' || outcome.kind === 'dropped') return;
    const { error } = outcome;
    if (outcome.kind !== 'dead' || error instanceof UnrecoverableError) throw error;
    throw new UnrecoverableError(outcome.failure, { cause: error });
  }

  /**
   * Handles an entry that a queue has stored, and returns what the queue has to do: nothing after `'done'` and `'dropped'`, the
   * next attempt in `inMs` after `'retry'`, the same attempt again in `inMs` after `'release'`, none after `'dead'`.
   *
   * @example
   * for (const entry of queue) {
   *   const outcome = await receiver.run(entry, { attempt: 1 });
   *   console.log(outcome.kind);
   * }
   */
  run(entry: QueuedNotification, options: HandleOptions = {}): Promise<Outcome> {
    return this.#queueRuns.run(entry, options);
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  idle(): Promise<void> {
    return this.#worker.idle();
  }

  /**
   * Closes the receiver: responds 503 from now on, waits for deliveries and handlers for up to `graceMs`, then aborts the
   * signals of the handlers, gives back what they have not finished within a second, and closes the store. A handler that
   * ignores its signal may overlap with the next one. It ends a few seconds after that, whatever the handlers and the store do.
   * A second call waits for the first and does not change its `graceMs`.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong. The receiver is not closed then.
   */
  close(options: CloseOptions = {}): Promise<void> {
    const [problem] = optionIssues(options, { graceMs: isDuration });
    if (problem) return Promise.reject(new ConfigurationError(`close: ${problem.message}`));
    this.#backlog.stop();
    return (this.#closed ??= this.#close(options.graceMs ?? 5_000));
  }

  async #close(graceMs: number): Promise<void> {
    const endsAt = performance.now() + graceMs;
    this.#inbox.stage = 'closing';
    this.#deliveries.close();
    await Promise.all([this.#worker.close(graceMs), this.#queueRuns.close(graceMs), this.#rounds.stop()]);
    this.#attempts.close();
    await this.#deliveries.ended();
    this.#inbox.stage = 'closed';
    await this.#closeStore(Math.max(endsAt - performance.now(), abortGraceMs));
  }

  async #closeStore(ms: number): Promise<void> {
    try {
      if (!(await endsWithin(ms, Promise.resolve(this.#inbox.store.close?.())))) throw new Error(`not within ${ms} ms`);
    } catch (error) {
      this.#inbox.reporter.failed('The store was not closed', error);
    }
  }
}
