import type { Store } from './store.js';

/** How many inboxes and outboxes use a store. */
const users = new WeakMap<object, number>();

/** An inbox, an outbox or somebody who looks at it begins to use a store. */
export function useStore(store: object): void {
  users.set(store, (users.get(store) ?? 0) + 1);
}

/** It does not use the store any more: the last one closes it. */
export async function leaveStore(store: Pick<Store, 'close'>): Promise<void> {
  const left = (users.get(store) ?? 1) - 1;
  users.set(store, left);
  if (left <= 0) await store.close?.();
}
