import type { ApiPromise } from '../../core/api-promise.js';
import type { Requester } from '../../core/endpoint.js';
import type { CallOptions } from '../../core/options/call-options.js';
import { questionEndpoints } from './endpoints.js';
import type { BlockedUser, BlacklistParams, SellerParams } from './schemas.js';

/** The users who are blocked from asking about a seller's items. Spec: Questions blacklist. */
export class Blacklist {
  readonly #requester: Requester;

  constructor(requester: Requester) {
    this.#requester = requester;
  }

  /**
   * Blocks a user from asking about any item of the seller. Spec: POST /users/{seller_id}/questions_blacklist.
   *
   * @example
   * await seller.questions.blacklist.add({ seller_id: 7, user_id: 31 });
   * @returns the response body, which is not documented.
   * @throws {ForbiddenError} when the token is not the seller's.
   */
  add(input: BlacklistParams, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(questionEndpoints.blacklist.add, input, options);
  }

  /**
   * Returns the blocked users on the first page of the service, by default 50. The call option `query` requests more,
   * e.g. `{ query: { offset: 50 } }`. Spec: GET /users/{seller_id}/questions_blacklist (the entries are not documented).
   *
   * @example
   * for (const { id } of await seller.questions.blacklist.list({ seller_id: 7 })) console.log(id);
   */
  list(input: SellerParams, options?: CallOptions): ApiPromise<BlockedUser[]> {
    return this.#requester.call(questionEndpoints.blacklist.list, input, options).map(({ users }) => users ?? []);
  }

  /**
   * Allows a blocked user to ask again. Spec: DELETE /users/{seller_id}/questions_blacklist/{user_id}.
   *
   * @example
   * await seller.questions.blacklist.remove({ seller_id: 7, user_id: 31 });
   * @returns the response body, which is not documented.
   */
  remove(input: BlacklistParams, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(questionEndpoints.blacklist.remove, input, options);
  }
}
