import { longestTimerMs } from '../core/scope/cancel-scope.js';
import { exponentialDelay } from '../work/backoff.js';
import { abortGraceMs, endsWithin } from '../work/ends-within.js';
import { PollLoop } from '../work/poll-loop.js';
import type { JobProgress } from './job.js';
import type { OutboxContext } from './options.js';
import { runJob } from './run-job.js';
import { outcomeOf, outcomeOfError } from './settlement.js';
import type { JobOutcome } from './settlement.js';
import type { ClaimedJobs, JobLease, JobLeaseId } from './store.js';

/** A job that runs here. */
interface RunningJob {
  readonly lease: JobLease;
  readonly controller: AbortController;
  /** Another process has it now: its result is ignored. */
  isLost: boolean;
  result: Promise<void>;
}

/** Someone who waits until no job is due, or until none is open. */
interface WaitingCaller {
  readonly until: 'nothing due' | 'nothing open';
  readonly resolve: () => void;
}

const settleBackoff = { baseMs: 200, capMs: 5_000 };
const settleAttempts = 5;

/** Claims from the store what is due, again and again until nothing is, and runs it, at most `concurrency` jobs at once. */
export class OutboxWorker {
  readonly #context: OutboxContext;
  readonly #loop: PollLoop;
  /** By key. */
  readonly #running = new Map<string, RunningJob>();
  #waiters: WaitingCaller[] = [];
  #isStarted = false;
  #isClosed = false;
  #renewal: ReturnType<typeof setInterval> | undefined;
  #keepAlive: ReturnType<typeof setInterval> | undefined;

  constructor(context: OutboxContext) {
    this.#context = context;
    const { store, options, log } = context;
    this.#loop = new PollLoop({
      store,
      pollMs: options.pollMs,
      isOpen: () => this.#isStarted && !this.#isClosed,
      poll: () => this.#claim(),
      onError: (error) => void log.write('error', 'The store of the outbox failed to give out jobs', error),
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** Looks for due jobs now, if this worker was started. */
  wake(): void {
    this.#loop.wake();
  }

  async #claim(): Promise<void> {
    const { store, options } = this.#context;
    const limit = options.concurrency - this.#running.size;
    if (limit <= 0) return;
    const claimed = await store.claim({ leaseMs: options.leaseMs, limit });
    for (const lease of claimed.leases) this.#start(lease);
    if (claimed.leases.length === limit) return;
    this.#resolveWaiters(claimed);
    this.#loop.later(claimed.nextInMs);
  }

