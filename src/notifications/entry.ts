import { millisecondsOf } from '../core/schema/dates.js';
import { digest } from '../work/reduced.js';
import type { Status, Work } from '../work/store.js';
import { knownTopics, pathOf } from './notification.js';
import type { Notification } from './notification.js';

/** A notification as a store keeps it: plain data that can be serialized as JSON. */
export interface InboxEntry {
  /** The same for every delivery of one notification: 32 hexadecimal digits; another text for what `catchUp` has found. */
  readonly key: string;
  /** The user's resource. Entries of one group are handled one at a time, in the order of `sentAt`. */
  readonly groupId: string;
  /** When the service sent it, in milliseconds since 1970; its arrival if the service did not say. */
  readonly sentAt: number;
  readonly notification: Notification;
  /** When it arrived here, or was found, in milliseconds since 1970. */
  readonly arrivedAt: number;
  /** Found by `catchUp`: it stands for everything about its resource that arrived before its handler read the resource. */
  readonly caughtUp?: boolean | undefined;
  /** The pack, or the order, whose conversation has shown the message: it is read there. */
  readonly shownIn?: string | undefined;
  /** The trace of the delivery, with the `tracing` option. */
  readonly traceparent?: string | undefined;
}

/** What an inbox claims: a topic with a handler of its own, or `*` for every other one. */
export const inboxKinds = [...knownTopics, '*'] as const;
export type InboxKind = (typeof inboxKinds)[number];

/** Which handler a notification needs. */
function kindOf({ known, topic }: Pick<Notification, 'known' | 'topic'>): InboxKind {
  return known ? (topic as InboxKind) : '*';
}

/** The work of an entry. */
export function workOf(entry: InboxEntry): Work {
  const { key, groupId: group, sentAt, notification } = entry;
  const owner = String(notification.user_id);
  return { key, kind: kindOf(notification), group, owner, sentAt, data: entry };
}

export function entryOf({ data }: Pick<Status, 'data'>): InboxEntry {
  return data as InboxEntry;
}

/** Builds the entry that is stored for a notification. */
export async function newEntry(notification: Notification, arrivedAt: number): Promise<InboxEntry> {
  const groupId = await groupIdOf(notification);
  const sentAt = timeOf(notification.sent) ?? timeOf(notification.received) ?? arrivedAt;
  return { key: await digest(groupId + identityOf(notification)), groupId, sentAt, notification, arrivedAt };
}

/** A question, or a message and the pack whose conversation has shown it. */
export type FoundResource =
  | { readonly topic: 'questions'; readonly id: number }
  | { readonly topic: 'messages'; readonly id: string; readonly shownIn: string };

/** Builds the entry of a question or message that was found at a time, in milliseconds since 1970. */
export async function caughtUpEntry(user_id: number, found: FoundResource, foundAt: number): Promise<InboxEntry> {
  const { topic, id } = found;
  const fields = { known: true, user_id, resource: `/${topic}/${id}` } as const;
  const notification: Notification =
    topic === 'questions' ? { ...fields, topic, question_id: id } : { ...fields, topic, message_id: id };
  const groupId = await groupIdOf(notification);
  const of = { groupId, sentAt: foundAt, notification, arrivedAt: foundAt, caughtUp: true };
  return { key: `found ${groupId}`, ...of, ...(topic === 'messages' && { shownIn: found.shownIn }) };
}

async function groupIdOf(notification: Notification): Promise<string> {
  const { user_id, topic } = notification;
  const groupId = JSON.stringify([user_id, topic.toLowerCase(), resourceOf(notification)]);
  return groupId.length > 200 ? digest(groupId) : groupId;
}

/** `/questions/5`, `5` and `/questions/005` are one question. */
function resourceOf({ question_id, message_id, pack_id, resource }: Notification): string {
  if (pack_id !== undefined) return `packs/${pack_id}`;
  return String(question_id ?? message_id ?? pathOf(resource).replace(/^\//, ''));
}

/**
 * What identifies a notification: its id, or its content without one. If that is nothing, each delivery is another event.
 *
 * The count of attempts differs between deliveries. The group is part of the key as well, so that a forged notification
 * about another resource cannot use up a known id.
 */
function identityOf({ id, sent, received, application_id, actions }: Notification): string {
  if ((id ?? undefined) !== undefined) return JSON.stringify({ id });
  const time = sent ?? received ?? undefined;
  return time === undefined ? crypto.randomUUID() : JSON.stringify({ sent: time, application_id, actions });
}

/** Milliseconds since 1970; a time without a zone is UTC, so that all machines agree on the order. */
function timeOf(written: string | null | undefined): number | undefined {
  const ms = typeof written === 'string' ? millisecondsOf(written) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
