import type { Endpoint } from '../../core/endpoint.js';
import {
  accessTokenRequired,
  applicationIdRequired,
  exceptedCase,
  noAccessToPack,
  optionConversationBlocked,
} from '../post-sale/errors.js';
import { message } from '../post-sale/message.js';
import type { Message } from '../post-sale/message.js';
import { capExhausted, guideFailed, invalidOption, invalidTemplate, invalidText, optionLocked } from './errors.js';
import { actionGuideResponse, packParams, optionCaps, sendOptionParams } from './schemas.js';
import type { ActionGuideResponse, PackParams, OptionCap, SendOptionParams } from './schemas.js';

/** Without it, the service responds to every call of post-sale messaging with 404. */
const query = { tag: 'post_sale' };

const options: Endpoint<PackParams, ActionGuideResponse> = {
  name: 'actionGuide.options',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}',
  input: packParams,
  output: actionGuideResponse,
  retry: 'safe',
  query,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, guideFailed],
};

const caps: Endpoint<PackParams, OptionCap[]> = {
  name: 'actionGuide.caps',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}/caps_available',
  input: packParams,
  output: optionCaps,
  retry: 'safe',
  query,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, guideFailed],
  supportsAttributes: true,
};

const send: Endpoint<SendOptionParams, Message> = {
  name: 'actionGuide.send',
  method: 'POST',
  path: '/messages/action_guide/packs/{pack_id}/option',
  input: sendOptionParams,
  output: message,
  retry: 'unsafe',
  query,
  errors: [
    exceptedCase,
    invalidText,
    invalidTemplate,
    capExhausted,
    invalidOption,
    optionLocked,
    optionConversationBlocked,
    noAccessToPack,
    accessTokenRequired,
    applicationIdRequired,
    guideFailed,
  ],
};

/** The endpoints of the action guide, as `endpoints` has them. */
export const actionGuideEndpoints = { options, caps, send };
