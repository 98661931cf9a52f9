import * as s from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { eachIn, id, limit, nullishArray, offset, pagedListIn, paging } from '../fields.js';
import type { Paging } from '../fields.js';

export const blockedUser = s.looseObject({ id: s.integer, blocked_at: s.nullish(s.dateTime) });
/** A user who is blocked from asking. */
export interface BlockedUser extends Output<typeof blockedUser> {}

export const blacklistResponse = s.preprocess(
  s.looseObject({
    users: nullishArray<BlockedUser>(blockedUser, 'main'),
    paging: s.nullish<Paging>(paging),
    total: s.nullish(s.integer),
    limit: s.nullish(s.integer),
    offset: s.nullish(s.integer),
  }),
  (value) => eachIn('users', asUser)(pagedListIn('users')(value)),
);
/** The blacklist. All its known shapes are accepted. */
export interface BlacklistResponse extends Output<typeof blacklistResponse> {}

/** An entry is only the id, or an object with the id as `user_id`. */
function asUser(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return { id: value };
  const { id, user_id } = value as { id?: unknown; user_id?: unknown };
  return id === undefined && user_id !== undefined ? { ...value, id: user_id } : value;
}

export const listBlacklistParams = s.strictObject({
  /** The seller who owns the blacklist. */
  seller_id: id,
  limit,
  offset,
});
/** The input of `questions.blacklist.list`. */
export interface ListBlacklistParams extends Input<typeof listBlacklistParams> {}

export const blacklistParams = s.strictObject({
  /** The seller who owns the blacklist. */
  seller_id: id,
  /** The user to block or to unblock. */
  user_id: id,
});
/** The input of `questions.blacklist.add` and `questions.blacklist.remove`. */
export interface BlacklistParams extends Input<typeof blacklistParams> {}
