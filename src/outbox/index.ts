export { createOutbox, type Outbox } from './outbox.js';
export { openOutbox, type StoredOutbox, type Accepted } from './open-outbox.js';
export type {
  Job,
  JobState,
  JobStatus,
  OutboxClient,
  OutboxStats,
  Step,
  StoredJob,
  JobFailure,
  JobRejection,
  JobSuccess,
  KeepOptions,
  OutboxOptions,
} from './options.js';
export type { DeadLetter, DeadLetters, Rejected } from '../work/lists.js';
export { toReview, type ReviewItem, type ReviewOptions, type ReviewState } from '../work/review.js';
export { bullmq } from '../work/bullmq.js';
export { memoryStore } from '../work/memory.js';
export { postgresStore } from '../work/postgres.js';
export { sqliteStore } from '../work/sqlite.js';
export type { Store, Engine } from '../work/store.js';
