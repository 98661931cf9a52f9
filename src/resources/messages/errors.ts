import { BadRequestError, ForbiddenError, NotFoundError } from '../../core/errors/response-errors.js';
import { SellerError } from '../../core/errors/seller-error.js';
import { errorByText, messageMatches, onlyStatesStatus } from '../../core/operation/documented-error.js';
import type { MatchedResponse } from '../../core/operation/documented-error.js';
import { accessTokenRequired, applicationIdRequired, deniesAccess, PackAccessError } from '../post-sale/errors.js';

/** Why a seller cannot send messages at the moment: see `NoChannelError`. */
export type NoChannelReason =
  | 'cap_exhausted'
  | 'option_not_offered'
  | 'mediation'
  | 'not_yet_delivered'
  | 'attachments'
  | (string & {});

/**
 * The seller has no way to write to the buyer at the moment. `cause` is the error of the service, if it sent one.
 *
 * Remedy: check `reason`. For `cap_exhausted`, wait for the buyer's reply.
 */
export class NoChannelError extends SellerError {
  static override readonly kind: string = 'NoChannelError';
  static override readonly lasting = true;
  /**
   * One of:
   * - `cap_exhausted`: wait until the buyer replies;
   * - `option_not_offered`: the pack has no option OTHER;
   * - `mediation`: a mediation is in process;
   * - `not_yet_delivered`: the purchase is shipped by fulfilment and not yet delivered;
   * - `attachments`: a first message cannot have attachments;
   * - the `blocked_by_...` of the conversation, or `blocked` if the service gives no reason.
   */
  readonly reason: NoChannelReason;

