import { validateFile } from '../../core/files/file-source.js';
import type { FileSource } from '../../core/files/file-source.js';
import { message } from '../post-sale/message.js';
import type { Message } from '../post-sale/message.js';
import { messageText } from '../post-sale/text.js';
import {
  anything,
  checked,
  either,
  entity,
  flag,
  instant,
  integer,
  list,
  maybe,
  openEnum,
  optional,
  read,
  request,
  text,
  wideInteger,
} from '../../core/schema/schema.js';
import type { Input, Output, Schema } from '../../core/schema/schema.js';
import { id, key, limit, nullishArray, offset, paging, siteId } from '../../core/schema/fields.js';
import type { Paging } from '../../core/schema/fields.js';

/** At most so many files in one message. Spec: Limits. */
export const attachmentsLimit = 25;
/** At most so many bytes in one file: 25 MB. Spec: Limits. */
export const attachmentSizeLimit = 25 * 1024 * 1024;

const reference = either(wideInteger, text);

/** Whether a conversation is open, and if not, why. Spec: Conversation status. */
export const conversationStatus = entity({
  /** Its form varies: not to be parsed. */
  path: maybe(text),
  status: maybe(openEnum('active', 'blocked')),
  /** Why it is blocked. Some two dozen are known, and the list grows. */
  substatus: maybe(
    openEnum(
      'blocked_by_time',
      'blocked_by_buyer',
      'blocked_by_mediation',
      'blocked_by_fulfillment',
      'blocked_by_payment',
      'blocked_by_cancelled_order',
    ),
  ),
  status_date: maybe(instant),
  status_update_allowed: maybe(flag),
  claim_id: maybe(reference),
  shipping_id: maybe(reference),
});
export interface ConversationStatus extends Output<typeof conversationStatus> {}

/** A page of a conversation as the service delivers it. Spec: GET /messages/packs/{pack_id}/sellers/{user_id}. */
export const conversationResponse = entity({
  paging: maybe<Paging>(paging),
  conversation_status: maybe<ConversationStatus>(conversationStatus),
  messages: nullishArray<Message>(message),
  /** How many characters a seller's message takes: 350. */
  seller_max_message_length: maybe(integer),
  /** How many characters a buyer's message takes: 3,500. */
  buyer_max_message_length: maybe(integer),
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

export const conversationParams = request({
  ...place,
  limit,
  offset,
  /** Reading a conversation **marks its messages as read** unless this is `false`. */
  mark_as_read: optional(flag),
});
export interface ConversationParams extends Input<typeof conversationParams> {}

export const getMessageParams = request({
  /** The message's id. */
  message_id: key,
});
export interface GetMessageParams extends Input<typeof getMessageParams> {}

const sender = request({
  /** The seller. */
  user_id: id,
});

/** Who a message goes to. Spec: POST message body, `to`. */
export const recipient = request({
  /** The buyer of the order; or the site's agent, where the conversation shows one in the buyer's place. */
  user_id: id,
  resource: optional(text),
  resource_id: optional(id),
  site_id: optional(siteId),
  email: optional(text),
});
export interface Recipient extends Input<typeof recipient> {}

/** A message to a buyer. Spec: POST message body. */
export interface SendMessageParams extends Input<typeof newMessageFields> {}

const newMessageFields = request({
  ...place,
  /** The seller; `user_id` unless given. */
  from: optional(sender),
  /** The buyer, or whom the conversation shows in the buyer's place. */
  to: recipient,
  /** 1 to 350 characters, of ISO-8859-1 or emoji. */
  text: messageText,
  /** The ids of uploaded files, at most 25. */
  attachments: optional(
    checked(
      list(key),
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

export const sendMessageParams = read(
  checked(newMessageFields, ({ from, to }) =>
    String(from?.user_id) === String(to.user_id)
      ? { path: ['to', 'user_id'], message: '`to.user_id` is the sender; a message goes to the buyer' }
      : undefined,
  ),
  withSender,
) as Schema<unknown, SendMessageParams>;

function withSender(given: unknown): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { from, user_id } = given as { from?: unknown; user_id?: unknown };
  return from === undefined && user_id !== undefined ? { ...given, from: { user_id } } : given;
}

/** The message where the service sends it back; whatever came where it sends something else, or nothing. */
export const messageOrNothing = either(message, anything) as Schema<Message | undefined>;

/** A file to store, on a site. Spec: POST /messages/attachments. */
export type UploadParams = FileSource & {
  /** The site of the order, e.g. `MLA`. */
  readonly site_id: string;
};

export const uploadParams = checked(
  request({
    /** The site of the order, e.g. `MLA`. */
    site_id: siteId,
    /** The file: a path, bytes, a Blob, or a stream with its `size`. At most 25 MB, and not empty. */
    file: anything,
    /** Its name, without `/` and `\`. A path and a `File` have one of their own. */
    filename: optional(text),
    /** Its media type; by its name's ending unless given. */
    contentType: optional(text),
    /** The length of a stream, in bytes. */
    size: optional(integer),
  }),
  (given) => validateFile(given, attachmentSizeLimit),
) as Schema<unknown, UploadParams>;

/** A stored file. Spec: POST /messages/attachments. */
export const storedAttachment = entity({
  /** What `messages.send` takes in `attachments`. A file that no message uses within 48 hours is gone. */
  id: key,
});
export interface StoredAttachment extends Output<typeof storedAttachment> {}

export const downloadParams = request({
  /** The site of the order, e.g. `MLA`. */
  site_id: siteId,
  /** The stored file's id: what the upload gave, or `filename` of a message's attachment. */
  attachment_id: key,
});
export interface DownloadParams extends Input<typeof downloadParams> {}
