import { BadRequestError, ForbiddenError, NotFoundError } from '../../core/errors/status-errors.js';
import { documentedError, messageMatches } from '../../core/errors/documented-error.js';

/**
 * The site is empty or does not exist.
 *
 * Remedy: pass a site code, for example `MLA`.
 */
export class InvalidSiteError extends BadRequestError {
  static override readonly kind: string = 'InvalidSiteError';
}

/**
 * The GraphQL query is not valid: its syntax is wrong, or it names a field that does not exist.
 *
 * Remedy: let `select` write the query, or use only the fields of `FlexConfiguration`.
 */
export class InvalidQueryError extends BadRequestError {
  static override readonly kind: string = 'InvalidQueryError';
}

/**
 * The user does not exist on the site.
 *
 * Remedy: check `user_id` and that `site_id` is the user's own site.
 */
export class UserNotFoundError extends NotFoundError {
  static override readonly kind: string = 'UserNotFoundError';
}

/**
 * The user has no Flex subscription with this `service_id`.
 *
 * Remedy: use the `service_id` of a subscription that `flex.subscriptions` returns.
 */
export class SubscriptionNotFoundError extends NotFoundError {
  static override readonly kind: string = 'SubscriptionNotFoundError';
}

/**
 * The item is already in Flex. With `idempotent: true`, `enable` treats this as success.
 *
 * Remedy: none needed: the item is in the state that you asked for.
 */
export class AlreadyInFlexError extends BadRequestError {
  static override readonly kind: string = 'AlreadyInFlexError';
  static override readonly permanent = false;
}

/**
 * The item is no longer in Flex. With `idempotent: true`, `disable` treats this as success.
 *
 * Remedy: none needed: the item is in the state that you asked for.
 */
export class NotInFlexError extends BadRequestError {
  static override readonly kind: string = 'NotInFlexError';
  static override readonly permanent = false;
}

/**
 * The item does not offer Flex.
 *
 * Remedy: check that the item is active (`seller.items.status`) and that its listing offers Flex as shipping.
 */
export class ItemDownError extends ForbiddenError {
  static override readonly kind: string = 'ItemDownError';
}

/**
 * The item does not exist. When you ask whether an item is in Flex, the same error means that it is not, or that its site
 * has no Flex.
 *
 * Remedy: check `item_id` and `site_id`. If both are right, the item is not in Flex.
 */
export class ItemNotFoundError extends NotFoundError {
  static override readonly kind: string = 'ItemNotFoundError';
}

/**
 * The shipment has no driver: none is assigned, it is on no open route, or it does not exist.
 *
 * Remedy: call again when the shipment is on its way.
 */
export class DriverNotFoundError extends NotFoundError {
  static override readonly kind: string = 'DriverNotFoundError';
}

/**
 * The token gives no access to this seller's Flex resources.
 *
 * Remedy: use the token of the seller whose `user_id` you send.
 */
export class ResourceAccessError extends BadRequestError {
  static override readonly kind: string = 'ResourceAccessError';
}

/**
 * The service does not accept the `user_id`.
 *
 * Remedy: pass the seller's id, which is an integer.
 */
export class InvalidUserIdError extends BadRequestError {
  static override readonly kind: string = 'InvalidUserIdError';
}

/**
 * The service does not accept the `service_id`.
 *
 * Remedy: use a `service_id` that `flex.subscriptions` returns.
 */
export class InvalidServiceIdError extends BadRequestError {
  static override readonly kind: string = 'InvalidServiceIdError';
}

/**
 * Whether an error states that an item is not in Flex: a 404 about the item, or without a body. Any other 404 may be of a
 * proxy, and proves nothing.
 */
export function meansNotInFlex(error: unknown): boolean {
  if (error instanceof ItemNotFoundError) return true;
  return error instanceof NotFoundError && error.body === undefined;
}

// The specification gives only messages, so these errors are matched by any of their texts.

export const emptySite = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'empty site id',
  error: InvalidSiteError,
  matches: /* @__PURE__ */ messageMatches(/empty site.?id/i),
});
export const invalidSite = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'invalid site_id',
  error: InvalidSiteError,
  matches: /* @__PURE__ */ messageMatches(/invalid site.?id/i),
});
export const noAccess = /* @__PURE__ */ documentedError({
  status: 400,
  message: "can't access to resource",
  error: ResourceAccessError,
  matches: /* @__PURE__ */ messageMatches(/\b(can.?t|cannot) access/i),
  otherStatuses: [403],
});
export const invalidJson = /* @__PURE__ */ documentedError({ status: 400, message: 'invalid JSON body' });
export const invalidUser = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'invalid user_id',
  error: InvalidUserIdError,
  matches: /* @__PURE__ */ messageMatches(/invalid user.?id/i),
});
export const invalidService = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'invalid service_id',
  error: InvalidServiceIdError,
  matches: /* @__PURE__ */ messageMatches(/invalid service.?id/i),
});
export const noSchema = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'failed to create schema in graphql operation',
  error: InvalidQueryError,
  matches: /* @__PURE__ */ messageMatches(/failed to create schema/i),
});
export const invalidQuery = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'invalid query',
  error: InvalidQueryError,
  matches: /* @__PURE__ */ messageMatches(/invalid query|cannot query field|syntax error|unknown (?:argument|field)/i),
});
export const userNotFound = /* @__PURE__ */ documentedError({
  status: 404,
  message: 'user not found',
  error: UserNotFoundError,
  matches: /* @__PURE__ */ messageMatches(/user not found/i),
  otherStatuses: [400],
});
export const subscriptionNotFound = /* @__PURE__ */ documentedError({
  status: 404,
  message: 'no Flex subscription for this user_id and service_id',
  error: SubscriptionNotFoundError,
  matches: /* @__PURE__ */ messageMatches(/subscription/i),
  otherStatuses: [400],
});
export const deliveryNotUpdated = /* @__PURE__ */ documentedError({
  status: 404,
  message: "can't update delivery custom",
  error: SubscriptionNotFoundError,
  matches: /* @__PURE__ */ messageMatches(/\bcan.?t update|subscription/i),
});
export const alreadyInFlex = /* @__PURE__ */ documentedError({
  status: 400,
  message: 'item is already in flex',
  error: AlreadyInFlexError,
  matches: /* @__PURE__ */ messageMatches(/already in flex\b/i),
});
export const notInFlex = /* @__PURE__ */ documentedError({
  status: 400,
  // The service says the same of an item that is no longer in Flex; the operation tells which is meant.
  message: 'item is already in flex',
  error: NotInFlexError,
  matches: /* @__PURE__ */ messageMatches(/already|not in flex\b/i),
});
export const itemDown = /* @__PURE__ */ documentedError({
  status: 403,
  message: 'item down',
  error: ItemDownError,
  matches: /* @__PURE__ */ messageMatches(/item.{0,10}down\b/i),
});
export const itemNotFound = /* @__PURE__ */ documentedError({
  status: 404,
  message: 'item not found',
  error: ItemNotFoundError,
  matches: /* @__PURE__ */ messageMatches(/item.{0,10}not.{0,3}found/i),
});
export const itemLocked = /* @__PURE__ */ documentedError({
  status: 409,
  message: 'another change of this item is under way',
  // Seen in production and not documented: any 409 is treated as this error. The service did nothing, so a retry is safe.
  matches: ({ status }) => status === 409,
  transient: true,
});
export const driverNotFound = /* @__PURE__ */ documentedError({
  status: 404,
  message: 'shipment_id not found',
  error: DriverNotFoundError,
  matches: /* @__PURE__ */ messageMatches(/shipment.{0,6}not.{0,3}found/i),
});
