import { SellerError } from '../core/errors/seller-error.js';

/**
 * A test asked the fake marketplace for something that makes no sense; the message says what to do instead.
 *
 * Remedy: do what the message says, e.g. add the user or item before using it.
 */
export class FakeMarketplaceError extends SellerError {
  static override readonly kind: string = 'FakeMarketplaceError';

  constructor(message: string, options?: ErrorOptions) {
    super(`FakeMarketplace: ${message}`, options);
  }
}
