import { fetchHandler } from 'marketplace-seller-sdk/notifications';
import type { Receiver } from 'marketplace-seller-sdk/notifications';

/** For inboxes whose store takes real time, so that a busy machine makes no delivery fail. */
export const patient = { acceptTimeoutMs: 15_000 };

/** A notification about a question, as the service sends it. */
export function about(question_id: number, more: object = {}): object {
  return {
    _id: `event-${question_id}`,
    user_id: 7,
    resource: `/questions/${question_id}`,
    topic: 'questions',
    sent: '2026-11-20T10:00:00.000Z',
    received: '2026-11-20T10:00:00.000Z',
    attempts: 1,
    ...more,
  };
}

/** A delivery, as the service sends it. */
export function post(body: unknown, init: RequestInit = {}): Request {
  return new Request('https://app.test/notifications', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  });
}

/** Delivers, and returns the status of the response. */
export async function deliver(receiver: Receiver, body: unknown): Promise<number> {
  return (await fetchHandler(receiver)(post(body))).status;
}
