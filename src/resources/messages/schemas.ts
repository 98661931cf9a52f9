import type { FileSource } from '../../core/files/file-source.js';
import { isPlainObject } from '../../core/json/json.js';
import * as s from '../../core/schema/define.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { eachIn, id, key, keyOf, limit, listIn, nullishArray, offset, paging, siteId, type Paging } from '../fields.js';
import { currentMessage, currentSentMessage, messageText, toCurrentShape } from '../post-sale/message.js';
import type { Message, SentMessage } from '../post-sale/message.js';

/** The maximum number of files in one message. */
export const attachmentsLimit = 25;
/** The maximum size of a file, in bytes: 25 MB. */
export const attachmentSizeLimit = 26_214_400;

const reference = s.union(s.int64, s.string);

const conversationStatus = s.looseObject({
  /** The form of the path varies, so do not parse it. */
  path: s.nullish(s.string),
  status: s.nullish(s.openEnum('active', 'blocked')),
  /** Why the conversation is blocked. The service has about two dozen values and adds more. */
  substatus: s.nullish(
    s.openEnum(
      'blocked_by_time',
      'blocked_by_buyer',
      'blocked_by_mediation',
      'blocked_by_fulfillment',
      'blocked_by_payment',
      'blocked_by_cancelled_order',
    ),
  ),
  status_date: s.nullish(s.dateTime),
  status_update_allowed: s.nullish(s.boolean),
  claim_id: s.nullish(reference),
  shipping_id: s.nullish(reference),
});
/** Whether a conversation is open, and if not, why. */
export interface ConversationStatus extends Output<typeof messageSchemas.conversationStatus> {}

const pageFields = {
  paging: s.nullish<Paging>(paging),
  conversation_status: s.nullish(s.named<ConversationStatus>(conversationStatus)),
  /** The maximum length of a seller's message, in characters: 350. */
  seller_max_message_length: s.nullish(s.integer),
  /** The maximum length of a buyer's message, in characters: 3,500. */
  buyer_max_message_length: s.nullish(s.integer),
};
/** A page of a conversation. */
const conversationPage = s.looseObject({ ...pageFields, messages: nullishArray<Message>(currentMessage, 'main') });
const correspondencePage = s.looseObject({
  ...pageFields,
  messages: nullishArray<SentMessage>(currentSentMessage, 'main'),
});

/** Accepts every known shape of the list. */
function readPage(value: unknown): unknown {
  return eachIn('messages', (entry) => toCurrentShape(entry))(listIn('messages')(value));
}

export const conversationResponse = s.preprocess<Output<typeof conversationPage>>(conversationPage, readPage);
/** The same, also with messages that have no id. */
export const correspondenceResponse = s.preprocess<Output<typeof correspondencePage>>(correspondencePage, readPage);
/** The same, in every known shape of its list. */
export type ConversationResponse = Output<typeof conversationResponse>;

/** What a page of a conversation contains besides its messages. */
export interface ConversationExtra {
  readonly conversation_status?: ConversationStatus | null | undefined;
  /** The maximum length of a seller's message, in characters: 350. */
  readonly seller_max_message_length?: number | null | undefined;
  /** The maximum length of a buyer's message, in characters: 3,500. */
  readonly buyer_max_message_length?: number | null | undefined;
}

const place = {
  /** The order's `pack_id`, or the order's id if `pack_id` is `null`. */
  pack_id: id,
  /** The seller. */
  user_id: id,
};

export const conversationParams = s.strictObject({
  ...place,
  /** The number of messages per page, at least 1. The service's default is 10. */
  limit,
  offset,
  /** Reading a conversation **marks its messages as read** unless this is `false`. */
  mark_as_read: s.optional(s.boolean),
});
/** The input of `messages.conversation`. */
export type ConversationParams = Input<typeof messageSchemas.conversationParams>;

