import type { Shown } from '../work/stored-entries.js';
import type { Query, Status, Work } from '../work/store.js';
import type { RunNotes } from '../work/task.js';
import type { Shelf } from '../work/works.js';
import type { JobState, JobStatus, OutboxStats, StoredJob } from './job.js';

/** What an outbox claims. */
export const jobKinds: readonly string[] = ['job'];

/** A job may have the name of a notification. */
function storedKey(key: string): string {
  return `job ${key}`;
}

/** A job as a store keeps it. Jobs are independent of each other: each is a group. */
export function workOf(job: StoredJob): Work {
  const key = storedKey(job.key);
  return { key, kind: 'job', group: key, owner: String(job.user_id), sentAt: Date.now(), data: job };
}

/** What an operator sees of the jobs in a store. */
export function shownJobs(store: Shelf, wake: () => void = () => undefined): Shown<StoredJob> {
  return { store, kinds: jobKinds, storedKey, entryOf, wake };
}

export async function findJob(store: Shelf, key: string): Promise<JobStatus | undefined> {
  const found = await store.get(storedKey(key));
  return found && statusOf(found);
}

export async function listJobs(store: Shelf, query: Omit<Query, 'kinds'>): Promise<readonly JobStatus[]> {
  return (await store.list({ ...query, kinds: jobKinds })).map(statusOf);
}

export async function countJobs(store: Shelf): Promise<OutboxStats> {
  const { unreadable: _, ...stats } = await store.counts(jobKinds);
  return stats;
}

function entryOf({ data }: Status): StoredJob {
  return data as StoredJob;
}

/** A job and its state, as an outbox lists it. */
function statusOf(status: Status): JobStatus {
  const { state, failures, failure, addedAt, notes, number } = status;
  return {
    entry: entryOf(status),
    // A job that has ended is accepted, rejected or dead.
    state: state as JobState,
    failures,
    ...(failure !== undefined && state !== 'accepted' && { reason: failure }),
    addedAt,
    outputs: ((notes as RunNotes).outputs ?? []).map(({ output }) => output),
    number,
  };
}
