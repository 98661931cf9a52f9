import { isObject } from '../core/json/plain-object.js';
import { checkConfiguration, ofType } from '../core/options/rules.js';
import type { Rule } from '../core/options/rules.js';
import { BullMQShelf } from './bullmq-shelf.js';
import type { BullMQQueueClass } from './bullmq-shelf.js';
import { BullMQWorks } from './bullmq-works.js';
import type { BullMQWorkerClass, OpenWorker } from './bullmq-works.js';
import type { Engine, WorkerOptions, Works } from './works.js';

/** The options of `bullmq`. */
export interface BullMQOptions {
  /** The class of BullMQ. */
  readonly Queue: BullMQQueueClass;
  /** The class of BullMQ. */
  readonly Worker: BullMQWorkerClass;
  /** What BullMQ takes as `connection`. */
  readonly connection: object;
  /**
   * How its two queues begin: `<name>-inbox` and `<name>-outbox`. On a cluster, a name in braces, such as `{seller}`.
   *
   * @default 'seller'
   */
  readonly name?: string | undefined;
}

const rules: Readonly<Record<keyof BullMQOptions, Rule>> = {
  Queue: ofType('function'),
  Worker: ofType('function'),
  connection: (value) => (isObject(value) ? undefined : 'takes what BullMQ takes as `connection`'),
  name: ofType('string'),
};

/**
 * Keeps the work of an inbox, an outbox or both in BullMQ, for many machines. It takes the place of a store.
 *
 * Notifications of one resource run one at a time, in the order in which they were sent. Other than in a store, sellers do not take
 * turns, and the limits of a seller are not exact. What ends its process is found by running it alone in its process. Redis has to
 * write to disk (`appendonly yes`) and to keep all keys (`maxmemory-policy noeviction`). Its connections keep the process alive until
 * `close()`.
 *
 * @example
 * import { Queue, Worker } from 'bullmq';
 *
 * const store = bullmq({ Queue, Worker, connection: { url: process.env.REDIS_URL } });
 * const inbox = createInbox({ store, fallback: (notification) => console.log(notification.topic) });
 * @throws {ConfigurationError} when a class or the connection is missing, or an option is unknown or wrong.
 */
export function bullmq(options: BullMQOptions): Engine {
  checkConfiguration('bullmq', options, rules, ['Queue', 'Worker', 'connection']);
  return new BullMQEngine(options);
}

class BullMQEngine extends BullMQShelf implements Engine {
  readonly #open: OpenWorker;

  constructor({ Queue, Worker, connection, name = 'seller' }: BullMQOptions) {
    super(Queue, connection, name);
    this.#open = (queue, process, settings) =>
      new Worker(queue, process as never, { ...settings, connection } as never);
  }

  works(options: WorkerOptions): Works {
    return new BullMQWorks(this, options, this.#open);
  }
}