  #resolveWaiters({ nextInMs }: ClaimedJobs): void {
    if (this.#running.size > 0) return;
    const isOver = ({ until }: WaitingCaller): boolean => until === 'nothing due' || nextInMs === undefined;
    const over = this.#waiters.filter(isOver);
    this.#waiters = this.#waiters.filter((waiter) => !isOver(waiter));
    if (this.#waiters.length === 0) this.#stopKeepingAlive();
    for (const { resolve } of over) resolve();
  }

  /** Works until no job is due, or until none is open. Keeps the process alive meanwhile. */
  async until(until: WaitingCaller['until']): Promise<void> {
    if (this.#isClosed) return;
    this.#isStarted = true;
    this.#keepAlive ??= setInterval(() => undefined, longestTimerMs);
    await new Promise<void>((resolve) => {
      this.#waiters.push({ until, resolve });
      this.wake();
    });
  }

  #stopKeepingAlive(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  #start(lease: JobLease): void {
    const { key } = lease.entry;
    // This process stood still for longer than its lease: the earlier run cannot send any more.
    const earlier = this.#running.get(key);
    if (earlier) lose(earlier);
    const job: RunningJob = { lease, controller: new AbortController(), isLost: false, result: Promise.resolve() };
    this.#running.set(key, job);
    this.#renewal ??= setInterval(() => void this.#renew(), this.#context.options.leaseMs / 3);
    job.result = this.#run(job).then(() => this.#onEnd(job));
  }

  #onEnd(job: RunningJob): void {
    const { key } = job.lease.entry;
    if (this.#running.get(key) === job) this.#running.delete(key);
    if (this.#running.size === 0) this.#stopRenewal();
    this.wake();
  }

  /** Runs a job, stores what follows, and reports it. Never rejects. */
  async #run(job: RunningJob): Promise<void> {
    const { store, options } = this.#context;
    const { lease, controller } = job;
    const run = {
      entry: lease.entry,
      progress: lease.progress,
      signal: controller.signal,
      note: async (progress: JobProgress) => !job.isLost && (await store.note(idOf(lease), progress)),
    };
    let error: unknown;
    let outcome: JobOutcome;
    try {
      outcome = outcomeOf(await runJob(run, this.#context), options);
    } catch (thrown) {
      error = thrown;
      outcome =
        this.#isClosed && controller.signal.aborted
          ? released
          : outcomeOfError(thrown, lease.failures, run.progress, options);
    }
    if (!job.isLost && (await this.#settle(job, outcome, run.progress)))
      this.#report(lease, outcome, run.progress, error);
  }

  /** Ends the lease, and tries again while the store fails. Otherwise the job is done again when its lease is over. */
  async #settle({ lease }: RunningJob, outcome: JobOutcome, progress: JobProgress): Promise<boolean> {
    const { store, log } = this.#context;
    for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
      try {
        return await store.settle(idOf(lease), { ...outcome, progress });
      } catch (error) {
        void log.write('error', 'The result of a job was not stored', error);
        await new Promise((resolve) => setTimeout(resolve, exponentialDelay(attempt, settleBackoff)));
      }
    }
    return false;
  }

  #report({ entry, failures }: JobLease, outcome: JobOutcome, progress: JobProgress, error: unknown): void {
    const { log, options } = this.#context;
    const attempt = failures + 1;
    const { state, reason = '' } = outcome;
    if (state === 'accepted') {
      const outputs = progress.outputs.map(({ output }) => output);
      void log.observe('onSuccess', () => options.onSuccess?.({ entry, outputs, attempt }));
    } else if (state === 'rejected') {
      if (options.logger || !options.onRejection)
        void log.write('warn', `Job ${entry.key}: moderation rejected the message (${reason})`);
      void log.observe('onRejection', () => options.onRejection?.({ entry, reason }));
    } else if (outcome.failed) {
      const dead = state === 'dead';
      const message = `Job ${entry.key} failed at attempt ${attempt}; ${dead ? 'it is a dead letter now' : 'it will be retried'}: ${reason}`;
      if (options.logger || !options.onFailure) void log.write(dead ? 'error' : 'warn', message);
      void log.observe('onFailure', () =>
        options.onFailure?.({ entry, error: error ?? new Error(reason), attempt, dead }),
      );
    }
  }

  async #renew(): Promise<void> {
    const { store, options, log } = this.#context;
    const jobs = [...this.#running.values()];
    try {
      const lost = await store.renew(jobs.map(({ lease }) => idOf(lease)), options.leaseMs); // prettier-ignore
      for (const job of jobs) if (lost.includes(job.lease.entry.key)) lose(job);
    } catch (error) {
      void log.write('error', 'The leases of jobs were not renewed', error);
    }
  }

  #stopRenewal(): void {
    clearInterval(this.#renewal);
    this.#renewal = undefined;
  }

  /** Claims nothing more, waits for the running jobs, then aborts their calls. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#loop.stop();
    if (!(await endsWithin(graceMs, this.#ended()))) {
      for (const { controller } of this.#running.values()) controller.abort(new Error('The outbox is closing'));
      await endsWithin(abortGraceMs, this.#ended());
    }
    this.#stopRenewal();
    this.#stopKeepingAlive();
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  async #ended(): Promise<void> {
    await this.#loop.ended;
    await Promise.all([...this.#running.values()].map(async ({ result }) => result));
  }
}

/** Another process does the job now, or this one later. */
const released: JobOutcome = { state: 'waiting', inMs: 0, failed: false };

function idOf({ entry, token }: JobLease): JobLeaseId {
  return { key: entry.key, token };
}

function lose(job: RunningJob): void {
  job.isLost = true;
  job.controller.abort(new Error('Another process has taken over'));
}
