import { isObject } from '../../core/json/json.js';
import type { endpoints } from '../../endpoints.js';
import { lengthOf } from '../../resources/fields.js';
import * as attachmentErrors from '../../resources/messages/attachment-errors.js';
import * as errors from '../../resources/messages/errors.js';
import { conversationBlocked } from '../../resources/post-sale/errors.js';
import { messageTextLimit, unsupportedCharacters } from '../../resources/post-sale/message.js';
import { isSite } from '../clock.js';
import {
  badRequest,
  bearerOrThrow,
  errorResponse,
  forbidden,
  HandlerResponse,
  notFound,
  formOf,
  readUpTo,
} from '../http/handler.js';
import type { Call, EndpointHandlers } from '../http/handler.js';
import { isId, parseInteger, pathId, pathPackId, pathText, readJsonObject } from '../http/read-request.js';
import type { JsonObject, PageParams } from '../http/read-request.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Bearer } from '../state/accounts.js';
import type { StoredFile } from '../state/attachments.js';
import { buyerTextLimit, type StoredMessage } from '../state/messages.js';
import { numberOf, type Pack } from '../state/packs.js';
import type { Stores } from '../state/stores.js';
import { applicationOrThrow } from './action-guide.js';
import { toMessageByIdView, toMessageView } from './message-view.js';

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

/** A message to send. */
interface NewMessage {
  readonly from: number | bigint;
  readonly to: number | bigint;
  readonly text: string;
  readonly file_ids: readonly string[];
}

const maxAttachments = 25;

/** Reads the page of a conversation. Spec: Errors, Conversation listing. @throws {ErrorResponse} 400 */
function readConversationPage({ query }: Call, { conversationPageSize, maxPageSize }: MarketplaceSettings): PageParams {
  const invalid = (message: string) => errorResponse(errors.invalidPaging, { message });
  const [limitText, offsetText] = [query.get('limit'), query.get('offset')];
  if (limitText !== null && !/^-?\d+$/.test(limitText)) throw invalid('invalid limit');
  const limit = limitText === null ? conversationPageSize : Number(limitText);
  if (limit <= 0) throw invalid('limit is not greater than 0');
  const offset = offsetText === null ? 0 : parseInteger(offsetText);
  if (offset === undefined) throw invalid('invalid offset');
  return { limit: Math.min(limit, maxPageSize), offset };
}

/** Reads a message. Spec: POST message body; Errors, Create message. @throws {ErrorResponse} 400 */
async function readNewMessage(call: Call, sender: Bearer, maxLength: number): Promise<NewMessage> {
  assertApplication(call, sender);
  const body = await readJsonObject(call, errorResponse(errors.messageBodyMissing));
  if (Object.keys(body).length === 0) throw errorResponse(errors.messageBodyMissing);
  const from = readUserId(body.from);
  if (from === undefined) throw errorResponse(errors.senderMissing);
  const to = readReceiver(body);
  if (to === from) throw errorResponse(errors.senderIsReceiver);
  return { from, to, text: readText(body, maxLength), file_ids: readAttachments(body) };
}

/** @throws {ErrorResponse} 400 when `application_id` or `x-client-id` is not the application of the token */
function assertApplication({ query, request }: Call, { application_id }: Bearer): void {
  const given = { application_id: query.get('application_id'), 'x-client-id': request.headers.get('x-client-id') };
  for (const [name, value] of Object.entries(given)) {
    if (value === null) continue;
    if (parseInteger(value) === undefined) throw badRequest(`${name} must be an integer`);
    if (Number(value) !== application_id) throw badRequest(`${name} is not the application of the access token`);
  }
}

/** Reads `to`. @throws {ErrorResponse} 400 */
function readReceiver({ to }: JsonObject): number | bigint {
  const invalid = (message: string) => errorResponse(errors.invalidReceiver, { message });
  if (!isObject(to) || to.user_id === undefined || to.user_id === null) throw invalid('to.user_id is missing');
  const user_id = readUserId(to);
  if (user_id === undefined) throw invalid('invalid to user id');
  // Without a user, the message goes to a secure email address of the marketplace.
  if (user_id === 0 && !isSecureEmail(to.email)) throw invalid('to.email is not a secure email');
  if (user_id === 0 && to.resource === undefined) throw invalid('to.resource is missing');
  if (user_id === 0 && to.site_id === undefined) throw invalid('to.site_id is missing');
  if (to.resource !== undefined && !isResource(to.resource)) throw invalid('to.resource is invalid');
  if (to.site_id !== undefined && !isSite(to.site_id)) throw invalid('to.site_id is invalid');
  return user_id;
}

