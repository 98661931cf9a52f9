import {
  array,
  boolean,
  dateTime,
  int64,
  integer,
  nullish,
  openEnum,
  preprocess,
  response,
  string,
  unknown,
} from '../../core/schema/schema.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { key, nullishArray } from '../../core/schema/fields.js';
import { currentShape } from './legacy.js';

/** The sender or receiver of a message. Spec: Message, `from` and `to`. */
export const participant = response({
  user_id: nullish(integer),
  /** Delivered for the receiver of an option's message. */
  name: nullish(string),
});
export interface Participant extends Output<typeof participant> {}

/** When each event of a message happened; `null` for one that has not. Spec: Message, `message_date`. */
export const messageDate = response({
  received: nullish(dateTime),
  /** When it passed moderation. */
  available: nullish(dateTime),
  /** When the other side was notified. */
  notified: nullish(dateTime),
  created: nullish(dateTime),
  /** When the other side read it. */
  read: nullish(dateTime),
});
export interface MessageDate extends Output<typeof messageDate> {}

const moderationReason = openEnum(
  'OUT_OF_PLACE_LANGUAGE',
  'SOCIAL_NETWORK_LINK',
  'LINK_SHORT_URL',
  'AUTOMATIC_MESSAGE',
  'PERSONAL_DATA',
  'EVASION_CLAIM_SELLER',
);
/** Why moderation rejected a message. The case varies and brands stand in some, so compare with `toUpperCase()`. */
export type ModerationReason = Output<typeof moderationReason>;

/** The result of moderation. Spec: Message, `message_moderation`. */
export const messageModeration = response({
  /** `pending` while it is looked at; `non_moderated` for older messages. */
  status: nullish(openEnum('clean', 'rejected', 'pending', 'non_moderated')),
  /** Why it was rejected; see `moderationReasonOf`. */
  reason: nullish(moderationReason),
  source: nullish(string),
  moderation_date: nullish(dateTime),
});
export interface MessageModeration extends Output<typeof messageModeration> {}

/** A file of a message. Spec: Attachment object. */
export const messageAttachment = response({
  /** The stored file's id: what `messages.download` takes. */
  filename: nullish(string),
  original_filename: nullish(string),
  /** The media type. */
  type: nullish(string),
  /** In bytes. */
  size: nullish(integer),
  potential_security_threat: nullish(boolean),
  creation_date: nullish(dateTime),
});
export interface MessageAttachment extends Output<typeof messageAttachment> {}

/** What a message belongs to, e.g. `{ id: '2000000012345678', name: 'packs' }`. Spec: Message, `message_resources`. */
export const messageResource = response({ id: nullish(key), name: nullish(string) });
export interface MessageResource extends Output<typeof messageResource> {}

/** What was wrong with files; only in the legacy shape. Spec: Message, `attachments_validations`. */
export const attachmentsValidations = response({
  invalid_size: nullish(array(unknown)),
  invalid_extension: nullish(array(unknown)),
  forbidden: nullish(array(unknown)),
  internal_error: nullish(array(unknown)),
});
export interface AttachmentsValidations extends Output<typeof attachmentsValidations> {}

const currentMessage = response({
  id: key,
  site_id: nullish(string),
  /** The application that sent it; a string where it is longer than 2^53. */
  client_id: nullish(int64),
  /** Who wrote it; absent in the answer of an option. */
  from: nullish<Participant>(participant),
  to: nullish<Participant>(participant),
  /** `moderated` is a rejection, although it comes with HTTP 200: see `isModerated`. */
  status: nullish(openEnum('available', 'moderated')),
  subject: nullish(string),
  text: nullish(string),
  message_date: nullish<MessageDate>(messageDate),
  message_moderation: nullish<MessageModeration>(messageModeration),
  message_attachments: nullishArray<MessageAttachment>(messageAttachment),
  message_resources: nullishArray<MessageResource>(messageResource),
  conversation_first_message: nullish(boolean),
  /** All receivers, where the legacy shape names several; `to` is the first. */
  recipients: nullishArray<Participant>(participant),
  /** Only where the service answered in the legacy shape. */
  attachments_validations: nullish<AttachmentsValidations>(attachmentsValidations),
});

/** A message after a sale, read from the current, the legacy and the wrapped shape. Spec: Message. */
export interface Message extends Output<typeof currentMessage> {}

const original = Symbol.for('marketplace-seller-sdk.original');

export const message: Schema<Message> = preprocess<Message>(currentMessage, currentShape, (data, raw) => {
  if (currentShape(raw) !== raw) Object.defineProperty(data, original, { value: raw });
});

/**
 * The message as the service delivered it: what came, where `messages.get` was answered in the legacy or the wrapped
 * shape; the message itself where it came in the current one.
 *
 * @example
 * const message = await seller.messages.get({ message_id: '5f1b' });
 * console.log(originalOf(message));
 */
export function originalOf(delivered: Message): unknown {
  return (delivered as { [original]?: unknown })[original] ?? delivered;
}

/**
 * Whether moderation rejected a message. The service reports that with HTTP 200: the message was taken, and the other
 * side will never see it.
 *
 * @example
 * const message = await seller.actionGuide.send({ pack_id: 42, option_id: 'OTHER', text: 'Thank you!' });
 * if (isModerated(message)) console.log(moderationReasonOf(message));
 */
export function isModerated(delivered: Message | null | undefined): boolean {
  const { status, message_moderation: moderation } = delivered ?? {};
  return isWord(status, 'moderated') || isWord(moderation?.status, 'rejected');
}

/** Statuses vary in case; one of another type is delivered as it came. */
function isWord(status: unknown, word: string): boolean {
  return String(status).toLowerCase() === word;
}

/**
 * Why moderation rejected a message; `undefined` where it did not, or did not say.
 *
 * @example
 * const message = await seller.actionGuide.send({ pack_id: 42, option_id: 'OTHER', text: 'Thank you!' });
 * if (moderationReasonOf(message)?.toUpperCase() === 'PERSONAL_DATA') console.log('Leave out the phone number');
 */
export function moderationReasonOf(delivered: Message | null | undefined): ModerationReason | undefined {
  return isModerated(delivered) ? (delivered?.message_moderation?.reason ?? undefined) : undefined;
}
