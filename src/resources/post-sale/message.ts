import { isObject } from '../../core/json/json.js';
import * as s from '../../core/schema/define.js';
import { refine } from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { boundedText, keyOf, nullishArray, orAsItCame } from '../fields.js';
import { currentShape, entriesIn, idOf } from './legacy.js';

const participantFields = s.looseObject({
  user_id: s.nullish(s.integer),
  /** Present for the receiver of a message that was sent through an option. */
  name: s.nullish(s.string),
});
export const participant: Schema<Participant> = s.refine<Participant, Participant>(participantFields, ({ user_id }) =>
  user_id === undefined ? { path: ['user_id'], message: '`user_id` is missing; it takes an integer' } : undefined,
);
/** The sender or receiver of a message. */
export interface Participant extends Output<typeof sharedSchemas.participant> {}

const messageDate = s.looseObject({
  received: s.nullish(s.dateTime),
  /** When the message passed moderation. */
  available: s.nullish(s.dateTime),
  /** When the receiver was notified. */
  notified: s.nullish(s.dateTime),
  created: s.nullish(s.dateTime),
  /** When the receiver read the message. */
  read: s.nullish(s.dateTime),
});
/** When each event of a message happened; `null` if it has not happened. */
export interface MessageDate extends Output<typeof sharedSchemas.messageDate> {}

const moderationReason = s.openEnum(
  'OUT_OF_PLACE_LANGUAGE',
  'SOCIAL_NETWORK_LINK',
  'LINK_SHORT_URL',
  'AUTOMATIC_MESSAGE',
  'PERSONAL_DATA',
  'EVASION_CLAIM_SELLER',
);
/**
 * Why moderation rejected a message. Upper and lower case vary, so compare with `toUpperCase()`. Other values occur.
 */
export type ModerationReason = Output<typeof sharedSchemas.moderationReason>;

const messageModeration = s.looseObject({
  /** `pending` until moderation has decided; `non_moderated` for older messages. */
  status: s.nullish(s.openEnum('clean', 'rejected', 'pending', 'non_moderated')),
  /** Why the message was rejected; see `moderationReasonOf`. */
  reason: s.nullish(moderationReason),
  source: s.nullish(s.string),
  moderation_date: s.nullish(s.dateTime),
});
/** The result of moderation. */
export interface MessageModeration extends Output<typeof sharedSchemas.messageModeration> {}

const messageAttachment = s.looseObject({
  /** The id of the stored file: the `attachment_id` for `messages.download`. */
  filename: keyOf,
  original_filename: s.nullish(s.string),
  /** The media type. */
  type: s.nullish(s.string),
  /** In bytes. */
  size: s.nullish(s.integer),
  potential_security_threat: s.nullish(s.boolean),
  creation_date: s.nullish(s.dateTime),
});
/** A file of a message. */
export interface MessageAttachment extends Output<typeof sharedSchemas.messageAttachment> {}

const messageResource = s.looseObject({ id: s.nullish(keyOf), name: s.nullish(s.string) });
/** A resource of a message, e.g. `{ id: '2000000012345678', name: 'packs' }`. */
export interface MessageResource extends Output<typeof sharedSchemas.messageResource> {}

const attachmentsValidations = s.looseObject({
  invalid_size: s.nullish(s.array(s.unknown)),
  invalid_extension: s.nullish(s.array(s.unknown)),
  forbidden: s.nullish(s.array(s.unknown)),
  internal_error: s.nullish(s.array(s.unknown)),
});
/** The problems of files; only in the legacy shape. */
export interface AttachmentsValidations extends Output<typeof sharedSchemas.attachmentsValidations> {}

const fields = {
  site_id: s.nullish(s.string),
  /** The id of the sending application; a string if it exceeds 2^53. */
  client_id: s.nullish(s.int64),
  /** The sender; absent in the response to `actionGuide.send`. */
  from: s.nullish(participant),
  to: s.nullish(participant),
  /** `moderated` means rejected, although the HTTP status is 200: see `moderationOf`. */
  status: s.nullish(s.openEnum('available', 'moderated')),
  subject: s.nullish(s.string),
  text: s.nullish(s.string),
  message_date: s.nullish(s.named<MessageDate>(messageDate)),
  message_moderation: s.nullish(s.named<MessageModeration>(messageModeration)),
  message_attachments: nullishArray(s.named<MessageAttachment>(messageAttachment)),
  message_resources: nullishArray(s.named<MessageResource>(messageResource)),
  conversation_first_message: s.nullish(s.boolean),
  /** All receivers, if the service sent several; `to` is the first of them. */
  recipients: nullishArray(participant),
  /** Only if the service sent the legacy shape. */
  attachments_validations: s.nullish(s.named<AttachmentsValidations>(attachmentsValidations)),
};
const messageFields = s.looseObject({ id: keyOf, ...fields });
const sentFields = s.looseObject({
  /** Absent in some responses. */
  id: s.nullish(keyOf),
  ...fields,
});

/** A message after a sale. The legacy and the wrapped shape are converted to this one. */
export interface Message extends Output<typeof sharedSchemas.message> {}

/** The response to sending a message: the message, perhaps without some of its fields. Check it with `moderationOf`. */
export interface SentMessage extends Output<typeof sharedSchemas.sentMessage> {}

