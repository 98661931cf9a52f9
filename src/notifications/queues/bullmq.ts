import { ConfigurationError } from '../../core/errors/errors.js';
import type { WriteRecord } from '../../core/recover/write-hook.js';
import { UnrecoverableError } from '../handling/errors.js';
import { describeFailure } from '../../work/log.js';
import type { Outcome } from '../handling/outcome.js';
import type { NotificationQueue } from '../options.js';
import { entryVersion } from '../queued-notification.js';
import type { QueuedNotification } from '../queued-notification.js';
import type { Receiver } from '../receiver.js';
import { BullMQInbox } from './bullmq-inbox.js';
import type { BullMQStoredJobs } from './bullmq-inbox.js';
import { jobIdOf } from './bullmq-job.js';
import type { BullMQJobData } from './bullmq-job.js';
import { RedisLedger } from './redis-ledger.js';
import { RedisScripts } from './redis-scripts.js';
import type { RedisCommands } from './redis-scripts.js';
import { TopicArrivals } from '../topic-arrivals.js';

/** The part of BullMQ's `Queue` that is used. */
export interface BullMQQueue {
  /** Adds a job. */
  add(name: string, data: QueuedNotification, options: object): Promise<unknown>;
  /** The name of a key of the queue. */
  toKey?(type: string): string;
  /** Has the Redis client, since BullMQ 6. */
  getBackend?(): unknown;
  /** The Redis client, up to BullMQ 5. */
  readonly client?: unknown;
  /** With these, `openInbox` shows what is in the queue. */
  getJobCounts?(): Promise<Readonly<Record<string, number>>>;
  getRanges?(states: string[], start: number, end: number, isAscending: boolean): Promise<string[]>;
  getJob?(id: string): Promise<object | undefined>;
}

/** The part of BullMQ's `Job` that is used. */
export interface BullMQJob {
  /** What was added. */
  readonly data: BullMQJobData;
  /** How many attempts have ended. */
  readonly attemptsMade: number;
  /** How often its lock has ended while it ran. */
  readonly stalledCounter?: number | undefined;
  readonly opts: { backoff?: unknown };
  /** Delays the job without using up an attempt. */
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
  updateData(data: BullMQJobData): Promise<void>;
  /** Keeps the job for this worker, if it has it still. */
  extendLock(token: string, duration: number): Promise<number>;
}

/** The receiver ends the attempts: `retry.attempts`. Its processor also says how long each delay is. */
const retried = { attempts: 1_000_000, backoff: { type: 'exponential', delay: 1_000, jitter: 0.5 } };
const day = 24 * 3_600;
const kept = { removeOnComplete: { age: day, count: 10_000 }, removeOnFail: { age: 14 * day, count: 10_000 } };

/**
 * Makes a queue for `createReceiver` of a BullMQ `Queue`: notifications are handled on any number of machines.
 *
 * One notification of a resource runs at a time. Those that come while one waits are dropped, since it reads the resource as it
 * is by then; of those that come while one runs, the last is kept and runs after it. The receiver's `retry` says how often a job
 * is tried. Then it is among BullMQ's failed jobs: the newest 10,000, for 14 days at most. A duplicate is dropped while BullMQ
 * still has its job: the newest 10,000 that have ended, for a day at most. At 200 a second that is 50 seconds;
 * `removeOnComplete` changes it.
 *
 * @param options Job options in place of these. Without `deduplication`, each notification is a job of its own.
 * @example
 * const receiver = createReceiver({
 *   queue: bullmqQueue(new Queue('notifications')),
 *   clientFor: (user_id) => (user_id === 7 ? seller : undefined),
 *   on: { questions: async (_, { read }) => answer(await read()) },
 * });
 * const processor = bullmqProcessor(receiver); // for new Worker('notifications', processor, { maxStalledCount: 1_000_000 })
 * @throws {ConfigurationError} when `queue` has no method `add`.
 */
export function bullmqQueue(queue: BullMQQueue, options: object = {}): NotificationQueue {
  if (typeof (queue as Partial<BullMQQueue> | null | undefined)?.add !== 'function') {
    throw new ConfigurationError('bullmqQueue takes a Queue of BullMQ, with the method `add`');
  }
  const parts = partsOf(queue);
  return {
    ...parts,
    add: async (entry) => {
      // What `catchUp` found is not kept behind a job that runs: that one is about the same, and may end as a dead letter.
      const deduplication = { id: entry.groupId, keepLastIfActive: !entry.caughtUp };
      const jobId = jobIdOf(entry.key);
      const added = await queue.add('notification', entry, { jobId, deduplication, ...retried, ...kept, ...options });
      void parts.arrivals?.note(entry.notification.topic);
      return added;
    },
  };
}