export const getMessageParams = s.strictObject({
  /** The message's id. */
  message_id: s.refine(key, (value) =>
    value === 'unread' ? '`message_id` is the path of `messages.unread`, not an id' : undefined,
  ),
});
/** The input of `messages.get`. */
export type GetMessageParams = Input<typeof messageSchemas.getMessageParams>;

const unreadConversation = s.looseObject({
  /** The path of the conversation, as the service sends it: `/packs/{pack_id}/sellers/{user_id}`. */
  resource: s.string,
  /** The number of unread messages. It may include messages that moderation hides, so it may never become 0. */
  count: s.nullish(s.integer),
  /** The pack in `resource`; absent if `resource` has another form. */
  pack_id: s.nullish(s.int64),
  /** The seller in `resource`; absent if `resource` has another form. */
  user_id: s.nullish(s.integer),
});
/** A conversation with messages that the seller has not read. */
export interface UnreadConversation extends Output<typeof messageSchemas.unreadConversation> {}

const unreadFields = s.looseObject({
  /** The seller. */
  user_id: s.nullish(s.integer),
  /** At most 500 conversations. Empty if the service sends none. */
  results: s.withFacts(s.array(s.named<UnreadConversation>(unreadConversation)), { list: 'main' }),
});
export const unreadMessages = s.preprocess<UnreadMessages>(unreadFields, (value) => {
  const body = listIn('results')(value);
  if (!isPlainObject(body)) return body;
  return eachIn('results', withPlace)({ ...body, results: (body as { results?: unknown }).results ?? [] });
});
/** The conversations with messages that the seller has not read. */
export interface UnreadMessages extends Output<typeof messageSchemas.unreadMessages> {}

/** Adds the ids that `resource` contains. */
function withPlace(entry: unknown): unknown {
  const { resource } = (entry ?? {}) as { resource?: unknown };
  if (typeof resource !== 'string') return entry;
  const pack_id = /\b(?:packs|orders)\/(\d+)/.exec(resource)?.[1];
  const user_id = /\bsellers\/(\d+)/.exec(resource)?.[1];
  return { ...(entry as object), ...(pack_id && { pack_id }), ...(user_id && { user_id }) };
}

const sender = s.strictObject({
  /** The seller. */
  user_id: id,
});

const recipient = s.strictObject({
  /** The buyer of the order, or the site's agent if the conversation shows an agent in the buyer's place. */
  user_id: id,
  /** What the message is about, as the message that is answered names it, e.g. `orders`. */
  resource: s.optional(s.string),
  /** The id of that resource. */
  resource_id: s.optional(id),
  /** The site of the user, e.g. `MLA`. */
  site_id: s.optional(siteId),
  /** The e-mail address of the user. */
  email: s.optional(s.string),
});
/** The receiver of a message. */
export interface Recipient extends Input<typeof messageSchemas.recipient> {}

/** A message to a buyer. */
export type SendMessageParams = Input<typeof messageSchemas.sendMessageParams>;

/** A message to a buyer through the open channel. It has the fields of `messages.send`, and `to` is optional. */
export type ChannelMessageParams = Input<typeof messageSchemas.channelMessageParams>;

const content = {
  /** 1 to 350 characters: ISO-8859-1 or emoji. */
  text: messageText,
  /** The ids of uploaded files, at most 25. */
  attachments: s.optional(
    s.withFacts(
      s.refine(
        s.array(key),
        ({ length }) =>
          length > attachmentsLimit
            ? `\`attachments\` has ${length} files; a message takes at most ${attachmentsLimit}`
            : undefined,
        { maxItems: attachmentsLimit },
      ),
      // A message without files has no such field.
      { write: (ids: readonly unknown[]) => (ids.length === 0 ? undefined : ids) },
    ),
  ),
  /** The id of the sending application, sent in the query. */
  application_id: s.optional(id),
  /** The id of the sending application, sent in the header `x-client-id`. */
  client_id: s.optional(id),
};
const newMessage = {
  ...place,
  /** The seller. The default is `user_id`. */
  from: s.optional(sender),
  /** The buyer, or the user whom the conversation shows in the buyer's place. */
  to: recipient,
  ...content,
};
const newMessageFields = s.strictObject(newMessage);
const contactFields = s.strictObject({
  ...newMessage,
  /** The default is the user whom the conversation shows. Another one is rejected. */
  to: s.optional(recipient),
});

