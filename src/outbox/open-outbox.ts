import { lookAt, StoredEntries, StoredLists, type Shown } from '../work/lists.js';
import { isReduced, keepKeysMsOf } from '../work/store.js';
import type { Engine, RunNotes, Shelf, Status, Store, Work } from '../work/store.js';
import { Rounds } from '../work/timers.js';
import type { JobState, JobStatus, OutboxStats, StoredJob, OutboxContext } from './options.js';

/** An outbox that an operator looks at. It sends nothing. */
export interface OpenedOutbox extends StoredLists<StoredJob> {
  /** What was carried out, as long as it keeps its data. */
  readonly accepted: StoredEntries<Accepted>;
  /** Counts what the store holds. */
  stats(): Promise<OutboxStats>;
  /** Closes the store, unless an inbox or an outbox of this process still uses it. */
  close(): Promise<void>;
}

/**
 * Opens an outbox to look at it, for example in a script while others send: it counts, lists, replays and removes, and never
 * sends. It does not create a file: a path that was mistyped is an error.
 *
 * @example
 * const stored = openOutbox(sqliteStore(path));
 * console.log((await stored.stats()).waiting);
 * for (const { entry, failure } of await stored.deadLetters.list()) console.log(entry.pack_id, failure);
 * await stored.close();
 * @throws {ConfigurationError} when `store` is not a store.
 */
export function openOutbox(store: Store | Engine): OpenedOutbox {
  const { inner, close } = lookAt(store, 'openOutbox');
  const shown = shownJobs(inner);
  return Object.assign(new StoredLists(shown), { accepted: acceptedJobs(shown), stats: () => countJobs(inner), close });
}

/** What an outbox claims. */
export const jobKinds: readonly string[] = ['job'];

/** A job may have the name of a notification. */
export function storedKey(key: string): string {
  return `job ${key}`;
}

/** When a job may begin, in milliseconds since 1970; 0: at any time. */
export function beginsAt({ notBefore }: StoredJob): number {
  return notBefore === undefined ? 0 : Date.parse(notBefore);
}

/** A job as a store keeps it. Jobs are independent of each other: each is a group. */
export function workOf(job: StoredJob): Work {
  const key = storedKey(job.key);
  const notBefore = beginsAt(job);
  const sentAt = Math.max(Date.now(), notBefore);
  return { key, kind: 'job', group: key, owner: String(job.user_id), sentAt, data: job, notBefore };
}

/** What an operator sees of the jobs in a store. */
export function shownJobs(
  store: Shelf,
  keepKeysMs = keepKeysMsOf(store),
  wake: () => void = () => undefined,
): Shown<StoredJob> {
  return { store, kinds: jobKinds, storedKey, entryOf, keepKeysMs, wake };
}

/** A job that was carried out. */
export interface Accepted {
  readonly entry: StoredJob;
  /** What its steps have returned. */
  readonly outputs: readonly unknown[];
  /** When it was known, in milliseconds since 1970. */
  readonly acceptedAt: number;
  /** Its place in the list; the next page begins after it. */
  readonly number: number;
}

/** The jobs that were carried out, in the order in which that was known, as long as they keep their data. */
export function acceptedJobs(shown: Shown<StoredJob>): StoredEntries<Accepted> {
  return new StoredEntries<Accepted>(shown, ['accepted'], (status) => {
    const { endedAt: acceptedAt = 0, number } = status;
    return { entry: entryOf(status), outputs: outputsOf(status), acceptedAt, number };
  });
}

/** Finds a job as it is stored, which may be reduced. */
export async function findStored(store: Shelf, key: string): Promise<Status | undefined> {
  return store.get(storedKey(key));
}

export async function countJobs(store: Shelf): Promise<OutboxStats> {
  const { unreadable: _, ...stats } = await store.counts(jobKinds);
  return stats;
}

function entryOf({ key, owner, data }: Status): StoredJob {
  return isReduced(data)
    ? { key: key.slice(storedKey('').length), user_id: Number(owner), steps: [] }
    : (data as StoredJob);
}

function outputsOf({ notes }: Pick<Status, 'notes'>): readonly unknown[] {
  return ((notes as RunNotes).outputs ?? []).map(({ output }) => output);
}

/** A job and its state, as an outbox lists it. */
export function jobStatusOf(status: Status): JobStatus {
  const { state, failures, failure, addedAt, number } = status;
  return {
    entry: entryOf(status),
    // A job that has ended is accepted, rejected or dead.
    state: state as JobState,
    ...(isReduced(status.data) && { isReduced: true }),
    failures,
    ...(failure !== undefined && state !== 'accepted' && { reason: failure }),
    addedAt,
    outputs: outputsOf(status),
    number,
  };
}

/** How often it is looked for jobs that have kept their data long enough, in milliseconds: while jobs run, and else. */
const [soonMs, everyMs] = [60_000, 3_600_000];

/** Takes the data of jobs that have ended long ago. */
export class OldJobs {
  readonly #context: OutboxContext;
  readonly #rounds: Rounds;
  #nextAt = 0;

  constructor(context: OutboxContext) {
    this.#context = context;
    this.#rounds = new Rounds((error) => void context.log.writeRarely('The data of old jobs was not removed', error));
  }

  start(): void {
    this.#rounds.start(everyMs, () => this.#reduce());
    this.look();
  }

  /** Looks for them, once in a while. */
  look(): void {
    if (performance.now() >= this.#nextAt) this.#rounds.begin(() => this.#reduce());
  }

  async #reduce(): Promise<void> {
    const { store, options } = this.#context;
    this.#nextAt = performance.now() + soonMs;
    while (this.#rounds.areStarted)
      if ((await store.reduceOld(jobKinds, options.keep.dataMs, options.keep.keysMs)) === 0) return;
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }
}
