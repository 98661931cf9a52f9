import { documentedError, messageMatches } from '../../core/errors/documented-error.js';
import { BadRequestError, ServerError, UnprocessableEntityError } from '../../core/errors/status-errors.js';
import { bad } from './errors.js';

/**
 * The message has more than 25 attachments.
 *
 * Remedy: send the other attachments in another message.
 */
export class TooManyAttachmentsError extends BadRequestError {
  static override readonly kind: string = 'TooManyAttachmentsError';
}

/**
 * An attachment does not exist, or no longer: the service deletes an upload that no message uses after 48 hours.
 *
 * Remedy: upload the file again and send the new id.
 */
export class AttachmentNotFoundError extends UnprocessableEntityError {
  static override readonly kind: string = 'AttachmentNotFoundError';
}

/**
 * The file is empty.
 *
 * Remedy: pass a file with content. A stream that was already read is empty.
 */
export class EmptyFileError extends BadRequestError {
  static override readonly kind: string = 'EmptyFileError';
}

/**
 * The name of the file contains `/` or `\`.
 *
 * Remedy: pass `filename` without folders.
 */
export class InvalidFileNameError extends BadRequestError {
  static override readonly kind: string = 'InvalidFileNameError';
}

/**
 * The file is larger than 25 MB.
 *
 * Remedy: make the file smaller, or split it.
 */
export class FileTooLargeError extends BadRequestError {
  static override readonly kind: string = 'FileTooLargeError';
}

/**
 * The query contains no site.
 *
 * Remedy: pass `site_id`, for example `MLA`.
 */
export class SiteMissingError extends BadRequestError {
  static override readonly kind: string = 'SiteMissingError';
}

/**
 * The service could not save the file or could not read the saved file.
 *
 * Remedy: try again in a moment. The upload may have been stored nevertheless; a second copy does no harm.
 */
export class FileStorageError extends ServerError {
  static override readonly kind: string = 'FileStorageError';
}

export const tooManyAttachments = /* @__PURE__ */ bad('A message takes at most 25 attachments', {
  error: TooManyAttachmentsError,
  matches: /* @__PURE__ */ messageMatches(
    /\b25\b.{0,100}attachment|attachment.{0,100}\b25\b|attachments? .{0,100}(exceed|(?<![a-z])limit|too many)|too many attachments/i,
  ),
});
export const attachmentNotFound = /* @__PURE__ */ documentedError({
  status: 422,
  code: 'unprocessable_entity',
  message: 'An attachment does not exist or has expired',
  error: AttachmentNotFoundError,
  otherStatuses: [400, 404],
  matches: /* @__PURE__ */ messageMatches(/attachment|(?<![a-z])file(s|_?ids?|_?names?)?(?![a-z])/i),
});
export const emptyFile = /* @__PURE__ */ bad('The file is empty', {
  error: EmptyFileError,
  matches: /* @__PURE__ */ messageMatches(/empty/i),
});
export const invalidFileName = /* @__PURE__ */ bad('The file name contains / or \\', {
  error: InvalidFileNameError,
  matches: /* @__PURE__ */ messageMatches(/(?<![a-z])file ?_?name/i),
});
export const fileTooLarge = /* @__PURE__ */ bad('The file is larger than 25 MB', {
  error: FileTooLargeError,
  otherStatuses: [413],
  matches: ({ status, ...details }) =>
    status === 413 || messageMatches(/\b25 ?MB|too (large|big)|larger|exceed|max.{0,100}size/i)({ status, ...details }),
});
export const siteMissing = /* @__PURE__ */ bad('The site_id query parameter is missing', {
  error: SiteMissingError,
  matches: /* @__PURE__ */ messageMatches(/(?<![a-z])site_?id/i),
});
export const fileNotSaved = /* @__PURE__ */ documentedError({
  status: 500,
  code: 'internal_server_error',
  message: 'The file cannot be saved',
  error: FileStorageError,
  matches: /* @__PURE__ */ messageMatches(/attachment|(?<![a-z])(file(s|_?ids?|_?names?)?|save[ds]?)(?![a-z])/i),
});
