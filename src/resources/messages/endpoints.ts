import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { actionGuideEndpoints } from '../action-guide/endpoints.js';
import { conversationBlocked } from '../post-sale/errors.js';
import { messageEntry } from '../post-sale/conversation.js';
import { sentMessage } from '../post-sale/message.js';
import type { SentMessage } from '../post-sale/message.js';
import { postSaleTag } from '../post-sale/tag.js';
import * as attachmentErrors from './attachment-errors.js';
import { confirmSent } from './confirm.js';
import * as errors from './documented-errors.js';
import { attachmentSizeLimit } from './limits.js';
import { messageReads } from './reads.js';
import * as schemas from './schemas.js';

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
