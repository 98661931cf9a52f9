import { NotificationError } from '../core/errors.js';
import { BodyRefused, readable, refusalOfHead, reply } from './delivery.js';
import type { Delivery, Reply } from './delivery.js';
import { entryOf } from './entry.js';
import type { Entry } from './entry.js';
import { Handling, failureOf } from './handling.js';
import { memoryStore } from './memory-store.js';
import { parseNotification } from './notification.js';
import { receiverSettings } from './settings.js';
import type { ReceiverOptions, ReceiverSettings } from './settings.js';
import type { DeadLetter, NotificationStore } from './store.js';
import { Worker } from './worker.js';

const accepted = reply(200, 'Accepted');
const notAccepted = reply(503, 'Not accepted now; deliver it again', { 'retry-after': '30' });
const notHandled = reply(503, 'Not handled now; deliver it again', { 'retry-after': '30' });

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
  return new Receiver(receiverSettings(options));
}

/** An inbox for notifications. Set one up with `createReceiver`. */
export class Receiver {
  /** What was given up: to be read, replayed or removed. */
  readonly deadLetters: DeadLetters;
  readonly #settings: ReceiverSettings;
  readonly #store: NotificationStore;
  readonly #handling: Handling;
  readonly #worker: Worker;
  #closed = false;

  constructor(settings: ReceiverSettings) {
    this.#settings = settings;
    this.#store = settings.store ?? memoryStore();
    this.#handling = new Handling(settings);
    this.#worker = new Worker(this.#store, this.#handling, settings);
    this.deadLetters = new DeadLetters(this.#store, () => this.#worker.wake());
    // What waited when the last process ended is taken up without waiting for a delivery.
    if (this.#store.durable) this.#worker.wake();
  }

  /** Answers one delivery: what an adapter calls. Never throws. */
  async receive(delivery: Delivery): Promise<Reply> {
    try {
      return await this.#receive(delivery);
    } catch (error) {
      if (error instanceof BodyRefused) return this.#refused(error.reply, error.reply.body);
      if (error instanceof NotificationError) return this.#refused(reply(400, 'Not a notification'), error.message);
      this.#settings.logger?.error(`A notification was not accepted: ${failureOf(error)}`);
      return notAccepted;
    }
  }

  #refused(answer: Reply, why: string): Reply {
    this.#settings.logger?.warn(`A delivery was answered ${answer.status}: ${why}`);
    return answer;
  }

  async #receive(delivery: Delivery): Promise<Reply> {
    if (this.#closed) return notAccepted;
    const refusal = refusalOfHead(delivery, this.#settings);
    if (refusal) return this.#refused(refusal, refusal.body);
    const body = readable(await delivery.body(this.#settings), this.#settings);
    const notification = parseNotification(body);
    if (!this.#handling.wants(notification)) return accepted;
    return this.#accept(await entryOf(notification, Date.now()));
  }

  async #accept(entry: Entry): Promise<Reply> {
    const { queue, acknowledge, acceptTimeoutMs } = this.#settings;
    const keep = queue ? queue.add(entry) : this.#store.add(entry);
    const state = await within(acceptTimeoutMs, keep);
    if (queue || state === 'over') return accepted;
    if (acknowledge === 'handled') {
      return (await this.#worker.handleNow(entry.lane, entry.key)) ? accepted : notHandled;
    }
    this.#worker.wake();
    return accepted;
  }

  /**
   * Handles an entry that a queue has kept: what the queue's worker calls.
   *
   * @throws whatever the handler throws, so that the queue tries again.
   */
  async handle(entry: Entry, { attempt = 1, signal }: { attempt?: number; signal?: AbortSignal } = {}): Promise<void> {
    await this.#handling.handle(entry, { attempt, covered: 0, signal: signal ?? new AbortController().signal });
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
