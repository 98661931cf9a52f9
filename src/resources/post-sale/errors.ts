import { BadRequestError, ForbiddenError, type ApiErrorDetails } from '../../core/errors/response-errors.js';
import { messageMatches, textsOf, errorByText } from '../../core/operation/documented-error.js';
import type { Explanation, MatchedResponse } from '../../core/operation/documented-error.js';
import { isWord } from '../fields.js';

/**
 * The pack is an exception (autoparts, manufacturing time): it needs no option of the action guide.
 *
 * Remedy: use `messages.send`.
 */
export class ExceptedCaseError extends BadRequestError {
  static override readonly kind: string = 'ExceptedCaseError';
}

/**
 * The conversation is blocked, so no message can be sent; `reason` and the message say why.
 *
 * Remedy: check `reason`. For `blocked_by_conversation_initiated_by_seller`, use `messages.contact`: the buyer has not written yet. Some
 * reasons are temporary, for example a mediation; others are not, for example a cancelled order, or `conversation_id_invalid`: the
 * service has closed the conversation.
 */
export class ConversationBlockedError extends ForbiddenError {
  static override readonly kind: string = 'ConversationBlockedError';
  /**
   * For example `blocked_by_cancelled_order`, from any field of the response; `conversation_id_invalid` if the service has closed the
   * conversation; `undefined` if it gave no reason.
   */
  readonly reason: string | undefined;

  constructor(message: string, details: ApiErrorDetails) {
    super(message, details);
    this.reason = blockReason(details);
  }
}

/**
 * The user of the token is not part of the pack or order.
 *
 * Remedy: use the token of the seller who sold the pack.
 */
export class PackAccessError extends ForbiddenError {
  static override readonly kind: string = 'PackAccessError';
  static override readonly lasting = true;
}

/**
 * The request had no token, but messages need one.
 *
 * Remedy: pass `accessToken` to the client or to the call.
 */
export class AccessTokenRequiredError extends BadRequestError {
  static override readonly kind: string = 'AccessTokenRequiredError';
}

/**
 * The token belongs to no application, but messages need a token that does.
 *
 * Remedy: use a token that was issued to an application.
 */
export class ApplicationIdRequiredError extends BadRequestError {
  static override readonly kind: string = 'ApplicationIdRequiredError';
}

const actionGuide = 'Errors, Action guide';
const authentication = 'Authentication 3';

const excepted = 'blocked_by_excepted_case';

