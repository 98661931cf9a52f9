import type { ApiError, ApiErrorCause, ApiErrorDetails } from './errors.js';
import { classOfStatus } from './status-errors.js';

/** A documented error: how the service reports it, and the class that the caller gets. */
export interface DocumentedError {
  readonly status: number;
  /** The body's `error`. Absent where the specification names none. */
  readonly code?: string | undefined;
  /** A documented message. */
  readonly message: string;
  /** A documented cause. */
  readonly cause?: string | readonly unknown[] | undefined;
  /** The class of this error; the status class where it has none of its own. */
  readonly error: typeof ApiError;
  /** Distinguishes this error from others of its status, where the code does not. */
  readonly matches?: (details: ApiErrorDetails) => boolean;
  /** Other statuses under which some generation of the service reports the same error. */
  readonly otherStatuses?: readonly number[];
  /** The service did nothing and asks to try again in a moment: a retry is safe, also of a write. */
  readonly transient?: true;
}

type DocumentedErrorInit = Omit<DocumentedError, 'error'> & { readonly error?: typeof ApiError };

/**
 * Describes a documented error.
 *
 * @example
 * const itemPaused = documentedError({ status: 400, code: 'item_paused', message: 'The item is paused' });
 */
export function documentedError(init: DocumentedErrorInit): DocumentedError {
  return { ...init, error: init.error ?? classOfStatus(init.status) };
}

/** The documented error that a response is, if it is one: first by its status, then by another generation's status. */
export function matchDocumentedError(
  documented: readonly DocumentedError[],
  details: ApiErrorDetails,
): DocumentedError | undefined {
  const { status } = details;
  const bounded = boundedDetails(details);
  return (
    documented.find((each) => each.status === status && isMatch(each, bounded)) ??
    documented.find((each) => each.otherStatuses?.includes(status) && isMatch(each, bounded))
  );
}

/** A documented message is short: no more of a response than this is compared with it, in characters and in causes. */
const maxTextLength = 500;
const maxCauses = 20;

function boundedDetails(details: ApiErrorDetails): ApiErrorDetails {
  const bounded = (text: string | undefined): string | undefined => text?.slice(0, maxTextLength);
  const causes = details.causes.slice(0, maxCauses).map(({ code, message }) => ({
    ...(code !== undefined && { code: code.slice(0, maxTextLength) }),
    ...(message !== undefined && { message: message.slice(0, maxTextLength) }),
  }));
  return { ...details, code: bounded(details.code), text: bounded(details.text), causes };
}

function isMatch(each: DocumentedError, details: ApiErrorDetails): boolean {
  if (each.matches) return each.matches(details);
  if (each.error === classOfStatus(each.status)) return hasMessage(details, each.message);
  if (each.code !== undefined && each.code !== statusCode(each.status))
    return each.code.toLowerCase() === details.code?.toLowerCase();
  return hasMessage(details, each.message);
}

/** Codes that only repeat the status and so distinguish nothing. */
function statusCode(status: number): string | undefined {
  return {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    409: 'conflict',
    500: 'internal_server_error',
  }[status];
}

function hasMessage({ text, causes }: ApiErrorDetails, message: string): boolean {
  const sought = message.toLowerCase();
  const contains = (actual: string | undefined): boolean => actual?.toLowerCase().includes(sought) ?? false;
  return contains(text) || causes.some((cause) => contains(cause.code) || contains(cause.message));
}

/** An error found in the body of a success. */
export interface ErrorInBody extends Pick<ApiErrorDetails, 'code' | 'text' | 'causes'> {
  /** The status that it corresponds to, where it states one. */
  readonly status?: number | undefined;
}

/** The status of an error found in a success: the one it states, else that of the documented error. */
export function statusOfErrorInBody(
  documented: readonly DocumentedError[],
  found: ErrorInBody,
  details: ApiErrorDetails,
): number {
  const status = found.status ?? documented.find((each) => isMatch(each, boundedDetails(details)))?.status;
  return status ?? details.status;
}

/** Every text in which an error response may name its reason: code, text, and each cause's code and message. */
export function textsOf({ code, text, causes }: Pick<ApiErrorDetails, 'code' | 'text' | 'causes'>): string[] {
  const all = [code, text, ...causes.flatMap((cause: ApiErrorCause) => [cause.code, cause.message])];
  return all.filter((each) => each !== undefined);
}

/** Matches an error response by any of its texts. */
export function messageMatches(pattern: RegExp): (details: ApiErrorDetails) => boolean {
  return (details) => textsOf(details).some((text) => pattern.test(text));
}
