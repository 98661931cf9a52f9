import { abortGraceMs, endsWithin } from './ends-within.js';
import type { Log } from './log.js';
import type { Store } from './store.js';

/** How many inboxes and outboxes use a store. */
const users = new WeakMap<object, number>();

/** An inbox, an outbox or somebody who looks at it begins to use a store. */
export function useStore(store: object): void {
  users.set(store, (users.get(store) ?? 0) + 1);
}

/** One of them does not use the store any more: the last one closes it. */
export async function leaveStore(store: Pick<Store, 'close'>): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left <= 0) await store.close?.();
}

/** What closes until `endsAt` leaves its store until then, or within a second: it ends also when the store does not. */
export async function leaveStoreInTime(store: Pick<Store, 'close'>, endsAt: number, log: Log): Promise<void> {
  const ms = Math.max(endsAt - performance.now(), abortGraceMs);
  try {
    if (!(await endsWithin(ms, leaveStore(store)))) throw new Error(`not within ${ms} ms`);
  } catch (error) {
    await log.write('error', 'The store was not closed', error);
  }
}
