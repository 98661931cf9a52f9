import { BadRequestError, ConflictError, ForbiddenError, NotFoundError } from '../../core/errors/status-errors.js';
import { messageMatches } from '../post-sale/errors.js';
import { documentedError } from '../../core/errors/documented-error.js';

/**
 * The text of an option's message is over 350 characters, or otherwise not acceptable.
 *
 * Remedy: keep to 350 characters without links, addresses or phone numbers.
 */
export class InvalidTextError extends BadRequestError {
  static override readonly kind: string = 'InvalidTextError';
}

/**
 * There is no such template for the option; `actionGuide.options` lists those there are.
 *
 * Remedy: take the template's id from `actionGuide.options`.
 */
export class InvalidTemplateError extends BadRequestError {
  static override readonly kind: string = 'InvalidTemplateError';
}

/**
 * The option has been used as often as it may be; it comes back when the buyer replies.
 *
 * Remedy: wait for the buyer's reply; from then on `messages.send` is open.
 */
export class CapExhaustedError extends ForbiddenError {
  static override readonly kind: string = 'CapExhaustedError';
}

/**
 * The pack has no such option; `actionGuide.options` lists those it has.
 *
 * Remedy: take the option's id from `actionGuide.options`.
 */
export class InvalidOptionError extends NotFoundError {
  static override readonly kind: string = 'InvalidOptionError';
}

/**
 * Another option of the same seller and sale is being sent at this moment. Nothing was done: send again.
 *
 * Remedy: send again in a moment, one option at a time.
 */
export class OptionLockedError extends ConflictError {
  static override readonly kind: string = 'OptionLockedError';
}

export const invalidText = documentedError({
  status: 400,
  code: 'bad_request',
  message: 'The text is invalid',
  error: InvalidTextError,
  otherStatuses: [403],
});
export const invalidTemplate = documentedError({
  status: 400,
  code: 'bad_request',
  message: 'The template <template_id> is invalid',
  error: InvalidTemplateError,
  otherStatuses: [403],
  matches: messageMatches(/template .{0,100}invalid|invalid template/i),
});
export const capExhausted = documentedError({
  status: 403,
  code: 'limit_exceeded',
  message: 'The user is not allowed to run the option OTHER again',
  error: CapExhaustedError,
  otherStatuses: [400],
  matches: (details) =>
    details.code === 'limit_exceeded' || messageMatches(/not allowed to run .{0,100}again|limit_exceeded/i)(details),
});
export const invalidOption = documentedError({
  status: 404,
  code: 'not_found',
  message: 'The option selected is not valid',
  error: InvalidOptionError,
  otherStatuses: [400],
});
export const optionLocked = documentedError({
  status: 409,
  code: 'conflict',
  message: 'Another request locks this operation',
  error: OptionLockedError,
  transient: true,
  // The only 409 of its endpoint.
  matches: ({ status }) => status === 409,
});
export const guideFailed = documentedError({
  status: 500,
  code: 'internal_server_error',
  message: 'Internal server error',
});
