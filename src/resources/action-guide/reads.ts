import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import { exceptedCase, noAccessToPack, optionConversationBlocked } from '../post-sale/errors.js';
import { postSaleTag } from '../post-sale/tag.js';
import * as errors from './errors.js';
import * as schemas from './schemas.js';

const options: DescribedEndpoint<schemas.PackParams, schemas.ActionGuideResponse> = {
  name: 'actionGuide.options',
  summary: 'Lists the reasons for which a seller can write first',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}',
  input: schemas.packParams,
  example: { pack_id: 2000000012345678 },
  output: schemas.actionGuideResponse,
  retry: 'safe',
  query: postSaleTag,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, errors.guideFailed],
};

export const caps: DescribedEndpoint<schemas.PackParams, schemas.OptionCap[]> = {
  name: 'actionGuide.caps',
  summary: 'Lists how many messages each option still allows',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}/caps_available',
  input: schemas.packParams,
  example: { pack_id: 2000000012345678 },
  output: schemas.optionCaps,
  retry: 'safe',
  query: postSaleTag,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, errors.guideFailed],
  supportsAttributes: true,
};

/** The endpoints of the action guide that only read. */
export const actionGuideReads = { options, caps };
