import { DeadLetters } from '../work/dead-letters.js';
import { storeRule } from './resolve-options.js';
import { WaitingEntries } from '../work/waiting-entries.js';
import { ConfigurationError } from '../core/errors/errors.js';
import type { NotificationQueue } from './options.js';
import { statsOf } from './stores/store.js';
import type { DeadLetter, NotificationStore, StoreStats, StoredNotifications, WaitingEntry } from './stores/store.js';

/** An inbox that an operator looks at. It handles nothing. */
export interface StoredInbox {
  /** The notifications that were given up: list, replay or remove them. A replayed one is handled by a running receiver. */
  readonly deadLetters: DeadLetters<DeadLetter>;
  /** The notifications that are not handled yet: list, retry now or remove them. */
  readonly waiting: WaitingEntries<WaitingEntry>;
  /** Counts what the store holds. */
  stats(): Promise<StoreStats>;
  /** Closes the store. */
  close(): Promise<void>;
}

/**
 * Opens an inbox to look at it, for example in a script while receivers run: it counts, lists, replays and removes, and never
 * handles a notification. It neither creates nor migrates a file: a path that was mistyped is an error, and so is a file that
 * only an outbox has used.
 *
 * @example
 * const store = sqliteStore({ path });
 * await store.stats?.(); // a receiver has created the file
 * const inbox = openInbox(sqliteStore({ path }));
 * console.log((await inbox.stats()).waiting);
 * for (const { entry, failure } of await inbox.deadLetters.list()) console.log(entry.notification.resource, failure);
 * await inbox.deadLetters.replayAll();
 * await inbox.close();
 * @throws {ConfigurationError} when `store` is neither a store nor a queue with `inbox`, as `bullmqQueue` returns.
 */
export function openInbox(store: NotificationStore | NotificationQueue): StoredInbox {
  const stored = storedIn(store);
  stored.onlyOpen?.();
  return {
    deadLetters: new DeadLetters(stored, () => undefined),
    waiting: new WaitingEntries(stored, () => undefined),
    stats: () => statsOf(stored),
    close: async () => stored.close?.(),
  };
}

function storedIn(store: NotificationStore | NotificationQueue): StoredNotifications {
  const { inbox } = (store as Partial<NotificationQueue> | null | undefined) ?? {};
  if (inbox) return inbox;
  const problem = storeRule(store);
  if (problem !== undefined)
    throw new ConfigurationError(
      `openInbox takes a store, or a queue with \`inbox\` such as bullmqQueue: it ${problem}`,
    );
  return store as NotificationStore;
}
