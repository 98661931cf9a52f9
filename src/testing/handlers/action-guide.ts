import {
  accessTokenRequired,
  applicationIdRequired,
  exceptedCase,
  noAccessToPack,
  optionConversationBlocked,
} from '../../resources/post-sale/errors.js';
import { messageTextLimit } from '../../resources/post-sale/text.js';
import type { endpoints } from '../../endpoints.js';
import {
  capExhausted,
  invalidOption,
  invalidTemplate,
  invalidText,
  optionLocked,
} from '../../resources/action-guide/errors.js';
import type { OptionId, SendOptionParams } from '../../resources/action-guide/schemas.js';
import { templateId, templateVariableId } from '../../resources/action-guide/templates.js';
import { bearerOrThrow, errorResponse } from '../http/handler.js';
import type { Bearer } from '../state/accounts.js';
import type { EndpointHandlers, HandlerInfo, ResourceConventions } from '../http/handler.js';
import type { MessageStore } from '../state/messages.js';
import { toOptionMessageView } from './message-view.js';
import type { Pack } from '../state/packs.js';
import type { MarketplaceState } from '../state/marketplace-state.js';

/** The number of templates of each option; 0 for free text. */
const templatesOf: Readonly<Record<OptionId, number>> = {
  REQUEST_VARIANTS: 2,
  REQUEST_BILLING_INFO: 1,
  SEND_INVOICE_LINK: 0,
  OTHER: 0,
  DELIVERY_PROMISE: 1,
};

/** Returns the options of a pack. Spec: Action guide, Availability rules. */
function optionsOf({ shipping }: Pack): OptionId[] {
  return [
    ...(shipping === 'cross_docking' || shipping === 'drop_off' ? ['REQUEST_VARIANTS' as const] : []),
    'REQUEST_BILLING_INFO',
    'SEND_INVOICE_LINK',
    'OTHER',
    ...(shipping === 'flex' ? ['DELIVERY_PROMISE' as const] : []),
  ];
}

/** Handles the action guide. Spec: Post-sale reasons to communicate. */
export function actionGuideHandlers(
  messageStore: MessageStore,
  state: MarketplaceState,
): EndpointHandlers<typeof endpoints.actionGuide> {
  return {
    options: ({ pack_id }, info) => {
      const pack = getGuidedPackOrThrow(pack_id, bearerOrThrow(info));
      return { options: optionsOf(pack).map((option) => toOptionView(option, messageStore.capOf(option, pack))) };
    },

    caps: ({ pack_id }, info) => {
      const pack = getGuidedPackOrThrow(pack_id, bearerOrThrow(info));
      return optionsOf(pack).map((option) => ({ option_id: option, cap_available: messageStore.capOf(option, pack) }));
    },

    send: async (input, info) => {
      const { user_id, application_id } = applicationOrThrow(info);
      const pack = getGuidedPackOrThrow(input.pack_id, { user_id });
      if (!optionsOf(pack).includes(input.option_id)) throw errorResponse(invalidOption);
      const text = textOf(input);
      if (messageStore.isLocked(pack)) throw errorResponse(optionLocked);
      const unlock = messageStore.lock(pack);
      try {
        // A concurrent option of the same sale fails with 409 while this one is in progress.
        await yieldToEventLoop();
        if (messageStore.capOf(input.option_id, pack) === 0)
          throw errorResponse(capExhausted, {
            message: `The user is not allowed to run the option ${input.option_id} again`,
          });
        const sent = messageStore.add(pack, {
          from: user_id,
          text,
          client_id: application_id,
          option: input.option_id,
        });
        return toOptionMessageView(sent, messageStore, state);
      } finally {
        unlock();
      }
    },
  };

  function getGuidedPackOrThrow(number: number | string, { user_id }: Pick<Bearer, 'user_id'>): Pack {
    const pack = state.packs.get(number);
    if (pack?.seller_id !== user_id) throw errorResponse(noAccessToPack);
    if (pack.exceptedCase) throw errorResponse(exceptedCase);
    if (pack.blockedBy !== null) throw errorResponse(optionConversationBlocked, { cause: pack.blockedBy });
    return pack;
  }
}

/** Returns the caller. Spec: Authentication 3. @throws {ErrorResponse} 400 without a token or an application */
export function applicationOrThrow({ bearer }: HandlerInfo): Bearer {
  if (!bearer) throw errorResponse(accessTokenRequired);
  if (bearer.application_id === null) throw errorResponse(applicationIdRequired);
  return bearer;
}

/** Chooses the error for an invalid input. */
export const actionGuideConventions: ResourceConventions = {
  onInvalidInput: (_endpoint, issues) => {
    const fields = issues.map(({ path }) => path[0]);
    if (fields.includes('option_id')) return errorResponse(invalidOption);
    if (fields.includes('text')) return errorResponse(invalidText);
    if (fields.includes('template_id')) return errorResponse(invalidTemplate);
    return undefined;
  },
};

function toOptionView(option: OptionId, cap_available: number): object {
  const count = templatesOf[option];
  return {
    id: option,
    internal_description: `The option ${option}`,
    enabled: true,
    type: count > 0 ? 'template' : 'free_text',
    templates: count > 0 ? Array.from({ length: count }, (_, index) => template(option, index + 1)) : null,
    actionable: true,
    ...(count === 0 && { char_limit: messageTextLimit }),
    child_options: null,
    cap_available,
  };
}

function template(option: OptionId, number: number): object {
  if (option !== 'DELIVERY_PROMISE') return { id: `TEMPLATE___${option}___${number}`, vars: null };
  const id = templateId(option, number);
  return { id, vars: [{ id: templateVariableId(id, 'INIT') }, { id: templateVariableId(id, 'LIMIT') }] };
}

/** Returns the text that the buyer reads. @throws {ErrorResponse} when the template does not exist */
function textOf(input: SendOptionParams): string {
  if (input.text !== undefined) return input.text;
  const { option_id, template_id, vars } = input;
  const number = Number(template_id.slice(template_id.lastIndexOf('_') + 1));
  if (number < 1 || number > templatesOf[option_id])
    throw errorResponse(invalidTemplate, { message: `The template ${template_id} is invalid` });
  const hours = vars ? ` (${vars.map(({ value }) => value).join(' to ')})` : '';
  return `The text of ${template_id}${hours}`;
}

/** Lets other requests in. It uses no timer, because a test may have replaced those. */
function yieldToEventLoop(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
