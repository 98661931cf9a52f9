import { NotificationError } from '../core/errors/errors.js';
import { parseJson } from '../core/json/json.js';
import {
  millisecondsOf,
  array,
  dateTime,
  int64,
  integer,
  looseObject,
  nullish,
  string,
} from '../core/schema/define.js';
import type { Output } from '../core/schema/schema.js';
import { digest, type Status, type Work } from '../work/store.js';

/** The topics that this package knows. */
export const knownTopics = ['questions', 'messages'] as const;

/** The fields of every notification. The fields after `sent` occur in production. */
export const notificationFields = looseObject({
  /** The user the notification relates to. */
  user_id: integer,
  /** The element that was created or updated, as delivered. Never follow it as a URL. */
  resource: string,
  topic: string,
  /** Stays the same when the notification is delivered again. Some notifications have none. */
  id: nullish(string),
  received: nullish(dateTime),
  sent: nullish(dateTime),
  /** A number, or its digits beyond 2^53. Absent when a framework's parser has rounded it. */
  application_id: nullish(int64),
  /** How many times the service has tried to deliver it. */
  attempts: nullish(integer),
  actions: nullish(array(string)),
});
export interface NotificationFields extends Output<typeof notificationFields> {}

/** A question was asked, answered, deleted or changed in another way. */
export interface QuestionNotification extends NotificationFields {
  readonly known: true;
  readonly topic: 'questions';
  readonly question_id: number;
  readonly message_id?: undefined;
  readonly pack_id?: undefined;
}

/** A message was received, moderated or read. */
export interface MessageNotification extends NotificationFields {
  readonly known: true;
  readonly topic: 'messages';
  readonly message_id: string;
  readonly question_id?: undefined;
  readonly pack_id?: undefined;
}

/** Something happened in a conversation: the service names it instead of a message. */
export interface ConversationNotification extends NotificationFields {
  readonly known: true;
  readonly topic: 'messages';
  /** The pack, or the order, of the conversation. */
  readonly pack_id: string;
  readonly question_id?: undefined;
  readonly message_id?: undefined;
}

/** A notification with any other topic. */
export interface UnknownNotification extends NotificationFields {
  readonly known: false;
  readonly question_id?: undefined;
  readonly message_id?: undefined;
  readonly pack_id?: undefined;
}

/** A notification with a topic that this package knows, discriminated by `topic`. */
export type KnownNotification = QuestionNotification | MessageNotification | ConversationNotification;
/** Any notification; `known` says whether this package knows its topic. */
export type Notification = KnownNotification | UnknownNotification;

/**
 * Parses a notification from its text, or from the object that a framework parsed. Makes no request.
 *
 * Upper and lower case of a known topic do not matter, nor does a query in its `resource`.
 *
 * Prefer text: a framework's parser rounds integers beyond 2^53.
 *
 * @example
 * const notification = parseNotification(body);
 * if (notification.topic === 'questions') console.log(notification.question_id);
 * @throws {NotificationError} when it is not JSON, or a required field is missing or wrong.
 */
export function parseNotification(input: string | object): Notification {
  const parsed = notificationFields.safeParse(normalized(typeof input === 'string' ? jsonOf(input) : input));
  if (!parsed.success) throw invalid(parsed.error.issues.map(({ message }) => message).join('; '));
  const fields = parsed.data;
  if (fields.topic === '') throw invalid('`topic` is empty');
  if (fields.resource === '') throw invalid('`resource` is empty');
  const topic = fields.topic.toLowerCase();
  if (topic === 'questions') return { ...fields, known: true, topic, question_id: questionIdOf(fields.resource) };
  if (topic === 'messages') return { ...fields, known: true, topic, ...messageOrConversation(fields.resource) };
  return { ...fields, known: false };
}

function jsonOf(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    throw invalid('the body is not JSON');
  }
}

/** Gives each field its documented spelling, and drops optional fields with an invalid value. */
function normalized(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('it is not a JSON object');
  // The id is only taken from `resource`.
  const { _id, id, recieved, received, sent, application_id, attempts, actions, ...unread } = value as Record<
    string,
    unknown
  >;
  const { question_id, message_id, pack_id, ...rest } = unread;
  const fields = {
    id: textOf(_id) ?? textOf(id),
    received: textOf(received) ?? textOf(recieved),
    sent: textOf(sent),
    application_id: digitsOf(application_id),
    attempts: digitsOf(attempts, 15),
    actions: Array.isArray(actions) ? actions.filter((each) => typeof each === 'string') : undefined,
  };
  for (const [name, field] of Object.entries(fields)) if (field !== undefined) rest[name] = field;
  return rest;
}

function textOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The digits of an integer that was not rounded; the schema turns them into a number where that is exact. */
function digitsOf(value: unknown, maxDigits = Infinity): string | undefined {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  return typeof digits === 'string' && /^\d+$/.test(digits) && digits.length <= maxDigits ? digits : undefined;
}

const origin = /^(?:[a-z][a-z\d+.-]*:\/\/|\/\/(?=[^/?#]*[.:]))[^/?#]*/i;

/**
 * The path of a resource, which may come as a whole URL, with a query, encoded, and with too many or too few slashes. Nothing is ever
 * sent to where the URL leads. A bare id stays one.
 */
export function pathOf(resource: string): string {
  const path = resource.trim().replace(origin, '').split(/[?#]/, 1)[0] ?? '';
  const plain = decoded(path)
    .replace(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return plain.includes('/') && !plain.startsWith('/') ? `/${plain}` : plain;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Takes only the id from `resource`. */
function questionIdOf(resource: string): number {
  const digits = /^(?:\/questions\/)?(\d+)$/i.exec(pathOf(resource))?.[1];
  if (digits === undefined) throw invalid('`resource` does not have the form /questions/<question_id>');
  const id = Number(digits);
  if (!Number.isSafeInteger(id)) throw invalid('the id in `resource` is beyond 2^53 and would be rounded');
  return id;
}

/** The service names a message, or its conversation. */
function messageOrConversation(resource: string): { readonly message_id: string } | { readonly pack_id: string } {
  const path = pathOf(resource);
  const pack_id = /^(?:\/messages)?(?:\/unread)?\/packs\/(\d+)\/sellers\/\d+$/i.exec(path)?.[1];
  if (pack_id !== undefined) return { pack_id };
  const message_id = /^(?:\/messages\/)?(\w[\w.~-]{0,127})$/i.exec(path)?.[1];
  if (message_id !== undefined) return { message_id };
  throw invalid(
    '`resource` does not have the form /messages/<message_id> or /messages/packs/<pack_id>/sellers/<user_id>',
  );
}

/** That the counterpart has read a message is no new message. */
export function isReadReceipt({ topic, actions }: Notification): boolean {
  return topic === 'messages' && actions?.length === 1 && actions[0]?.toLowerCase() === 'read';
}

function invalid(reason: string): NotificationError {
  return new NotificationError(`The notification is invalid: ${reason}`);
}

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
