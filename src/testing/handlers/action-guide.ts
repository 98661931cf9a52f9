import { isObject } from '../../core/json/json.js';
import { lengthOf } from '../../resources/fields.js';
import type { endpoints } from '../../endpoints.js';
import * as errors from '../../resources/action-guide/errors.js';
import { templateId, templateVariableId, type OptionId } from '../../resources/action-guide/schemas.js';
import * as postSale from '../../resources/post-sale/errors.js';
import { messageTextLimit, unsupportedCharacters } from '../../resources/post-sale/message.js';
import { badRequest, bearerOrThrow, errorResponse, type EndpointHandlers, type Call } from '../http/handler.js';
import { isInteger, pathPackId, readJsonObject, type JsonObject } from '../http/read-request.js';
import { lasting } from '../clock.js';
import type { Bearer } from '../state/accounts.js';
import type { Pack } from '../state/packs.js';
import type { Stores } from '../state/stores.js';
import { toOptionMessageView } from './message-view.js';

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
export function actionGuideHandlers(stores: Stores): EndpointHandlers<typeof endpoints.actionGuide> {
  const { settings, packs, messages } = stores;
  return {
    options: (call) => {
      const pack = getGuidedPackOrThrow(call, bearerOrThrow(call));
      return {
        options: optionsOf(pack).map((option) =>
          toOptionView(option, messages.capOf(option, pack), settings.liveFields),
        ),
      };
    },

    caps: (call) => {
      const pack = getGuidedPackOrThrow(call, bearerOrThrow(call));
      return optionsOf(pack).map((option) => ({ option_id: option, cap_available: messages.capOf(option, pack) }));
    },

    send: async (call) => {
      const sender = applicationOrThrow(call);
      const pack = getGuidedPackOrThrow(call, sender);
      const body = await readJsonObject(call);
      const option = optionsOf(pack).find((each) => each === body.option_id);
      if (!option) throw errorResponse(errors.optionNotOffered);
      const text = readText(option, body);
      if (messages.isLocked(pack)) throw errorResponse(errors.actionGuideLocked);
      const unlock = messages.lock(pack);
      try {
        // A concurrent option of the same sale fails with 409 while this one is in progress.
        await lasting(settings.optionLockMs);
        assertCap(option, pack);
        const { user_id: from, application_id: client_id } = sender;
        const sent = messages.add(pack, { from, text, client_id, option });
        return toOptionMessageView(sent, stores);
      } finally {
        unlock();
      }
    },
  };

  function assertCap(option: OptionId, pack: Pack): void {
    if (messages.capOf(option, pack) > 0) return;
    throw errorResponse(errors.capExhausted, { message: `The user is not allowed to run the option ${option} again` });
  }

  function getGuidedPackOrThrow(call: Call, { user_id }: Pick<Bearer, 'user_id'>): Pack {
    const pack = packs.get(pathPackId(call));
    if (pack?.seller_id !== user_id) throw errorResponse(postSale.noAccessToPack);
    if (pack.exceptedCase) throw errorResponse(postSale.exceptedCase);
    if (pack.blockedBy !== null) throw errorResponse(postSale.optionConversationBlocked, { cause: pack.blockedBy });
    return pack;
  }
}

/** Returns the caller. Spec: Authentication 3. @throws {ErrorResponse} 400 without a token or an application */
export function applicationOrThrow({ bearer }: Call): Bearer {
  if (!bearer) throw errorResponse(postSale.accessTokenRequired);
  if (bearer.application_id === null) throw errorResponse(postSale.applicationIdRequired);
  return bearer;
}

function toOptionView(option: OptionId, cap_available: number, liveFields: boolean): object {
  const count = templatesOf[option];
  return {
    id: option,
    internal_description: `The option ${option}`,
    enabled: true,
    type: count > 0 ? 'template' : 'free_text',
    templates:
      count > 0 ? Array.from({ length: count }, (_, index) => toTemplateView(option, index + 1, liveFields)) : null,
    actionable: true,
    ...(count === 0 && { char_limit: messageTextLimit }),
    child_options: null,
    cap_available,
  };
}

function toTemplateView(option: OptionId, number: number, liveFields: boolean): object {
  if (option !== 'DELIVERY_PROMISE')
    return { id: `TEMPLATE___${option}___${number}`, ...(liveFields && { texts: textsOf(option) }), vars: null };
  const id = templateId(option, number);
  const variables = (['INIT', 'LIMIT'] as const).map((name) => templateVariableId(id, name));
  if (!liveFields) return { id, vars: variables.map((variable) => ({ id: variable })) };
  return { id, texts: textsOf(option), vars: variables.map((variable) => ({ id: variable, type: 'NUMBER' })) };
}

/** The texts of a template by site, which only the live service sends. */
function textsOf(option: OptionId): object {
  const hours = { es: 'Hola. Entregaremos %s entre las %d y las %d.', pt: 'Olá! Entregaremos %s entre %d e %d h.' };
  const other = { es: `Hola. El texto de ${option}.`, pt: `Olá! O texto de ${option}.` };
  const { es, pt } = option === 'DELIVERY_PROMISE' ? hours : other;
  return Object.fromEntries(
    ['mla', 'mlb', 'mlc', 'mco', 'mlu'].map((site) => [site, { html: site === 'mlb' ? pt : es }]),
  );
}

/** Returns the text that the buyer reads. @throws {ErrorResponse} when the text or the template is invalid */
function readText(option: OptionId, { text, template_id, vars }: JsonObject): string {
  if (templatesOf[option] === 0) return readFreeText(text);
  const number = Array.from({ length: templatesOf[option] }, (_, index) => index + 1).find(
    (each) => template_id === `TEMPLATE___${option}___${each}`,
  );
  if (number === undefined) {
    const given = typeof template_id === 'string' ? `${template_id} ` : '';
    throw errorResponse(errors.invalidTemplate, { message: `The template ${given}is invalid` });
  }
  if (option !== 'DELIVERY_PROMISE') return `The text of ${String(template_id)}`;
  const [init, limit] = readHours(vars, templateId(option, number));
  return `The text of ${String(template_id)} (${init} to ${limit})`;
}

function readFreeText(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw errorResponse(errors.invalidText);
  if (lengthOf(text) > messageTextLimit || unsupportedCharacters(text).length > 0)
    throw errorResponse(errors.invalidText);
  return text;
}

/** Reads the hours of a delivery promise. @throws {ErrorResponse} 400 when one is missing or invalid */
function readHours(vars: unknown, template: ReturnType<typeof templateId<'DELIVERY_PROMISE'>>): [number, number] {
  const valueOf = (name: 'INIT' | 'LIMIT'): number => {
    const id = templateVariableId(template, name);
    const entry: unknown = Array.isArray(vars) ? vars.find((each) => isObject(each) && each.id === id) : undefined;
    const value = isObject(entry) ? entry.value : undefined;
    if (!isInteger(value) || value < 0 || value > 24)
      throw badRequest(`vars must hold ${id} with an hour from 0 to 24`);
    return value;
  };
  return [valueOf('INIT'), valueOf('LIMIT')];
}
