import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { unknown } from '../../core/schema/define.js';
import { confirmOnBlacklist } from './confirm.js';
import { blacklistReads } from './reads.js';
import { blacklistParams } from './schemas.js';
import type { BlacklistParams } from './schemas.js';

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
