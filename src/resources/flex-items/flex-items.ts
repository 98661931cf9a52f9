import { InvalidInputError } from '../../core/errors/errors.js';
import {
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
} from '../../core/errors/response-errors.js';
import type { Confirmation } from '../../core/errors/seller-error.js';
import { ApiPromise, mapped, type Requester, type WithResponse } from '../../core/operation/api-promise.js';
import { documentedError, errorByText, isPage, messageMatches } from '../../core/operation/documented-error.js';
import type { MatchedResponse } from '../../core/operation/documented-error.js';
import type { ConfirmContext, DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { ofType, optionIssues } from '../../core/options/rules.js';
import * as s from '../../core/schema/define.js';
import { unknown } from '../../core/schema/define.js';
import type { Input } from '../../core/schema/schema.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { Deadline } from '../../core/scope/cancel-scope.js';
import { isWord, key, siteId } from '../fields.js';

/** Reads an item's status, e.g. `active`; `undefined` if the service could not read it. */
export type ReadItemStatus = (item_id: string, options?: CallOptions) => Promise<string | undefined>;

/** The items that are delivered with Flex. */
export class FlexItems {
  readonly #requester: Requester;
  readonly #writes: ItemWrites;

  /** @internal */
  constructor(requester: Requester, readStatus: ReadItemStatus) {
    this.#requester = requester;
    this.#writes = new ItemWrites(requester, readStatus);
  }

  /**
   * Returns whether an item is enabled for Flex. 204 is `true`, and so is a 200 that does not say otherwise; a 404 with "item not found" is
   * `false`. Request: GET /sites/{site_id}/shipping/selfservice/items/{item_id}.
   *
   * The service sends the same 404 for an unknown item and for a site without Flex, so the result is also `false` for
   * these. Any other response is an error, for example a 404 without a body, or a page of a proxy.
   *
   * @example
   * console.log(await seller.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' }));
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {NotFoundError} when something other than the item was not found.
   */
  isEnabled(input: Input<typeof flexItemSchemas.flexItemParams>, options?: CallOptions): ApiPromise<boolean> {
    const call = mapped(this.#requester.call(flexItemEndpoints.isEnabled, input, options), showsFlex);
    return orMeaning(call, (error) => error instanceof ItemNotFoundError, false);
  }

  /**
   * Enables an item for Flex. The item must be active; `requireActive: true` checks this first.
   * Request: POST /sites/{site_id}/shipping/selfservice/items/{item_id}.
   *
   * If an earlier attempt of the call may have been carried out, for example because its response was lost, and a retry
   * finds the item already enabled, the call succeeds.
   *
   * @example
   * await seller.flex.items.enable({ site_id: 'MLA', item_id: 'MLA100', requireActive: true, idempotent: true });
   * @throws {InvalidInputError} when `requireActive` is given and the item is not active; the item is not changed.
   * @throws {AlreadyInFlexError} when the item is already enabled, unless `idempotent: true`.
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {ItemNotFoundError} when the item does not exist.
   * @throws {ItemLockedError} when other changes of the item go on, also at the last retry.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  enable(input: EnableItemParams, options?: CallOptions): ApiPromise<undefined> {
    return this.#writes.enable(flexItemEndpoints.enable, input, options);
  }

  /**
   * Disables an item for Flex. Request: DELETE /sites/{site_id}/shipping/selfservice/items/{item_id}.
   *
   * @example
   * await seller.flex.items.disable({ site_id: 'MLA', item_id: 'MLA100', idempotent: true });
   * @throws {NotInFlexError} when the item is not enabled, unless `idempotent: true`.
   * @throws {ItemDownError} when the item does not offer Flex.
   * @throws {ItemNotFoundError} when the item does not exist.
   * @throws {ItemLockedError} when other changes of the item go on, also at the last retry.
   * @throws {OutcomeUnknownError} when the response was lost, also at the last retry. You can call it again: the
   *   effect is the same.
   */
  disable(input: DisableItemParams, options?: CallOptions): ApiPromise<undefined> {
    return this.#writes.change(flexItemEndpoints.disable, input, options, accepted(NotInFlexError, input));
  }
}

/** The writes of an item, of either generation of paths. */
export class ItemWrites {
  readonly #requester: Requester;
  readonly #readStatus: ReadItemStatus;

  constructor(requester: Requester, readStatus: ReadItemStatus) {
    this.#requester = requester;
    this.#readStatus = readStatus;
  }

  /** Puts an item into Flex, after its status was checked if the input asks for it. */
  enable(endpoint: Endpoint<FlexItemParams>, input: EnableItemParams, options?: CallOptions): ApiPromise<undefined> {
    const { requireActive, ...rest } = { ...input };
    const wrong = wrongFlags({ requireActive });
    if (wrong) return new ApiPromise(Promise.reject(wrong));
    const isDone = accepted(AlreadyInFlexError, rest);
    const enable = (within: CallOptions | undefined): ApiPromise<undefined> =>
      this.change(endpoint, rest, within, isDone);
    if (!requireActive) return enable(options);
    const deadline = new Deadline('items.enable()', options?.deadlineMs ?? this.#requester.deadlineMs);
    const checked = deadline.within({ ...options }, (limited) => this.#checkActive(rest, limited));
    return new ApiPromise(
      checked.then(() => deadline.within({ ...options }, (limited) => enable(limited).withResponse())),
    );
  }

  /** Changes an item. An error for which `isDone` is true is a success. */
  change(
    endpoint: Endpoint<FlexItemParams>,
    input: DisableItemParams,
    options: CallOptions | undefined,
    isDone: (error: ApiError) => boolean | Promise<boolean>,
  ): ApiPromise<undefined> {
    const { idempotent, ...item } = { ...input };
    const wrong = wrongFlags({ idempotent });
    if (wrong) return new ApiPromise(Promise.reject(wrong));
    return orMeaning(mapped(this.#requester.call(endpoint, item, options), nothing), isDone, undefined);
  }

  async #checkActive({ item_id }: FlexItemParams, options?: CallOptions): Promise<void> {
    const status = await this.#readStatus(String(item_id), options);
    if (isWord(status, 'active')) return;
    const found = status === undefined ? 'cannot be read' : `is "${status}"`;
    const message = `the status of \`item_id\` ${found}; Flex takes items that are active`;
    throw new InvalidInputError([{ path: ['item_id'], message }]);
  }
}

const nothing = (): undefined => undefined;

/** The error of an input whose flags are not booleans; `undefined` if they are. */
function wrongFlags(flags: Readonly<Record<string, unknown>>): InvalidInputError | undefined {
  const isBoolean = ofType('boolean');
  const issues = optionIssues(flags, { idempotent: isBoolean, requireActive: isBoolean });
  return issues.length > 0 ? new InvalidInputError(issues) : undefined;
}

/** Accepts "already enabled" from idempotent calls, and if an earlier attempt of the call may have succeeded. */
function accepted(already: typeof ApiError, input: DisableItemParams) {
  const { idempotent } = { ...input };
  return (error: ApiError): boolean => error instanceof already && (idempotent === true || error.outcomeUnknown);
}

/** Returns `meaning` in place of an error of the call that `fits`. */
export function orMeaning<T>(
  call: ApiPromise<T>,
  fits: (error: ApiError) => boolean | Promise<boolean>,
  meaning: T,
): ApiPromise<T> {
  const startedAt = performance.now();
  const recover = async (error: unknown): Promise<WithResponse<T>> => {
    if (!(error instanceof ApiError) || !(await fits(error))) throw error;
    const { status, headers, url = '', requestId, attempts } = error;
    const durationMs = performance.now() - startedAt;
    return { data: meaning, response: { status, headers, url, requestId, attempts, durationMs, leftOut: 0 } };
  };
  return new ApiPromise<T>(call.withResponse().catch(recover));
}

export const flexItemParams = s.strictObject({
  site_id: siteId,
  /** The item. */
  item_id: key,
});
/** The input of `flex.items.isEnabled`. */
export type FlexItemParams = Input<typeof flexItemSchemas.flexItemParams>;

/** An item to disable for Flex. */
export interface DisableItemParams extends Input<typeof flexItemSchemas.flexItemParams> {
  /** With `true`, the call succeeds if the item is already disabled, instead of throwing `NotInFlexError`. */
  readonly idempotent?: boolean | undefined;
}

/** An item to enable for Flex. */
export interface EnableItemParams extends Input<typeof flexItemSchemas.flexItemParams> {
  /** With `true`, the call succeeds if the item is already enabled, instead of throwing `AlreadyInFlexError`. */
  readonly idempotent?: boolean | undefined;
  /** With `true`, the call reads the item's status first, and changes nothing unless it is `active`. */
  readonly requireActive?: boolean | undefined;
}

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
function showsFlex(body: unknown): boolean {
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

/** What the endpoints of an item have in common. */
const ofItem = {
  path: '/sites/{site_id}/shipping/selfservice/items/{item_id}',
  input: flexItemParams,
  example: { site_id: 'MLA', item_id: 'MLA100' },
  output: unknown,
  hintAfter: hintToFlexV2,
} as const;

const isEnabled: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.isEnabled',
  summary: 'Tells whether Flex is enabled on an item',
  method: 'GET',
  retry: 'safe',
  errors: [itemDown, itemNotFound],
};

/** The endpoints of items in Flex that only read. */
const flexItemReads = { isEnabled };

/** Reads back whether a write has put an item into Flex, or taken it out. */
async function confirmInFlex(
  input: Input<typeof flexItemSchemas.flexItemParams>,
  context: ConfirmContext,
  shouldBeIn: boolean,
): Promise<Confirmation> {
  const isIn = await context.read(isEnabled, input, 204).then(
    () => true,
    (error: unknown) => {
      // Any other 404 may be of a proxy, or of a path that is switched off.
      if (error instanceof ItemNotFoundError) return false;
      throw error;
    },
  );
  return isIn === shouldBeIn ? { done: true, output: undefined } : { done: false };
}

const enable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.enable',
  summary: 'Enables Flex on an item',
  method: 'POST',
  retry: 'idempotent',
  errors: [alreadyInFlex, itemDown, itemNotFound, itemLocked],
  confirm: (input, context) => confirmInFlex(input, context, true),
};

const disable: DescribedEndpoint<FlexItemParams> = {
  ...ofItem,
  name: 'flex.items.disable',
  summary: 'Disables Flex on an item',
  method: 'DELETE',
  retry: 'idempotent',
  errors: [notInFlex, itemDown, itemNotFound, itemLocked],
  confirm: (input, context) => confirmInFlex(input, context, false),
};

/** The endpoints of items in Flex, as `endpoints` has them. */
export const flexItemEndpoints = { ...flexItemReads, enable, disable };

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const flexItemSchemas = { flexItemParams };
