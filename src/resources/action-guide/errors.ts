import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '../../core/errors/status-errors.js';
import { documentedError, messageMatches } from '../../core/errors/documented-error.js';

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
export class InvalidOptionError extends NotFoundError {
  static override readonly kind: string = 'InvalidOptionError';
}

/**
 * The service is still processing another option for the same seller and sale. It did nothing for this call.
 *
 * Remedy: call again in a moment, with one option at a time.
 */
export class OptionLockedError extends ConflictError {
  static override readonly kind: string = 'OptionLockedError';
}

export const invalidText = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'bad_request',
  message: 'The text is invalid',
  error: InvalidTextError,
  otherStatuses: [403],
});
export const invalidTemplate = /* @__PURE__ */ documentedError({
  status: 400,
  code: 'bad_request',
  message: 'The template <template_id> is invalid',
  error: InvalidTemplateError,
  otherStatuses: [403],
  matches: /* @__PURE__ */ messageMatches(/template .{0,100}invalid|invalid template/i),
});
export const capExhausted = /* @__PURE__ */ documentedError({
  status: 403,
  code: 'limit_exceeded',
  message: 'The user is not allowed to run the option OTHER again',
  error: CapExhaustedError,
  otherStatuses: [400],
  matches: (details) =>
    details.code === 'limit_exceeded' || messageMatches(/not allowed to run .{0,100}again|limit_exceeded/i)(details),
});
export const invalidOption = /* @__PURE__ */ documentedError({
  status: 404,
  code: 'not_found',
  message: 'The option selected is not valid',
  error: InvalidOptionError,
  otherStatuses: [400],
});
export const optionLocked = /* @__PURE__ */ documentedError({
  status: 409,
  code: 'conflict',
  message: 'Another request locks this operation',
  error: OptionLockedError,
  transient: true,
  // The only 409 of its endpoint.
  matches: ({ status }) => status === 409,
});
export const guideFailed = /* @__PURE__ */ documentedError({
  status: 500,
  code: 'internal_server_error',
  message: 'Internal server error',
});