const original = Symbol.for('marketplace-seller-sdk.original');
/** The field that carries the original through zod, which copies only fields with a text as their name. */
const carried = 'marketplace-seller-sdk.original';

/** A message in the current shape, to which `toCurrentShape` has converted it. */
export const currentMessage: Schema<Message> = s.overwrite<Message>(messageFields, withOriginal);
export const currentSentMessage: Schema<SentMessage> = s.overwrite<SentMessage>(sentFields, withOriginal);

function withOriginal<T extends SentMessage>(data: T): T {
  if (!(carried in data)) return data;
  const { [carried]: raw, ...found } = data as SentMessage & { [carried]?: unknown };
  return Object.defineProperty(found, original, { value: raw }) as T;
}

/** Converts a message of any known shape to the current shape, and keeps the original: `raw`, of which it is a part. */
export function toCurrentShape(raw: unknown, found: unknown = raw): unknown {
  // `completeMessage` has converted it.
  if (isObject(raw) && carried in raw) return raw;
  const converted = currentShape(found);
  return converted === raw || !isObject(converted) ? converted : { ...converted, [carried]: raw };
}

export const message: Schema<Message> = s.preprocess<Message>(currentMessage, (raw) => toCurrentShape(raw));

/** The message with an id, alone or in a list. The message need not repeat the id. */
export function completeMessage(raw: unknown, { message_id }: { readonly message_id: unknown }): unknown {
  const isIt = (entry: unknown): boolean => String(idOf(entry)) === String(message_id);
  const entries = entriesIn(raw);
  const [only, ...others] = entries ?? [raw];
  const isWithoutId = others.length === 0 && isObject(only) && 'text' in only && idOf(only) === undefined;
  if (isWithoutId) return toCurrentShape(raw, { ...only, id: message_id });
  // If none is it, the first one shows whose response it is.
  return entries ? toCurrentShape(raw, entries.find(isIt) ?? only ?? {}) : toCurrentShape(raw);
}

/** The message, with or without its id, or a text; any other response body as it came, because the message is sent. */
export const sentMessage: Schema<SentMessage | undefined> = s.preprocess(
  orAsItCame(s.union(currentSentMessage, s.string)),
  (raw) => {
    const converted = toCurrentShape(raw);
    return isObject(converted) ? converted : raw;
  },
);

/**
 * Returns the message in the shape that the service sent: the legacy or the wrapped shape, or the same object if the
 * service sent the current shape.
 *
 * @example
 * const message = await seller.messages.get({ message_id: '5f1b' });
 * console.log(originalOf(message));
 */
export function originalOf(delivered: SentMessage): unknown {
  return (delivered as { [original]?: unknown })[original] ?? delivered;
}

/** The maximum length of a seller's message, in characters. */
export const messageTextLimit = 350;

/** Created on first use, because they load Unicode tables, which takes a quarter of a millisecond each. */
let emoji: RegExp | undefined;
let visible: RegExp | undefined;
/** ISO-8859-1, without control characters except tab, line feed and carriage return. */
const latin = /[\t\n\r\u0020-\u007e\u00a0-\u00ff]/gu;

/**
 * Returns the characters that a message cannot contain, each once: neither ISO-8859-1 nor part of an emoji.
 *
 * @example
 * unsupportedCharacters('Size 42 → 43'); // ['→']
 */
export function unsupportedCharacters(text: string): string[] {
  emoji ??= emojiPattern();
  return [...new Set(text.replace(emoji, '').replace(latin, ''))];
}

/**
 * Matches every possible emoji sequence (Unicode Technical Standard 51), because the service does not publish its list.
 */
function emojiPattern(): RegExp {
  const mark = String.raw`(?:\p{Emoji_Modifier}|\uFE0F?\u20E3|\uFE0F|[\u{E0020}-\u{E007E}]+\u{E007F})?`;
  const sign = String.raw`(?:\p{RI}\p{RI}|\p{Emoji}${mark})`;
  return new RegExp(String.raw`${sign}(?:\u200D${sign})*`, 'gu');
}

/** The text of a seller's message: 1 to 350 characters, ISO-8859-1 or emoji. */
export const messageText: Schema<string> = refine(boundedText('text', messageTextLimit, 'a message'), (text) => {
  const found = unsupportedCharacters(text);
  if (found.length === 0) return undefined;
  const named = found.slice(0, 5).map(nameOf);
  const more = found.length > named.length ? ` and ${found.length - named.length} more` : '';
  // A letter and its accent as two characters, as some systems write them.
  const helps = unsupportedCharacters(text.normalize()).length < found.length;
  const remedy = helps ? "; normalise it: text.normalize('NFC')" : '';
  return `\`text\` contains ${named.join(', ')}${more}; a message takes the characters of ISO-8859-1 and emoji${remedy}`;
});

function nameOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  visible ??= new RegExp(String.raw`[\p{L}\p{N}\p{P}\p{S}]`, 'u');
  return visible.test(character) ? `"${character}" (U+${code})` : `U+${code}`;
}

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const sharedSchemas = {
  participant: participantFields,
  messageDate,
  moderationReason,
  messageModeration,
  messageAttachment,
  messageResource,
  attachmentsValidations,
  message: messageFields,
  sentMessage: sentFields,
};
