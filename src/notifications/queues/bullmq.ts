import { ConfigurationError } from '../../core/errors/errors.js';
import type { NotificationQueue } from '../options.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Receiver } from '../receiver.js';

/** The part of BullMQ's `Queue` that is used. */
export interface BullMQQueue {
  /** Adds a job. */
  add(name: string, data: QueuedNotification, options: object): Promise<unknown>;
}

/** The part of BullMQ's `Job` that is used. */
export interface BullMQJob {
  /** What was added. */
  readonly data: QueuedNotification;
  /** How many attempts have ended. */
  readonly attemptsMade: number;
}

/** 1 s, 2 s, ... 32,768 s: 9 hours in total. */
const retried = { attempts: 16, backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 } };
const day = 24 * 3_600;
const kept = { removeOnComplete: { age: day, count: 10_000 }, removeOnFail: { age: 14 * day, count: 10_000 } };

/**
 * Makes a queue for `createReceiver` of a BullMQ `Queue`: notifications are handled on any number of machines.
 *
 * One notification of a resource runs at a time. Those that come while one waits are dropped, since it reads the resource as it
 * is by then; of those that come while one runs, the last is kept and runs after it. A job is tried 16 times, in 9 hours. Then
 * it is among BullMQ's failed jobs for 14 days. A duplicate of a job that BullMQ still has, which is for a day, is dropped.
 *
 * @param options Job options in place of these. Without `deduplication`, each notification is a job of its own.
 * @example
 * const receiver = createReceiver({
 *   queue: bullmqQueue(new Queue('notifications')),
 *   clientFor: () => seller,
 *   on: { questions: async (_, { read }) => answer(await read()) },
 * });
 * const processor = bullmqProcessor(receiver); // for new Worker('notifications', processor, { maxStalledCount: 10 })
 * @throws {ConfigurationError} when `queue` has no method `add`.
 */
export function bullmqQueue(queue: BullMQQueue, options: object = {}): NotificationQueue {
  if (typeof (queue as Partial<BullMQQueue> | null | undefined)?.add !== 'function') {
    throw new ConfigurationError('bullmqQueue takes a Queue of BullMQ, with the method `add`');
  }
  return {
    add: (entry) => {
      const deduplication = { id: entry.groupId, keepLastIfActive: true };
      // BullMQ takes no number for an id, and hexadecimal digits may be one.
      const jobId = `n-${entry.key}`;
      return queue.add('notification', entry, { jobId, deduplication, ...retried, ...kept, ...options });
    },
  };
}

/**
 * Makes a processor for a BullMQ `Worker`, which handles the jobs of `bullmqQueue`.
 *
 * An `UnrecoverableError` of this package or of BullMQ ends the attempts. Set the worker's `maxStalledCount` above its default
 * of 1: a job whose process is killed twice would fail.
 *
 * @example
 * const processor = bullmqProcessor(receiver); // for new Worker('notifications', processor, { maxStalledCount: 10 })
 */
export function bullmqProcessor(
  receiver: Receiver,
): (job: BullMQJob, token?: string, signal?: AbortSignal) => Promise<void> {
  return ({ data, attemptsMade }, _token, signal) => receiver.handle(data, { attempt: attemptsMade + 1, signal });
}
