import { SellerError } from '../core/errors/seller-error.js';
import type { Notification } from './notification.js';

/**
 * A notification was not stored, because too many of its seller and topic wait.
 *
 * Remedy: have them handled, or raise `maxWaiting`. The service delivers again what it got 503 for.
 */
export class StoreFullError extends SellerError {
  static override readonly kind: string = 'StoreFullError';

  constructor({ user_id, topic }: Pick<Notification, 'user_id' | 'topic'>, maxWaiting: number) {
    super(`Not stored: ${maxWaiting} notifications of user ${user_id} (${topic}) wait, which is \`maxWaiting\``);
  }
}

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

/** This process cannot handle an entry, but another one may: it has a handler for the topic. */
export class NotHandledHereError extends Error {}

/** Whether an error is of a class. A handler may throw anything, also a revoked proxy. */
export function isOf(error: unknown, Class: abstract new (...args: never[]) => unknown): boolean {
  try {
    return error instanceof Class;
  } catch {
    return false;
  }
}
