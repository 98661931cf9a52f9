import { messageMatches, errorByText } from '../../core/operation/documented-error.js';
import { BadRequestError, ServerError, UnprocessableEntityError } from '../../core/errors/response-errors.js';
import { badRequest } from './errors.js';

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
  static override readonly notFound = true;
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

const section = 'Errors, Attachments';

export const tooManyAttachments = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section,
    condition: 'more than 25 attachments on a message',
    message: 'A message takes at most 25 attachments',
  },
  TooManyAttachmentsError,
  [
    /\b25 (?:attachments|files)\b|\battachments: 25\b/,
    /\b(?:allowed|maximum|max) (?:number|amount) of (?:attachments|files)\b|\btoo many (?:attachments|files)\b/,
    /\battachments (?:exceed|over|above|beyond)\b/,
  ],
  /\b\d+ ?mb\b|\bsizes?\b/,
);
export const attachmentNotFound = /* @__PURE__ */ errorByText(
  {
    section: 'Live service',
    condition: 'an uploaded file that no message uses within 48 hours is gone',
    status: 422,
    code: 'unprocessable_entity',
    message: 'An attachment does not exist or has expired',
    otherStatuses: [400, 404],
  },
  AttachmentNotFoundError,
  [
    /\b(?:attachment|file)s?(?: (?:key|id)s?)?(?: \S{1,80})? (?:is |are |was |were |has |have )?(?:not found|expired|deleted|unknown|invalid|not accessible|no longer)/,
    /\b(?:attachment|file)s?(?: (?:key|id)s?)?(?: \S{1,80})? (?:do(?:es)? not|do(?:es)?n't) (?:exist|belong)/,
    /\b(?:invalid|unknown|expired|deleted|no such) (?:attachment|file)s?(?: (?:key|id)s?)?\b(?! \w)/,
  ],
  /\b(?:types?|formats?|extensions?|sizes?|names?)\b/,
);
export const emptyFile = /* @__PURE__ */ errorByText(
  { ...badRequest, section, condition: 'empty file', message: 'The file is empty' },
  EmptyFileError,
  [/\b(?:file|attachment|upload)s?\b.{0,20}\bempty\b/, /\bempty (?:file|attachment|upload)\b/],
  /\bnames?\b/,
);
export const invalidFileName = /* @__PURE__ */ errorByText(
  { ...badRequest, section, condition: 'file name contains / or \\', message: 'The file name contains / or \\' },
  InvalidFileNameError,
  [
    /\b(?:invalid|illegal) file ?name\b/,
    /\bfile ?name\b.{0,30}(?:\bcontain|\binclude|\binvalid|\bnot valid|\bcharacters|[/\\])/,
  ],
  /\b(?:exceed|too long|longer|limit|missing|required)/,
);
const isTooLarge = /* @__PURE__ */ messageMatches(
  [
    /\b25 ?mb?\b|\b(?:file|attachment|upload|size)s?\b.{0,30}\b(?:too large|too big|larger|bigger|exceeds|exceeded)\b/,
    /\bmax(?:imum)? (?:file |upload |attachment )?size\b/,
  ],
  /\b(?:names?|characters?|number)\b/,
);
export const fileTooLarge = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'file larger than 25 MB',
    status: 400,
    code: 'bad_request',
    message: 'The file is larger than 25 MB',
    otherStatuses: [413],
  },
  FileTooLargeError,
  (details) => details.status === 413 || isTooLarge(details),
);
export const siteMissing = /* @__PURE__ */ errorByText(
  {
    ...badRequest,
    section,
    condition: 'site_id query parameter missing',
    message: 'The site_id query parameter is missing',
  },
  SiteMissingError,
  [
    /\bsite ?id (?:(?:query ?param(?:eter)?|param(?:eter)?) )?(?:is |was )?(?:missing|required|empty|not (?:sent|present|provided))\b/,
    /\b(?:missing|empty|without) (?:query ?param(?:eter)? )?site ?id\b/,
  ],
);
export const fileNotSaved = /* @__PURE__ */ errorByText(
  {
    section,
    condition: 'file cannot be saved (upload and download)',
    status: 500,
    code: 'internal_server_error',
    message: 'The file cannot be saved',
  },
  FileStorageError,
  /\b(?:file|attachment)s?\b.{0,40}\b(?:saved?|stored?|storage|obtained|accessed|read|retrieved)\b|\b(?:save|store|read|access|obtain|retrieve) (?:the )?(?:file|attachment)/,
);
