import { SellerError } from '../../core/errors/seller-error.js';

/** Why a seller cannot send messages at the moment: see `NoChannelError`. */
export type NoChannelReason =
  'cap_exhausted' | 'option_not_offered' | 'mediation' | 'not_yet_delivered' | 'attachments' | (string & {});

/**
 * The seller has no way to write to the buyer at the moment. `cause` is the error of the service, if it sent one.
 *
 * Remedy: check `reason`. For `cap_exhausted`, wait for the buyer's reply.
 */
export class NoChannelError extends SellerError {
  static override readonly kind: string = 'NoChannelError';
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
