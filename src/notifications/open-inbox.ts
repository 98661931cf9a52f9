import { lookAt, StoredLists, type Shown } from '../work/lists.js';
import type { Engine, Shelf, Store } from '../work/store.js';
import { handledMs } from './handling/notification-task.js';
import { entryOf, inboxKinds, type InboxEntry } from './notification.js';

/** An inbox that an operator looks at. It handles nothing. */
export interface OpenedInbox extends StoredLists<InboxEntry> {
  /** Counts what the store holds. */
  stats(): Promise<Omit<InboxStats, 'dropped' | 'expired'>>;
  /** Closes the store, unless an inbox or an outbox of this process still uses it. */
  close(): Promise<void>;
}

/** What an inbox holds, and what this process did not accept. */
export interface InboxStats {
  /** Those that wait for their first or next attempt, or for moderation. */
  readonly waiting: number;
  /** Those that a handler runs for. */
  readonly running: number;
  /** Those that were given up. */
  readonly dead: number;
  /** Those with a message that moderation rejected. */
  readonly rejected: number;
  /** How many could not be read and were set aside. */
  readonly unreadable: number;
  /** How long ago the oldest that is open was added, in milliseconds; absent when none is. */
  readonly oldestAgeMs?: number | undefined;
  /** How many notifications this process has acknowledged and not handled: their user is no seller, or the service does not show what they are about. */
  readonly dropped: number;
  /** How many this process has deleted because no process has had a handler for their topic in three days. */
  readonly expired: number;
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
export function openInbox(store: Store | Engine): OpenedInbox {
  const { inner, close } = lookAt(store, 'openInbox');
  return Object.assign(new StoredLists(shownNotifications(inner)), { stats: () => countNotifications(inner), close });
}

/** What an operator sees of the notifications in a store. */
export function shownNotifications(store: Shelf, wake: () => void = () => undefined): Shown<InboxEntry> {
  return { store, kinds: inboxKinds, storedKey: (key) => key, entryOf, keepKeysMs: handledMs, wake };
}

export async function countNotifications(store: Shelf): ReturnType<OpenedInbox['stats']> {
  const { accepted: _, ...stats } = await store.counts(inboxKinds);
  return stats;
}