/**
 * Makes a processor for a BullMQ `Worker`, which handles the jobs of `bullmqQueue`.
 *
 * What follows from a run is decided as for a store: `retry` of the receiver, `isPermanent` and `retryAfterMs` of the error. A job
 * whose handler did not run to an end (`close()`, no handler, a newer version) is delayed, which uses up no attempt.
 *
 * Set the worker's `maxStalledCount` to 1,000,000 (the log warns of less than 1,000): BullMQ counts kills and lost locks over the life of a job, and fails it above that,
 * whether it is to blame or not. The processor itself gives up a job that ends its process five times in a row while it runs alone.
 *
 * @example
 * const processor = bullmqProcessor(receiver); // for new Worker('notifications', processor, { maxStalledCount: 1_000_000 })
 */
export function bullmqProcessor(
  receiver: Pick<Receiver, 'run'>,
): (job: BullMQJob, token?: string, signal?: AbortSignal) => Promise<void> {
  return async (job, token, signal) => {
    const { data, attemptsMade, stalledCounter: stalledCount } = job;
    const { lastFailure, writes } = data;
    const note = token === undefined ? undefined : noteOf(job, token);
    const outcome = await receiver.run(data, {
      attempt: attemptsMade + 1,
      stalledCount,
      maxStalledCount: workerOf(job).maxStalledCount,
      signal,
      lastFailure,
      writes,
      note,
    });
    if (outcome.kind === 'release') await delayed(job, outcome.inMs, token);
    if (outcome.kind === 'dead') throw new UnrecoverableError(outcome.failure, { cause: outcome.error });
    if (outcome.kind === 'retry') await failed(job, outcome);
  };
}

/** The options of the worker that runs a job. */
function workerOf(job: BullMQJob): { readonly lockDuration?: number; readonly maxStalledCount?: number } {
  return (job as { queue?: { opts?: object } }).queue?.opts ?? {};
}

/** Keeps the writes of a handler in its job, as long as the worker has the job. */
function noteOf(job: BullMQJob, token: string): (writes: readonly WriteRecord[]) => Promise<boolean> {
  // The job knows its worker, whose next renewal must not come too late for the lock, nor the lock outlive a killed process.
  const { lockDuration = 30_000 } = workerOf(job);
  return async (writes) => {
    if (!(await job.extendLock(token, lockDuration))) return false;
    await job.updateData({ ...job.data, version: entryVersion, writes });
    return true;
  };
}

/** What lies in the Redis of a queue; nothing for what only looks like a queue. */
function partsOf(
  queue: BullMQQueue,
): Partial<Pick<NotificationQueue, 'ledger' | 'inbox'>> & { arrivals?: TopicArrivals } {
  if (typeof queue.toKey !== 'function') return {};
  const keyOf = (type: string): string => queue.toKey?.(type) ?? type;
  const scripts = new RedisScripts(async () => {
    const backend = (queue.getBackend?.() ?? queue) as { readonly client: Promise<RedisCommands> };
    return backend.client;
  });
  const ledger = new RedisLedger(scripts, (key) => keyOf(`ledger:${key}`));
  const arrivals = new TopicArrivals(ledger);
  const dueAt = async (ids: readonly string[]): Promise<(number | undefined)[]> => {
    const scores = (await scripts.run('sellerInboxScores', keyOf('delayed'), ...ids)) as (string | null)[];
    // BullMQ keeps a counter in the last 12 bits.
    return ids.map((_, index) => (scores[index] ? Math.floor(Number(scores[index]) / 4096) : undefined));
  };
  return { ledger, arrivals, inbox: new BullMQInbox(queue as BullMQStoredJobs, { arrivals, dueAt }) };
}

/** BullMQ recognizes it by its name: the job was moved. */
class DelayedError extends Error {
  override readonly name = 'DelayedError';
}

async function delayed(job: BullMQJob, inMs: number, token: string | undefined): Promise<never> {
  await job.moveToDelayed(Date.now() + inMs, token);
  throw new DelayedError();
}

/** BullMQ counts the attempt, and reads the delay from the options of this copy of the job. */
async function failed(job: BullMQJob, { error, inMs, isPermanent }: Outcome & { kind: 'retry' }): Promise<never> {
  const failure = describeFailure(error);
  if (isPermanent !== (job.data.lastFailure?.isPermanent ?? false))
    await job.updateData({ ...job.data, lastFailure: { failure, isPermanent } });
  job.opts.backoff = { type: 'fixed', delay: Math.ceil(inMs) };
  throw error instanceof Error ? error : new Error(failure);
}
