import { ConfigurationError } from '../core/errors/errors.js';
import type { DeadLetters } from '../work/dead-letters.js';
import { leaveStore, useStore } from '../work/store-users.js';
import { storeRule } from '../work/store-rule.js';
import type { Rejected } from '../work/rejected-entries.js';
import type { StoredEntries } from '../work/stored-entries.js';
import type { WaitingEntries } from '../work/waiting-entries.js';
import type { Shelf } from '../work/works.js';
import type { InboxEntry } from './entry.js';
import { StoredNotifications } from './stored-notifications.js';
import type { StoredStats } from './stored-notifications.js';

/** An inbox that an operator looks at. It handles nothing. */
export interface StoredInbox {
  /** The notifications that were given up: list, replay or remove them. A replayed one is handled by a running inbox. */
  readonly deadLetters: DeadLetters<InboxEntry>;
  /** The notifications that are not handled yet: list, retry now or remove them. */
  readonly waiting: WaitingEntries<InboxEntry>;
  /** The notifications whose handler sent a message that moderation rejected: list or remove them. */
  readonly rejected: StoredEntries<Rejected<InboxEntry>>;
  /** Counts what the store holds. */
  stats(): Promise<StoredStats>;
  /** Closes the store. */
  close(): Promise<void>;
}

/**
 * Opens an inbox to look at it, for example in a script while others handle: it counts, lists, replays and removes, and never
 * handles a notification. It does not create a file: a path that was mistyped is an error.
 *
 * @example
 * const inbox = openInbox(sqliteStore(path));
 * console.log((await inbox.stats()).waiting);
 * for (const { entry, failure } of await inbox.deadLetters.list()) console.log(entry.notification.resource, failure);
 * await inbox.deadLetters.replayAll();
 * await inbox.close();
 * @throws {ConfigurationError} when `store` is not a store.
 */
export function openInbox(store: Shelf): StoredInbox {
  const problem = storeRule(store);
  if (problem !== undefined) throw new ConfigurationError(`openInbox ${problem}`);
  useStore(store);
  store.onlyOpen?.();
  const stored = new StoredNotifications(store, () => undefined);
  const { deadLetters, waiting, rejected } = stored;
  let closed: Promise<void> | undefined;
  return { deadLetters, waiting, rejected, stats: () => stored.stats(), close: () => (closed ??= leaveStore(store)) };
}
