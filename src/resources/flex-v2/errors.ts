import { ConflictError, type ApiError } from '../../core/errors/response-errors.js';
import { documentedError, messageMatches, errorByText } from '../../core/operation/documented-error.js';
import type { DocumentedError, MatchedResponse } from '../../core/operation/documented-error.js';
import * as items from '../flex-items/flex-items.js';
import * as flex from '../flex/errors.js';

/**
 * The shipment has a courier already: another one, or this one after an earlier call. No operation tells which.
 *
 * Remedy: ask the couriers who of them has it.
 */
export class ShipmentTakenError extends ConflictError {
  static override readonly kind: string = 'ShipmentTakenError';
}

const section = 'Flex, second generation';

/** A documented error of the first generation, as the page of the second names it too. */
// @__NO_SIDE_EFFECTS__
function alsoHere(error: DocumentedError): DocumentedError {
  return { ...error, section };
}
export const userNotFound = /* @__PURE__ */ alsoHere(flex.userNotFound);
export const driverNotFound = /* @__PURE__ */ alsoHere(flex.driverNotFound);
export const alreadyInFlex = /* @__PURE__ */ alsoHere(items.alreadyInFlex);
export const itemDown = /* @__PURE__ */ alsoHere(items.itemDown);
export const itemNotFound = /* @__PURE__ */ alsoHere(items.itemNotFound);
export const itemLocked = /* @__PURE__ */ alsoHere(items.itemLocked);

const namesNoConfiguration = /* @__PURE__ */ messageMatches(
  /\b(?:configuration|service)(?: id)?(?: \d{1,20})? (?:was |is )?not found\b/,
);
export const configurationNotFound = /* @__PURE__ */ errorByText(
  { section, status: 404, message: 'configuration not found' },
  flex.SubscriptionNotFoundError,
  (response) => namesNoConfiguration(response) || flex.namesNoSubscription(response),
);
export const extendedRangeActive = /* @__PURE__ */ documentedError({
  section,
  condition: 'an extended delivery range is active',
  status: 422,
  message: 'an extended delivery range is active',
});
export const shipmentTaken = /* @__PURE__ */ errorByText(
  { section, condition: 'already the shipment of a courier', status: 409, message: 'already assigned to a courier' },
  ShipmentTakenError,
  ({ status }) => status === 409,
);

/** A path of zones or of a radius, on a subscription with the other kind of coverage. */
export function hintToCoverage({ status }: MatchedResponse): string | undefined {
  if (status !== 400 && status !== 404) return undefined;
  return 'Zones and radius are of different subscriptions: see `configuration.set.coverage.type` of flexV2.subscriptions';
}

export function hintToNoFlex({ status }: MatchedResponse): string | undefined {
  return status === 403
    ? 'Either the seller has no Flex, or the token has no permission to read it: only the site shows which'
    : undefined;
}

export function hintToCourier({ status }: MatchedResponse): string | undefined {
  return status === 403
    ? 'The token has to be that of the courier, who has authorised the application and is linked to the seller'
    : undefined;
}

/** The error of an item that `has_flex` shows to be out already, from the error of taking it out. */
export function notInFlexError(error: ApiError): items.NotInFlexError {
  const { status, code, serviceMessage: text, causes, headers, body, url, endpoint, attempts, outcomeUnknown } = error;
  return new items.NotInFlexError(`${error.message}. The item is not in Flex: its \`has_flex\` is false`, {
    ...{ status, code, text, causes, headers, body, url, endpoint, attempts, outcomeUnknown },
    documentedStatus: 400,
  });
}
