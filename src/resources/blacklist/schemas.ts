import * as s from '../../core/schema/define.js';
import type { Input, Output } from '../../core/schema/schema.js';
import { eachIn, id, limit, nullishArray, offset, pagedListIn, paging } from '../fields.js';
import type { Paging } from '../fields.js';

/** A user who is blocked from asking. */
export const blockedUser = s.looseObject({ id: s.integer, blocked_at: s.nullish(s.dateTime) });
export interface BlockedUser extends Output<typeof blockedUser> {}

/** The blacklist. All its known shapes are accepted. */
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
export interface ListBlacklistParams extends Input<typeof listBlacklistParams> {}

export const blacklistParams = s.strictObject({
  /** The seller who owns the blacklist. */
  seller_id: id,
  /** The user to block or to unblock. */
  user_id: id,
});
export interface BlacklistParams extends Input<typeof blacklistParams> {}
