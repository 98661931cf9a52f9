import type { Download } from '../../core/files/download.js';
import type { DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import type { Output, Schema } from '../../core/schema/schema.js';
import { noInput } from '../fields.js';
import type { NoInput } from '../fields.js';
import { readableConversation } from '../post-sale/conversation.js';
import { conversationClosed } from '../post-sale/errors.js';
import { completeMessage, message } from '../post-sale/message.js';
import type { Message } from '../post-sale/message.js';
import { postSaleTag } from '../post-sale/tag.js';
import * as attachmentErrors from './attachment-errors.js';
import * as errors from './documented-errors.js';
import * as schemas from './schemas.js';

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
export const messageReads = { conversation, get, unread, download };
