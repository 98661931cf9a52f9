import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { blacklistResponse, listBlacklistParams } from './schemas.js';
import type { BlacklistResponse, ListBlacklistParams } from './schemas.js';

export const list: DescribedEndpoint<ListBlacklistParams, BlacklistResponse> = {
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
export const blacklistReads = { list };
