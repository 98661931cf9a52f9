import type { Counts } from '../work/store.js';
import type { Shown } from '../work/stored-entries.js';
import type { Shelf } from '../work/works.js';
import { entryOf, inboxKinds } from './entry.js';
import type { InboxEntry } from './entry.js';
import { handledMs } from './handling/facts.js';

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
