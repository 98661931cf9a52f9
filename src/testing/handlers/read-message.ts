import { isObject } from '../../core/json/plain-object.js';
import { lengthOf } from '../../resources/fields.js';
import * as attachmentErrors from '../../resources/messages/attachment-errors.js';
import * as errors from '../../resources/messages/documented-errors.js';
import { unsupportedCharacters } from '../../resources/post-sale/text.js';
import type { PageParams } from '../http/conventions.js';
import { badRequest, errorResponse } from '../http/handler.js';
import type { Call } from '../http/call.js';
import { isId, parseInteger, readJsonObject } from '../http/read-request.js';
import type { JsonObject } from '../http/read-request.js';
import { isSite } from '../local-time.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Bearer } from '../state/accounts.js';

/** A message to send. */
interface NewMessage {
  readonly from: number | bigint;
  readonly to: number | bigint;
  readonly text: string;
  readonly file_ids: readonly string[];
}

const maxAttachments = 25;

/** Reads the page of a conversation. Spec: Errors, Conversation listing. @throws {ErrorResponse} 400 */
export function readConversationPage(
  { query }: Call,
  { conversationPageSize, maxPageSize }: MarketplaceSettings,
): PageParams {
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
export async function readNewMessage(call: Call, sender: Bearer, maxLength: number): Promise<NewMessage> {
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
