import { ClosedError } from '../core/errors/errors.js';
import { checkConfiguration, notNegative } from '../core/options/rules.js';
import { StoredLists } from '../work/lists.js';
import { memoryStore } from '../work/memory.js';
import { ServiceOfStore } from '../work/service.js';
import type { InnerEngine, InnerStore, TaskOf, Works } from '../work/store.js';
import { leaveStoreInTime, openStore, useStore, usersOf, worksOn } from '../work/worker.js';
import { catchUp, CatchUpRounds, type CatchUpOptions, type CatchUpResult } from './catch-up.js';
import { addEntry, inboxContext, UnhandledEntries, type InboxContext } from './context.js';
import { accepted, Door, isHandled, notAccepted } from './door.js';
import { waitForHandler } from './handling/dispatcher.js';
import { Handling, NotificationTask } from './handling/notification-task.js';
import type { NotificationClient, OwnTopic } from './handling/read-notification.js';
import { ReadConversations } from './handling/unread.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { MissedNotifications } from './missed.js';
import { isReadReceipt, newEntry, parseNotification, workOf, type InboxEntry } from './notification.js';
import { countNotifications, shownNotifications, type InboxStats } from './open-inbox.js';
import { resolveInboxOptions, sellerIdsOf, type InboxOptions } from './options.js';

/**
 * Creates an inbox for notifications: it accepts and stores them, and calls a handler for each at least once.
 *
 * @example
 * const inbox = createInbox({
 *   clientFor: (user_id) => clients[user_id],
 *   on: { questions: async (notification, { read }) => answer(await read()) },
 * });
 * http.createServer(nodeHandler(inbox)).listen(8080);
 * inbox.start();
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function createInbox<
  Client extends NotificationClient = NotificationClient,
  Topics extends Readonly<Record<string, OwnTopic>> = Readonly<Record<string, OwnTopic>>,
>(options: InboxOptions<Client, Topics>): Inbox {
  const resolved = resolveInboxOptions(options);
  const store = (resolved.store as InnerStore | InnerEngine | undefined) ?? memoryStore();
  return new Inbox({ ...inboxContext(resolved, store), service: new ServiceOfStore(store, resolved.clientFor) });
}

/** How an inbox closes. */
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
 * An inbox for notifications. Create one with `createInbox`.
 *
 * @example
 * const inbox = createInbox({
 *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
 *   on: {
 *     questions: async (_, { read }) => {
 *       console.log((await read()).text);
 *     },
 *   },
 * });
 * inbox.start();
 * const notification = { user_id: 7, topic: 'questions', resource: `/questions/${question_id}` };
 * // What `nodeHandler`, `fetchHandler` and `fastifyHandler` do with a request:
 * const { status } = await inbox.receive({ method: 'POST', header: () => null, body: async () => notification });
 * await inbox.idle(); // in tests: until nothing is due
 * await inbox.close({ graceMs: 5000 });
 */
export class Inbox extends StoredLists<InboxEntry> {
  readonly #context: InboxContext;
  readonly #handling: Handling;
  readonly #works: Works;
  readonly #door: Door;
  readonly #rounds: CatchUpRounds;
  readonly #unhandled: UnhandledEntries;
  readonly #conversations = new ReadConversations();
  readonly #missed: MissedNotifications;
  #closed: Promise<void> | undefined;

