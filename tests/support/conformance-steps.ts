import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import type {
  Claim,
  Lease,
  NotificationStore,
  QueuedNotification,
  Settlement,
} from 'marketplace-seller-sdk/notifications';

const claim: Claim = { workerId: 'conformance', limit: 10, leaseMs: 60_000, coalesce: false };

/** Makes an entry: by default in a group of its own. */
export function entryOf(
  key: string,
  { groupId = key, sentAt = 1, user_id = 7, topic = 'questions' } = {},
): QueuedNotification {
  const resource = `/${topic}/1`;
  if (topic !== 'questions') return { key, groupId, sentAt, notification: { known: false, user_id, topic, resource } };
  return { key, groupId, sentAt, notification: { known: true, user_id, topic: 'questions', resource, question_id: 1 } };
}

/** Makes the record of a write. */
export function write(id: string, state: WriteRecord['state']): WriteRecord {
  return { id, target: 'answer', input: { question_id: 1 }, sentAt: 1, state };
}

/** Claims, and returns the keys of what was leased. */
export async function keysOf(store: NotificationStore, more: Partial<Claim> = {}): Promise<string[]> {
  return (await store.claim({ ...claim, ...more })).leases.map(({ entry }) => entry.key);
}

/** Claims one lease. */
export async function lease(store: NotificationStore, more: Partial<Claim> = {}): Promise<Lease> {
  const [first] = (await store.claim({ ...claim, limit: 1, ...more })).leases;
  if (!first) throw new Error('the store gave out no lease');
  return first;
}

/** Ends a lease. */
export function settle(
  store: NotificationStore,
  { groupId, token }: Lease,
  result: Partial<Settlement>,
): Promise<boolean> {
  return store.settle({ groupId, token, done: [], deduplicationMs: 60_000, ...result });
}

/** @throws {Error} when two values differ. */
export function equal(found: unknown, expected: unknown, what: string): void {
  const [one, other] = [found, expected].map((each) => JSON.stringify(each));
  if (one !== other) throw new Error(`${what}: expected ${other}, found ${one}`);
}
