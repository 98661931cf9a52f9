import { SellerError } from '../core/errors/seller-error.js';

/**
 * The fake marketplace was used in a wrong way, e.g. with an item of a user that does not exist.
 *
 * Remedy: do what the message says, e.g. add the user or item before using it.
 */
export class FakeMarketplaceError extends SellerError {
  static override readonly kind: string = 'FakeMarketplaceError';

  constructor(message: string, options?: ErrorOptions) {
    super(`FakeMarketplace: ${message}`, options);
  }
}
