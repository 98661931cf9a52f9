import { fetchHandler } from 'marketplace-seller-sdk/inbox';
import type { Inbox } from 'marketplace-seller-sdk/inbox';

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
export async function deliver(inbox: Inbox, body: unknown): Promise<number> {
  return (await fetchHandler(inbox)(post(body))).status;
}

/**
 * Delivers until the inbox has it, as the service does: on a busy machine, a store that takes real time may be slower than a delivery
 * waits. Returns the last status.
 */
export async function deliverUntilAccepted(inbox: Inbox, body: unknown): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const status = await deliver(inbox, body);
    if (status !== 503 || attempt === 50) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
