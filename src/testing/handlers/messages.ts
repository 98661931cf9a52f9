import { conversationBlocked } from '../../resources/post-sale/errors.js';
import { messageTextLimit } from '../../resources/post-sale/text.js';
import type { endpoints } from '../../endpoints.js';
import * as refusals from '../../resources/messages/errors.js';
import type { UploadParams } from '../../resources/messages/schemas.js';
import { applicationOrThrow } from './action-guide.js';
import type { AttachmentStore } from '../state/attachments.js';
import { HandlerResponse, bearerOrThrow, errorResponse } from '../http/handler.js';
import type { Handlers, ResourceConventions } from '../http/handler.js';
import { pageOf } from '../http/conventions.js';
import type { MessageStore, StoredMessage } from '../state/messages.js';
import { toMessageView, toMessageByIdView } from './message-view.js';
import type { Pack } from '../state/packs.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

const buyerTextLimit = 3500;
/** The conversation's own default, and the largest page. Wire notes 6. */
const defaultPage = 10;
const largestPage = 100;
/** Why a seller may not write before the buyer has, other than through the action guide. */
const notYetAnswered = 'blocked_by_conversation_initiated_by_seller';

/** How messages and their files behave. Spec: Messages. */
export function messageHandlers(
  mailbox: MessageStore,
  store: AttachmentStore,
  world: MarketplaceState,
): Handlers<typeof endpoints.messages> {
  return {
    conversation: ({ pack_id, user_id, limit = defaultPage, offset = 0, mark_as_read = true }, context) => {
      const reader = bearerOrThrow(context).user_id;
      const pack = ownPack(pack_id, user_id, reader);
      if (!pack) throw errorResponse(refusals.noAccessToConversation);
      const place = { limit: Math.min(limit, largestPage), offset };
      const { items, paging } = pageOf(mailbox.seenBy(reader, pack), place);
      if (mark_as_read) mailbox.markAsRead(reader, pack);
      return {
        paging,
        conversation_status: conversationStatus(pack),
        messages: items.map((message) => toMessageView(message, mailbox, world)),
        seller_max_message_length: messageTextLimit,
        buyer_max_message_length: buyerTextLimit,
      };
    },

    get: ({ message_id }, context) => {
      const reader = bearerOrThrow(context).user_id;
      const message = mailbox.get(String(message_id));
      if (!message) throw errorResponse(refusals.messageNotFound);
      if (!maySee(message, reader)) throw errorResponse(refusals.noAccessToMessage);
      return toMessageByIdView(message, mailbox, world);
    },

    send: ({ pack_id, user_id, from, to, text, attachments = [] }, context) => {
      const sender = applicationOrThrow(context);
      const pack = ownPack(pack_id, user_id, sender.user_id);
      if (!pack || Number(from?.user_id) !== sender.user_id) throw errorResponse(refusals.senderNotInOrder);
      if (![pack.seller_id, pack.buyer_id].includes(Number(to.user_id)))
        throw errorResponse(refusals.receiverNotInOrder);
      if (sender.user_id === pack.seller_id) needOpen(pack);
      const files = attachments.map((id) => store.get(String(id)));
      if (files.some((file) => file?.owner !== sender.user_id)) throw errorResponse(refusals.attachmentNotFound);
      const sent = mailbox.add(pack, {
        from: sender.user_id,
        text,
        client_id: sender.application_id,
        files: attachments.map((id) => store.use(String(id))),
      });
      return new HandlerResponse(201, toMessageView(sent, mailbox, world));
    },

    upload: async ({ site_id, file, filename, contentType }: UploadParams, context) => {
      const { user_id } = bearerOrThrow(context);
      if (store.isBroken) throw errorResponse(refusals.fileNotSaved);
      const bytes = new Uint8Array(await (file as Blob).arrayBuffer());
      const type = contentType ?? (file as Blob).type;
      return new HandlerResponse(201, {
        id: store.add({ owner: user_id, site_id, filename: filename ?? '', type, bytes }).id,
      });
    },

    download: ({ attachment_id, site_id }, context) => {
      bearerOrThrow(context);
      if (store.isBroken) throw errorResponse(refusals.fileNotSaved);
      const file = store.get(String(attachment_id));
      if (file?.site_id !== site_id) throw errorResponse({ status: 404, code: 'not_found', message: 'File not found' });
      const named = encodeURIComponent(file.filename);
      return new HandlerResponse(
        200,
        new Response(file.bytes, {
          headers: {
            'content-type': file.type || 'application/octet-stream',
            'content-length': String(file.bytes.byteLength),
            'content-disposition': `attachment; filename*=UTF-8''${named}`,
          },
        }),
      );
    },
  };

  /** The pack under the seller's number, where the user is its seller or its buyer. */
  function ownPack(number: number | string, seller: number | string, user_id: number): Pack | undefined {
    const pack = world.packs.get(number);
    if (pack?.seller_id !== Number(seller)) return undefined;
    return user_id === pack.seller_id || user_id === pack.buyer_id ? pack : undefined;
  }

  function maySee(message: StoredMessage, user_id: number): boolean {
    if (message.from === user_id) return true;
    return message.to === user_id && message.moderation.status === 'clean';
  }

  /** @throws {Refused} when the seller may not write into the conversation. */
  function needOpen(pack: Pack): void {
    if (pack.inMediation && pack.site_id === 'MLB') throw errorResponse(refusals.mediationInProcess);
    if (pack.shipping === 'fulfilment' && !pack.delivered) throw errorResponse(refusals.notYetDelivered);
    const blockedBy = whyBlocked(pack);
    if (blockedBy !== null) throw errorResponse(conversationBlocked, { cause: blockedBy });
  }

  function whyBlocked(pack: Pack): string | null {
    if (pack.blockedBy !== null) return pack.blockedBy;
    return pack.exceptedCase || mailbox.hasReply(pack) ? null : notYetAnswered;
  }

  function conversationStatus(pack: Pack): object {
    const substatus = whyBlocked(pack);
    return {
      path: `/packs/${pack.pack_id ?? pack.order_ids[0]}/sellers/${pack.seller_id}`,
      status: substatus === null ? 'active' : 'blocked',
      substatus,
      status_date: world.clock.iso,
      status_update_allowed: false,
      claim_id: null,
      shipping_id: null,
    };
  }
}

