import { BadRequestError, ForbiddenError, NotFoundError } from '../../core/status-errors.js';
import { refusal, everyWordOf } from '../../core/refusal.js';
import type { RefusalDetails } from '../../core/errors.js';

/**
 * The site is not one, or is empty.
 *
 * Remedy: give a site code such as `MLA`.
 */
export class InvalidSiteError extends BadRequestError {
  static override readonly kind: string = 'InvalidSiteError';
}

/**
 * The GraphQL query is not valid: its syntax, or a field that there is not.
 *
 * Remedy: let `select` write the query; a query of your own names the fields of `FlexConfiguration`.
 */
export class InvalidQueryError extends BadRequestError {
  static override readonly kind: string = 'InvalidQueryError';
}

/**
 * There is no such user on the site.
 *
 * Remedy: check `user_id` and that `site_id` is the user's own site.
 */
export class UserNotFoundError extends NotFoundError {
  static override readonly kind: string = 'UserNotFoundError';
}

/**
 * The user has no Flex subscription with this service; `flex.subscriptions` lists the ones there are.
 *
 * Remedy: take `service_id` from the subscription that `flex.subscriptions` lists.
 */
export class SubscriptionNotFoundError extends NotFoundError {
  static override readonly kind: string = 'SubscriptionNotFoundError';
}

/**
 * The item is in Flex already. `enable` with `idempotent: true` takes this for success.
 *
 * Remedy: nothing is left to do.
 */
export class AlreadyInFlexError extends BadRequestError {
  static override readonly kind: string = 'AlreadyInFlexError';
}

/**
 * The item is not in Flex any more. `disable` with `idempotent: true` takes this for success.
 *
 * Remedy: nothing is left to do.
 */
export class NotInFlexError extends BadRequestError {
  static override readonly kind: string = 'NotInFlexError';
}

/**
 * The item does not offer Flex.
 *
 * Remedy: check that the item is active (`seller.items.status`) and that its listing ships by Flex.
 */
export class ItemDownError extends ForbiddenError {
  static override readonly kind: string = 'ItemDownError';
}

/**
 * There is no such item; when asking whether it is in Flex: it is not, or its country has no Flex.
 *
 * Remedy: check `item_id` and `site_id`; where both are right, the item is simply not in Flex.
 */
export class ItemNotFoundError extends NotFoundError {
  static override readonly kind: string = 'ItemNotFoundError';
}

/**
 * No driver: the shipment has none assigned, is on no open route, or does not exist.
 *
 * Remedy: ask again once the shipment is on its way.
 */
export class DriverNotFoundError extends NotFoundError {
  static override readonly kind: string = 'DriverNotFoundError';
}

/** The specification gives only messages, so these are told by their words, in whatever place they stand. */
const says =
  (words: RegExp) =>
  (details: RefusalDetails): boolean =>
    everyWordOf(details).some((word) => words.test(word));

export const emptySite = refusal({
  status: 400,
  message: 'empty site id',
  error: InvalidSiteError,
  tell: says(/empty site.?id/i),
});
export const invalidSite = refusal({
  status: 400,
  message: 'invalid site_id',
  error: InvalidSiteError,
  tell: says(/invalid site.?id/i),
});
export const noAccess = refusal({ status: 400, message: "can't access to resource" });
export const invalidJson = refusal({ status: 400, message: 'invalid JSON body' });
export const invalidUser = refusal({ status: 400, message: 'invalid user_id' });
export const invalidService = refusal({ status: 400, message: 'invalid service_id' });
export const noSchema = refusal({
  status: 400,
  message: 'failed to create schema in graphql operation',
  error: InvalidQueryError,
  tell: says(/failed to create schema/i),
});
export const invalidQuery = refusal({
  status: 400,
  message: 'invalid query',
  error: InvalidQueryError,
  tell: says(/invalid query|cannot query field|syntax error|unknown (?:argument|field)/i),
});
export const userNotFound = refusal({
  status: 404,
  message: 'user not found',
  error: UserNotFoundError,
  tell: says(/user not found/i),
  alsoStatus: [400],
});
export const subscriptionNotFound = refusal({
  status: 404,
  message: 'no Flex subscription for this user_id and service_id',
  error: SubscriptionNotFoundError,
  tell: says(/subscription/i),
  alsoStatus: [400],
});
export const deliveryNotUpdated = refusal({
  status: 404,
  message: "can't update delivery custom",
  error: SubscriptionNotFoundError,
  tell: says(/can.?t update|subscription/i),
});
export const alreadyInFlex = refusal({
  status: 400,
  message: 'item is already in flex',
  error: AlreadyInFlexError,
  tell: says(/already in flex/i),
});
export const notInFlex = refusal({
  status: 400,
  // The service says the same of an item that is no longer in Flex; the operation tells which is meant.
  message: 'item is already in flex',
  error: NotInFlexError,
  tell: says(/already|not in flex/i),
});
export const itemDown = refusal({
  status: 403,
  message: 'item down',
  error: ItemDownError,
  tell: says(/item.{0,10}down/i),
});
export const itemNotFound = refusal({
  status: 404,
  message: 'item not found',
  error: ItemNotFoundError,
  tell: says(/item.{0,10}not.{0,3}found/i),
});
export const itemLocked = refusal({
  status: 409,
  message: 'another change of this item is under way',
  // In life; the documents do not name it, so any 409 is taken for it. The service did nothing: a repeat is safe.
  tell: ({ status }) => status === 409,
  passing: true,
});
export const driverNotFound = refusal({
  status: 404,
  message: 'shipment_id not found',
  error: DriverNotFoundError,
  tell: says(/shipment.{0,6}not.{0,3}found/i),
});
