import { withoutUnknown } from '../work/write-records.js';
import type { JobProgress, JobState, JobStatus, StoredJob } from './job.js';
import type { JobDeadLetter, WaitingJob } from './store.js';

/** A job as a store keeps it, beside its progress. */
export interface KeptJob {
  readonly entry: StoredJob;
  readonly number: number;
  readonly addedAt: number;
  readonly state: Exclude<JobState, 'running'>;
  readonly failures: number;
  readonly reason: string | undefined;
  readonly endedAt: number;
  /** Its place among the dead letters. */
  readonly deadNumber: number;
  /** When it can be leased, its lease ends, or its key is forgotten, by the clock of the store. */
  readonly dueAt: number;
  /** That of its lease. */
  readonly token: string | undefined;
}

/** A job and its state, as an outbox lists it. */
export function statusOf(job: KeptJob, { outputs }: JobProgress): JobStatus {
  const { entry, state, token, failures, reason, addedAt, number } = job;
  return {
    entry,
    state: state === 'waiting' && token !== undefined ? 'running' : state,
    failures,
    ...(reason !== undefined && state !== 'accepted' && { reason }),
    addedAt,
    outputs: outputs.map(({ output }) => output),
    number,
  };
}

/** A dead job, as `deadLetters` lists it. */
export function deadLetterOf({ entry, failures, reason = '', endedAt, deadNumber }: KeptJob): JobDeadLetter {
  return { entry, attempts: failures, failure: reason, deadLetteredAt: endedAt, number: deadNumber };
}

/** An open job, as `waiting` lists it. */
export function waitingOf(
  { entry, failures, reason, token, dueAt, addedAt, number }: KeptJob,
  now: number,
): WaitingJob {
  return {
    entry,
    attempts: failures,
    ...(reason !== undefined && { failure: reason }),
    ...(token === undefined && { nextInMs: Math.max(0, dueAt - now) }),
    addedAt,
    number,
  };
}

/** The progress of a dead letter that is sent again. */
export function redriven({ outputs, writes }: JobProgress, forgetsUnknown: boolean): JobProgress {
  return { outputs, writes: forgetsUnknown ? withoutUnknown(writes) : writes };
}
