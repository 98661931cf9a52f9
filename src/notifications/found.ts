import { ClosedError } from '../core/errors/errors.js';
import type { InboxContext } from './context.js';
import { workOf } from './entry.js';
import type { InboxEntry } from './entry.js';
import { StoreFullError } from './errors.js';
import { factKeyOf } from '../work/ledger.js';

/** Stores an entry, and returns whether it is new. @throws {StoreFullError} when its seller has too much that waits */
export async function addEntry({ store, options, isOpen }: InboxContext, entry: InboxEntry): Promise<boolean> {
  if (!isOpen) throw new ClosedError('Not added: the inbox is closed');
  const state = await store.add(workOf(entry), options.maxWaiting);
  if (state === 'full') throw new StoreFullError(entry.notification, options.maxWaiting);
  return state === 'added';
}

/** Stores what was found without a notification, unless it waits or was handled. Returns whether it is new. */
export async function addFound(context: InboxContext, entry: InboxEntry): Promise<boolean> {
  const fact = await context.store.ledger.get(factKeyOf(entry.groupId));
  return fact === undefined && (await addEntry(context, entry));
}
