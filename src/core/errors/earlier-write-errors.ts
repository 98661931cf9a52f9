import { SellerError } from './seller-error.js';

/**
 * An earlier run sent this write, it is not carried out yet, and the service may still be processing it. Nothing was sent.
 *
 * Remedy: run again after `retryAfterMs`. A receiver does that by itself, and counts no attempt.
 */
export class EarlierWriteOpenError extends SellerError {
  static override readonly kind: string = 'EarlierWriteOpenError';
  /** After this time, in milliseconds, the service is no longer processing the write. */
  readonly retryAfterMs: number;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterMs: number }) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * An earlier run sent this write, and reading back does not show whether it was carried out. Nothing was sent.
 *
 * Remedy: a person looks whether the buyer has it. A receiver keeps the notification as a dead letter: replay it to send the
 * write, or remove it.
 */
export class EarlierWriteUnknownError extends SellerError {
  static override readonly kind: string = 'EarlierWriteUnknownError';
  static override readonly permanent: boolean | undefined = true;
  /** The earlier write may or may not have been carried out. */
  readonly outcomeUnknown = true;
}
