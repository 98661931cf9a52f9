import type { FileSource } from '../../core/files/file-source.js';
import { message } from '../post-sale/message.js';
import type { Message } from '../post-sale/message.js';
import { messageText } from '../post-sale/text.js';
import {
  array,
  boolean,
  dateTime,
  int64,
  integer,
  nullish,
  openEnum,
  optional,
  params,
  preprocess,
  refine,
  response,
  string,
  union,
  unknown,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { id, key, limit, mainList, offset, paging, siteId } from '../../core/schema/fields.js';
import type { Paging } from '../../core/schema/fields.js';

/** The most files in one message. Spec: Limits. */
export const attachmentsLimit = 25;
/** The most bytes in one file: 25 MB. Spec: Limits. */
export const attachmentSizeLimit = 26_214_400;

const reference = union(int64, string);

/** Whether a conversation is open, and if not, why. Spec: Conversation status. */
export const conversationStatus = response({
  /** Its form varies: not to be parsed. */
  path: nullish(string),
  status: nullish(openEnum('active', 'blocked')),
  /** Why it is blocked. Some two dozen are known, and the list grows. */
  substatus: nullish(
    openEnum(
      'blocked_by_time',
      'blocked_by_buyer',
      'blocked_by_mediation',
      'blocked_by_fulfillment',
      'blocked_by_payment',
      'blocked_by_cancelled_order',
    ),
  ),
  status_date: nullish(dateTime),
  status_update_allowed: nullish(boolean),
  claim_id: nullish(reference),
  shipping_id: nullish(reference),
});
export interface ConversationStatus extends Output<typeof conversationStatus> {}

/** A page of a conversation as the service delivers it. Spec: GET /messages/packs/{pack_id}/sellers/{user_id}. */
export const conversationResponse = response({
  paging: nullish<Paging>(paging),
  conversation_status: nullish<ConversationStatus>(conversationStatus),
  messages: mainList<Message>(message),
  /** How many characters a seller's message takes: 350. */
  seller_max_message_length: nullish(integer),
  /** How many characters a buyer's message takes: 3,500. */
  buyer_max_message_length: nullish(integer),
});
export interface ConversationResponse extends Output<typeof conversationResponse> {}

/** What a page of a conversation holds beside its messages. */
export interface ConversationExtra {
  readonly conversation_status?: ConversationStatus | null | undefined;
  /** How many characters a seller's message takes: 350. */
  readonly seller_max_message_length?: number | null | undefined;
  /** How many characters a buyer's message takes: 3,500. */
  readonly buyer_max_message_length?: number | null | undefined;
}

const place = {
  /** The order's `pack_id`; where that is `null`, the order's id. */
  pack_id: id,
  /** The seller. */
  user_id: id,
};

export const conversationParams = params({
  ...place,
  limit,
  offset,
  /** Reading a conversation **marks its messages as read** unless this is `false`. */
  mark_as_read: optional(boolean),
});
export interface ConversationParams extends Input<typeof conversationParams> {}

export const getMessageParams = params({
  /** The message's id. */
  message_id: key,
});
export interface GetMessageParams extends Input<typeof getMessageParams> {}

const sender = params({
  /** The seller. */
  user_id: id,
});

/** Who a message goes to. Spec: POST message body, `to`. */
export const recipient = params({
  /** The buyer of the order; or the site's agent, where the conversation shows one in the buyer's place. */
  user_id: id,
  resource: optional(string),
  resource_id: optional(id),
  site_id: optional(siteId),
  email: optional(string),
});
export interface Recipient extends Input<typeof recipient> {}

/** A message to a buyer. Spec: POST message body. */
export interface SendMessageParams extends Input<typeof newMessageFields> {}

const newMessageFields = params({
  ...place,
  /** The seller; `user_id` unless given. */
  from: optional(sender),
  /** The buyer, or whom the conversation shows in the buyer's place. */
  to: recipient,
  /** 1 to 350 characters, of ISO-8859-1 or emoji. */
  text: messageText,
  /** The ids of uploaded files, at most 25. */
  attachments: optional(
    refine(
      array(key),
      ({ length }) =>
        length > attachmentsLimit
          ? `\`attachments\` has ${length} files; a message takes at most ${attachmentsLimit}`
          : undefined,
      { maxItems: attachmentsLimit },
    ),
  ),
  /** The application that sends, in the query. */
  application_id: optional(id),
  /** The application that sends, in the header `x-client-id`. */
  client_id: optional(id),
});

export const sendMessageParams = preprocess(
  refine(newMessageFields, ({ from, to }) =>
    String(from?.user_id) === String(to.user_id)
      ? { path: ['to', 'user_id'], message: '`to.user_id` is the sender; a message goes to the buyer' }
      : undefined,
  ),
  withSender,
) as Schema<unknown, SendMessageParams>;

function withSender(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { from, ...rest } = given as { from?: unknown; user_id?: unknown };
  const { user_id } = rest;
  return from === undefined && user_id !== undefined ? { from: { user_id }, ...rest } : given;
}

/** The message where the service sends it back; whatever came where it sends something else, or nothing. */
export const messageOrNothing = union(message, unknown) as Schema<Message | undefined>;

/** A file to store, on a site. Spec: POST /messages/attachments. */
export type UploadParams = FileSource & {
  /** The site of the order, e.g. `MLA`. */
  readonly site_id: string;
};

export const uploadParams = params({
  /** The site of the order, e.g. `MLA`. */
  site_id: siteId,
  /** The file: a path, bytes, a Blob, or a stream with its `size`. At most 25 MB, and not empty. */
  file: unknown,
  /** Its name, without `/` and `\`. A path and a `File` have one of their own. */
  filename: optional(string),
  /** Its media type; by its name's ending unless given. */
  contentType: optional(string),
  /** The length of a stream, in bytes. */
  size: optional(integer),
}) as Schema<unknown, UploadParams>;

/** A stored file. Spec: POST /messages/attachments. */
export const storedAttachment = response({
  /** What `messages.send` takes in `attachments`. A file that no message uses within 48 hours is gone. */
  id: key,
});
export interface StoredAttachment extends Output<typeof storedAttachment> {}

export const downloadParams = params({
  /** The site of the order, e.g. `MLA`. */
  site_id: siteId,
  /** The stored file's id: what the upload gave, or `filename` of a message's attachment. */
  attachment_id: key,
});
export interface DownloadParams extends Input<typeof downloadParams> {}
