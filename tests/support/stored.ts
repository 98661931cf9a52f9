import type {
  Claim,
  Lease,
  LeaseId,
  NotificationStore,
  QueuedNotification,
  Settlement,
} from 'marketplace-seller-sdk/notifications';

/** An entry of a group: by default of its own. */
export function entry(key: string, groupId = key, sentAt = 1, user_id = 7): QueuedNotification {
  return {
    key,
    groupId,
    sentAt,
    notification: {
      known: true,
      topic: 'questions',
      question_id: 1,
      user_id,
      resource: '/questions/1',
      application_id: '1234567890123456789',
    },
  };
}

export const claim = (more: Partial<Claim> = {}): Claim => ({
  workerId: 'a',
  limit: 10,
  leaseMs: 60_000,
  coalesce: false,
  ...more,
});
export const settlement = ({ groupId, token }: LeaseId, more: Partial<Settlement> = {}): Settlement => ({
  groupId,
  token,
  done: [],
  deduplicationMs: 60_000,
  ...more,
});

/** Claims a single lease. */
export async function lease(store: NotificationStore, more: Partial<Claim> = {}): Promise<Lease> {
  const { leases } = await store.claim(claim({ limit: 1, ...more }));
  if (!leases[0]) throw new Error('there is nothing to lease');
  return leases[0];
}