  /** @internal */
  constructor(context: InboxContext) {
    const { store, options, kinds, reporter } = context;
    super(shownNotifications(store, () => this.#works.wake()));
    this.#context = context;
    const { concurrency, leaseMs } = options;
    useStore(store);
    this.#missed = new MissedNotifications(context);
    this.#handling = new Handling(context);
    const taskOf: TaskOf = (lease, run) => new NotificationTask(lease, run, this.#handling);
    this.#works = worksOn(store, { name: 'inbox', kinds, taskOf, concurrency, leaseMs, log: reporter.log });
    this.#door = new Door(context, (entry, request) => this.#store(entry, request));
    this.#rounds = new CatchUpRounds(context, () => this.catchUp());
    this.#unhandled = new UnhandledEntries(context);
    // Nothing more is handled, and deliveries get a 503.
    if (context.service) context.service.onOther = () => void this.#works.close(0);
  }

  /**
   * Starts to handle what the store has from an earlier process, and looks for what the `sellers` missed. Call it
   * once your application is ready: it keeps the process alive until `close`. The first delivery starts the handling too.
   *
   * Resolves once the store is open. Nobody needs to await it: if it rejects, Node.js ends the process with the error. A database that
   * is away is waited for.
   *
   * With `movedFrom`, the base URL that the service had before, the store of a service that has moved is accepted, from now on also without it.
   *
   * @throws {ConfigurationError} when the store belongs to another program, another version of this package, or another service, or an option is wrong.
   */
  start(options: { readonly movedFrom?: string | undefined } = {}): PromiseLike<void> {
    this.#context.service?.accept(options);
    return this.#start();
  }

  async #start(): Promise<void> {
    const { store, service, options } = this.#context;
    if (this.#context.isOpen && store.open) await openStore(store);
    if (this.#context.isOpen && (store.durable || usersOf(store) > 1))
      await service?.start(() => sellerIdsOf(options.sellers ?? []));
    if (!this.#context.isOpen) return;
    this.#works.start();
    this.#unhandled.start();
    const { sellers, clientFor } = options;
    if (sellers && clientFor) this.#rounds.start();
  }

  /** @internal The path at which it takes deliveries; `undefined` for any. */
  get path(): string | undefined {
    return this.#context.options.path;
  }

  /** Responds to one delivery: what an adapter calls. Never throws. */
  receive(request: IncomingRequest): Promise<OutgoingResponse> {
    return this.#door.receive(request);
  }

  /** Stores a notification that was delivered, and has it handled. */
  async #store(entry: InboxEntry, { waitUntil }: IncomingRequest): Promise<OutgoingResponse> {
    const { store, options, reporter } = this.#context;
    const { topic } = entry.notification;
    const hasHandler = isHandled(this.#context, entry.notification);
    // A deploy may have begun: another process on this store has a handler already, or will have one.
    const state = await this.#door.inTime(() => store.add(workOf(entry), options.maxWaiting));
    if (state === 'full') return this.#full(entry, hasHandler);
    if (!['added', 'known'].includes(state))
      throw new TypeError('The store did not confirm that it has the notification');
    if (state === 'added' && options.handle && !hasHandler)
      reporter.warnedOnce(`Notifications of the topic ${topic} ${waitForHandler}`);
    void this.#missed.note(entry.notification);
    this.#works.wake();
    waitUntil?.(this.#works.idle());
    return accepted;
  }

  /** What nobody here handles need not come again: it would cost the application the topic. */
  #full({ notification }: InboxEntry, hasHandler: boolean): OutgoingResponse {
    const { reporter, options } = this.#context;
    const { user_id, topic } = notification;
    if (hasHandler) {
      reporter.warnedOnce(
        `${options.maxWaiting} notifications of user ${user_id} (${topic}) wait: no more are accepted now`,
      );
      return notAccepted;
    }
    reporter.dropped('it has no handler here, and as many of its seller wait as may');
    return accepted;
  }

  /**
   * Adds a notification that was not delivered, such as one from a list of missed ones: its text, or the object. Resolves once
   * it is stored. A notification that waits, or was handled within 24 hours, is not handled again. That a message was read is no
   * work, and is not stored.
   *
   * @example
   * await inbox.add({ user_id: 7, topic: 'questions', resource: `/questions/${question_id}` });
   * @throws {NotificationError} when it is not a notification.
   * @throws {StoreFullError} when `maxWaiting` of its seller and topic wait.
   */
  async add(notification: string | object): Promise<void> {
    const parsed = parseNotification(notification);
    if (isReadReceipt(parsed)) return;
    await addEntry(this.#context, await newEntry(parsed, Date.now()));
    void this.#missed.note(parsed);
    this.#works.wake();
  }

  /**
   * Looks for the unanswered questions of sellers, for the unread messages of the last 7 days that nobody has answered, and for the
   * notifications of the last two days that the service lists as missed, of every topic with a handler. Those that neither wait
   * nor were handled are handled. Marks nothing as read. A dead
   * letter stays with a person: for 14 days its question or message is not added again, unless the token was rejected. `start()`
   * calls it for the `sellers`, and again every 15 minutes (`catchUpEveryMs`), in one of the processes on a store.
   *
   * A conversation is read again when its count of unread messages has changed, and else after 1 hour, 2, 4, up to 8.
   *
   * The list of missed notifications is that of the `application_id`. It is read with the token of one seller: some applications need
   * that of their owner, so each is tried until one may.
   *
   * A seller for whom something fails does not end it: see `failed`. A notification that comes after a handler began to read
   * its question is handled too, because it may be about a change.
   *
   * @example
   * const { found, added, failed } = await inbox.catchUp({ user_ids: [7] });
   * @throws {ConfigurationError} when an option is unknown or wrong, or without `clientFor`.
   * @throws {ClosedError} when the inbox is closed.
   */
  async catchUp(options: CatchUpOptions = {}): Promise<CatchUpResult> {
    if (!this.#context.isOpen) throw new ClosedError('Not looked for what was missed: the inbox is closed');
    const result = await catchUp(this.#context, options, this.#conversations, this.#missed);
    if (result.added > 0) this.#works.wake();
    return result;
  }

  /**
   * Counts the notifications: those that wait, run, were given up or dropped, and the age of the oldest that waits.
   *
   * @example
   * const { waiting, running, dead, oldestAgeMs, dropped } = await inbox.stats();
   */
  async stats(): Promise<InboxStats> {
    const { store, reporter } = this.#context;
    const stored = await countNotifications(store);
    const { unreadable, ...counts } = reporter.counts;
    return { ...stored, ...counts, unreadable: stored.unreadable + unreadable };
  }

  /**
   * Starts to handle, and resolves once nothing is due and no handler is running here: what waits for its next attempt is left. Keeps
   * the process alive meanwhile.
   */
  idle(): Promise<void> {
    return this.#works.idle();
  }

  /**
   * Closes the inbox: responds 503 from now on, waits for deliveries and handlers for up to `graceMs`, then aborts the
   * signals of the handlers, gives back what they have not finished within a second, and closes the store, unless an outbox has it. A
   * handler that ignores its signal may overlap with the next one. It ends a few seconds after that, whatever the handlers and the
   * store do. A second call waits for the first and does not change its `graceMs`.
   *
   * @throws {ConfigurationError} when an option is unknown or wrong. The inbox is not closed then.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    checkConfiguration('close', options, { graceMs: notNegative });
    await (this.#closed ??= this.#close(options.graceMs ?? 5_000));
  }

  async #close(graceMs: number): Promise<void> {
    const endsAt = performance.now() + graceMs;
    const { store, reporter } = this.#context;
    this.#context.isOpen = false;
    this.#door.close();
    this.#unhandled.stop();
    await Promise.all([this.#works.close(graceMs), this.#rounds.stop()]);
    this.#handling.dispatcher.close();
    await this.#door.ended();
    await leaveStoreInTime(store, endsAt, reporter.log);
  }
}
