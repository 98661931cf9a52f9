import type { Confirmation } from '../../core/errors/seller-error.js';
import type { ApiPromise, Requester } from '../../core/operation/api-promise.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { pagedCalls, type Paged } from '../../core/paging/paged.js';
import * as s from '../../core/schema/define.js';
import { unknown } from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import type { CallOptions } from '../../core/scope/call-options.js';
import { shownList } from '../confirm-by-list.js';
import { eachIn, id, limit, nullishArray, offset, pagedListIn, paging, type Paging } from '../fields.js';

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
  add(input: Input<typeof blacklistSchemas.blacklistParams>, options?: CallOptions): ApiPromise<unknown> {
    return this.#requester.call(blacklistEndpoints.add, input, options);
  }

  /**
   * Lists the blocked users. Request: GET /users/{seller_id}/questions_blacklist.
   *
   * @example
   * for await (const { id } of seller.questions.blacklist.list({ seller_id: 7 })) console.log(id);
   */
  list(input: Input<typeof blacklistSchemas.listBlacklistParams>, options?: CallOptions): Paged<BlockedUser> {
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
  remove(input: Input<typeof blacklistSchemas.blacklistParams>, options?: CallOptions): ApiPromise<unknown> {
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

export const blockedUser = s.looseObject({ id: s.integer, blocked_at: s.nullish(s.dateTime) });
/** A user who is blocked from asking. */
export interface BlockedUser extends Output<typeof blacklistSchemas.blockedUser> {}

export const blacklistResponse = s.preprocess(
  s.looseObject({
    users: nullishArray(s.named<BlockedUser>(blockedUser), 'main'),
    paging: s.nullish<Paging>(paging),
    total: s.nullish(s.integer),
    limit: s.nullish(s.integer),
    offset: s.nullish(s.integer),
  }),
  (value) => eachIn('users', asUser)(pagedListIn('users')(value)),
);
/** The blacklist. All its known shapes are accepted. */
export type BlacklistResponse = Output<typeof blacklistResponse>;

/** An entry is only the id, or an object with the id as `user_id`. */
function asUser(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return { id: value };
  const { id, user_id } = value as { id?: unknown; user_id?: unknown };
  return id === undefined && user_id !== undefined ? { ...value, id: user_id } : value;
}

const listBlacklistParams = s.strictObject({
  /** The seller who owns the blacklist. */
  seller_id: id,
  limit,
  offset,
});
/** The input of `questions.blacklist.list`. */
export type ListBlacklistParams = Input<typeof blacklistSchemas.listBlacklistParams>;

const blacklistParams = s.strictObject({
  /** The seller who owns the blacklist. */
  seller_id: id,
  /** The user to block or to unblock. */
  user_id: id,
});
/** The input of `questions.blacklist.add` and `questions.blacklist.remove`. */
export type BlacklistParams = Input<typeof blacklistSchemas.blacklistParams>;

const list: DescribedEndpoint<ListBlacklistParams, BlacklistResponse> = {
  name: 'questions.blacklist.list',
  summary: 'Lists the users that the seller has blocked',
  method: 'GET',
  path: '/users/{seller_id}/questions_blacklist',
  input: listBlacklistParams,
  example: { seller_id: 7, limit: 20, offset: 40 },
  output: blacklistResponse,
  retry: 'safe',
  errors: [],
};

/** The endpoints of the blacklist that only read. */
const blacklistReads = { list };

/**
 * Reads back whether a write has put a user on a blacklist, or removed them from it. The outcome is unknown if the service
 * shows only a part of the blacklist and the user is not in that part.
 */
async function confirmOnBlacklist(
  { seller_id, user_id }: BlacklistParams,
  context: ConfirmContext,
  shouldBeOn: boolean,
): Promise<Confirmation> {
  const reading = await context.read(list, { seller_id });
  const { users, total } = reading.data;
  const { entries, isComplete } = shownList({ reading, entries: users, total }, 50);
  const isOn = entries.some(({ id }) => String(id) === String(user_id));
  if (!isOn && !isComplete) return { unknown: 'the service does not show the whole blacklist' };
  return isOn === shouldBeOn ? { done: true, output: undefined } : { done: false };
}

const add: DescribedEndpoint<BlacklistParams> = {
  name: 'questions.blacklist.add',
  summary: "Blocks a user from asking about the seller's items",
  method: 'POST',
  path: '/users/{seller_id}/questions_blacklist',
  input: blacklistParams,
  example: { seller_id: 7, user_id: 31 },
  output: unknown,
  retry: 'unsafe',
  errors: [],
  confirm: (input, context) => confirmOnBlacklist(input, context, true),
};

const remove: DescribedEndpoint<BlacklistParams> = {
  name: 'questions.blacklist.remove',
  summary: 'Unblocks a user',
  method: 'DELETE',
  path: '/users/{seller_id}/questions_blacklist/{user_id}',
  input: blacklistParams,
  example: { seller_id: 7, user_id: 31 },
  output: unknown,
  retry: 'unsafe',
  errors: [],
  confirm: (input, context) => confirmOnBlacklist(input, context, false),
};

/** The endpoints of the blacklist, as `endpoints` has them. */
export const blacklistEndpoints = { ...blacklistReads, add, remove };

/** The schemas behind the types of this file. Declarations name this one constant, not one for each. */
export const blacklistSchemas = { blockedUser, listBlacklistParams, blacklistParams };
