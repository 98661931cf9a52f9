import { isObject } from '../core/json/json.js';
import { checkConfiguration, ofType, type Rule } from '../core/options/rules.js';
import { behindMs, BullMQShelf, idOf, dataVersion } from './bullmq-shelf.js';
import type { BullMQJob, JobData } from './bullmq-shelf.js';
import { aloneMsOf, LayoutError, released, suspectPauseMs, suspectStalls } from './store.js';
import type { Engine, InnerEngine, Lease, LeaseId, Notes, Verdict, WorkerOptions, Works } from './store.js';
import { endsWithin } from './timers.js';
import { abortGraceMs, LeasedRun } from './worker.js';

/** The options of `bullmq`. */
export interface BullMQOptions {
  /** The class of BullMQ. */
  readonly Queue: new (name: string, options: { readonly connection: never }) => object;
  /** The class of BullMQ. */
  readonly Worker: new (name: string, process: never, options: never) => object;
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

/** @internal */
export function bullmq(options: BullMQOptions): InnerEngine;
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
export function bullmq(options: BullMQOptions): Engine;
export function bullmq(options: BullMQOptions): Engine {
  checkConfiguration('bullmq', options, rules, ['Queue', 'Worker', 'connection']);
  return new BullMQEngine(options);
}

class BullMQEngine extends BullMQShelf implements InnerEngine {
  declare readonly '~made': 'engine';
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

type Processor = (job: BullMQJob, token?: string) => Promise<unknown>;

/** Begins to give out the jobs of a queue. */
type OpenWorker = (queue: string, process: Processor, settings: object) => object;

interface BullMQWorker {
  on(event: string, listener: (value: never) => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
}

/** How long a job waits that this process has no handler for, in milliseconds. */
const elsewhereMs = 10_000;
/** How often it is looked whether something is due, in milliseconds. */
const idlePollMs = 50;

/** Runs the tasks of an inbox or an outbox for the leases that BullMQ gives out. */
class BullMQWorks implements Works {
  readonly #shelf: BullMQShelf;
  readonly #options: WorkerOptions;
  readonly #open: OpenWorker;
  readonly #runs = new Map<string, LeasedRun>();
  /** The jobs that this process has. */
  readonly #jobs = new Set<Promise<unknown>>();
  /** Those of them that run. */
  readonly #active = new Set<Promise<unknown>>();
  /** Ends when others may start beside a suspect. Never rejects. */
  #turn: Promise<unknown> = Promise.resolve();
  #worker: BullMQWorker | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #isAborting = false;

  constructor(shelf: BullMQShelf, options: WorkerOptions, open: OpenWorker) {
    this.#shelf = shelf;
    this.#options = options;
    this.#open = open;
  }

  start(): void {
    const { kinds, concurrency, leaseMs, log, name } = this.#options;
    if (this.#worker || this.#isClosed || kinds.length === 0) return;
    // BullMQ counts kills over the life of a job: what ends its process is found here.
    const settings = { concurrency, lockDuration: leaseMs, stalledInterval: leaseMs, maxStalledCount: 1_000_000 };
    const process = (job: BullMQJob, token = ''): Promise<unknown> => tracked(this.#jobs, this.#process(job, token));
    this.#worker = this.#open(this.#shelf.nameOf(kinds[0] ?? ''), process, settings) as BullMQWorker;
    this.#worker.on('error', (error: unknown) => void log.writeRarely(`BullMQ has a problem with the ${name}`, error));
    this.#worker.on('lockRenewalFailed', (ids: readonly string[]) => {
      for (const id of ids) this.#runs.get(id)?.lose();
    });
  }

  wake(): void {
    this.start();
  }