export const exceptedCase = /* @__PURE__ */ errorByText(
  {
    section: actionGuide,
    condition: 'excepted products',
    status: 400,
    code: 'bad_request',
    message: 'The pack belongs to an excepted case',
    cause: excepted,
    otherStatuses: [403],
  },
  ExceptedCaseError,
  isExcepted,
);
export const optionConversationBlocked = /* @__PURE__ */ errorByText(
  {
    section: actionGuide,
    condition: 'pack with blocked messages',
    status: 403,
    code: 'forbidden',
    message: 'The conversation is blocked',
    otherStatuses: [400, 404],
    explain: explainBlock,
  },
  ConversationBlockedError,
  isBlocked,
);
export const conversationBlocked = /* @__PURE__ */ errorByText(
  {
    section: 'Errors, Create message',
    condition: 'conversation blocked',
    status: 403,
    code: 'conversation_blocked',
    message: 'blocked_conversation_send_message_forbidden',
    cause: 'blocked_by_cancelled_order',
    otherStatuses: [400, 404],
    explain: explainBlock,
  },
  ConversationBlockedError,
  isBlocked,
);
/** The service says it also when the conversation is read. Wire notes 38. */
export const conversationClosed = /* @__PURE__ */ errorByText(
  {
    section: 'Live service',
    status: 403,
    message: 'The conversation ID is invalid',
    otherStatuses: [400, 404],
    explain: explainBlock,
  },
  ConversationBlockedError,
  isBlocked,
);
/** Whether the service's texts say that the user has no access to what belongs to the sale. */
export const deniesAccess = /* @__PURE__ */ messageMatches(
  [
    /\b(?:user|sender|seller|caller|token|you)\b.{0,30}(?:\bno|\bnot|n't|\bcannot|\bwithout)\b.{0,30}\baccess\b/,
    /\baccess denied (?:for|to) (?:the )?(?:user|sender|seller|order|pack|message|conversation)/,
    /\b(?:no|not|cannot|without)\b.{0,20}\baccess (?:to )?(?:the |this |that |any )?(?:information of )?(?:the )?(?:order|pack|message|conversation)/,
    /\baccess token (?:is )?(?:invalid|not valid) for (?:the )?(?:resource|order|pack|message)/,
    /\b(?:user|sender|seller|caller|you)\b.{0,20}\bnot authori[sz]ed\b.{0,30}\b(?:order|pack|message|conversation)/,
    /\bacessar as informa[cç][oõ]es do pack\b/,
  ],
  /\b(?:again|scopes?|application)\b|\baccess (?:to )?(?:the |this )?(?:server|site|api)\b/,
);
export const noAccessToPack = /* @__PURE__ */ errorByText(
  {
    section: actionGuide,
    condition: 'seller not authorised for that pack',
    status: 403,
    code: 'forbidden',
    message: 'The user is not allowed to access the pack',
  },
  PackAccessError,
  deniesAccess,
);
export const accessTokenRequired = /* @__PURE__ */ errorByText(
  {
    section: authentication,
    condition: 'absent token',
    status: 400,
    code: 'bad_request',
    message: 'Access token is required',
    otherStatuses: [401, 403],
  },
  AccessTokenRequiredError,
  [
    /\baccess ?token (?:is |was )?(?:required|missing|empty|not (?:sent|present|provided|given))\b(?! (?:an?|other|another|scopes?)\b)/,
    /\b(?:missing|requires? an?|requires?|without an?|without|no) access ?token$/,
  ],
);
export const applicationIdRequired = /* @__PURE__ */ errorByText(
  {
    section: authentication,
    condition: 'a token without application id',
    status: 400,
    code: 'bad_request',
    message: 'Application id is required',
    otherStatuses: [401, 403],
  },
  ApplicationIdRequiredError,
  [
    /\b(?:application|app|client) ?id (?:is |was )?(?:required|missing|empty|not (?:sent|present|provided|given))/,
    /\b(?:missing|requires? an?|requires?|without an?|without|has no) (?:application|app|client) ?id\b/,
  ],
);

/** The reason of a conversation that the service has closed, which it does not name. */
const closedReason = 'conversation_id_invalid';
const isClosed = /\bconversation[ _]id is (?:invalid|not valid)\b|\binvalid[ _]conversation[ _]id\b/i;

/** The `blocked_by_...` of an error response, from any of its fields. */
function blockReason(details: Pick<ApiErrorDetails, 'code' | 'text' | 'causes' | 'body'>): string | undefined {
  // The service misspells some reasons.
  const find = (words: string): string | undefined => /\b(?:block|blocked|bloqued)_by_\w+/i.exec(words)?.[0];
  const { body } = details;
  const texts = textsOf(details).join(' ');
  const reason = find(texts) ?? (typeof body === 'object' ? find(jsonOf(body)) : undefined);
  return reason ?? (isClosed.test(texts) ? closedReason : undefined);
}

/** A reason that the message has no place for, and the one that a seller can do something about. */
function explainBlock(response: MatchedResponse): Explanation {
  const reason = blockReason(response);
  const isFirst = /_initiated_by_seller$/i.test(reason ?? '');
  return {
    reason: reason === closedReason ? undefined : reason,
    remedy: isFirst ? 'The buyer has not written yet: `messages.contact` sends the first message' : undefined,
  };
}

const namesExcepted = /* @__PURE__ */ messageMatches(
  /\b(?:belongs to|is) an? (?:excepted|exception) case\b|\bcaso de exce[cç][aã]o\b/,
);
const namesBlocked = /* @__PURE__ */ messageMatches([
  /\bblocked conversation\b/,
  /\bconversation (?:(?:of|with|for|in|the|this|pack|package|order|buyer|is|was|has|been|currently|already|status|:) ?){0,6}blocked\b/,
  /\b(?:messages|messaging) (?:is|are|was|were|has been|have been) blocked\b|\bwith blocked messag/,
  /\ba conversa est[aá] bloqueada\b|\best[aá] com a conversa bloqueada\b/,
]);

function isExcepted(details: MatchedResponse): boolean {
  const reason = blockReason(details);
  return reason === undefined ? namesExcepted(details) : isWord(reason, excepted);
}

function isBlocked(details: MatchedResponse): boolean {
  return blockReason(details) === undefined ? namesBlocked(details) : !isExcepted(details);
}

/** Returns a body as JSON, or an empty string if it is nested too deeply. */
function jsonOf(body: object | null): string {
  try {
    return JSON.stringify(body);
  } catch {
    return '';
  }
}