  constructor(message: string, { reason, ...options }: ErrorOptions & { readonly reason: NoChannelReason }) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * The service does not accept the `limit` or the `offset`.
 *
 * Remedy: use a `limit` of at least 1 and an `offset` of at least 0, or omit both.
 */
export class InvalidPagingError extends BadRequestError {
  static override readonly kind: string = 'InvalidPagingError';
}

/**
 * No message has this id. The service responds with 400, not with 404.
 *
 * Remedy: use an id from the conversation or from a notification.
 */
export class MessageNotFoundError extends BadRequestError {
  static override readonly kind: string = 'MessageNotFoundError';
  static override readonly lasting = false;
  static override readonly notFound = true;
}

/**
 * The message exists, but the service cannot read it for a few seconds.
 *
 * Remedy: read it again in a few seconds. The client has already retried as often as `maxRetries` allows.
 */
export class MessageNotReadyError extends NotFoundError {
  static override readonly kind: string = 'MessageNotReadyError';
  static override readonly lasting = false;
}

/**
 * The user of the token is not allowed to read the message.
 *
 * Remedy: use the token of the seller or of the buyer of the order.
 */
export class MessageAccessError extends ForbiddenError {
  static override readonly kind: string = 'MessageAccessError';
  static override readonly lasting = true;
}

/**
 * The text contains characters that are neither in ISO-8859-1 nor on the service's list of emoticons.
 *
 * Remedy: remove these characters. `messages.send` checks the text first and names them.
 */
export class UnsupportedCharactersError extends BadRequestError {
  static override readonly kind: string = 'UnsupportedCharactersError';
}

/**
 * The text has more than 350 characters, as the service counts them.
 *
 * Remedy: shorten the text, or send it as several messages.
 */
export class TextTooLongError extends BadRequestError {
  static override readonly kind: string = 'TextTooLongError';
}

/**
 * A mediation is in process, so no message can be sent (Brazil only).
 *
 * Remedy: reply in the claim. Messages can be sent again when the mediation has ended.
 */
export class MediationInProcessError extends ForbiddenError {
  static override readonly kind: string = 'MediationInProcessError';
}

/**
 * The purchase is shipped by fulfilment and not yet delivered, so no message can be sent.
 *
 * Remedy: send the message after the delivery.
 */
export class NotYetDeliveredError extends ForbiddenError {
  static override readonly kind: string = 'NotYetDeliveredError';
}

/**
 * The receiver is not part of the order.
 *
 * Remedy: use the receiver that the conversation shows. In some conversations an agent stands between seller and buyer.
 */
export class ReceiverNotInOrderError extends ForbiddenError {
  static override readonly kind: string = 'ReceiverNotInOrderError';
  static override readonly lasting = true;
}

/**
 * A field of `to` is missing or invalid: `user_id`, `resource`, `site_id` or `email`.
 *
 * Remedy: pass `to: { user_id }` with the id that the conversation shows.
 */
export class InvalidReceiverError extends BadRequestError {
  static override readonly kind: string = 'InvalidReceiverError';
}

/**
 * The sender and the receiver are the same user.
 *
 * Remedy: pass the buyer as `to`. The client sets `from` to the seller.
 */
export class SenderIsReceiverError extends BadRequestError {
  static override readonly kind: string = 'SenderIsReceiverError';
}

/**
 * `from` is missing.
 *
 * Remedy: pass `user_id`. The client sets `from` to this user.
 */
export class SenderMissingError extends BadRequestError {
  static override readonly kind: string = 'SenderMissingError';
}

/**
 * The request had no JSON body.
 *
 * Remedy: check the proxies between the client and the service. The client always sends a body.
 */
export class MessageBodyMissingError extends BadRequestError {
  static override readonly kind: string = 'MessageBodyMissingError';
}

const listing = 'Errors, Conversation listing';
const byId = 'Errors, Get by id';
const creating = 'Errors, Create message';

/** The 400 of most documented errors of messages and their files. */
export const badRequest = { status: 400, code: 'bad_request' } as const;
const forbidden = { status: 403, code: 'forbidden' } as const;

/** For endpoints with one documented 403, which needs no words. */
function deniesAnyAccess(details: MatchedResponse): boolean {
  return deniesAccess(details) || onlyStatesStatus(details);
}
export const noAccessToConversation = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: listing,
    condition: 'user token has no access to the order',
    message: 'The user token has no access to the order',
  },
  PackAccessError,
  deniesAnyAccess,
);
export const invalidPaging = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: listing,
    condition: 'limit is not greater than 0; invalid limit; invalid offset',
    message: 'The limit must be greater than 0',
  },
  InvalidPagingError,
  [
    /\binvalid (?:(?:value|param(?:eter)?|field|for|of) ){0,2}(?:limit|offset)\b/,
    /(?<!rate |time |size |request |character )\b(?:limit|offset)(?: param(?:eter)?| value)? (?:is |was )?(?:not |must |has to |should |cannot |can't |exceeds |invalid|greater|less|too )/,
    /\bmaximum (?:limit|offset)\b/,
  ],
);
export const noAccessToMessage = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: byId,
    condition: 'user has no access to the message',
    message: 'The user has no access to the message',
  },
  MessageAccessError,
  deniesAnyAccess,
);
export const messageNotFound = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: byId,
    condition: 'the message id does not exist',
    message: 'The message id does not exist',
  },
  MessageNotFoundError,
  [
    /(?<!\b(?:of|for|in) (?:the |this )?)\bmessages?(?: with)?(?: ids?)?:?(?: \S{1,64})? (?:was |is )?(?:not found|(?:do(?:es)?(?: not|n't)) exist)/,
    /\b(?:invalid|unknown|no such) messages?(?: id)?\b(?! (?:body|text))/,
    /\bmessages? ids? (?:is |was )?(?:empty|invalid|not valid|unknown)\b/,
  ],
);
const isNotReady = /* @__PURE__ */ messageMatches(
  /\bmessage\b.{0,90}(?:retrieved|\bnot found\b|\bfrom storage\b)|\b(?:few seconds|not ready|not yet available)\b/,
);
export const messageNotReady = /* @__PURE__ */ errorByText(
  {
    section: byId,
    condition: 'message could not be retrieved from storage; retry in a few seconds',
    status: 404,
    code: 'not_found',
    message: 'The message could not be retrieved from storage; retry in a few seconds',
    didNothing: true,
  },
  MessageNotReadyError,
  // It is the only 404 of its endpoint, so it needs no words.
  (details) => isNotReady(details) || onlyStatesStatus(details),
);

export const unsupportedCharacters = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: creating,
    condition: 'text contains unsupported characters',
    message: 'The text contains unsupported characters',
  },
  UnsupportedCharactersError,
  [
    /\b(?:unsupported|not supported|non-?supported|invalid|illegal|not allowed|disallowed) characters?\b/,
    /\bcharacters?(?:\/s|\(s\))? .{0,30}(?:\bnot|n't) (?:supported|allowed|valid|accepted)\b/,
  ],
  /\b(?:file|attachment)/,
);
export const textTooLong = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: creating,
    condition: 'text longer than 350 characters',
    message: 'The text is longer than 350 characters',
  },
  TextTooLongError,
  [
    /\b350 characters?\b|\bcharacters?\b.{0,20}\b350\b/,
    /\btext\b.{0,30}\b(?:too long|longer|exceeds|exceeded)\b/,
    /\bmessage(?: content| text| length)? (?:is |was )?(?:too long|longer than)\b|\bmessage (?:length|text) exceed/,
  ],
  /\b(?:file|attachment)/,
);
export const mediationInProcess = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: creating,
    condition: 'mediation in process (Brazil only)',
    message: 'There is a mediation in process',
  },
  MediationInProcessError,
  [
    /\bmediation (?:is |was )?(?:in (?:process|progress)|open|opened|ongoing|under ?way|pending|started|active)\b/,
    /\b(?:in|in an?|open|ongoing|under|active|pending|has an?) (?:open |ongoing |active )?mediation(?! (?:service|api))\b/,
  ],
);
export const notYetDelivered = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: creating,
    condition: 'purchase in the fulfilment shipping mode not yet delivered',
    message: 'The purchase is in fulfilment shipping mode and not yet delivered',
  },
  NotYetDeliveredError,
  /(?<!message (?:of|for|to) (?:this |the )?)\b(?:purchase|order|pack|package|parcel|shipment|sale|full|ful+fil+ment)\b.{0,60}(?:\bnot|n't)(?: yet| been){0,2} delivered\b/,
);
export const receiverNotInOrder = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: creating,
    condition: 'receiver does not belong to the order',
    message: 'The receiver does not belong to the order',
  },
  ReceiverNotInOrderError,
  /\b(?:receiver|recipient|received|addressee|to user|to\.user id|user to)\b.{0,40}(?:\bnot|n't) (?:belong|part of|in the order)/,
);
const senderIsOutside = /* @__PURE__ */ messageMatches(/\b(?:sender|from)\b.{0,40}(?:\bnot|n't) (?:belong|part of)/);
export const senderNotInOrder = /* @__PURE__ */ errorByText(
  {
    ...forbidden,
    section: creating,
    condition: 'sender has no access to the order',
    message: 'The sender has no access to the order',
  },
  PackAccessError,
  (details) => deniesAccess(details) || senderIsOutside(details),
);
export const senderIsReceiver = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: creating,
    condition: 'sender equals receiver',
    message: 'The sender and the receiver are equal',
  },
  SenderIsReceiverError,
  [
    /\b(?:sender|from(?:\.user id)?) (?:and|&|equals?|is) (?:the )?(?:receive[rd]|recipient|to)\b/,
    /\bsame (?:user is |user as )?(?:the )?sender and (?:the )?(?:receive[rd]|recipient)\b|\bsender (?:is )?equals?\b/,
  ],
);
export const invalidReceiver = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section: creating,
    condition:
      'to.user_id missing; invalid to user id; to.email not a secure email (user id 0); to.resource missing or invalid; to.site_id missing or invalid',
    message: 'to.user_id is missing or invalid',
  },
  InvalidReceiverError,
  [
    /\bto\.(?:user ?id|resource|site ?id|email)\b/,
    /\b(?:invalid|missing|empty) (?:field )?to(?: user(?: ?id)?)?$|\binvalid to user\b|\bto user ?id (?:is |was )?(?:invalid|missing|required)\b/,
    /^(?:the )?(?:field )?to (?:is |field is )?(?:missing|required|invalid|empty)\b|\bsecure email\b/,
  ],
);
export const senderMissing = /* @__PURE__ */ errorByText(
  { ...badRequest, section: creating, condition: 'from missing', message: 'from is missing' },
  SenderMissingError,
  [
    /^(?:the )?(?:field )?from(?:\.user id)? (?:field )?(?:is |was )?(?:missing|required|empty)\b/,
    /\b(?:missing|required|empty) (?:field )?from(?:\.user id)?$/,
  ],
);
export const messageBodyMissing = /* @__PURE__ */ errorByText(
  { ...badRequest, section: creating, condition: 'JSON body missing', message: 'The JSON body is missing' },
  MessageBodyMissingError,
  [
    /\bbody (?:is |was )?(?:missing|required|empty|not (?:sent|present|provided))\b/,
    /\b(?:missing|empty|no|requires? an?|without an?) (?:json |request )?body\b(?! (?:field|of|part))/,
  ],
);

export const accessTokenMissing = { ...accessTokenRequired, section: creating, condition: 'access token missing' };
export const applicationIdMissing = {
  ...applicationIdRequired,
  section: creating,
  condition: 'application id missing',
};
