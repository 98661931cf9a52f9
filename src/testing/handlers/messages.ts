import { conversationBlocked } from '../../resources/post-sale/errors.js';
import { messageTextLimit } from '../../resources/post-sale/text.js';
import type { endpoints } from '../../endpoints.js';
import * as errors from '../../resources/messages/errors.js';
import type { UploadParams } from '../../resources/messages/schemas.js';
import { applicationOrThrow } from './action-guide.js';
import type { AttachmentStore } from '../state/attachments.js';
import { HandlerResponse, bearerOrThrow, errorResponse } from '../http/handler.js';
import type { EndpointHandlers, ResourceConventions } from '../http/handler.js';
import { pageOf } from '../http/conventions.js';
import type { MessageStore, StoredMessage } from '../state/messages.js';
import { toMessageView, toMessageByIdView } from './message-view.js';
import type { Pack } from '../state/packs.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

const buyerTextLimit = 3500;
/** The default page size of conversations. Wire notes 6. */
const defaultLimit = 10;
const maxLimit = 100;
/** The seller cannot write before the buyer has replied, except through the action guide. */
const noReplyYet = 'blocked_by_conversation_initiated_by_seller';

/** Handles messages and attachments. Spec: Messages. */
export function messageHandlers(
  messageStore: MessageStore,
  attachmentStore: AttachmentStore,
  state: MarketplaceState,
): EndpointHandlers<typeof endpoints.messages> {
  return {
    conversation: ({ pack_id, user_id, limit = defaultLimit, offset = 0, mark_as_read = true }, info) => {
      const reader = bearerOrThrow(info).user_id;
      const pack = ownPack(pack_id, user_id, reader);
      if (!pack) throw errorResponse(errors.noAccessToConversation);
      const position = { limit: Math.min(limit, maxLimit), offset };
      const { items, paging } = pageOf(messageStore.visibleTo(reader, pack), position);
      if (mark_as_read) messageStore.markAsRead(reader, pack);
      return {
        paging,
        conversation_status: conversationStatus(pack),
        messages: items.map((message) => toMessageView(message, messageStore, state)),
        seller_max_message_length: messageTextLimit,
        buyer_max_message_length: buyerTextLimit,
      };
    },

    get: ({ message_id }, info) => {
      const reader = bearerOrThrow(info).user_id;
      const message = messageStore.get(String(message_id));
      if (!message) throw errorResponse(errors.messageNotFound);
      if (!maySee(message, reader)) throw errorResponse(errors.noAccessToMessage);
      return toMessageByIdView(message, messageStore, state);
    },

    send: ({ pack_id, user_id, from, to, text, attachments = [] }, info) => {
      const sender = applicationOrThrow(info);
      const pack = ownPack(pack_id, user_id, sender.user_id);
      if (!pack || Number(from?.user_id) !== sender.user_id) throw errorResponse(errors.senderNotInOrder);
      if (![pack.seller_id, pack.buyer_id].includes(Number(to.user_id))) throw errorResponse(errors.receiverNotInOrder);
      if (sender.user_id === pack.seller_id) assertOpen(pack);
      const files = attachments.map((id) => attachmentStore.get(String(id)));
      if (files.some((file) => file?.owner !== sender.user_id)) throw errorResponse(errors.attachmentNotFound);
      const sent = messageStore.add(pack, {
        from: sender.user_id,
        text,
        client_id: sender.application_id,
        files: attachments.map((id) => attachmentStore.use(String(id))),
      });
      return new HandlerResponse(201, toMessageView(sent, messageStore, state));
    },

    upload: async ({ site_id, file, filename, contentType }: UploadParams, info) => {
      const { user_id } = bearerOrThrow(info);
      if (attachmentStore.isBroken) throw errorResponse(errors.fileNotSaved);
      const bytes = new Uint8Array(await (file as Blob).arrayBuffer());
      const type = contentType ?? (file as Blob).type;
      return new HandlerResponse(201, {
        id: attachmentStore.add({ owner: user_id, site_id, filename: filename ?? '', type, bytes }).id,
      });
    },

    download: ({ attachment_id, site_id }, info) => {
      bearerOrThrow(info);
      if (attachmentStore.isBroken) throw errorResponse(errors.fileNotSaved);
      const file = attachmentStore.get(String(attachment_id));
      if (file?.site_id !== site_id) throw errorResponse({ status: 404, code: 'not_found', message: 'File not found' });
      const encodedName = encodeURIComponent(file.filename);
      return new HandlerResponse(
        200,
        new Response(file.bytes, {
          headers: {
            'content-type': file.type || 'application/octet-stream',
            'content-length': String(file.bytes.byteLength),
            'content-disposition': `attachment; filename*=UTF-8''${encodedName}`,
          },
        }),
      );
    },
  };

  /** Returns a pack of a seller that the user takes part in. */
  function ownPack(number: number | string, seller: number | string, user_id: number): Pack | undefined {
    const pack = state.packs.get(number);
    if (pack?.seller_id !== Number(seller)) return undefined;
    return user_id === pack.seller_id || user_id === pack.buyer_id ? pack : undefined;
  }

  function maySee(message: StoredMessage, user_id: number): boolean {
    if (message.from === user_id) return true;
    return message.to === user_id && message.moderation.status === 'clean';
  }

  /** @throws {ErrorResponse} when the seller cannot write to the conversation */
  function assertOpen(pack: Pack): void {
    if (pack.inMediation && pack.site_id === 'MLB') throw errorResponse(errors.mediationInProcess);
    if (pack.shipping === 'fulfilment' && !pack.delivered) throw errorResponse(errors.notYetDelivered);
    const blockedBy = blockReason(pack);
    if (blockedBy !== null) throw errorResponse(conversationBlocked, { cause: blockedBy });
  }

  function blockReason(pack: Pack): string | null {
    if (pack.blockedBy !== null) return pack.blockedBy;
    return pack.exceptedCase || messageStore.hasReply(pack) ? null : noReplyYet;
  }

  function conversationStatus(pack: Pack): object {
    const substatus = blockReason(pack);
    return {
      path: `/packs/${pack.pack_id ?? pack.order_ids[0]}/sellers/${pack.seller_id}`,
      status: substatus === null ? 'active' : 'blocked',
      substatus,
      status_date: state.clock.iso,
      status_update_allowed: false,
      claim_id: null,
      shipping_id: null,
    };
  }
}

