import { BadRequestError, NotFoundError } from '../../core/errors/response-errors.js';
import { documentedError, messageMatches, errorByText } from '../../core/operation/documented-error.js';
import type { ErrorInBody } from '../../core/operation/documented-error.js';

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
 * The shipment has no driver: none is assigned, it is on no open route, or it does not exist.
 *
 * Remedy: call again when the shipment is on its way.
 */
export class DriverNotFoundError extends NotFoundError {
  static override readonly kind: string = 'DriverNotFoundError';
  static override readonly lasting = false;
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

const section = 'Errors, Flex';

export const emptySite = /* @__PURE__ */ errorByText(
  { section, status: 400, message: 'empty site id' },
  InvalidSiteError,
  [/\b(?:empty|missing) site(?: id)?\b/, /\bsite(?: id)? (?:is |was )?(?:empty|missing|required)\b/],
);
export const invalidSite = /* @__PURE__ */ errorByText(
  { section, status: 400, message: 'invalid site_id' },
  InvalidSiteError,
  [
    /\b(?:invalid|unknown|unrecogni[sz]ed) site\b/,
    /\bsite(?: id)?(?: \S{1,20})? (?:is |was )?(?:invalid|not valid|unknown|not recogni[sz]ed)\b/,
  ],
);
export const noAccess = /* @__PURE__ */ errorByText(
  {
    section,
    status: 400,
    message: "can't access to resource",
    otherStatuses: [403],
  },
  ResourceAccessError,
  /\b(?:can't|cannot|can not|not allowed to|not authori[sz]ed to|no) access (?:to )?(?:the |this |that )?resource/,
);
export const invalidJson = /* @__PURE__ */ documentedError({
  section,
  status: 400,
  message: 'invalid JSON body',
});
export const invalidUser = /* @__PURE__ */ errorByText(
  { section, status: 400, message: 'invalid user_id' },
  InvalidUserIdError,
  [/\binvalid (?:user id|userid)\b/, /\b(?:user id|userid) (?:is |was )?(?:invalid|not valid|must be)/],
);
export const invalidService = /* @__PURE__ */ errorByText(
  { section, condition: 'invalid service_id (must be integers)', status: 400, message: 'invalid service_id' },
  InvalidServiceIdError,
  [/\binvalid (?:service id|serviceid)\b/, /\b(?:service id|serviceid) (?:is |was )?(?:invalid|not valid|must be)/],
);
export const noSchema = /* @__PURE__ */ errorByText(
  {
    section,
    status: 400,
    message: 'failed to create schema in graphql operation',
  },
  InvalidQueryError,
  /\bcreate (?:the )?schema\b.{0,40}\bgraphql\b|\bgraphql schema\b.{0,20}\bfailed/,
);
export const invalidQuery = /* @__PURE__ */ errorByText(
  { section, status: 400, message: 'invalid query' },
  InvalidQueryError,
  [
    /\binvalid (?:graphql )?query\b(?! (?:param|string))|\b(?:graphql )?query (?:is |was )?(?:invalid|not valid)\b/,
    /\bcannot query field\b|\bunknown (?:argument|field|type)\b|^graphql (?:parse|validation) failed$/,
    /\bsyntax error\b|\bgraphql (?:syntax|query|validation) error/,
  ],
  /\bjson\b/,
);
export const userNotFound = /* @__PURE__ */ errorByText(
  { section, status: 404, message: 'user not found', otherStatuses: [400] },
  UserNotFoundError,
  [
    /(?<!\b(?:of|for|in) (?:the |this )?)\buser(?: with)?(?: id)?:?(?: \d{1,20})? (?:was |is )?(?:not found|unknown)\b/,
    /(?<!\b(?:of|for|in) (?:the |this )?)\buser(?: with)?(?: id)?:?(?: \d{1,20})? do(?:es)?(?: not|n't) exist/,
  ],
);
export const namesNoSubscription = /* @__PURE__ */ messageMatches(
  [
    /\bsubscriptions? (?:was |were |is )?(?:not found|(?:do(?:es)?(?: not|n't)) exist)/,
    /\bsubscriptions? (?:with|for|of|to) .{1,60} (?:not found|(?:do(?:es)?(?: not|n't)) exist)/,
    /\b(?:no|without an?|without|does not have an?|doesn't have an?) (?:flex |turbo |active )?subscriptions?\b/,
    /\bnot subscribed\b/,
  ],
  /\bsubscriptions? (?:service|endpoint|page|route|api|server)\b/,
);
export const subscriptionNotFound = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'no Flex subscription for the user_id and service_id pair',
    status: 404,
    message: 'no Flex subscription for this user_id and service_id',
    otherStatuses: [400],
  },
  SubscriptionNotFoundError,
  namesNoSubscription,
);
const cannotUpdate = /* @__PURE__ */ messageMatches(
  /\b(?:can't|cannot|can not|could not) update (?:the )?(?:delivery|coverage)\b/,
);
export const deliveryNotUpdated = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'no Flex subscription for the user_id and service_id pair',
    status: 404,
    message: "can't update delivery custom",
  },
  SubscriptionNotFoundError,
  (details) => cannotUpdate(details) || namesNoSubscription(details),
);
/** A shipment without a driver may come as a success with `driver_id: null`. */
export function noDriverInBody(body: unknown): ErrorInBody | undefined {
  const given = body ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) return undefined;
  const { driver_id } = given as { driver_id?: unknown };
  const isEmpty = Object.keys(given).length === 0;
  if (driver_id !== null && !isEmpty) return undefined;
  return { status: 404, code: undefined, text: driverNotFound.message, causes: [] };
}
export const driverNotFound = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'no driver assigned, no open route, or non-existent shipment',
    status: 404,
    message: 'shipment_id not found',
  },
  DriverNotFoundError,
  [
    /(?<!\b(?:of|for|in) (?:the |this )?)\bshipment(?: with)?(?: id)?:?(?: \d{1,20})? (?:was |is )?not found\b/,
    /(?<!\b(?:of|for|in) (?:the |this )?)\bshipment(?: with)?(?: id)?:?(?: \d{1,20})? do(?:es)?(?: not|n't) exist/,
    /\bno (?:assigned )?driver\b|\bdriver (?:was |is )?not (?:found|assigned)\b/,
  ],
);
