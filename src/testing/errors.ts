import { SellerError } from '../core/errors/seller-error.js';

/**
 * The fake marketplace was used in a wrong way, e.g. with an item of a user that does not exist.
 *
 * Remedy: do what the message says, e.g. add the user or item before using it.
 */
export class FakeMarketplaceError extends SellerError {
  static override readonly kind: string = 'FakeMarketplaceError';
  /** What is wrong, one sentence each: several for a seed in which several fields are wrong. */
  readonly messages: readonly string[];

  constructor(message: string | readonly string[], options?: ErrorOptions) {
    const messages = [message].flat();
    super(`FakeMarketplace: ${messages.join('; ')}`, options);
    this.messages = messages;
  }
}
