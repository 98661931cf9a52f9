import { SellerError } from '../core/errors.js';

/** A test asked the fake marketplace for something that makes no sense; the message says what to do instead. */
export class FakeMarketplaceError extends SellerError {
  static override readonly kind: string = 'FakeMarketplaceError';

  constructor(message: string, options?: ErrorOptions) {
    super(`FakeMarketplace: ${message}`, options);
  }
}
