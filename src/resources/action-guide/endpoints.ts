import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import {
  accessTokenRequired,
  applicationIdRequired,
  exceptedCase,
  noAccessToPack,
  optionConversationBlocked,
} from '../post-sale/errors.js';
import { sentMessage } from '../post-sale/message.js';
import type { SentMessage } from '../post-sale/message.js';
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

const caps: DescribedEndpoint<schemas.PackParams, schemas.OptionCap[]> = {
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

const send: DescribedEndpoint<schemas.SendOptionParams, SentMessage | undefined> = {
  name: 'actionGuide.send',
  summary: 'Sends a message through an option',
  method: 'POST',
  path: '/messages/action_guide/packs/{pack_id}/option',
  input: schemas.sendOptionParams,
  example: {
    pack_id: 2000000012345678,
    option_id: 'DELIVERY_PROMISE',
    template_id: 'TEMPLATE___DELIVERY_PROMISE___1',
    vars: [
      { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___INIT', value: 9 },
      { id: 'TEMPLATE___DELIVERY_PROMISE___1___VAR___LIMIT', value: 13 },
    ],
  },
  output: sentMessage,
  retry: 'unsafe',
  query: postSaleTag,
  errors: [
    exceptedCase,
    errors.invalidText,
    errors.invalidTemplate,
    errors.capExhausted,
    errors.invalidOption,
    errors.optionLocked,
    optionConversationBlocked,
    noAccessToPack,
    accessTokenRequired,
    applicationIdRequired,
    errors.guideFailed,
  ],
};

/** The endpoints of the action guide, as `endpoints` has them. */
export const actionGuideEndpoints = { options, caps, send };
