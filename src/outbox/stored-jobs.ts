import { DeadLetters } from '../work/dead-letters.js';
import { rejectedEntries } from '../work/rejected-entries.js';
import type { Rejected } from '../work/rejected-entries.js';
import type { StoredEntries } from '../work/stored-entries.js';
import type { Shown } from '../work/stored-entries.js';
import type { Status, Work } from '../work/store.js';
import type { RunNotes } from '../work/task.js';
import { WaitingEntries } from '../work/waiting-entries.js';
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

/** The jobs of a store, without what sends them. */
export class StoredJobs {
  /** The jobs that were given up: list, replay or remove them. */
  readonly deadLetters: DeadLetters<StoredJob>;
  /** The jobs that are open: list, retry now or remove them. */
  readonly waiting: WaitingEntries<StoredJob>;
  /** The jobs with a message that moderation rejected, in the order in which that was decided: list or remove them. */
  readonly rejected: StoredEntries<Rejected<StoredJob>>;
  readonly #store: Shelf;

  constructor(store: Shelf, wake: () => void) {
    this.#store = store;
    const shown: Shown<StoredJob> = { store, kinds: jobKinds, storedKey, entryOf, wake };
    this.deadLetters = new DeadLetters(shown);
    this.waiting = new WaitingEntries(shown);
    this.rejected = rejectedEntries(shown);
  }

  async get(key: string): Promise<JobStatus | undefined> {
    const found = await this.#store.get(storedKey(key));
    return found && statusOf(found);
  }

  async list(states: readonly JobState[], limit: number, after: number): Promise<readonly JobStatus[]> {
    const found = await this.#store.list({ kinds: jobKinds, states, limit, after });
    return found.map(statusOf);
  }

  async stats(): Promise<OutboxStats> {
    const { waiting, running, dead, accepted, rejected, oldestAgeMs } = await this.#store.counts(jobKinds);
    return { waiting, running, dead, accepted, rejected, ...(oldestAgeMs !== undefined && { oldestAgeMs }) };
  }
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