  async idle(): Promise<void> {
    this.start();
    while (this.#worker && !this.#isClosed && (this.#runs.size > 0 || (await this.#shelf.isDue(this.#options.kinds))))
      await new Promise((resolve) => setTimeout(resolve, idlePollMs));
  }

  async #process(job: BullMQJob, token: string): Promise<unknown> {
    const { work } = job.data;
    const results = new JobResults(this.#shelf, job, { token, leaseMs: this.#options.leaseMs });
    if (this.#isClosed) return results.delay(0);
    if (!this.#options.kinds.includes(work.kind)) return results.delay(elsewhereMs);
    const { version = dataVersion } = job.data;
    if (version > dataVersion) {
      const error = new LayoutError(`a job has version ${version}, and this process runs those up to ${dataVersion}`);
      void this.#options.log.writeRarely('What a later version of this package has added is left to it', error);
      return results.delay(elsewhereMs);
    }
    const { head, fact } = await this.#shelf.begin(work);
    if (head !== job.id) return this.#wait(job, results, head);
    results.fact = fact;
    const stalls = (job.stalledCounter ?? 0) - (job.data.stallsBefore ?? 0);
    if (stalls >= suspectStalls) return this.#runAlone(results);
    await this.#turn;
    return tracked(this.#active, this.#run(results, 0));
  }

  /** Another job of the group is before it. Its process may have ended before it was added, or after it has ended. */
  async #wait(job: BullMQJob, results: JobResults, head: string): Promise<never> {
    const { work } = job.data;
    if (job.attemptsStarted > 1) {
      const state = await (await this.#shelf.queue(work.kind).getJob(head))?.getState();
      if (state === undefined || ['completed', 'failed', 'unknown'].includes(state))
        await this.#shelf.leave({ ...work, key: decodeURIComponent(head.slice(idOf('').length)) });
    }
    return results.delay(behindMs);
  }

  /**
   * That a job has stalled twice proves nothing, but it may be what ends its process. It waits until the others have ended, for a third
   * of a lease at most; a process that ends then counts. It counts where others still run, too: what ends a process that is never idle
   * would not be found. Others start once it has run for as long, or ten seconds, and then it no longer counts. After each process that
   * has ended so, it waits for longer.
   */
  async #runAlone(results: JobResults): Promise<unknown> {
    const { endings, hasPaused } = results;
    const stalls = suspectStalls + endings;
    const pauseMs = hasPaused ? 0 : suspectPauseMs(stalls, this.#options.leaseMs);
    if (pauseMs > 0) return results.pause(pauseMs);
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = promise;
    try {
      await before;
      await endsWithin(this.#options.leaseMs / 3, Promise.allSettled(this.#active));
      // Its lock is lost: others have it, and this process would end without being counted.
      if (!(await results.count(endings + 1))) throw new DelayedError();
      const running = tracked(this.#active, this.#run(results, stalls));
      if (!(await endsWithin(aloneMsOf(this.#options.leaseMs), Promise.allSettled([running]))))
        await results.count(endings);
      resolve(undefined);
      return await running;
    } finally {
      resolve(undefined);
    }
  }

  async #run(results: JobResults, stalls: number): Promise<unknown> {
    const lease = results.lease(stalls);
    const run = new LeasedRun(lease, results, this.#options);
    const id = idOf(lease.key);
    this.#runs.get(id)?.lose();
    this.#runs.set(id, run);
    if (this.#isAborting) run.abort(closing());
    try {
      await run.finish(() => this.#isAborting);
    } finally {
      if (this.#runs.get(id) === run) this.#runs.delete(id);
    }
    return results.end();
  }

  close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    return (this.#closing ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    // A `close` that has begun cannot be forced any more.
    await this.#worker?.pause(true);
    if (!(await this.#endsWithin(graceMs))) {
      this.#isAborting = true;
      for (const run of this.#runs.values()) run.abort(closing());
      await this.#endsWithin(abortGraceMs);
    }
    const left = [...this.#runs.values()];
    for (const run of left) run.lose();
    await this.#worker?.close(left.length > 0);
    await Promise.all(left.map(async ({ lease }) => this.#giveBack(lease)));
  }

  async #endsWithin(ms: number): Promise<boolean> {
    return endsWithin(ms, Promise.allSettled(this.#jobs));
  }

  /** Gives back a job that ignores that it was aborted. */
  async #giveBack({ key, token }: Lease): Promise<void> {
    const job = await this.#shelf.queue(this.#options.kinds[0] ?? '').getJob(idOf(key));
    await job?.moveToDelayed(Date.now(), token).catch(() => undefined);
  }
}

/** Keeps a promise in a set until it ends. */
function tracked<T>(set: Set<Promise<unknown>>, running: Promise<T>): Promise<T> {
  const ended = running.finally(() => set.delete(ended));
  set.add(ended);
  return ended;
}

function closing(): Error {
  return new Error('It is closing');
}

/** The results of one run of a job: what a store would keep in one step, BullMQ keeps in several. */
class JobResults {
  readonly #shelf: BullMQShelf;
  readonly #job: BullMQJob;
  readonly #token: string;
  readonly #leaseMs: number;
  /** What its group came to. */
  fact: string | undefined;
  #data: JobData;
  #verdict: Verdict | undefined;

  constructor(
    shelf: BullMQShelf,
    job: BullMQJob,
    { token, leaseMs }: { readonly token: string; readonly leaseMs: number },
  ) {
    this.#shelf = shelf;
    this.#job = job;
    this.#token = token;
    this.#leaseMs = leaseMs;
    this.#data = job.data;
  }

  lease(stalls: number): Lease {
    const { work, failures, notes } = this.#data;
    return { key: work.key, token: this.#token, data: work.data, failures, stalls, notes, fact: this.fact };
  }

  /** How often in a row the process has ended while this ran alone. */
  get endings(): number {
    return this.#data.endings ?? 0;
  }

  /** Whether it has waited since the process ended last. */
  get hasPaused(): boolean {
    return this.#data.pausedAfter === this.endings;
  }

  /** Returns whether the lock is still held. */
  count(endings: number): Promise<boolean> {
    return this.#update({ endings });
  }

  async pause(inMs: number): Promise<never> {
    await this.#update({ pausedAfter: this.endings });
    return this.delay(inMs);
  }

  note(_: LeaseId, notes: Notes): Promise<boolean> {
    return this.#update({ notes });
  }

  async #update(change: Partial<JobData>): Promise<boolean> {
    if (!(await this.#job.extendLock(this.#token, this.#leaseMs))) return false;
    // At once: another change may be on its way.
    this.#data = { ...this.#data, ...change };
    await this.#job.updateData(this.#data);
    return true;
  }

  async settle(_: LeaseId, verdict: Verdict): Promise<boolean> {
    const { state, failed, failure = this.#data.failure, notes = this.#data.notes, keepsData = false } = verdict;
    const stallsBefore = this.#job.stalledCounter ?? 0;
    const failures = this.#data.failures + Number(failed);
    const data: Partial<JobData> = { failures, failure, notes, state, stallsBefore, endings: 0, pausedAfter: 0 };
    // What is only kept for its key need not be true.
    if ((state !== 'done' || keepsData) && !(await this.#update(data))) return false;
    this.#verdict = verdict;
    return true;
  }

  /** Ends the job as it was settled. A process that is killed before is followed by one that runs it again. */
  async end(): Promise<unknown> {
    const { state, inMs, failure = '', fact, keepsData = false } = this.#verdict ?? released;
    if (state === 'open') return this.delay(inMs);
    const { work } = this.#data;
    const isJob = work.kind === 'job' && state !== 'done';
    // BullMQ deletes the job at a time of its own.
    const known = isJob
      ? await this.#shelf.remainsOf(this.#job, state, inMs)
      : { text: '', ms: keepsData || state === 'dead' ? 0 : inMs };
    await this.#shelf.leave(work, fact, known);
    if (state === 'dead') throw new GivenUpJobError(failure);
    // BullMQ reads it from this copy of the job.
    this.#job.opts.removeOnComplete = !keepsData || { age: Math.ceil(inMs / 1_000) };
    return state;
  }

  /** BullMQ gives out the job again after a delay. */
  async delay(inMs: number): Promise<never> {
    await this.#job.moveToDelayed(Date.now() + inMs, this.#token);
    if (inMs === behindMs) await this.#shelf.wakeHead(this.#data.work);
    throw new DelayedError();
  }
}

/** BullMQ recognizes it by its name: the job was moved. */
class DelayedError extends Error {
  override readonly name = 'DelayedError';
}

/** BullMQ recognizes it by its name: the job has failed for good. */
class GivenUpJobError extends Error {
  override readonly name = 'UnrecoverableError';
}
