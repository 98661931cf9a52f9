import { nodeModule } from '../core/node-module.js';
import { millisecondsOf } from '../core/schema/date-time.js';
import type { Notification } from './notification.js';

const nodeHash = nodeModule('node:crypto')?.hash;

/** A notification as a store or a queue holds it: plain data that can be serialized as JSON. */
export interface QueuedNotification {
  /** The same for every delivery of one notification: 32 hexadecimal digits. */
  readonly key: string;
  /** The user's resource. Entries of one group are handled one at a time, in the order of `sentAt`. */
  readonly groupId: string;
  /** When the service sent it, in milliseconds since 1970; its arrival if the service did not say. */
  readonly sentAt: number;
  readonly notification: Notification;
}

/** Builds the entry that is stored for a notification. */
export async function queuedNotification(notification: Notification, arrivedAt: number): Promise<QueuedNotification> {
  const { user_id, topic } = notification;
  const groupId = JSON.stringify([user_id, topic, resourceOf(notification)]);
  const key = digest(groupId + identityOf(notification));
  return {
    key: typeof key === 'string' ? key : await key,
    groupId: groupId.length > 200 ? await digest(groupId) : groupId,
    sentAt: timeOf(notification.sent) ?? timeOf(notification.received) ?? arrivedAt,
    notification,
  };
}

/** `/questions/5`, `5` and `/questions/005` are one question. */
function resourceOf(notification: Notification): string {
  return notification.known ? String(notification.question_id) : notification.resource.replace(/^\//, '');
}

/**
 * What identifies a notification: its id, or its content without one.
 *
 * The count of attempts differs between deliveries. The group is part of the key as well, so that a forged notification
 * about another resource cannot use up a known id.
 */
function identityOf({ id, sent, received, application_id, actions }: Notification): string {
  return JSON.stringify((id ?? undefined) === undefined ? { sent: sent ?? received, application_id, actions } : { id });
}

/** The start of the SHA-256 in hexadecimal. Node's own hash is many times faster than that of other platforms. */
function digest(content: string): string | Promise<string> {
  return nodeHash ? nodeHash('sha256', content, 'hex').slice(0, 32) : portableDigest(content);
}

async function portableDigest(content: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(content));
  return [...new Uint8Array(hash, 0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Milliseconds since 1970; a time without a zone is UTC, so that all machines agree on the order. */
function timeOf(written: string | null | undefined): number | undefined {
  const ms = typeof written === 'string' ? millisecondsOf(written) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
