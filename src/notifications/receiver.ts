import { NotificationError } from '../core/errors/errors.js';
import { DeadLetters } from './dead-letters.js';
import { Dispatcher, describeFailure } from './dispatcher.js';
import { BodyRejected, checkHeaders, decodeBody, respond } from './http/request.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { parseNotification } from './notification.js';
import { resolveReceiverOptions } from './options.js';
import type { ReceiverOptions, ResolvedReceiverOptions } from './options.js';
import { queuedNotification } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import { memoryStore } from './stores/memory.js';
import type { NotificationStore } from './stores/store.js';
import { Worker } from './worker.js';

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
export function createReceiver(options: ReceiverOptions): Receiver {
  return new Receiver(resolveReceiverOptions(options));
}

/** An inbox for notifications. Create one with `createReceiver`. */
export class Receiver {
  /** The notifications that were given up: list, replay or remove them. */
  readonly deadLetters: DeadLetters;
  readonly #options: ResolvedReceiverOptions;
  readonly #store: NotificationStore;
  readonly #dispatcher: Dispatcher;
  readonly #worker: Worker;
  #closed = false;

  constructor(options: ResolvedReceiverOptions) {
    this.#options = options;
    this.#store = options.store ?? memoryStore();
    this.#dispatcher = new Dispatcher(options);
    this.#worker = new Worker(this.#store, this.#dispatcher, options);
    this.deadLetters = new DeadLetters(this.#store, () => this.#worker.wake());
    // Entries that an earlier process left are handled without waiting for a delivery.
    if (this.#store.durable) this.#worker.wake();
  }

  /** Responds to one delivery: what an adapter calls. Never throws. */
  async receive(request: IncomingRequest): Promise<OutgoingResponse> {
    try {
      return await this.#receive(request);
    } catch (error) {
      if (error instanceof BodyRejected) return this.#reject(error.response, error.response.body);
      if (error instanceof NotificationError) return this.#reject(respond(400, 'Not a notification'), error.message);
      this.#options.logger?.error(`A notification was not accepted: ${describeFailure(error)}`);
      return notAccepted;
    }
  }

  #reject(response: OutgoingResponse, reason: string): OutgoingResponse {
    this.#options.logger?.warn(`A delivery was rejected with ${response.status}: ${reason}`);
    return response;
  }

  async #receive(request: IncomingRequest): Promise<OutgoingResponse> {
    if (this.#closed) return notAccepted;
    const rejection = checkHeaders(request, this.#options);
    if (rejection) return this.#reject(rejection, rejection.body);
    const body = decodeBody(await request.body(this.#options), this.#options);
    const notification = parseNotification(body);
    if (!this.#dispatcher.hasHandlerFor(notification)) return accepted;
    return this.#accept(await queuedNotification(notification, Date.now()));
  }

  async #accept(entry: QueuedNotification): Promise<OutgoingResponse> {
    const { queue, acknowledge, acceptTimeoutMs } = this.#options;
    const adding = queue ? queue.add(entry) : this.#store.add(entry);
    const state = await withTimeout(acceptTimeoutMs, adding);
    if (queue || state === 'processed') return accepted;
    if (acknowledge === 'handled') {
      return (await this.#worker.processNow(entry.groupId, entry.key)) ? accepted : notHandled;
    }
    this.#worker.wake();
    return accepted;
  }

  /**
   * Handles an entry that a queue has stored: what the queue's worker calls.
   *
   * @throws whatever the handler throws, so that the queue retries.
   */
  async handle(
    entry: QueuedNotification,
    { attempt = 1, signal }: { attempt?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#dispatcher.handle(entry, {
      attempt,
      coalescedCount: 0,
      signal: signal ?? new AbortController().signal,
    });
  }

  /** Resolves once the store has no waiting entry and no handler is running here. */
  idle(): Promise<void> {
    return this.#worker.idle();
  }

  /** Stops accepting, waits for the running handlers, and closes the store. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.close();
    await this.#store.close?.();
  }
}

/** Rejects when a promise does not settle in time. */
async function withTimeout<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The store or queue did not accept it within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
