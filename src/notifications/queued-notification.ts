import type { Notification } from './notification.js';

/** A notification as a store or a queue holds it: plain data that survives JSON. */
export interface QueuedNotification {
  /** Tells a notification from every other, however often it is delivered: 32 hexadecimal digits. */
  readonly key: string;
  /** The user's resource it is about. Entries of one lane are handled one at a time, in the order of `sentAt`. */
  readonly groupId: string;
  /** When the service sent it, in milliseconds since 1970; its arrival where the service did not say. */
  readonly sentAt: number;
  readonly notification: Notification;
}

/** The entry that a notification is stored as. */
export async function queuedNotification(notification: Notification, arrivedAt: number): Promise<QueuedNotification> {
  const { user_id, topic, resource } = notification;
  const lane = JSON.stringify([user_id, topic, resource.replace(/^\//, '')]);
  return {
    key: await digest(lane + identityOf(notification)),
    groupId: lane.length > 200 ? await digest(lane) : lane,
    sentAt: instantOf(notification.sent) ?? instantOf(notification.received) ?? arrivedAt,
    notification,
  };
}

/**
 * What makes a notification this one: its id, or without one its content.
 *
 * The count of attempts changes from delivery to delivery. The lane is part of the key too: whoever knows an id
 * cannot use it up with a notification about something else.
 */
function identityOf({ id, sent, received, application_id, actions }: Notification): string {
  return JSON.stringify((id ?? undefined) === undefined ? { sent: sent ?? received, application_id, actions } : { id });
}

async function digest(content: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Milliseconds since 1970; a time without a zone is read as UTC, so that all machines agree on the order. */
function instantOf(written: string | null | undefined): number | undefined {
  if (typeof written !== 'string') return undefined;
  const zoned = /(?:z|[+-]\d{2}:?\d{2})$/i.test(written) || !written.includes('T') ? written : `${written}Z`;
  const ms = Date.parse(zoned.replace(/(\.\d{3})\d+/, '$1'));
  return Number.isNaN(ms) ? undefined : ms;
}
