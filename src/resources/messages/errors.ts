import { SellerError } from '../../core/errors/seller-error.js';
import { BadRequestError, ForbiddenError, NotFoundError } from '../../core/errors/status-errors.js';

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
