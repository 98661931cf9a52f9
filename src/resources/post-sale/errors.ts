import { BadRequestError, ForbiddenError } from '../../core/errors/status-errors.js';
import type { ApiErrorDetails } from '../../core/errors/response-errors.js';
import { documentedError, messageMatches, textsOf } from '../../core/errors/documented-error.js';
import { isWord } from '../../core/schema/word.js';

/**
 * The pack is an exception (autoparts, manufacturing time): it needs no option of the action guide.
 *
 * Remedy: use `messages.send`.
 */
export class ExceptedCaseError extends BadRequestError {
  static override readonly kind: string = 'ExceptedCaseError';
}

/**
 * The conversation is blocked, so no message can be sent; `reason` says why.
 *
 * Remedy: check `reason`. Some reasons are temporary, for example a mediation; others are not, for example a cancelled
 * order.
 */
export class ConversationBlockedError extends ForbiddenError {
  static override readonly kind: string = 'ConversationBlockedError';
  /** For example `blocked_by_cancelled_order`, from any field of the response; `undefined` if the service gave none. */
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
  static override readonly permanent = true;
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

const excepted = 'blocked_by_excepted_case';

export const exceptedCase = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'bad_request',
  message: 'The pack belongs to an excepted case',
  cause: excepted,
  error: ExceptedCaseError,
  otherStatuses: [403],
  matches: (details) => isWord(blockReason(details), excepted),
});
export const optionConversationBlocked = /* @__PURE__ */ documentedError({
  status: 403,
  code: 'forbidden',
  message: 'The conversation is blocked',
  error: ConversationBlockedError,
  otherStatuses: [400],
  matches: isBlocked,
});
export const conversationBlocked = /* @__PURE__ */ documentedError({
  status: 403,
  code: 'conversation_blocked',
  message: 'blocked_conversation_send_message_forbidden',
  cause: 'blocked_by_cancelled_order',
  error: ConversationBlockedError,
  otherStatuses: [400],
  matches: isBlocked,
});
/** Whether the service's texts say that the user is not allowed to do it. */
export const deniesAccess = /* @__PURE__ */ messageMatches(
  /(?<![a-z])(no|not|cannot) .{0,20}(allowed|authori[sz]ed|access(?!or))/i,
);
export const noAccessToPack = /* @__PURE__ */ documentedError({
  status: 403,
  code: 'forbidden',
  message: 'The user is not allowed to access the pack',
  error: PackAccessError,
  matches: deniesAccess,
});
export const accessTokenRequired = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'bad_request',
  message: 'Access token is required',
  error: AccessTokenRequiredError,
  otherStatuses: [401, 403],
});
export const applicationIdRequired = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'bad_request',
  message: 'Application id is required',
  error: ApplicationIdRequiredError,
  otherStatuses: [401, 403],
});

/** The `blocked_by_...` of an error response, from any of its fields. */
function blockReason(details: Pick<ApiErrorDetails, 'code' | 'text' | 'causes' | 'body'>): string | undefined {
  const find = (words: string): string | undefined => /\bblocked_by_\w+/i.exec(words)?.[0];
  const { body } = details;
  return find(textsOf(details).join(' ')) ?? (typeof body === 'object' ? find(jsonOf(body)) : undefined);
}

function isBlocked(details: ApiErrorDetails): boolean {
  const reason = blockReason(details);
  if (reason !== undefined) return !isWord(reason, excepted);
  return messageMatches(/conversation_blocked|blocked_conversation|conversation is blocked/i)(details);
}

/** Returns a body as JSON, or an empty string if it is nested too deeply. */
function jsonOf(body: object | null): string {
  try {
    return JSON.stringify(body);
  } catch {
    return '';
  }
}
