import { ApiPromise } from '../../core/operation/api-promise.js';
import type { WithResponse } from '../../core/operation/api-promise.js';
import type { Endpoint } from '../../core/operation/endpoint.js';
import type { Requester } from '../../core/operation/requester.js';
import { InvalidInputError } from '../../core/errors/errors.js';
import { ApiError } from '../../core/errors/response-errors.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { ofType, optionIssues } from '../../core/options/rules.js';
import { Deadline } from '../../core/scope/deadline.js';
import { isWord } from '../fields.js';
import { flexItemEndpoints } from './endpoints.js';
import { AlreadyInFlexError, ItemNotFoundError, NotInFlexError, showsFlex } from './errors.js';
import type { DisableItemParams, EnableItemParams, FlexItemParams } from './schemas.js';

/** Reads an item's status, e.g. `active`; `undefined` if the service could not read it. */
export type ReadItemStatus = (item_id: string, options?: CallOptions) => Promise<string | undefined>;

/** The items that are delivered with Flex. */
export class FlexItems {
  readonly #requester: Requester;
  readonly #writes: ItemWrites;

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
  isEnabled(input: FlexItemParams, options?: CallOptions): ApiPromise<boolean> {
    const call = this.#requester.call(flexItemEndpoints.isEnabled, input, options).map(showsFlex);
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
    return orMeaning(this.#requester.call(endpoint, item, options).map(nothing), isDone, undefined);
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
