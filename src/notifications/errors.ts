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
