import { ConfigurationError } from '../core/errors/errors.js';
import { DeadLetters } from '../work/dead-letters.js';
import { WaitingEntries } from '../work/waiting-entries.js';
import { outboxStoreRule } from './options.js';
import type { JobDeadLetter, OutboxStats, OutboxStore, WaitingJob } from './store.js';

/** An outbox that an operator looks at. It sends nothing. */
export interface StoredOutbox {
  /** The jobs that were given up: list, replay or remove them. A replayed one is sent by a running outbox. */
  readonly deadLetters: DeadLetters<JobDeadLetter>;
  /** The jobs that are open: list, retry now or remove them. */
  readonly waiting: WaitingEntries<WaitingJob>;
  /** Counts what the store holds. */
  stats(): Promise<OutboxStats>;
  /** Closes the store. */
  close(): Promise<void>;
}

/**
 * Opens an outbox to look at it, for example in a script while others send: it counts, lists, replays and removes, and never
 * sends. It neither creates nor migrates a file: a path that was mistyped is an error, and so is a file that only an inbox
 * has used.
 *
 * @example
 * await createOutbox({ store: sqliteOutbox(path), clientFor: () => seller }).stats(); // has created the file
 * const stored = openOutbox(sqliteOutbox(path));
 * console.log((await stored.stats()).waiting);
 * for (const { entry, failure } of await stored.deadLetters.list()) console.log(entry.key, failure);
 * await stored.close();
 * @throws {ConfigurationError} when `store` is not a store.
 */
export function openOutbox(store: OutboxStore): StoredOutbox {
  const problem = outboxStoreRule(store);
  if (problem !== undefined) throw new ConfigurationError(`openOutbox ${problem}`);
  store.onlyOpen?.();
  return {
    deadLetters: new DeadLetters(store, () => undefined),
    waiting: new WaitingEntries(store, () => undefined),
    stats: () => store.stats(),
    close: async () => store.close?.(),
  };
}
