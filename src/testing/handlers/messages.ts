import type { endpoints } from '../../endpoints.js';
import * as attachmentErrors from '../../resources/messages/attachment-errors.js';
import * as errors from '../../resources/messages/errors.js';
import { conversationBlocked } from '../../resources/post-sale/errors.js';
import { messageTextLimit } from '../../resources/post-sale/text.js';
import { HandlerResponse, bearerOrThrow, errorResponse, forbidden, notFound } from '../http/handler.js';
import type { EndpointHandlers, HandlerInfo } from '../http/handler.js';
import { pathId, pathText } from '../http/read-request.js';
import type { AttachmentStore, StoredFile } from '../state/attachments.js';
import type { MarketplaceState } from '../state/marketplace-state.js';
import { buyerTextLimit } from '../state/messages.js';
import type { MessageStore, StoredMessage } from '../state/messages.js';
import type { Pack } from '../state/packs.js';
import { numberOf } from '../state/packs.js';
import { applicationOrThrow } from './action-guide.js';
import { toMessageByIdView, toMessageView } from './message-view.js';
import { readConversationPage, readNewMessage } from './read-message.js';
import { querySite, readUpload } from './read-upload.js';

/** The seller cannot write before the buyer has replied, except through the action guide. */
const noReplyYet = 'blocked_by_conversation_initiated_by_seller';

/** Handles messages and attachments. Spec: Messages. */
export function messageHandlers(
  messageStore: MessageStore,
  attachmentStore: AttachmentStore,
  state: MarketplaceState,
): EndpointHandlers<typeof endpoints.messages> {
  const { settings } = state;
  return {
    conversation: (info) => {
      const reader = bearerOrThrow(info).user_id;
      const { limit = 0, offset = 0 } = readConversationPage(info, settings);
      const pack = getOwnPack(info, reader);
      if (!pack) throw errorResponse(errors.noAccessToConversation);
      const { items, paging } = messageStore.pageFor(reader, pack, { offset, limit });
      if (info.query.get('mark_as_read') !== 'false') messageStore.markAsRead(reader, pack);
      return {
        paging,
        conversation_status: toConversationStatus(pack),
        messages: items.map((message) => toMessageView(message, messageStore, state)),
        seller_max_message_length: messageTextLimit,
        buyer_max_message_length: buyerTextLimit,
      };
    },

    get: (info) => {
      const reader = bearerOrThrow(info).user_id;
      if (messageStore.isUnavailable) throw errorResponse(errors.messageNotReady);
      const message = messageStore.get(pathText(info, 'message_id'));
      if (!message) throw errorResponse(errors.messageNotFound);
      if (!isVisible(message, reader)) throw errorResponse(errors.noAccessToMessage);
      return toMessageByIdView(message, messageStore, state);
    },

    send: async (info) => {
      const sender = applicationOrThrow(info);
      const pack = getOwnPack(info, sender.user_id);
      const maxLength = pack?.buyer_id === sender.user_id ? buyerTextLimit : messageTextLimit;
      const { from, to, text, attachments } = await readNewMessage(info, sender, maxLength);
      if (!pack || from !== sender.user_id) throw errorResponse(errors.senderNotInOrder);
      if (![pack.seller_id, pack.buyer_id, pack.agent_id].some((id) => id === to))
        throw errorResponse(errors.receiverNotInOrder);
      if (sender.user_id === pack.seller_id) assertOpen(pack);
      if (attachments.some((id) => attachmentStore.get(id)?.owner !== sender.user_id))
        throw errorResponse(attachmentErrors.attachmentNotFound);
      const files = attachments.map((id) => attachmentStore.use(id));
      const init = { from, text, client_id: sender.application_id, files };
      // Wire notes 12: to the buyer's own id, it is answered as any other and not delivered.
      const isLost = pack.agent_id !== null && to === pack.buyer_id;
      const sent = isLost ? messageStore.draft(pack, init) : messageStore.add(pack, init);
      return new HandlerResponse(201, toMessageView(sent, messageStore, state));
    },

    upload: async (info) => {
      const { user_id: owner } = bearerOrThrow(info);
      const upload = await readUpload(info, settings);
      if (attachmentStore.isBroken || !attachmentStore.hasRoomFor(upload.bytes))
        throw errorResponse(attachmentErrors.fileNotSaved);
      return new HandlerResponse(201, { id: attachmentStore.add({ owner, ...upload }).id });
    },

    download: (info) => {
      const { user_id } = bearerOrThrow(info);
      const site_id = querySite(info);
      if (attachmentStore.isBroken) throw errorResponse(attachmentErrors.fileNotSaved);
      const file = attachmentStore.get(pathText(info, 'attachment_id'));
      if (file?.site_id !== site_id) throw notFound('File not found');
      if (!canDownload(file, user_id)) throw forbidden('The user has no access to the file');
      return new HandlerResponse(200, toDownload(file));
    },
  };

  /** Returns the pack in the path, when it belongs to the seller in the path and the user takes part in it. */
  function getOwnPack(info: HandlerInfo, user_id: number): Pack | undefined {
    const [pack_id, seller_id] = [pathId(info, 'pack_id'), pathId(info, 'user_id')];
    const pack = state.packs.get(pack_id);
    if (pack?.seller_id !== seller_id) return undefined;
    return user_id === pack.seller_id || user_id === pack.buyer_id ? pack : undefined;
  }

  function isVisible(message: StoredMessage, user_id: number): boolean {
    if (message.from === user_id) return true;
    return message.to === user_id && message.moderation.status === 'clean';
  }

  /** Whether a user uploaded a file, or can see a message with it. */
  function canDownload({ id, owner }: StoredFile, user_id: number): boolean {
    return owner === user_id || messageStore.withFile(id).some((message) => isVisible(message, user_id));
  }

  /** @throws {ErrorResponse} when the seller cannot write to the conversation */
  function assertOpen(pack: Pack): void {
    if (pack.inMediation && pack.site_id === 'MLB') throw errorResponse(errors.mediationInProcess);
    if (pack.shipping === 'fulfilment' && !pack.delivered) throw errorResponse(errors.notYetDelivered);
    const cause = blockReason(pack);
    if (cause !== null) throw errorResponse(conversationBlocked, { cause });
  }

  function blockReason(pack: Pack): string | null {
    if (pack.blockedBy !== null) return pack.blockedBy;
    return pack.exceptedCase || messageStore.hasReply(pack) ? null : noReplyYet;
  }

  function toConversationStatus(pack: Pack): object {
    const substatus = blockReason(pack);
    const changedAt = Math.max(pack.changedAt, messageStore.firstReplyAt(pack) ?? 0);
    return {
      path: `/packs/${numberOf(pack)}/sellers/${pack.seller_id}`,
      status: substatus === null ? 'active' : 'blocked',
      substatus,
      status_date: new Date(changedAt).toISOString(),
      status_update_allowed: false,
      claim_id: pack.claim_id,
      ...(settings.liveFields && { claim_ids: pack.claim_id === null ? [] : [pack.claim_id] }),
      shipping_id: pack.shipping_id,
    };
  }
}

function toDownload({ bytes, type, filename }: StoredFile): Response {
  return new Response(bytes, {
    headers: {
      'content-type': type || 'application/octet-stream',
      'content-length': String(bytes.byteLength),
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
    },
  });
}
