import { ConfigurationError } from '../core/errors/errors.js';
import type { Rejected } from '../work/rejected-entries.js';
import type { StoredEntries } from '../work/stored-entries.js';
import type { DeadLetters } from '../work/dead-letters.js';
import { storeRule } from '../work/store-rule.js';
import { leaveStore, useStore } from '../work/store-users.js';
import type { WaitingEntries } from '../work/waiting-entries.js';
import type { Shelf } from '../work/works.js';
import type { OutboxStats, StoredJob } from './job.js';
import { StoredJobs } from './stored-jobs.js';

/** An outbox that an operator looks at. It sends nothing. */
export interface StoredOutbox {
  /** The jobs that were given up: list, replay or remove them. A replayed one is sent by a running outbox. */
  readonly deadLetters: DeadLetters<StoredJob>;
  /** The jobs that are open: list, retry now or remove them. */
  readonly waiting: WaitingEntries<StoredJob>;
  /** The jobs with a message that moderation rejected, in the order in which that was decided: list or remove them. */
  readonly rejected: StoredEntries<Rejected<StoredJob>>;
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
export function openOutbox(store: Shelf): StoredOutbox {
  const problem = storeRule(store);
  if (problem !== undefined) throw new ConfigurationError(`openOutbox ${problem}`);
  store.onlyOpen?.();
  useStore(store);
  const jobs = new StoredJobs(store, () => undefined);
  const { deadLetters, waiting, rejected } = jobs;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= leaveStore(store));
  return { deadLetters, waiting, rejected, stats: () => jobs.stats(), close };
}
