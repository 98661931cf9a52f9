import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '../../core/errors/response-errors.js';
import {
  documentedError,
  messageMatches,
  onlyStatesStatus,
  errorByCode,
  errorByText,
} from '../../core/operation/documented-error.js';

/**
 * The text of the option's message has more than 350 characters or is not acceptable for another reason.
 *
 * Remedy: write at most 350 characters, without links, addresses or phone numbers.
 */
export class InvalidTextError extends BadRequestError {
  static override readonly kind: string = 'InvalidTextError';
}

/**
 * The option has no template with this id.
 *
 * Remedy: use the id of a template that `actionGuide.options` returns.
 */
export class InvalidTemplateError extends BadRequestError {
  static override readonly kind: string = 'InvalidTemplateError';
}

/**
 * The option has been used as often as the service allows until the buyer replies.
 *
 * Remedy: wait for the buyer's reply. After it, use `messages.send`.
 */
export class CapExhaustedError extends ForbiddenError {
  static override readonly kind: string = 'CapExhaustedError';
}

/**
 * The pack has no option with this id.
 *
 * Remedy: use the id of an option that `actionGuide.options` returns.
 */
export class OptionNotOfferedError extends NotFoundError {
  static override readonly kind: string = 'OptionNotOfferedError';
}

/**
 * The service is still processing another option for the same seller and sale. It did nothing for this call.
 *
 * Remedy: call again in a moment, with one option at a time.
 */
export class ActionGuideLockedError extends ConflictError {
  static override readonly kind: string = 'ActionGuideLockedError';
}

const section = 'Errors, Action guide';

export const invalidText = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'text over 350 characters (OTHER, SEND_INVOICE_LINK)',
    status: 400,
    code: 'bad_request',
    message: 'The text is invalid',
    otherStatuses: [403],
  },
  InvalidTextError,
  [
    /\btext (?:is |was )?(?:invalid|not valid|not acceptable|too long|longer than)/,
    /\binvalid text\b(?! template)/,
    /\btext (?:length )?(?:exceeds|exceeded|has more than)/,
    /\b350 characters\b|\bcharacters allowed are 350\b|\bo texto [eé] inv[aá]lido\b/,
  ],
  /\btemplate\b/,
);
export const invalidTemplate = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'unknown template id',
    status: 400,
    code: 'bad_request',
    message: 'The template <template_id> is invalid',
    otherStatuses: [403],
  },
  InvalidTemplateError,
  [
    /(?<!(?:of|in|for) (?:the )?)\btemplate(?: id)?(?: (?:template [a-z ]{1,60}\d{1,4}|\S{1,80}))? (?:is |was )?(?:invalid|not valid|unknown|not found)\b/,
    /(?<!(?:of|in|for) (?:the )?)\btemplate(?: id)?(?: (?:template [a-z ]{1,60}\d{1,4}|\S{1,80}))? do(?:es)?(?: not|n't) exist/,
    /\b(?:invalid|unknown|no such) template\b|\bo template\b.{1,80} [eé] inv[aá]lido\b/,
  ],
);
export const capExhausted = /* @__PURE__ */ errorByCode(
  {
    section,
    condition: 'cap exhausted',
    status: 403,
    code: 'limit_exceeded',
    message: 'The user is not allowed to run option OTHER again',
    otherStatuses: [400],
  },
  CapExhaustedError,
  [
    /(?:\bnot|n't|\bcannot)\b(?: (?:be|allowed|permitted|authori[sz]ed|able|to)){0,3} (?:run|execute|use|send|select|executed|used|sent)\b.{0,60}\bagain\b/,
    /\boption\b.{0,60}\b(?:not|cannot)\b.{0,20}\b(?:run|executed|used|sent) again\b/,
    /\bexecutar a op[cç][aã]o \S{1,40} novamente\b/,
    /\bcaps?\b.{0,20}\b(?:exhausted|exceeded|used up|not available|unavailable)\b|\bno (?:more )?caps? (?:is |are )?(?:left|available)/,
  ],
);
export const optionNotOffered = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'invalid option_id',
    status: 404,
    code: 'not_found',
    message: 'The option selected is not valid',
    otherStatuses: [400],
  },
  OptionNotOfferedError,
  [
    /\boption(?: id)?(?: (?!not\b|of\b)\S{1,40}){0,3} (?:is |was )?(?:not valid|invalid|unknown|not found)\b/,
    /\boption(?: id)?(?: (?!of\b)\S{1,40}){0,3} do(?:es)?(?: not|n't) exist/,
    /\b(?:invalid|unknown|no such) option\b|\bop[cç][aã]o selecionada n[aã]o [eé] v[aá]lida\b/,
  ],
);
const isLocked = /* @__PURE__ */ messageMatches(
  /\block(?:s|ed|ing)?\b|\banother (?:request|operation)\b|\b(?:concurrent|simultaneous)|\bbloqueando esta opera/,
);
export const actionGuideLocked = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'concurrent options on same seller and sale',
    status: 409,
    code: 'conflict',
    message: 'Another request locks this operation',
    didNothing: true,
  },
  ActionGuideLockedError,
  // It is the only 409 of its endpoint, so it needs no words.
  (details) => isLocked(details) || onlyStatesStatus(details),
);
export const guideFailed = /* @__PURE__ */ documentedError({
  section,
  status: 500,
  code: 'internal_server_error',
  message: 'Internal server error',
});
