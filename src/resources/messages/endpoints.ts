import type { Confirmation } from '../../core/errors/seller-error.js';
import type { Download } from '../../core/files/download.js';
import type { ConfirmContext, DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { actionGuideEndpoints } from '../action-guide/endpoints.js';
import { compareText, confirmByList, type Likeness } from '../confirm-by-list.js';
import { noInput, type NoInput } from '../fields.js';
import {
  dateOf,
  isFrom,
  messageEntry,
  postSaleTag,
  readableConversation,
  readConversation,
} from '../post-sale/conversation.js';
import { conversationBlocked, conversationClosed } from '../post-sale/errors.js';
import { completeMessage, message, sentMessage, type Message, type SentMessage } from '../post-sale/message.js';
import * as attachmentErrors from './attachment-errors.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';
import { attachmentSizeLimit, type SendMessageParams } from './schemas.js';

const conversation: DescribedEndpoint<schemas.ConversationParams, schemas.ConversationResponse> = {
  ...readableConversation,
  summary: 'Reads the messages of a sale',
  input: schemas.conversationParams,
  example: { pack_id: 2000000012345678, user_id: 7, limit: 10, offset: 20, mark_as_read: false },
  output: schemas.conversationResponse,
  errors: [errors.invalidPaging, conversationClosed, errors.noAccessToConversation],
};

/** The same with messages that need no id. */
export const correspondence: Endpoint<schemas.ConversationParams, Output<typeof schemas.correspondenceResponse>> = {
  ...conversation,
  output: schemas.correspondenceResponse,
};

const get: DescribedEndpoint<schemas.GetMessageParams, Message> = {
  name: 'messages.get',
  summary: 'Reads a message',
  method: 'GET',
  path: '/messages/{message_id}',
  input: schemas.getMessageParams,
  example: { message_id: '0c1ad0b9a9de4b1f8d4a4a1b0d9f1e55' },
  output: message,
  complete: completeMessage,
  identity: { message_id: 'id' },
  retry: 'safe',
  query: postSaleTag,
  errors: [errors.messageNotFound, errors.noAccessToMessage, errors.messageNotReady],
};

const unread: DescribedEndpoint<NoInput, schemas.UnreadMessages> = {
  name: 'messages.unread',
  summary: 'Lists the conversations with unread messages',
  method: 'GET',
  path: '/messages/unread',
  input: noInput,
  example: {},
  output: schemas.unreadMessages,
  retry: 'safe',
  query: { role: 'seller', ...postSaleTag },
  errors: [],
};

const download: DescribedEndpoint<schemas.DownloadParams, Download> = {
  name: 'messages.download',
  summary: 'Reads a file of a message',
  method: 'GET',
  path: '/messages/attachments/{attachment_id}',
  input: schemas.downloadParams,
  example: { site_id: 'MLA', attachment_id: 'file-1.pdf' },
  output: unknown as Schema<Download>,
  retry: 'safe',
  query: postSaleTag,
  responseBody: 'stream',
  errors: [attachmentErrors.siteMissing, attachmentErrors.fileNotSaved],
};

/** The endpoints of messages that only read. */
const messageReads = { conversation, get, unread, download };

/** Looks for a message at both ends of its conversation. */
async function confirmSent(
  input: SendMessageParams,
  context: ConfirmContext,
): Promise<Confirmation<SentMessage | undefined>> {
  const shown = await readConversation(input, context);
  const own = shown.entries.filter((entry) => isFrom(entry, input.from?.user_id ?? input.user_id));
  const entries = own.map((entry) => ({
    entry,
    name: messageEntry(entry),
    date: dateOf(entry),
    compare: (sent: SendMessageParams) => likenessOf(entry, sent),
  }));
  const { pack_id } = input;
  const beside = [{ endpoint: actionGuideEndpoints.send, input: { pack_id, option_id: 'OTHER' } }];
  return confirmByList<SentMessage | undefined, SendMessageParams>({ ...shown, entries, beside }, input, context);
}

/**
 * Compares text and files. The same text with other files is `similar`: another message, or this one without its files.
 */
function likenessOf({ text, message_attachments }: Message, sent: SendMessageParams): Likeness {
  const likeness = compareText(text, sent.text);
  const files = (message_attachments ?? []).map(({ filename }) => filename);
  const sentFiles = sent.attachments ?? [];
  const isSame = files.length === sentFiles.length && sentFiles.every((id) => files.includes(String(id)));
  return likeness === 'same' && !isSame ? 'similar' : likeness;
}

const send: DescribedEndpoint<schemas.SendMessageParams, SentMessage | undefined> = {
  name: 'messages.send',
  summary: 'Sends a message',
  method: 'POST',
  path: '/messages/packs/{pack_id}/sellers/{user_id}',
  input: schemas.sendMessageParams,
  example: {
    pack_id: 2000000012345678,
    user_id: 7,
    from: { user_id: 7 },
    to: { user_id: 31, resource: 'orders', resource_id: 2000000012345678, site_id: 'MLA', email: 'a@b.example' },
    text: '¡Su pedido salió! 🚚',
    attachments: ['file-1.pdf'],
    application_id: 500,
    client_id: 500,
  },
  output: sentMessage,
  // On some threads an agent stands between seller and buyer.
  related: { 'to.user_id': 'to.user_id' },
  retry: 'unsafe',
  content: ['text', 'attachments'],
  // Who is shown in the buyer's place may change: an agent.
  details: ['from', 'to', 'application_id', 'client_id'],
  // Until the buyer writes, the message goes through an option.
  replaces: ({ pack_id, text }) => ({
    endpoint: actionGuideEndpoints.send,
    input: { pack_id, option_id: 'OTHER', text },
  }),
  entryOf: messageEntry,
  query: postSaleTag,
  inQuery: ['application_id'],
  inHeader: { client_id: 'x-client-id' },
  errors: [
    conversationBlocked,
    errors.mediationInProcess,
    errors.notYetDelivered,
    errors.receiverNotInOrder,
    errors.senderNotInOrder,
    errors.unsupportedCharacters,
    errors.textTooLong,
    attachmentErrors.tooManyAttachments,
    errors.senderIsReceiver,
    errors.invalidReceiver,
    errors.senderMissing,
    errors.accessTokenMissing,
    errors.applicationIdMissing,
    errors.messageBodyMissing,
    attachmentErrors.attachmentNotFound,
  ],
  confirm: confirmSent,
};

const upload: DescribedEndpoint<schemas.UploadParams, schemas.UploadedAttachment> = {
  name: 'messages.upload',
  summary: 'Stores a file for a message',
  method: 'POST',
  path: '/messages/attachments',
  input: schemas.uploadParams,
  example: {
    site_id: 'MLA',
    file: /* @__PURE__ */ new Uint8Array([37, 80, 68, 70]),
    filename: 'invoice.pdf',
    contentType: 'application/pdf',
  },
  output: schemas.uploadedAttachment,
  retry: 'unsafe',
  // A file that no message uses is seen by nobody, and deleted.
  isHarmless: true,
  query: postSaleTag,
  inQuery: ['site_id'],
  requestBody: 'multipart',
  maxUploadBytes: attachmentSizeLimit,
  errors: [
    attachmentErrors.siteMissing,
    attachmentErrors.invalidFileName,
    attachmentErrors.emptyFile,
    attachmentErrors.tooManyAttachments,
    attachmentErrors.fileTooLarge,
    attachmentErrors.fileNotSaved,
  ],
};

/** The endpoints of messages, as `endpoints` has them. */
export const messageEndpoints = { ...messageReads, send, upload };
