import { withoutUnknown } from '../../work/write-records.js';
import type { DeadLetter, StoreStats, StoredNotifications, TopicStats, WaitingEntry } from '../stores/store.js';
import { jobIdOf } from './bullmq-job.js';
import type { BullMQJobData } from './bullmq-job.js';
import { topicsWith } from '../topic-arrivals.js';
import type { TopicArrivals } from '../topic-arrivals.js';

/** A job of BullMQ as an operator sees it. */
export interface BullMQStoredJob {
  readonly data: BullMQJobData;
  readonly attemptsMade: number;
  /** When it was added, in milliseconds since 1970. */
  readonly timestamp: number;
  readonly finishedOn?: number | null | undefined;
  readonly failedReason?: string | null | undefined;
  readonly stacktrace?: readonly string[] | null | undefined;
  getState(): Promise<string>;
  updateData(data: BullMQJobData): Promise<void>;
  /** Moves a failed job to those that wait. */
  retry(state: 'failed', options: object): Promise<void>;
  /** Makes a delayed job due. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The part of BullMQ's `Queue` with which an operator looks at it. */
export interface BullMQStoredJobs {
  getJobCounts(): Promise<Readonly<Record<string, number>>>;
  /** The ids of the jobs in these states. */
  getRanges(states: string[], start: number, end: number, isAscending: boolean): Promise<string[]>;
  getJob(id: string): Promise<BullMQStoredJob | undefined>;
}

/** What `BullMQInbox` needs beside the queue. */
interface InboxTools {
  readonly arrivals: TopicArrivals;
  /** When delayed jobs are due, in milliseconds since 1970. */
  readonly dueAt: (ids: readonly string[]) => Promise<readonly (number | undefined)[]>;
}

/** The states of a job that is not handled yet, in the order in which an operator sees them. */
const unfinished = ['active', 'waiting', 'prioritized', 'paused', 'delayed'];
const notRunning = unfinished.slice(1);
/** How many jobs are read to count topics and find the oldest. */
const counted = 1_000;
/** How many jobs are read at a time. */
const readAtATime = 100;

/** The jobs of `bullmqQueue` as an operator sees them. */
export class BullMQInbox implements StoredNotifications {
  readonly #queue: BullMQStoredJobs;
  readonly #tools: InboxTools;
  /** The ids of the last lists that began at their beginning, by state: pages do not move while jobs come and go. */
  readonly #listed = new Map<string, readonly string[]>();

  constructor(queue: BullMQStoredJobs, tools: InboxTools) {
    this.#queue = queue;
    this.#tools = tools;
  }

