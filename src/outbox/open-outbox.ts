import { lookAt } from '../work/opened-store.js';
import type { StoredEntries } from '../work/stored-entries.js';
import { StoredLists } from '../work/stored-lists.js';
import type { Shelf } from '../work/works.js';
import type { OutboxStats, StoredJob } from './job.js';
import { acceptedJobs, countJobs, shownJobs } from './stored-jobs.js';
import type { Accepted } from './stored-jobs.js';

/** An outbox that an operator looks at. It sends nothing. */
export interface StoredOutbox extends StoredLists<StoredJob> {
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
export function openOutbox(store: Shelf): StoredOutbox {
  const close = lookAt(store, 'openOutbox');
  const shown = shownJobs(store);
  return Object.assign(new StoredLists(shown), { accepted: acceptedJobs(shown), stats: () => countJobs(store), close });
}
