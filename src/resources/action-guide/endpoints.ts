import type { Endpoint } from '../../core/endpoint.js';
import {
  accessTokenRequired,
  applicationIdRequired,
  exceptedCase,
  noAccessToPack,
  optionConversationBlocked,
} from '../../core/post-sale/errors.js';
import { message } from '../../core/post-sale/message.js';
import type { Message } from '../../core/post-sale/message.js';
import { capExhausted, guideFailed, invalidOption, invalidTemplate, invalidText, optionLocked } from './errors.js';
import { actionGuideAnswer, guidedPack, optionCaps, optionMessage } from './schemas.js';
import type { ActionGuideAnswer, GuidedPack, OptionCap, OptionMessage } from './schemas.js';

/** Without it, the service answers every call of post-sale messaging with 404. */
const query = { tag: 'post_sale' };

export const options: Endpoint<GuidedPack, ActionGuideAnswer> = {
  name: 'actionGuide.options',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}',
  input: guidedPack,
  output: actionGuideAnswer,
  retry: 'read',
  query,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, guideFailed],
};

export const caps: Endpoint<GuidedPack, OptionCap[]> = {
  name: 'actionGuide.caps',
  method: 'GET',
  path: '/messages/action_guide/packs/{pack_id}/caps_available',
  input: guidedPack,
  output: optionCaps,
  retry: 'read',
  query,
  errors: [exceptedCase, optionConversationBlocked, noAccessToPack, guideFailed],
  reducible: true,
};

export const send: Endpoint<OptionMessage, Message> = {
  name: 'actionGuide.send',
  method: 'POST',
  path: '/messages/action_guide/packs/{pack_id}/option',
  input: optionMessage,
  output: message,
  retry: 'write',
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