  async stats(): Promise<StoreStats> {
    const { active = 0, failed = 0, ...counts } = await this.#queue.getJobCounts();
    const waiting = unfinished.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
    const ids = await this.#queue.getRanges(unfinished, 0, counted - 1, true);
    const jobs = await this.#jobs(ids.slice(0, counted));
    return {
      waiting,
      running: active,
      dead: failed,
      ...(jobs.length > 0 && { oldestAgeMs: oldestAgeOf(jobs) }),
      topics: topicsWith(await this.#tools.arrivals.read(), waitingByTopic(jobs)),
    };
  }

  async deadLetters(limit: number, after = 0): Promise<DeadLetter[]> {
    const page = await this.#page(['failed'], limit, after);
    return page.map(({ job, number }) => ({
      entry: entryOf(job.data),
      attempts: job.attemptsMade,
      failure: job.failedReason ?? '',
      deadLetteredAt: job.finishedOn ?? job.timestamp,
      number,
    }));
  }

  async waiting(limit: number, after = 0): Promise<WaitingEntry[]> {
    const page = await this.#page(unfinished, limit, after);
    const due = await this.#tools.dueAt(page.map(({ id }) => id));
    const states = await Promise.all(page.map(async ({ job }) => job.getState()));
    return page.map(({ job, number }, index) => ({
      entry: entryOf(job.data),
      attempts: job.attemptsMade,
      ...(job.failedReason && { failure: failureOf(job.failedReason, job.stacktrace) }),
      ...(states[index] !== 'active' && { nextInMs: Math.max(0, (due[index] ?? 0) - Date.now()) }),
      addedAt: job.timestamp,
      number,
    }));
  }

  redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    return this.#change(key, ['failed'], async (job) => {
      const { lastFailure: _, writes = [], ...entry } = job.data;
      const kept = forgetsUnknown ? withoutUnknown(writes) : writes;
      await job.updateData({ ...entry, ...(kept.length > 0 && { writes: kept }) });
      await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
    });
  }

  removeDeadLetter(key: string): Promise<boolean> {
    return this.#change(key, ['failed'], (job) => job.remove());
  }

  retryNow(key: string): Promise<boolean> {
    return this.#change(key, notRunning, async (job, state) => {
      if (state === 'delayed') await job.promote();
    });
  }

  removeWaiting(key: string): Promise<boolean> {
    return this.#change(key, notRunning, (job) => job.remove());
  }

  /** Changes a job in one of these states. `false` when there is none, or a worker or another operator was faster. */
  async #change(
    key: string,
    states: readonly string[],
    change: (job: BullMQStoredJob, state: string) => Promise<void>,
  ): Promise<boolean> {
    const job = await this.#queue.getJob(jobIdOf(key));
    const state = job && (await job.getState());
    if (!job || state === undefined || !states.includes(state)) return false;
    try {
      await change(job, state);
      return true;
    } catch (error) {
      if ((await job.getState()) === state) throw error;
      return false;
    }
  }

  async #page(
    states: readonly string[],
    limit: number,
    after: number,
  ): Promise<{ readonly id: string; readonly job: BullMQStoredJob; readonly number: number }[]> {
    const list = String(states);
    let ids = after > 0 ? this.#listed.get(list) : undefined;
    if (!ids) this.#listed.set(list, (ids = await this.#queue.getRanges([...states], 0, -1, true)));
    const page: { id: string; job: BullMQStoredJob; number: number }[] = [];
    // A page is full although some jobs are gone: a shorter one is the last.
    for (let from = after; from < ids.length && page.length < limit;) {
      const some = ids.slice(from, from + Math.min(readAtATime, limit - page.length));
      const jobs = await Promise.all(some.map(async (id) => this.#queue.getJob(id)));
      for (const [index, job] of jobs.entries())
        if (isNotification(job)) page.push({ id: some[index] ?? '', job, number: from + index + 1 });
      from += some.length;
    }
    return page;
  }

  async #jobs(ids: readonly string[]): Promise<BullMQStoredJob[]> {
    const jobs: BullMQStoredJob[] = [];
    for (let from = 0; from < ids.length; from += readAtATime) {
      const some = await Promise.all(ids.slice(from, from + readAtATime).map(async (id) => this.#queue.getJob(id)));
      jobs.push(...some.filter(isNotification));
    }
    return jobs;
  }
}

/** Other programs may add other jobs to the queue, and a job may be gone. */
function isNotification(job: BullMQStoredJob | undefined): job is BullMQStoredJob {
  return (job?.data as Partial<BullMQJobData> | undefined)?.notification !== undefined;
}

/** The entry alone, without what the processor keeps with it. */
function entryOf({ lastFailure: _, writes: __, ...entry }: BullMQJobData): DeadLetter['entry'] {
  return entry;
}

function* waitingByTopic(jobs: readonly BullMQStoredJob[]): Generator<readonly [string, TopicStats]> {
  for (const [topic, ofTopic] of Map.groupBy(jobs, ({ data }) => data.notification.topic)) {
    const lastArrivalAt = Math.max(...ofTopic.map(({ timestamp }) => timestamp));
    yield [topic, { waiting: ofTopic.length, lastArrivalAt, oldestAgeMs: oldestAgeOf(ofTopic) }];
  }
}

function oldestAgeOf(jobs: readonly BullMQStoredJob[]): number {
  return Math.max(0, Date.now() - Math.min(...jobs.map(({ timestamp }) => timestamp)));
}

/** The error with its name. BullMQ keeps the name only in the stack. */
function failureOf(message: string, stacktrace: BullMQStoredJob['stacktrace']): string {
  const stack = stacktrace?.at(-1) ?? '';
  const at = stack.indexOf(message);
  return at > 0 ? stack.slice(0, at + message.length) : message;
}
