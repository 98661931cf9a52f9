import { classOfStatus } from './status-errors.js';
import type { ApiError, ApiErrorCause, ApiErrorDetails } from './errors.js';

/** A documented refusal: how the service says it, and the class it reaches the caller as. */
export interface DocumentedError {
  readonly status: number;
  /** The body's `error`. Where the specification names none, it does not help to tell the refusal. */
  readonly code?: string | undefined;
  /** A documented message. */
  readonly message: string;
  /** A documented cause. */
  readonly cause?: string | readonly unknown[] | undefined;
  /** The class of this refusal; the status class where it has none of its own. */
  readonly error: typeof ApiError;
  /** What tells this refusal from others of its status, when the code does not suffice. */
  readonly matches?: (details: ApiErrorDetails) => boolean;
  /** Other statuses under which some generation of the service says the same. */
  readonly otherStatuses?: readonly number[];
  /** The service did nothing and asks to try again in a moment: a repeat is safe, also of a write. */
  readonly transient?: true;
}

type DocumentedErrorInit = Omit<DocumentedError, 'error'> & { readonly error?: typeof ApiError };

/** Describes a refusal. */
export function documentedError(sketch: DocumentedErrorInit): DocumentedError {
  return { ...sketch, error: sketch.error ?? classOfStatus(sketch.status) };
}

/** The documented refusal that an answer is, if it is one: by status first, then by another generation's status. */
export function matchDocumentedError(
  refusals: readonly DocumentedError[],
  details: ApiErrorDetails,
): DocumentedError | undefined {
  const telling = refusals.filter((each) => isMatch(each, details));
  return (
    telling.find((each) => each.status === details.status) ??
    telling.find((each) => each.otherStatuses?.includes(details.status))
  );
}

function isMatch(each: DocumentedError, details: ApiErrorDetails): boolean {
  if (each.matches) return each.matches(details);
  if (each.error === classOfStatus(each.status)) return sameWords(each, details);
  if (each.code !== undefined && each.code !== classCode(each.status)) return each.code === details.code;
  return sameWords(each, details);
}

/** Codes that only repeat the status and so tell nothing apart. */
function classCode(status: number): string | undefined {
  return {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    409: 'conflict',
    500: 'internal_server_error',
  }[status];
}

function sameWords(each: DocumentedError, { text, causes }: ApiErrorDetails): boolean {
  return (
    says(text, each.message) ||
    causes.some((cause) => says(cause.code, each.message) || says(cause.message, each.message))
  );
}

function says(heard: string | undefined, documented: string): boolean {
  return heard?.toLowerCase().includes(documented.toLowerCase()) ?? false;
}

/** A refusal found in the body of a success. */
export interface ErrorInBody extends Pick<ApiErrorDetails, 'code' | 'text' | 'causes'> {
  /** The status that it stands for, where it says so. */
  readonly status?: number | undefined;
}

/** The status that a refusal found in a success stands for: the one it states, else the documented one. */
export function statusOfErrorInBody(
  refusals: readonly DocumentedError[],
  within: ErrorInBody,
  details: ApiErrorDetails,
): number {
  const stated = within.status ?? refusals.find((each) => isMatch(each, details))?.status;
  return stated ?? details.status;
}

/** Every word under which a refusal may name its reason: code, text, and each cause's code and message. */
export function everyWordOf({ code, text, causes }: Pick<ApiErrorDetails, 'code' | 'text' | 'causes'>): string[] {
  const all = [code, text, ...causes.flatMap((cause: ApiErrorCause) => [cause.code, cause.message])];
  return all.filter((word) => word !== undefined);
}
