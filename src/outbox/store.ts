import type { DeadLetterStore } from '../work/dead-letters.js';
import type { Ledger } from '../work/ledger.js';
import type { WaitingStore } from '../work/waiting-entries.js';
import type { JobProgress, JobState, JobStatus, StoredJob } from './job.js';

/** A leased job: no other process gets it before the lease ends. */
export interface JobLease {
  readonly entry: StoredJob;
  /** Identifies the lease: a job that is leased again gets a new token. */
  readonly token: string;
  /** How many attempts have failed. */
  readonly failures: number;
  readonly progress: JobProgress;
}

/** Names a lease. */
export interface JobLeaseId extends Pick<JobLease, 'token'> {
  readonly key: string;
}

/** The response to a claim. */
export interface ClaimedJobs {
  readonly leases: readonly JobLease[];
  /** When to claim again, in milliseconds; absent when no job is open. */
  readonly nextInMs?: number | undefined;
}

/** The result of a lease. */
export interface JobSettlement {
  /** `waiting`: the next attempt is due in `inMs`. */
  readonly state: Exclude<JobState, 'running'>;
  /** When a waiting job is due again, or how long the key of another one is kept, in milliseconds. */
  readonly inMs: number;
  /** Whether the attempt counts as a failure. */
  readonly failed: boolean;
  /** Replaces the last one; `undefined` keeps it. */
  readonly reason?: string | undefined;
  readonly progress: JobProgress;
}

/** A job that was given up. */
export interface JobDeadLetter {
  readonly entry: StoredJob;
  readonly attempts: number;
  /** The name and the message of the last error. */
  readonly failure: string;
  /** When it was given up, in milliseconds since 1970. */
  readonly deadLetteredAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** A job that is open. */
export interface WaitingJob {
  readonly entry: StoredJob;
  /** How many attempts have failed. */
  readonly attempts: number;
  /** The name and the message of the last error; absent before the first one. */
  readonly failure?: string | undefined;
  /** When it is tried next, in milliseconds; 0 when it is due, absent while it runs. */
  readonly nextInMs?: number | undefined;
  /** When it was added, in milliseconds since 1970. */
  readonly addedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** What an outbox holds. */
export interface OutboxStats {
  /** Jobs that wait for their first or next attempt, or for moderation. */
  readonly waiting: number;
  /** Jobs that a process works on. */
  readonly running: number;
  readonly dead: number;
  readonly accepted: number;
  readonly rejected: number;
  /** How long ago the oldest job that is open was added, in milliseconds; absent when none is. */
  readonly oldestAgeMs?: number | undefined;
}

/** Which jobs to list. */
export interface JobQuery {
  /**
   * The state of the jobs.
   *
   * @default all states
   */
  readonly state?: JobState | undefined;
  readonly limit: number;
  /** Begin after the job with this `number`. */
  readonly after: number;
}

/** Where an outbox keeps its jobs: `sqliteOutbox`, `memoryOutbox`, or your own. */
export interface OutboxStore extends DeadLetterStore<JobDeadLetter>, WaitingStore<WaitingJob> {
  /** Whether jobs survive the end of the process. */
  readonly durable: boolean;
  /** Whether several processes may use it at once. */
  readonly shared: boolean;
  /** What outboxes keep beside the jobs: the book of writes. */
  readonly ledger: Ledger;
  /** Stores a job unless its key is known, in one step. Returns the stored job with this key. */
  add(job: StoredJob): Promise<JobStatus>;
  get(key: string): Promise<JobStatus | undefined>;
  /** The jobs after one with this number, in the order in which they were added. */
  list(query: JobQuery): Promise<readonly JobStatus[]>;
  /** Leases jobs that are due. The lease of a process that ended is over after `leaseMs`. */
  claim(claim: { readonly leaseMs: number; readonly limit: number }): Promise<ClaimedJobs>;
  /** Extends leases. Returns the keys of those that are lost. */
  renew(leases: readonly JobLeaseId[], leaseMs: number): Promise<readonly string[]>;
  /**
   * Keeps the progress of a leased job. Resolves once it survives a power cut. Returns `false` and changes nothing when the
   * lease is lost.
   */
  note(lease: JobLeaseId, progress: JobProgress): Promise<boolean>;
  /** Ends a lease. Returns `false` and changes nothing when it is lost. */
  settle(lease: JobLeaseId, settlement: JobSettlement): Promise<boolean>;
  stats(): Promise<OutboxStats>;
  close?(): Promise<void>;
  /** Called by `openOutbox`, before anything else: the store is neither created nor migrated. */
  onlyOpen?(): void;
}
