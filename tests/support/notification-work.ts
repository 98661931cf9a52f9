import type { InboxEntry } from 'marketplace-seller-sdk/inbox';
import { workOf } from '../../src/notifications/notification.js';

/** A notification about a question, as a store has it: of a resource of its own. */
export function work(key: string, user_id = 7): ReturnType<typeof workOf> {
  const notification = { known: true, topic: 'questions', question_id: 1, user_id, resource: '/questions/1' } as const;
  const entry: InboxEntry = { key, groupId: key, sentAt: 1, arrivedAt: Date.now(), notification };
  return workOf(entry);
}
