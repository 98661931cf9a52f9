/* oxlint-disable typescript/require-await -- the interface is asynchronous, this store is not */
import { MemoryLedger } from '../work/memory-ledger.js';
import { noProgress } from './job.js';
import type { JobProgress, JobState, JobStatus, StoredJob } from './job.js';
import { deadLetterOf, redriven, statusOf, waitingOf } from './kept-job.js';
import type { KeptJob } from './kept-job.js';
import type {
  ClaimedJobs,
  JobDeadLetter,
  JobLeaseId,
  JobQuery,
  JobSettlement,
  OutboxStats,
  OutboxStore,
  WaitingJob,
} from './store.js';

/**
 * Creates an outbox in this process's memory, for tests and for jobs that may be lost when the process ends.
 *
 * @example
 * const outbox = createOutbox({ store: memoryOutbox(), clientFor: () => seller });
 * await outbox.close();
 */
export function memoryOutbox(): OutboxStore {
  return new MemoryOutbox();
}

/** The same, to be changed in place. */
type JobInMemory = { -readonly [Field in keyof KeptJob]: KeptJob[Field] } & { progress: JobProgress };

class MemoryOutbox implements OutboxStore {
  readonly durable = false;
  readonly shared = false;
  readonly ledger = new MemoryLedger();
  readonly #jobs = new Map<string, JobInMemory>();
  #added = 0;
  #leased = 0;
  #died = 0;

  async add(entry: StoredJob): Promise<JobStatus> {
    const known = this.#jobs.get(entry.key);
    if (known && !isExpired(known)) return statusOf(known, known.progress);
    this.#jobs.delete(entry.key);
    const job: JobInMemory = {
      entry: structuredClone(entry),
      number: (this.#added += 1),
      addedAt: Date.now(),
      state: 'waiting',
      failures: 0,
      reason: undefined,
      progress: noProgress,
      endedAt: 0,
      deadNumber: 0,
      dueAt: performance.now(),
      token: undefined,
    };
    this.#jobs.set(entry.key, job);
    return statusOf(job, job.progress);
  }

  async get(key: string): Promise<JobStatus | undefined> {
    const job = this.#jobs.get(key);
    return job && statusOf(job, job.progress);
  }

  async list({ state, limit, after }: JobQuery): Promise<readonly JobStatus[]> {
    const listed = this.#statuses().filter(({ number }) => number > after);
    return listed.filter((job) => state === undefined || job.state === state).slice(0, limit);
  }

  #statuses(): JobStatus[] {
    return [...this.#jobs.values()].map((job) => statusOf(job, job.progress));
  }

  async claim({ leaseMs, limit }: { leaseMs: number; limit: number }): Promise<ClaimedJobs> {
    const now = performance.now();
    const due = this.#waiting().filter(({ dueAt }) => dueAt <= now);
    const leases = due.slice(0, limit).map((job) => {
      job.token = String((this.#leased += 1));
      job.dueAt = now + leaseMs;
      return { entry: job.entry, token: job.token, failures: job.failures, progress: job.progress };
    });
    const next = Math.min(...this.#waiting().map(({ dueAt }) => dueAt));
    return { leases, ...(next < Infinity && { nextInMs: Math.max(0, next - now) }) };
  }

  #waiting(): JobInMemory[] {
    return [...this.#jobs.values()].filter(({ state }) => state === 'waiting').sort((a, b) => a.dueAt - b.dueAt);
  }

  async renew(leases: readonly JobLeaseId[], leaseMs: number): Promise<readonly string[]> {
    const held = leases.flatMap((lease) => this.#held(lease) ?? []);
    for (const job of held) job.dueAt = performance.now() + leaseMs;
    return leases.map(({ key }) => key).filter((key) => held.every(({ entry }) => entry.key !== key));
  }

  #held({ key, token }: JobLeaseId): JobInMemory | undefined {
    const job = this.#jobs.get(key);
    return job?.token === token ? job : undefined;
  }

  async note(lease: JobLeaseId, progress: JobProgress): Promise<boolean> {
    const job = this.#held(lease);
    if (job) job.progress = progress;
    return job !== undefined;
  }

  async settle(lease: JobLeaseId, { state, inMs, failed, reason, progress }: JobSettlement): Promise<boolean> {
    const job = this.#held(lease);
    if (!job) return false;
    const dueAt = performance.now() + inMs;
    const failures = job.failures + Number(failed);
    Object.assign(job, { state, dueAt, failures, reason: reason ?? job.reason, progress, token: undefined });
    job.endedAt = Date.now();
    if (state === 'dead') job.deadNumber = this.#died += 1;
    this.#forgetExpired();
    return true;
  }

  #forgetExpired(): void {
    for (const [key, job] of this.#jobs) if (isExpired(job)) this.#jobs.delete(key);
  }

  async deadLetters(limit: number, after = 0): Promise<readonly JobDeadLetter[]> {
    const dead = [...this.#jobs.values()].filter(({ state, deadNumber }) => state === 'dead' && deadNumber > after);
    const letters = dead.map(deadLetterOf);
    return letters.sort((a, b) => a.number - b.number).slice(0, limit);
  }

  async redrive(key: string, forgetsUnknown = false): Promise<boolean> {
    const job = this.#jobs.get(key);
    if (job?.state !== 'dead') return false;
    const progress = redriven(job.progress, forgetsUnknown);
    Object.assign(job, { state: 'waiting', failures: 0, dueAt: performance.now(), progress });
    return true;
  }

  async removeDeadLetter(key: string): Promise<boolean> {
    return this.#jobs.get(key)?.state === 'dead' && this.#jobs.delete(key);
  }

  async waiting(limit: number, after = 0): Promise<readonly WaitingJob[]> {
    const open = [...this.#jobs.values()].filter(({ state, number }) => state === 'waiting' && number > after);
    const now = performance.now();
    return open.slice(0, limit).map((job) => waitingOf(job, now));
  }

  async retryNow(key: string): Promise<boolean> {
    const job = this.#unleased(key);
    if (job) job.dueAt = performance.now();
    return job !== undefined;
  }

  async removeWaiting(key: string): Promise<boolean> {
    return this.#unleased(key) !== undefined && this.#jobs.delete(key);
  }

  #unleased(key: string): JobInMemory | undefined {
    const job = this.#jobs.get(key);
    return job?.state === 'waiting' && job.token === undefined ? job : undefined;
  }

  async stats(): Promise<OutboxStats> {
    const jobs = this.#statuses();
    const count = (state: JobState): number => jobs.filter((job) => job.state === state).length;
    const oldest = Math.min(...jobs.filter(({ state }) => isOpen(state)).map(({ addedAt }) => addedAt));
    return {
      waiting: count('waiting'),
      running: count('running'),
      dead: count('dead'),
      accepted: count('accepted'),
      rejected: count('rejected'),
      ...(oldest < Infinity && { oldestAgeMs: Math.max(0, Date.now() - oldest) }),
    };
  }
}

function isOpen(state: JobState): boolean {
  return state === 'waiting' || state === 'running';
}

/** Whether the key of a job need not be kept any longer. */
function isExpired({ state, dueAt }: JobInMemory): boolean {
  return (state === 'accepted' || state === 'rejected') && dueAt <= performance.now();
}
