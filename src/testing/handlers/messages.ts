import type { endpoints } from '../../endpoints.js';
import * as attachmentErrors from '../../resources/messages/attachment-errors.js';
import * as errors from '../../resources/messages/documented-errors.js';
import { conversationBlocked } from '../../resources/post-sale/errors.js';
import { messageTextLimit } from '../../resources/post-sale/text.js';
import { HandlerResponse, badRequest, bearerOrThrow, errorResponse, forbidden, notFound } from '../http/handler.js';
import type { EndpointHandlers } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { pathId, pathPackId, pathText } from '../http/read-request.js';
import type { StoredFile } from '../state/attachments.js';
import { buyerTextLimit } from '../state/messages.js';
import type { StoredMessage } from '../state/message.js';
import { numberOf } from '../state/packs.js';
import type { Pack } from '../state/packs.js';
import type { Stores } from '../state/stores.js';
import { applicationOrThrow } from './action-guide.js';
import { toMessageByIdView, toMessageView } from './message-view.js';
import { readConversationPage, readNewMessage } from './read-message.js';
import { querySite, readUpload } from './read-upload.js';

/** The seller cannot write before the buyer has replied, except through the action guide. */
const noReplyYet = 'blocked_by_conversation_initiated_by_seller';

/** The most conversations with unread messages in a response. */
const maxUnread = 500;

/** Handles messages and attachments. Spec: Messages. */
export function messageHandlers(stores: Stores): EndpointHandlers<typeof endpoints.messages> {
  const { settings, packs, messages, attachments } = stores;
  return {
    conversation: (call) => {
      const reader = bearerOrThrow(call).user_id;
      const page = readConversationPage(call, settings);
      const pack = getOwnPack(call, reader);
      if (!pack) throw errorResponse(errors.noAccessToConversation);
      const { items, paging } = messages.pageFor(reader, pack, page);
      // HEAD shows nobody the messages.
      if (call.request.method !== 'HEAD' && call.query.get('mark_as_read') !== 'false')
        messages.markAsRead(reader, pack);
      return {
        paging,
        conversation_status: toConversationStatus(pack),
        messages: items.map((message) => toMessageView(message, stores)),
        seller_max_message_length: messageTextLimit,
        buyer_max_message_length: buyerTextLimit,
      };
    },

    get: (call) => {
      const reader = bearerOrThrow(call).user_id;
      if (messages.isUnavailable) throw errorResponse(errors.messageNotReady);
      const message = messages.get(pathText(call, 'message_id'));
      if (!message) throw errorResponse(errors.messageNotFound);
      if (!isVisible(message, reader)) throw errorResponse(errors.noAccessToMessage);
      return toMessageByIdView(message, stores);
    },

    // Wire notes 20.
    unread: (call) => {
      const { user_id } = bearerOrThrow(call);
      if (call.query.get('role') !== 'seller') throw badRequest('role must be seller');
      const results = packs.all
        .filter(({ seller_id }) => seller_id === user_id)
        .map((pack) => ({ resource: pathOf(pack), count: messages.unreadCount(user_id, pack) }))
        .filter(({ count }) => count > 0);
      return { user_id, results: results.slice(0, maxUnread) };
    },

    send: async (call) => {
      const sender = applicationOrThrow(call);
      const pack = getOwnPack(call, sender.user_id);
      const maxLength = pack?.buyer_id === sender.user_id ? buyerTextLimit : messageTextLimit;
      const { from, to, text, file_ids } = await readNewMessage(call, sender, maxLength);
      if (!pack || from !== sender.user_id) throw errorResponse(errors.senderNotInOrder);
      if (![pack.seller_id, pack.buyer_id, pack.agent_id].some((id) => id === to))
        throw errorResponse(errors.receiverNotInOrder);
      if (sender.user_id === pack.seller_id) assertOpen(pack);
      if (file_ids.some((id) => attachments.get(id)?.owner !== sender.user_id))
        throw errorResponse(attachmentErrors.attachmentNotFound);
      const files = file_ids.map((id) => attachments.use(id));
      const init = { from, text, client_id: sender.application_id, files };
      // Wire notes 12: to the buyer's own id, it is answered as any other and not delivered.
      const isLost = pack.agent_id !== null && to === pack.buyer_id;
      const sent = isLost ? messages.draft(pack, init) : messages.add(pack, init);
      return toMessageView(sent, stores);
    },

    upload: async (call) => {
      const { user_id: owner } = bearerOrThrow(call);
      const upload = await readUpload(call, settings);
      if (attachments.isBroken || !attachments.hasRoomFor(upload.bytes))
        throw errorResponse(attachmentErrors.fileNotSaved);
      return new HandlerResponse(201, { id: attachments.add({ owner, ...upload }).id });
    },

    download: (call) => {
      const { user_id } = bearerOrThrow(call);
      const site_id = querySite(call);
      if (attachments.isBroken) throw errorResponse(attachmentErrors.fileNotSaved);
      const file = attachments.get(pathText(call, 'attachment_id'));
      if (file?.site_id !== site_id) throw notFound('File not found');
      if (!canDownload(file, user_id)) throw forbidden('The user has no access to the file');
      return new HandlerResponse(200, toDownload(file));
    },
  };

  /** Returns the pack in the path, when it belongs to the seller in the path and the user takes part in it. */
  function getOwnPack(call: Call, user_id: number): Pack | undefined {
    const seller_id = pathId(call, 'user_id');
    const pack = packs.get(pathPackId(call));
    if (pack?.seller_id !== seller_id) return undefined;
    return user_id === pack.seller_id || user_id === pack.buyer_id ? pack : undefined;
  }

  function isVisible(message: StoredMessage, user_id: number): boolean {
    if (message.from === user_id) return true;
    return message.to === user_id && message.moderation.status === 'clean';
  }

  /** Whether a user uploaded a file, or can see a message with it. */
  function canDownload({ id, owner }: StoredFile, user_id: number): boolean {
    return owner === user_id || messages.withFile(id).some((message) => isVisible(message, user_id));
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
    return pack.exceptedCase || messages.hasReply(pack) ? null : noReplyYet;
  }

  function toConversationStatus(pack: Pack): object {
    const substatus = blockReason(pack);
    const changedAt = Math.max(pack.changedAt, messages.firstReplyAt(pack) ?? 0);
    return {
      path: pathOf(pack),
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

function pathOf(pack: Pack): string {
  return `/packs/${numberOf(pack)}/sellers/${pack.seller_id}`;
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
