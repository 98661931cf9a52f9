import type { Confirmation } from '../../core/errors/confirmation.js';
import { shownList } from '../../core/recover/shown-list.js';
import type { ConfirmContext, DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { blacklistParams, blacklistResponse, listBlacklistParams } from './schemas.js';
import type { BlacklistParams, BlacklistResponse, ListBlacklistParams } from './schemas.js';

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

/**
 * Finds out whether a write has put a user on a blacklist, or removed them from it. The outcome is unknown if the service
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

/** The endpoints of the blacklist, as `endpoints` has them. */
export const blacklistEndpoints = { add, list, remove };
