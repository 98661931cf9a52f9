import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '../../core/errors/status-errors.js';
import { documentedError, isPage, messageMatches } from '../../core/operation/documented-error.js';
import { errorByText } from '../error-by-text.js';
import type { MatchedResponse } from '../../core/operation/documented-error.js';
import { isWord } from '../fields.js';

/**
 * The item is already in Flex. With `idempotent: true`, `enable` treats this as success.
 *
 * Remedy: none needed: the item is in the state that you asked for.
 */
export class AlreadyInFlexError extends BadRequestError {
  static override readonly kind: string = 'AlreadyInFlexError';
  static override readonly lasting = true;
}

/**
 * The item is no longer in Flex. With `idempotent: true`, `disable` treats this as success.
 *
 * Remedy: none needed: the item is in the state that you asked for.
 */
export class NotInFlexError extends BadRequestError {
  static override readonly kind: string = 'NotInFlexError';
  static override readonly lasting = true;
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
 * Another change of the same item is going on. The service did nothing, so the client sends it again.
 *
 * Remedy: change one item at a time.
 */
export class ItemLockedError extends ConflictError {
  static override readonly kind: string = 'ItemLockedError';
}

/** Says of a first-generation path that the service may have switched it off: it answers with a page, or knows nothing of it. */
export function hintToFlexV2({ status, body }: MatchedResponse): string | undefined {
  if (status !== 404 && !(status === 403 && isPage(body))) return undefined;
  return 'The service has switched off the first generation of Flex paths for some applications: use `seller.flexV2`';
}

/**
 * Whether the success that was sent for an item says that Flex is enabled on it: 204 does, and 200 unless its body says
 * otherwise.
 */
export function showsFlex(body: unknown): boolean {
  if (typeof body === 'boolean') return body;
  if (typeof body !== 'object' || body === null) return true;
  const { status, has_flex, enabled, active } = body as Readonly<Record<string, unknown>>;
  if (typeof status === 'string') return ['active', 'in', 'enabled', 'on'].some((word) => isWord(status, word));
  return [has_flex, enabled, active].every((flag) => flag !== false);
}

const section = 'Errors, Flex';

const isAlreadyInFlex = /* @__PURE__ */ messageMatches(
  /\b(?:already in flex|already has flex|flex is already (?:enabled|active|activated)|already (?:enabled|active|activated) (?:for|in|on|with) flex)\b/,
);
const isNotInFlex = /* @__PURE__ */ messageMatches([
  /\b(?:not|n't|no longer|already out|already not)(?: in| of| have| has| part of)? flex\b(?! shipping)/,
  /\bflex is (?:already |not )?(?:disabled|inactive|deactivated|enabled|active)\b/,
  /\balready (?:disabled|inactive|deactivated|removed) (?:for|in|on|from) flex\b/,
]);
export const alreadyInFlex = /* @__PURE__ */ errorByText(
  { section, condition: 'item already has Flex', status: 400, message: 'item is already in flex' },
  AlreadyInFlexError,
  isAlreadyInFlex,
);
export const notInFlex = /* @__PURE__ */ errorByText(
  // The service says the same of an item that is no longer in Flex; the operation tells which is meant.
  { section, condition: 'item no longer has Flex', status: 400, message: 'item is already in flex' },
  NotInFlexError,
  (details) => isAlreadyInFlex(details) || isNotInFlex(details),
);
export const itemDown = /* @__PURE__ */ errorByText(
  { section, condition: 'the item does not offer Flex', status: 403, message: 'item down' },
  ItemDownError,
  /\bitem(?: [a-z]{2,4}\d{1,20})? (?:is )?down\b/,
);
export const itemNotFound = /* @__PURE__ */ errorByText(
  { section, status: 404, message: 'item not found' },
  ItemNotFoundError,
  [
    /(?<!\b(?:of|for|in) (?:the |this )?)\bitem(?: with)?(?: id)?:?(?: [a-z]{2,4}\d{1,20})? (?:was |is )?not found\b/,
    /(?<!\b(?:of|for|in) (?:the |this )?)\bitem(?: with)?(?: id)?:?(?: [a-z]{2,4}\d{1,20})? do(?:es)?(?: not|n't) exist/,
  ],
);
export const itemLocked = /* @__PURE__ */ documentedError({
  section: 'Live service',
  condition: 'two changes of one item at a time',
  status: 409,
  message: "can't activate item",
  error: ItemLockedError,
  // Seen in production and not documented: any 409 is treated as this error. The service did nothing, so a retry is safe.
  matches: ({ status }) => status === 409,
  didNothing: true,
});