/** What messages say to an input they do not understand. */
export const messageConventions: ResourceConventions = {
  onInvalidInput: ({ name }, issues) => {
    const text = issues.find(({ path }) => path[0] === 'text');
    const fields = new Set(issues.map(({ path }) => path[0]));
    const isEmpty = issues.length === 0 || (fields.has('to') && fields.has('text'));
    if (name === 'messages.send' && isEmpty) return errorResponse(refusals.messageBodyMissing);
    if (name === 'messages.upload') return errorResponse(uploadError(issues.map(({ message }) => message).join(' ')));
    if (fields.has('limit') || fields.has('offset')) return errorResponse(refusals.invalidPaging);
    if (fields.has('site_id')) return errorResponse(refusals.siteMissing);
    if (fields.has('to')) return errorResponse(receiverError(issues.map(({ message }) => message).join(' ')));
    if (fields.has('from')) return errorResponse(refusals.senderMissing);
    if (fields.has('attachments')) return errorResponse(refusals.tooManyAttachments);
    if (text)
      return errorResponse(text.message.includes('ISO-8859-1') ? refusals.unsupportedCharacters : refusals.textTooLong);
    return undefined;
  },
};

function receiverError(problem: string): Parameters<typeof errorResponse>[0] {
  return problem.includes('is the sender') ? refusals.senderIsReceiver : refusals.invalidReceiver;
}

function uploadError(problem: string): Parameters<typeof errorResponse>[0] {
  if (problem.includes('site_id')) return refusals.siteMissing;
  if (problem.includes('filename')) return refusals.invalidFileName;
  return problem.includes('at most') ? refusals.fileTooLarge : refusals.emptyFile;
}