function isSecureEmail(email: unknown): boolean {
  return typeof email === 'string' && /^[^\s@]+@mail\.[^\s@]+$/.test(email);
}

function isResource(resource: unknown): boolean {
  return typeof resource === 'string' && /^\/?(?:orders|packs|shipments|claims)\b/.test(resource);
}

/** Reads the `user_id` of an object, a number or a string of digits: the specification does not name its type here. */
function readUserId(value: unknown): number | bigint | undefined {
  const user_id = isObject(value) ? value.user_id : undefined;
  if (typeof user_id === 'string') return parseInteger(user_id);
  return isId(user_id) && user_id >= 0 ? user_id : undefined;
}

function readText({ text }: JsonObject, maxLength: number): string {
  if (typeof text !== 'string' || text.trim() === '') throw badRequest('text is required');
  if (lengthOf(text) > maxLength)
    throw errorResponse(errors.textTooLong, { message: `The text is longer than ${maxLength} characters` });
  if (unsupportedCharacters(text).length > 0) throw errorResponse(errors.unsupportedCharacters);
  return text;
}

function readAttachments({ attachments = [] }: JsonObject): string[] {
  const ids: unknown[] = Array.isArray(attachments) ? attachments : attachments === null ? [] : [attachments];
  const texts = ids.filter((id) => typeof id === 'string');
  if (!Array.isArray(attachments ?? []) || texts.length < ids.length)
    throw badRequest('attachments must be a list of file ids');
  if (texts.length > maxAttachments) throw errorResponse(attachmentErrors.tooManyAttachments);
  return texts;
}

/** An uploaded file. */
type UploadedFile = Pick<StoredFile, 'site_id' | 'filename' | 'type' | 'bytes'>;

const maxBytes = 25 * 1024 * 1024;
/** The maximum size of a multipart body besides its file. */
const maxOverhead = 64 * 1024;

/** Reads an upload: one part `file`. Spec: Errors, Attachments. @throws {ErrorResponse} 400 */
async function readUpload(call: Call, { attachmentExtensions }: MarketplaceSettings): Promise<UploadedFile> {
  const site_id = querySite(call);
  const form = await readForm(call.request);
  const parts = form.getAll('file');
  if (parts.length > 1) throw badRequest('a call uploads one file');
  const [file] = parts;
  if (!(file instanceof File) || file.size === 0) throw errorResponse(attachmentErrors.emptyFile);
  if (/[/\\]/.test(file.name)) throw errorResponse(attachmentErrors.invalidFileName);
  if (file.size > maxBytes) throw errorResponse(attachmentErrors.fileTooLarge);
  const extension = file.name.split('.').pop()?.toLowerCase() ?? '';
  if (attachmentExtensions && !attachmentExtensions.includes(extension))
    throw badRequest(`the file must be one of ${attachmentExtensions.join(', ')}`);
  return { site_id, filename: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** Reads the site of a file. @throws {ErrorResponse} 400 when it is missing or no site */
function querySite({ query }: Call): string {
  const site_id = query.get('site_id') ?? '';
  if (site_id === '') throw errorResponse(attachmentErrors.siteMissing);
  if (!isSite(site_id)) throw badRequest(`site_id must be a site such as MLA, not ${site_id}`);
  return site_id;
}

/** Reads a form. @throws {ErrorResponse} 400 when it is larger than any upload */
async function readForm(request: Request): Promise<FormData> {
  const limit = maxBytes + maxOverhead;
  const announced = Number(request.headers.get('content-length') ?? 0);
  const bytes = announced > limit ? undefined : await readUpTo(request, limit);
  if (!bytes) throw errorResponse(attachmentErrors.fileTooLarge);
  return formOf(bytes, request.headers);
}
