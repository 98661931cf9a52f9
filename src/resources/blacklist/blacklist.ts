import type { ApiPromise } from '../../core/operation/api-promise.js';
import type { Requester } from '../../core/operation/requester.js';
import { pagedCalls } from '../../core/paging/paged.js';
import type { Paged } from '../../core/paging/paged.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { blacklistEndpoints } from './endpoints.js';
import type { BlockedUser, BlacklistParams, ListBlacklistParams } from './schemas.js';

/** The users who are blocked from asking about a seller's items. */
export class Blacklist {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Blocks a user from asking about any item of the seller. Request: POST /users/{seller_id}/questions_blacklist.
   *
   * @example
   * await seller.questions.blacklist.add({ seller_id: 7, user_id: 31 });
   * @returns the response body, which is not documented.
   * @throws {ForbiddenError} when the token is not the seller's.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  add(input: BlacklistParams, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(blacklistEndpoints.add, input, options);
  }

  /**
   * Lists the blocked users. Request: GET /users/{seller_id}/questions_blacklist.
   *
   * @example
   * for await (const { id } of seller.questions.blacklist.list({ seller_id: 7 })) console.log(id);
   */
  list(input: ListBlacklistParams, options?: CallOptions): Paged<BlockedUser> {
    return pagedCalls(this.#requester, blacklistEndpoints.list, input, options, {
      key: (user) => user.id,
      read: ({ users, total, limit }) => ({
        items: users,
        ...wholeIfUncounted(users?.length ?? 0, total, limit),
        extra: {},
      }),
    });
  }

  /**
   * Allows a blocked user to ask again. Request: DELETE /users/{seller_id}/questions_blacklist/{user_id}.
   *
   * @example
   * await seller.questions.blacklist.remove({ seller_id: 7, user_id: 31 });
   * @returns the response body, which is not documented.
   * @throws {OutcomeUnknownError} when the response was lost: call `confirm()` of the error before you send again.
   * @throws {ServerError} when the service failed (5xx). If `outcomeUnknown` is `true`, do as after an
   *   `OutcomeUnknownError`.
   */
  remove(input: BlacklistParams, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(blacklistEndpoints.remove, input, options);
  }
}

/** The default length of a page. */
const pageLength = 50;

/**
 * The specification mentions no pages of a blacklist: a list that states none and is shorter than a page is the whole
 * list, so no other page is requested.
 */
function wholeIfUncounted<N>(length: number, total: N, limit: N): { total: N | number; limit: N | number } {
  const isUncounted = typeof total !== 'number' && typeof limit !== 'number' && length < pageLength;
  return isUncounted ? { total: length, limit: pageLength } : { total, limit };
}
