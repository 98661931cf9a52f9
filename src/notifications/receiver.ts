import { NotificationError } from '../core/errors/errors.js';
import { BodyRejected, decodeBody, checkHeaders, respond } from './http/request.js';
import type { IncomingRequest, OutgoingResponse } from './http/request.js';
import { queuedNotification } from './queued-notification.js';
import type { QueuedNotification } from './queued-notification.js';
import { Dispatcher, failureOf } from './dispatcher.js';
import { memoryStore } from './stores/memory.js';
import { parseNotification } from './notification.js';
import { resolveReceiverOptions } from './options.js';
import type { ReceiverOptions, ResolvedReceiverOptions } from './options.js';
import type { DeadLetter, NotificationStore } from './stores/store.js';
import { Worker } from './worker.js';

const accepted = respond(200, 'Accepted');
const notAccepted = respond(503, 'Not accepted now; deliver it again', { 'retry-after': '30' });
const notHandled = respond(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

/**
 * Sets up an inbox for notifications: it accepts them, keeps them, and has each handled at least once.
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

/** An inbox for notifications. Set one up with `createReceiver`. */
export class Receiver {
  /** What was given up: to be read, replayed or removed. */
  readonly deadLetters: DeadLetters;
  readonly #settings: ResolvedReceiverOptions;
  readonly #store: NotificationStore;
  readonly #handling: Dispatcher;
  readonly #worker: Worker;
  #closed = false;

  constructor(settings: ResolvedReceiverOptions) {
    this.#settings = settings;
    this.#store = settings.store ?? memoryStore();
    this.#handling = new Dispatcher(settings);
    this.#worker = new Worker(this.#store, this.#handling, settings);
    this.deadLetters = new DeadLetters(this.#store, () => this.#worker.wake());
    // What waited when the last process ended is taken up without waiting for a delivery.
    if (this.#store.durable) this.#worker.wake();
  }

  /** Answers one delivery: what an adapter calls. Never throws. */
  async receive(delivery: IncomingRequest): Promise<OutgoingResponse> {
    try {
      return await this.#receive(delivery);
    } catch (error) {
      if (error instanceof BodyRejected) return this.#refused(error.reply, error.reply.body);
      if (error instanceof NotificationError) return this.#refused(respond(400, 'Not a notification'), error.message);
      this.#settings.logger?.error(`A notification was not accepted: ${failureOf(error)}`);
      return notAccepted;
    }
  }

  #refused(answer: OutgoingResponse, why: string): OutgoingResponse {
    this.#settings.logger?.warn(`A delivery was answered ${answer.status}: ${why}`);
    return answer;
  }

  async #receive(delivery: IncomingRequest): Promise<OutgoingResponse> {
    if (this.#closed) return notAccepted;
    const refusal = checkHeaders(delivery, this.#settings);
    if (refusal) return this.#refused(refusal, refusal.body);
    const body = decodeBody(await delivery.body(this.#settings), this.#settings);
    const notification = parseNotification(body);
    if (!this.#handling.wants(notification)) return accepted;
    return this.#accept(await queuedNotification(notification, Date.now()));
  }

  async #accept(entry: QueuedNotification): Promise<OutgoingResponse> {
    const { queue, acknowledge, acceptTimeoutMs } = this.#settings;
    const keep = queue ? queue.add(entry) : this.#store.add(entry);
    const state = await within(acceptTimeoutMs, keep);
    if (queue || state === 'over') return accepted;
    if (acknowledge === 'handled') {
      return (await this.#worker.processNow(entry.groupId, entry.key)) ? accepted : notHandled;
    }
    this.#worker.wake();
    return accepted;
  }

  /**
   * Handles an entry that a queue has kept: what the queue's worker calls.
   *
   * @throws whatever the handler throws, so that the queue tries again.
   */
  async handle(
    entry: QueuedNotification,
    { attempt = 1, signal }: { attempt?: number; signal?: AbortSignal } = {},
  ): Promise<void> {
    await this.#handling.handle(entry, { attempt, coalescedCount: 0, signal: signal ?? new AbortController().signal });
  }

  /** Resolves once nothing waits in the store and nothing is being handled here. */
  idle(): Promise<void> {
    return this.#worker.idle();
  }

  /** Accepts nothing more, waits for what is being handled, and closes the store. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker.close();
    await this.#store.close?.();
  }
}

/** Notifications that were given up. */
export class DeadLetters {
  readonly #store: NotificationStore;
  readonly #wake: () => void;

  constructor(store: NotificationStore, wake: () => void) {
    this.#store = store;
    this.#wake = wake;
  }

  /** The dead letters, oldest first. At most 100 unless said otherwise. */
  async list({ limit = 100 }: { readonly limit?: number } = {}): Promise<readonly DeadLetter[]> {
    return this.#store.deadLetters(limit);
  }

  /** Has a notification handled once more, from its first attempt. `false` when there is no such dead letter. */
  async replay(key: string): Promise<boolean> {
    const found = await this.#store.exhume(key, true);
    if (found) this.#wake();
    return found;
  }

  /** Removes a dead letter. `false` when there is no such one. */
  async remove(key: string): Promise<boolean> {
    return this.#store.exhume(key, false);
  }
}

/** A promise that is waited for so long and no longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the store or queue did not accept it within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
