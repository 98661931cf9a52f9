import { ConfigurationError, NotificationError } from '../core/errors/errors.js';
import { DeadLetters } from './dead-letters.js';
import { Dispatcher } from './handling/dispatcher.js';
import { BodyRejected, checkHeaders, decodeBody, respond } from './http/request.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { parseNotification } from './notification.js';
import type { Notification } from './notification.js';
import type { ReceiverOptions } from './options.js';
import { QueueRuns } from './queues/queue-runs.js';
import type { HandleOptions } from './queues/queue-runs.js';
import { queuedNotification } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import type { QuestionsClient } from './handling/read-notification.js';
import { Reporter } from './handling/reporter.js';
import { resolveReceiverOptions } from './resolve-options.js';
import type { ResolvedReceiverOptions } from './resolve-options.js';
import { memoryStore } from './stores/memory.js';
import { isEntryState } from './stores/store.js';
import type { NotificationStore } from './stores/store.js';
import { TimeLimit, abortGraceMs, endsWithin } from './timing/time-limit.js';
import { Waits, ended } from './timing/waits.js';
import { Worker } from './worker/worker.js';

const accepted = respond(200, 'Accepted');
const notAccepted = respond(503, 'Not accepted now; deliver it again', { 'retry-after': '30' });
const notHandled = respond(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

/**
 * Creates an inbox for notifications: it accepts and stores them, and calls a handler for each at least once.
 *
 * @example
 * const receiver = createReceiver({
 *   clientFor: (user_id) => clients[user_id],
 *   on: { questions: async (notification, { read }) => answer(await read()) },
 * });
 * http.createServer(nodeHandler(receiver)).listen(8080);
 * @throws {ConfigurationError} when an option is unknown or wrong.
 */
export function createReceiver<Client extends QuestionsClient = QuestionsClient>(
  options: ReceiverOptions<Client>,
): Receiver {
  return new Receiver(resolveReceiverOptions(options));
}

/** How a receiver closes. */
export interface CloseOptions {
  /**
   * How long running handlers may take to end, in milliseconds. After that their signals are aborted, and what they did not
   * finish is handled again by the next process.
   *
   * @default 10000
   */
  readonly graceMs?: number | undefined;
}

/**
 * An inbox for notifications. Create one with `createReceiver`.
 *
 * @example
 * const receiver = createReceiver({
 *   clientFor: () => seller,
 *   on: {
 *     questions: async (_, { read }) => {
 *       console.log((await read()).text);
 *     },
 *   },
 * });
 * const notification = { user_id: 7, topic: 'questions', resource: `/questions/${question_id}` };
 * // What `nodeHandler`, `fetchHandler` and `fastifyHandler` do with a request:
 * const { status } = await receiver.receive({ method: 'POST', header: () => null, body: async () => notification });
 * await receiver.idle(); // in tests: until everything has been handled
 * await receiver.close({ graceMs: 5000 });
 */
export class Receiver {
  /** The notifications that were given up: list, replay or remove them. */
  readonly deadLetters: DeadLetters;
  readonly #options: ResolvedReceiverOptions;
  readonly #store: NotificationStore;
  readonly #dispatcher: Dispatcher;
  readonly #reporter: Reporter;
  readonly #worker: Worker;
  readonly #queueRuns: QueueRuns;
  readonly #acceptLimit: TimeLimit;
  /** For bodies that are arriving. */
  readonly #arriving = new Waits();
  /** For handlers whose deliveries are acknowledged once they have succeeded. */
  readonly #handling = new Waits();
  #receiving = 0;
  #onReceived: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: ResolvedReceiverOptions) {
    this.#options = options;
    this.#store = options.store ?? memoryStore();
    this.#dispatcher = new Dispatcher(options);
    this.#reporter = new Reporter(options);
    this.#worker = new Worker(this.#store, this.#dispatcher, options, this.#reporter);
    this.#queueRuns = new QueueRuns(this.#dispatcher, options);
    this.#acceptLimit = new TimeLimit(options.acceptTimeoutMs);
    this.deadLetters = new DeadLetters(this.#store, () => this.#worker.wake());
    // Entries that an earlier process left are handled without waiting for a delivery.
    if (this.#store.durable) this.#worker.wake();
  }

  /** Responds to one delivery: what an adapter calls. Never throws. */
  async receive(request: IncomingRequest): Promise<OutgoingResponse> {
    this.#receiving += 1;
    try {
      return await this.#receive(request);
    } catch (error) {
      return this.#responseTo(error);
    } finally {
      if (--this.#receiving === 0) this.#onReceived?.();
    }
  }

  #responseTo(error: unknown): OutgoingResponse {
    if (error instanceof BodyRejected) return this.#reject(error.response, error.response.body);
    if (error instanceof NotificationError) return this.#reject(respond(400, 'Not a notification'), error.message);
    this.#reporter.failed('A notification was not accepted', error);
    return notAccepted;
  }

  #reject(response: OutgoingResponse, reason: string): OutgoingResponse {
    this.#reporter.rejected(`A delivery was rejected with ${response.status}: ${reason}`);
    return response;
  }

  async #receive(request: IncomingRequest): Promise<OutgoingResponse> {
    if (this.#isClosing()) return notAccepted;
    const rejection = checkHeaders(request, this.#options);
    if (rejection) return this.#reject(rejection, rejection.body);
    const body = await this.#arriving.until(request.body(this.#options));
    if (body === ended) return notAccepted;
    const notification = parseNotification(decodeBody(body, this.#options));
    if (!this.#dispatcher.hasHandlerFor(notification)) return accepted;
    const entry = await queuedNotification(notification, Date.now());
    if (!(await this.#isWanted(notification))) return accepted;
    return this.#isClosing() ? notAccepted : this.#accept(entry, request.waitUntil);
  }

  /** Anything but a boolean is a mistake in `accept`, such as a forgotten `return`: it must not drop what is wanted. */
  async #isWanted(notification: Notification): Promise<boolean> {
    const { accept } = this.#options;
    if (!accept) return true;
    const isWanted: unknown = await this.#inTime(async () => accept(notification));
    if (typeof isWanted !== 'boolean') throw new TypeError('accept() must return true or false');
    return isWanted;
  }

  #isClosing(): boolean {
    return this.#closed !== undefined;
  }

  async #accept(entry: QueuedNotification, waitUntil: IncomingRequest['waitUntil']): Promise<OutgoingResponse> {
    const { queue, acknowledge } = this.#options;
    if (queue) {
      await this.#inTime(() => queue.add(entry));
      return accepted;
    }
    const isWaitedFor = acknowledge === 'handled' || waitUntil !== undefined;
    const state = await this.#inTime(() => (isWaitedFor ? this.#store.add(entry) : this.#worker.add(entry)));
    if (!isEntryState(state)) throw new TypeError('The store did not confirm that it has the notification');
    if (acknowledge === 'handled') {
      const isHandled = state === 'processed' || (await this.#handling.until(this.#processNow(entry))) === true;
      return isHandled && !this.#isOnlyInMemory(entry) ? accepted : notHandled;
    }
    if (state !== 'processed') waitUntil?.(this.#processNow(entry).catch(() => false));
    return accepted;
  }

  #inTime<T>(run: () => Promise<T>): Promise<T> {
    const { acceptTimeoutMs } = this.#options;
    const message = `The store, queue or accept() did not respond within ${acceptTimeoutMs} ms`;
    return this.#acceptLimit.run(run, () => new Error(message));
  }

  #processNow(entry: QueuedNotification): Promise<boolean> {
    return this.#worker.processNow(entry, () => this.#isProcessed(entry));
  }

  async #isProcessed(entry: QueuedNotification): Promise<boolean> {
    return (await this.#store.add(entry)) === 'processed';
  }

  /** A dead letter that ends with this process is not acknowledged, so that the service keeps it. */
  #isOnlyInMemory({ key }: QueuedNotification): boolean {
    return !this.#store.durable && this.#store.hasDeadLetter?.(key) === true;
  }

  /**
   * Handles an entry that a queue has stored: what the queue's worker calls.
   *
   * @throws whatever the handler throws, so that the queue retries; an `UnrecoverableError` when it should not; an `Error`
   * once `close()` was called, and then the handler does not run.
   * @example
   * // Where `queue` stores the entries that `createReceiver({ queue })` adds:
   * for (const entry of queue) await receiver.handle(entry, { attempt: 1 });
   */
  handle(entry: QueuedNotification, options: HandleOptions = {}): Promise<void> {
    return this.#queueRuns.handle(entry, options);
  }

  /** Resolves once the store has no waiting entry and no handler is running here. Keeps the process alive meanwhile. */
  idle(): Promise<void> {
    return this.#worker.idle();
  }

  /**
   * Closes the receiver: responds 503 from now on, waits for deliveries and handlers for up to `graceMs`, then aborts the
   * signals of the handlers, and closes the store. It ends a few seconds after that, whatever the handlers and the store do.
   * A second call waits for the first and does not change its `graceMs`.
   *
   * @throws {ConfigurationError} when `graceMs` is not a number of at least 0. The receiver is not closed then.
   */
  close({ graceMs = 10_000 }: CloseOptions = {}): Promise<void> {
    if (!(typeof graceMs === 'number' && graceMs >= 0)) {
      return Promise.reject(new ConfigurationError('`graceMs` must be a number of at least 0'));
    }
    this.#closed ??= this.#close(graceMs);
    return this.#closed;
  }

  async #close(graceMs: number): Promise<void> {
    const endsAt = performance.now() + graceMs;
    this.#arriving.end();
    await Promise.all([this.#worker.close(graceMs), this.#queueRuns.close(graceMs)]);
    this.#dispatcher.close();
    if (!(await endsWithin(abortGraceMs, this.#received()))) this.#handling.end();
    this.#worker.closeStore();
    await this.#closeStore(Math.max(endsAt - performance.now(), abortGraceMs));
  }

  /** Resolves once no delivery waits for its response. */
  async #received(): Promise<void> {
    if (this.#receiving > 0) await new Promise<void>((resolve) => (this.#onReceived = resolve));
  }

  async #closeStore(ms: number): Promise<void> {
    try {
      if (!(await endsWithin(ms, Promise.resolve(this.#store.close?.())))) throw new Error(`not within ${ms} ms`);
    } catch (error) {
      this.#reporter.failed('The store was not closed', error);
    }
  }
}
