import type { ApiError, ApiErrorCause, ApiErrorDetails } from './response-errors.js';
import { classOfStatus } from './status-errors.js';

/** A documented error: how the service reports it, and its class. */
export interface DocumentedError {
  readonly status: number;
  /** The body's `error`; absent if the specification names none. */
  readonly code?: string | undefined;
  /** A documented message. */
  readonly message: string;
  /** A documented cause. */
  readonly cause?: string | readonly unknown[] | undefined;
  /** The class of this error. The default is the class of its status. */
  readonly error: typeof ApiError;
  /** Distinguishes this error from other errors with the same status, if the code does not. */
  readonly matches?: ((details: ApiErrorDetails) => boolean) | undefined;
  /** Other statuses with which some versions of the service report this error. */
  readonly otherStatuses?: readonly number[] | undefined;
  /** The service did nothing and asks to try again: a retry is safe, even for a write. */
  readonly transient?: true | undefined;
}

type DocumentedErrorInit = Omit<DocumentedError, 'error'> & { readonly error?: typeof ApiError | undefined };

/**
 * Describes a documented error.
 *
 * @example
 * const itemPaused = documentedError({ status: 400, code: 'item_paused', message: 'The item is paused' });
 */
export function documentedError(init: DocumentedErrorInit): DocumentedError {
  return { ...init, error: init.error ?? classOfStatus(init.status) };
}

/** Finds the documented error that matches a response: first by `status`, then by `otherStatuses`. */
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

/** Only this many characters of each text, and this many causes, are compared: documented messages are short. */
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

/** The code that only repeats the status, so it does not distinguish errors. */
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

/** An error in the body of a success. */
export interface ErrorInBody extends Pick<ApiErrorDetails, 'code' | 'text' | 'causes'> {
  /** The status that the error states, if it states one. */
  readonly status?: number | undefined;
}

/**
 * The status of an error in a success: the one that it states, otherwise the status of the matching documented error.
 */
export function statusOfErrorInBody(
  documented: readonly DocumentedError[],
  found: ErrorInBody,
  details: ApiErrorDetails,
): number {
  const status = found.status ?? documented.find((each) => isMatch(each, boundedDetails(details)))?.status;
  return status ?? details.status;
}

/** All texts of an error response that may contain the reason: code, text, and the code and message of each cause. */
export function textsOf({ code, text, causes }: Pick<ApiErrorDetails, 'code' | 'text' | 'causes'>): string[] {
  const all = [code, text, ...causes.flatMap((cause: ApiErrorCause) => [cause.code, cause.message])];
  return all.filter((each) => each !== undefined);
}

/** Returns a matcher that tests the texts of an error response. */
export function messageMatches(pattern: RegExp): (details: ApiErrorDetails) => boolean {
  return (details) => textsOf(details).some((text) => pattern.test(text));
}