/** The input of `messages.contact`. */
export const channelMessageParams = s.refine(contactFields, notToSender) as Schema<ChannelMessageParams>;
export const sendMessageParams = s.withFacts(
  s.refine(newMessageFields, notToSender, { description: '`to.user_id` is not the sender.' }),
  { write: withSender },
) as Schema<SendMessageParams>;

function notToSender({ from, user_id, to }: Output<typeof contactFields>) {
  return to && String(from ? from.user_id : user_id) === String(to.user_id)
    ? { path: ['to', 'user_id'], message: '`to.user_id` is the sender; a message goes to the buyer' }
    : undefined;
}

function withSender({ from, ...rest }: Output<typeof newMessageFields>): unknown {
  return { from: from ?? { user_id: rest.user_id }, ...rest };
}

/** A file to upload, and its site. */
export interface UploadParams extends FileSource {
  /** The site of the order, e.g. `MLA`. */
  readonly site_id: string;
}

export const uploadParams = s.strictObject({
  /** The site of the order, e.g. `MLA`. */
  site_id: siteId,
  /** The file: a path, bytes, a Blob, a `Response`, a stream of `createReadStream`, or another stream with its `size`. It must not be empty and may have at most 25 MB. */
  file: s.unknown,
  /** The name of the file, without `/` and `\`. The default is the name that the file has. */
  filename: s.optional(s.string),
  /** The media type. The default is the type that a `Blob` or a `Response` states; otherwise it is derived from the file name. */
  contentType: s.optional(s.string),
  /** The size of a stream, in bytes. */
  size: s.optional(s.int),
}) as Schema<UploadParams>;

const storedFields = s.looseObject({
  /** The id for `attachments` of `messages.send`. The service deletes a file that no message uses within 48 hours. */
  id: keyOf,
});
export const uploadedAttachment = s.preprocess<UploadedAttachment>(storedFields, stored);
/** A stored file, in every known shape: the id alone, in a list, or as `attachment_id`. */
export interface UploadedAttachment extends Output<typeof messageSchemas.uploadedAttachment> {}

function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 ? stored(value[0]) : value;
  // A bare word, such as `OK`, is no id.
  if (typeof value === 'number' || (typeof value === 'string' && /^\S+$/.test(value) && !/^[a-z]*$/i.test(value)))
    return { id: value };
  if (typeof value !== 'object' || value === null) return value;
  const { id, attachment_id, ...rest } = value as { id?: unknown; attachment_id?: unknown };
  return id === undefined && attachment_id !== undefined ? { ...rest, id: attachment_id } : value;
}

export const downloadParams = s.strictObject({
  /** The site of the order, e.g. `MLA`. */
  site_id: siteId,
  /** The id of the stored file: the `id` that the upload returned, or the `filename` of a message's attachment. */
  attachment_id: key,
});
/** The input of `messages.download`. */
export type DownloadParams = Input<typeof messageSchemas.downloadParams>;

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const messageSchemas = {
  conversationStatus,
  conversationParams,
  getMessageParams,
  unreadConversation,
  unreadMessages: unreadFields,
  recipient,
  sendMessageParams: newMessageFields,
  channelMessageParams: contactFields,
  uploadedAttachment: storedFields,
  downloadParams,
};

/** Their inputs: an editor shows `MessageInputs['sendMessageParams']`, not all that the schema says. */
export type MessageInputs = {
  readonly [Name in keyof typeof messageSchemas]: Input<(typeof messageSchemas)[Name]>;
};