/** Chooses the error for an invalid input. */
export const messageConventions: ResourceConventions = {
  onInvalidInput: ({ name }, issues) => {
    const text = issues.find(({ path }) => path[0] === 'text');
    const fields = new Set(issues.map(({ path }) => path[0]));
    const isEmpty = issues.length === 0 || (fields.has('to') && fields.has('text'));
    if (name === 'messages.send' && isEmpty) return errorResponse(errors.messageBodyMissing);
    if (name === 'messages.upload') return errorResponse(uploadError(issues.map(({ message }) => message).join(' ')));
    if (fields.has('limit') || fields.has('offset')) return errorResponse(errors.invalidPaging);
    if (fields.has('site_id')) return errorResponse(errors.siteMissing);
    if (fields.has('to')) return errorResponse(receiverError(issues.map(({ message }) => message).join(' ')));
    if (fields.has('from')) return errorResponse(errors.senderMissing);
    if (fields.has('attachments')) return errorResponse(errors.tooManyAttachments);
    if (text)
      return errorResponse(text.message.includes('ISO-8859-1') ? errors.unsupportedCharacters : errors.textTooLong);
    return undefined;
  },
};

function receiverError(problem: string): Parameters<typeof errorResponse>[0] {
  return problem.includes('is the sender') ? errors.senderIsReceiver : errors.invalidReceiver;
}

function uploadError(problem: string): Parameters<typeof errorResponse>[0] {
  if (problem.includes('site_id')) return errors.siteMissing;
  if (problem.includes('filename')) return errors.invalidFileName;
  return problem.includes('at most') ? errors.fileTooLarge : errors.emptyFile;
}
