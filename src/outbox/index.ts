export { createOutbox } from './outbox.js';
export type { JobListOptions, Outbox, OutboxCloseOptions } from './outbox.js';
export { openOutbox } from './open-outbox.js';
export type { StoredOutbox } from './open-outbox.js';
export { memoryOutbox } from './memory.js';
export { sqliteOutbox } from './sqlite.js';
export type {
  CallJob,
  CallStep,
  ContactJob,
  ContactStep,
  JobProgress,
  JobState,
  JobStatus,
  OutboxClient,
  StepOutput,
  StepsJob,
  StoredJob,
  StoredStep,
} from './job.js';
export type { JobFailure, JobRejection, JobSuccess, OutboxOptions } from './options.js';
export type {
  ClaimedJobs,
  JobDeadLetter,
  JobLease,
  JobLeaseId,
  JobQuery,
  JobSettlement,
  OutboxStats,
  OutboxStore,
  WaitingJob,
} from './store.js';
export type { DeadLetterFacts, DeadLetterStore, DeadLetters } from '../work/dead-letters.js';
export type { ListOptions, StoredFacts } from '../work/pages.js';
export type { WaitingEntries, WaitingStore } from '../work/waiting-entries.js';
export type { Ledger } from '../work/ledger.js';
export type { RetryOptions } from '../work/retry.js';
export type { WriteRecord } from '../core/recover/write-hook.js';
