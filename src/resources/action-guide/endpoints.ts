import type { DescribedEndpoint } from '../../core/operation/endpoint.js';
import * as postSale from '../post-sale/errors.js';
import { messageEntry } from '../post-sale/conversation.js';
import { sentMessage } from '../post-sale/message.js';
import type { SentMessage } from '../post-sale/message.js';
import { postSaleTag } from '../post-sale/tag.js';
import { capBefore, confirmOption } from './confirm.js';
import * as errors from './errors.js';
import { actionGuideReads } from './reads.js';
import * as schemas from './schemas.js';

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
  content: ['text', 'template_id', 'vars'],
  entryOf: messageEntry,
  readBefore: capBefore,
  confirm: confirmOption,
  query: postSaleTag,
  errors: [
    postSale.exceptedCase,
    errors.invalidText,
    errors.invalidTemplate,
    errors.capExhausted,
    errors.invalidOption,
    errors.optionLocked,
    postSale.optionConversationBlocked,
    postSale.noAccessToPack,
    postSale.accessTokenRequired,
    postSale.applicationIdRequired,
    errors.guideFailed,
  ],
};

/** The endpoints of the action guide, as `endpoints` has them. */
export const actionGuideEndpoints = { ...actionGuideReads, send };
