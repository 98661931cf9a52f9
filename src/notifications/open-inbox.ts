import { lookAt, StoredLists, type Shown } from '../work/lists.js';
import type { Counts, Shelf } from '../work/store.js';
import { handledMs } from './handling/notification-task.js';
import { entryOf, inboxKinds, type InboxEntry } from './notification.js';

/** An inbox that an operator looks at. It handles nothing. */
export interface OpenedInbox extends StoredLists<InboxEntry> {
  /** Counts what the store holds. */
  stats(): Promise<StoredStats>;
  /** Closes the store, unless an inbox or an outbox of this process still uses it. */
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
export function openInbox(store: Shelf): OpenedInbox {
  const close = lookAt(store, 'openInbox');
  return Object.assign(new StoredLists(shownNotifications(store)), { stats: () => countNotifications(store), close });
}

/** What a store holds of an inbox. */
export type StoredStats = Omit<Counts, 'accepted'>;

/** What an operator sees of the notifications in a store. */
export function shownNotifications(store: Shelf, wake: () => void = () => undefined): Shown<InboxEntry> {
  return { store, kinds: inboxKinds, storedKey: (key) => key, entryOf, keepKeysMs: handledMs, wake };
}

export async function countNotifications(store: Shelf): Promise<StoredStats> {
  const { accepted: _, ...stats } = await store.counts(inboxKinds);
  return stats;
}
