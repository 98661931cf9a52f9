import { NotificationError } from '../core/errors/errors.js';
import { parseJson } from '../core/serialization/json.js';
import { entity, instant, integer, list, maybe, text, wideInteger } from '../core/schema/schema.js';
import type { Output } from '../core/schema/schema.js';

/** What every notification says. Spec: Events 3; the fields after `sent` are seen in life. */
export const notificationFields = entity({
  /** The user the notification relates to. */
  user_id: integer,
  /** The element that was created or updated, as it came. Never to be followed as a URL. */
  resource: text,
  topic: text,
  /** The same whenever the same notification is delivered again; some carry none. */
  id: maybe(text),
  received: maybe(instant),
  sent: maybe(instant),
  /** A number, or its digits where it is beyond 2^53; left out where a framework's parser has rounded it. */
  application_id: maybe(wideInteger),
  /** How often the service has tried to deliver it. */
  attempts: maybe(integer),
  actions: maybe(list(text)),
});
export interface NotificationFields extends Output<typeof notificationFields> {}

/** Something happened to a question: it was asked, answered, deleted, ... */
export interface QuestionNotification extends NotificationFields {
  readonly known: true;
  readonly topic: 'questions';
  readonly question_id: number;
}

/** A notification of a topic that the specification does not describe. */
export interface UnknownNotification extends NotificationFields {
  readonly known: false;
  readonly question_id?: undefined;
}

/** A notification whose topic is known, told apart by `topic`. */
export type KnownNotification = QuestionNotification;
/** Any notification; `known` tells whether its topic is. */
export type Notification = KnownNotification | UnknownNotification;

/**
 * Reads a notification from its text, or from what a framework made of it. Believes nothing and calls nobody.
 *
 * Text is the better input: a body that a framework has parsed may have lost the end of long ids.
 *
 * @example
 * const notification = parseNotification(body);
 * if (notification.known) console.log(notification.question_id);
 * @throws {NotificationError} when it is not JSON, or says not whom or what it is about. Spec: Events 3.
 */
export function parseNotification(input: string | object): Notification {
  const parsed = notificationFields.safeParse(tidy(typeof input === 'string' ? jsonOf(input) : input));
  if (!parsed.success) throw unreadable(parsed.error.issues.map(({ message }) => message).join('; '));
  const fields = parsed.data;
  if (fields.topic === '') throw unreadable('`topic` is empty');
  if (fields.resource === '') throw unreadable('`resource` is empty');
  if (fields.topic !== 'questions') return { ...fields, known: false };
  return { ...fields, known: true, topic: 'questions', question_id: questionIdOf(fields.resource) };
}

function jsonOf(body: string): unknown {
  try {
    return parseJson(body);
  } catch {
    throw unreadable('the body is not JSON');
  }
}

/** Gives every field its one spelling, and drops what is optional and makes no sense: the rest is still worth having. */
function tidy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unreadable('it is not a JSON object');
  const { _id, id, recieved, received, sent, application_id, attempts, actions, ...rest } = value as Record<
    string,
    unknown
  >;
  return {
    ...rest,
    ...named('id', textOf(_id) ?? textOf(id)),
    ...named('received', textOf(received) ?? textOf(recieved)),
    ...named('sent', textOf(sent)),
    ...named('application_id', digitsOf(application_id)),
    ...named('attempts', digitsOf(attempts, 15)),
    ...named('actions', Array.isArray(actions) ? actions.filter((each) => typeof each === 'string') : undefined),
  };
}

function named(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}

function textOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The digits of an integer that has not been rounded; the schema makes a number of them where that is exact. */
function digitsOf(value: unknown, most = Infinity): string | undefined {
  const digits = Number.isSafeInteger(value) ? String(value) : value;
  return typeof digits === 'string' && /^\d+$/.test(digits) && digits.length <= most ? digits : undefined;
}

/** Only the id is taken out of `resource`: whatever else it says leads nowhere. */
function questionIdOf(resource: string): number {
  const digits = /^(?:\/?questions\/)?(\d+)\/?$/.exec(resource)?.[1];
  if (digits === undefined) throw unreadable('`resource` is not of the form /questions/<question_id>');
  const id = Number(digits);
  if (!Number.isSafeInteger(id)) throw unreadable('`resource` names a question beyond 2^53, which would be rounded');
  return id;
}

function unreadable(why: string): NotificationError {
  return new NotificationError(`The notification cannot be read: ${why}`);
}
