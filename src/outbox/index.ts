export { createOutbox, type Outbox } from './outbox.js';
export { openOutbox, type OpenedOutbox, type Accepted } from './open-outbox.js';
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
export { toReview, type ReviewItem, type ReviewOptions, type ReviewState } from '../work/review.js';
