import { SellerError } from '../../core/errors/seller-error.js';

/**
 * A handler took longer than `handlerTimeoutMs`. Its signal was aborted; it may still be running.
 *
 * Remedy: pass the handler's `signal` to everything it awaits, or raise `handlerTimeoutMs`.
 */
export class HandlerTimeoutError extends SellerError {
  static override readonly kind: string = 'HandlerTimeoutError';
}

/**
 * Throw it in a handler to give a notification up at once: it becomes a dead letter without further attempts.
 *
 * Remedy: look at the dead letter, and replay or remove it.
 */
export class UnrecoverableError extends SellerError {
  static override readonly kind: string = 'UnrecoverableError';
}

/**
 * Throw it in a handler to drop a notification: it counts as handled, and no dead letter is kept.
 *
 * Remedy: none is needed. Use it for notifications that are not yours, such as forged ones.
 */
export class DropNotificationError extends SellerError {
  static override readonly kind: string = 'DropNotificationError';
}

/** `clientFor` returned no client. If the user becomes a seller of ours later, `catchUp` finds the questions. */
export class UnknownSellerError extends DropNotificationError {}

/** `clientFor` returned the client of another user: what it reads and writes would be that user's. */
export class ForeignClientError extends UnrecoverableError {}

/** This process cannot handle an entry, but another one may: it has a handler for the topic, or a newer version. */
export class NotHandledHereError extends Error {}

/**
 * A notification was not handled, because its user has many notifications about resources that do not exist, and no search has
 * confirmed this one. It is retried later.
 *
 * Remedy: keep the address of the callback secret, and check in `accept` where a delivery comes from.
 */
export class NotConfirmedError extends SellerError {
  static override readonly kind: string = 'NotConfirmedError';
}

/** The reason with which signals are aborted and runs are rejected when the receiver closes: what fails is retried. */
export function closingError(): Error {
  return new Error('The receiver is closing');
}
