import { compareText, confirmByList } from '../../core/recover/confirm-by-list.js';
import { assertSame, readEnds } from '../../core/recover/shown-list.js';
import type { ShownPage } from '../../core/recover/shown-list.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { noInput } from '../../core/operation/no-input.js';
import type { NoInput } from '../../core/operation/no-input.js';
import { unknown } from '../../core/schema/define.js';
import type { Schema } from '../../core/schema/schema.js';
import type { Download } from '../../core/files/download.js';
import { accessTokenRequired, applicationIdRequired, conversationBlocked } from '../post-sale/errors.js';
import { message, sentMessage } from '../post-sale/message.js';
import type { Message, SentMessage } from '../post-sale/message.js';
import * as attachmentErrors from './attachment-errors.js';
import * as errors from './errors.js';
import { attachmentSizeLimit } from './limits.js';
import * as schemas from './schemas.js';

/** Without it, the service responds to every call of post-sale messaging with 404. */
const query = { tag: 'post_sale' };

const conversation: DescribedEndpoint<schemas.ConversationParams, schemas.ConversationResponse> = {
  name: 'messages.conversation',
  summary: 'Reads the messages of a sale',
  method: 'GET',
  path: '/messages/packs/{pack_id}/sellers/{user_id}',
  input: schemas.conversationParams,
  example: { pack_id: 2000000012345678, user_id: 7, limit: 10, offset: 20, mark_as_read: false },
  output: schemas.conversationResponse,
  retry: 'safe',
  query,
  errors: [errors.invalidPaging, errors.noAccessToConversation],
};

const get: DescribedEndpoint<schemas.GetMessageParams, Message> = {
  name: 'messages.get',
  summary: 'Reads a message',
  method: 'GET',
  path: '/messages/{message_id}',
  input: schemas.getMessageParams,
  example: { message_id: '0c1ad0b9a9de4b1f8d4a4a1b0d9f1e55' },
  output: message,
  retry: 'safe',
  query,
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
  query: { role: 'seller', ...query },
  errors: [],
};

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
  retry: 'unsafe',
  query,
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
    accessTokenRequired,
    applicationIdRequired,
    errors.messageBodyMissing,
    attachmentErrors.attachmentNotFound,
  ],
  async confirm(input, context) {
    const shown = await readEnds((offset) => messagesFrom(offset, input, context), conversationPage);
    const own = shown.entries.filter(({ from }) => isFrom(from?.user_id, input));
    const entries = own.map((entry) => ({
      entry,
      content: contentOf(entry, input),
      date: entry.message_date?.created ?? entry.message_date?.received,
    }));
    return confirmByList<SentMessage | undefined>({ ...shown, entries, equalWrites: context.equalWrites });
  },
};

/** The default length of a page of a conversation. */
const conversationPage = 10;

/** Reads a page of a conversation, and marks nothing as read. */
async function messagesFrom(
  offset: number | undefined,
  { pack_id, user_id }: schemas.SendMessageParams,
  context: ConfirmContext,
): Promise<ShownPage<Message>> {
  const page = { pack_id, user_id, limit: 50, mark_as_read: false, ...(offset !== undefined && { offset }) };
  const reading = await context.read(conversation, page);
  const { messages: entries, paging } = reading.data;
  const resources = entries?.flatMap(({ message_resources }) => message_resources ?? []) ?? [];
  const idsOf = (kind: string): (string | null | undefined)[] =>
    resources.filter(({ name }) => name === kind).map(({ id }) => id);
  assertSame('pack', pack_id, idsOf('packs'));
  assertSame('seller', user_id, idsOf('sellers'));
  return { reading, entries, total: paging?.total };
}

/** A message without a sender counts as the seller's, because either side may have sent it. */
function isFrom(user_id: number | null | undefined, input: schemas.SendMessageParams): boolean {
  return user_id === null || user_id === undefined || String(user_id) === String(input.from?.user_id ?? input.user_id);
}

/**
 * Compares text and files. The same text with other files is `similar`: another message, or this one without its files.
 */
function contentOf(
  { text, message_attachments }: Message,
  sent: schemas.SendMessageParams,
): ReturnType<typeof compareText> {
  const content = compareText(text, sent.text);
  const files = (message_attachments ?? []).map(({ filename }) => filename);
  const sentFiles = sent.attachments ?? [];
  const isSame = files.length === sentFiles.length && sentFiles.every((id) => files.includes(String(id)));
  return content === 'same' && !isSame ? 'similar' : content;
}

const upload: DescribedEndpoint<schemas.UploadParams, schemas.StoredAttachment> = {
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
  output: schemas.storedAttachment,
  retry: 'unsafe',
  query,
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

const download: DescribedEndpoint<schemas.DownloadParams, Download> = {
  name: 'messages.download',
  summary: 'Reads a file of a message',
  method: 'GET',
  path: '/messages/attachments/{attachment_id}',
  input: schemas.downloadParams,
  example: { site_id: 'MLA', attachment_id: 'file-1.pdf' },
  output: unknown as Schema<Download>,
  retry: 'safe',
  query,
  responseBody: 'stream',
  errors: [attachmentErrors.siteMissing, attachmentErrors.fileNotSaved],
};

/** The endpoints of messages, as `endpoints` has them. */
export const messageEndpoints = { conversation, get, unread, send, upload, download };
