import { classOfStatus, type ApiError, type ApiErrorDetails } from '../errors/response-errors.js';

/** A documented error: its row in the specification, how the service reports it, and its class. */
export interface DocumentedError {
  /** The section of the specification, e.g. `Errors, Create message`. */
  readonly section?: string | undefined;
  /** When the service reports it, in the words of the specification, if `message` does not say so. */
  readonly condition?: string | undefined;
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
  readonly matches?: ((response: MatchedResponse) => boolean) | undefined;
  /** Other statuses with which some versions of the service report this error. */
  readonly otherStatuses?: readonly number[] | undefined;
  /** The service did nothing and asks to try again: a retry is safe, even for a write. */
  readonly didNothing?: true | undefined;
  /**
   * What the message of the error says beside the text of the service: a reason that it names elsewhere, and what to do.
   *
   * @internal
   */
  readonly explain?: ((response: MatchedResponse) => Explanation) | undefined;
}

/** Parts of an error's message. */
export interface Explanation {
  readonly reason?: string | undefined;
  readonly remedy?: string | undefined;
}

/** An error response, with its texts in the forms in which documented errors are recognised. */
export interface MatchedResponse extends ApiErrorDetails {
  /** All texts that may contain the reason, in lower case. */
  readonly texts: readonly string[];
  /** The same without quotation marks, and with spaces for underscores. */
  readonly words: readonly string[];
}

/** Adds its texts to an error response. It has them before it is compared with many documented errors. */
export function withTexts(details: ApiErrorDetails): MatchedResponse {
  const texts = textsOf(details).map((text) => text.toLowerCase());
  return { ...details, texts, words: texts.map(wordsOf) };
}

/**
 * Describes a documented error.
 *
 * @example
 * const itemPaused = documentedError({ status: 400, code: 'item_paused', message: 'The item is paused' });
 */
export function documentedError(
  init: Omit<DocumentedError, 'error'> & { readonly error?: typeof ApiError | undefined },
): DocumentedError {
  return { ...init, error: init.error ?? classOfStatus(init.status) };
}

/** Finds the documented error that matches a response: first by `status`, then by `otherStatuses`. */
export function matchDocumentedError(
  documented: readonly DocumentedError[],
  response: MatchedResponse,
): DocumentedError | undefined {
  const { status } = response;
  return (
    documented.find((each) => each.status === status && isMatch(each, response)) ??
    documented.find((each) => each.otherStatuses?.includes(status) && isMatch(each, response))
  );
}

function isMatch(each: DocumentedError, response: MatchedResponse): boolean {
  if (each.matches) return each.matches(response);
  const { code, message, error, status } = each;
  if (error !== classOfStatus(status) && code !== undefined && code !== statusCode(status))
    return hasCode(response, code);
  return response.texts.some((text) => text.includes(message.toLowerCase()));
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

/** An error in the body of a success. */
export interface ErrorInBody extends Partial<Pick<ApiErrorDetails, 'code' | 'text' | 'causes'>> {
  /** The status that the error states, if it states one. */
  readonly status?: number | undefined;
}

/**
 * The status of an error in a success: the one that it states, otherwise the status of the matching documented error.
 */
export function statusOfErrorInBody(
  documented: readonly DocumentedError[],
  found: ErrorInBody,
  response: MatchedResponse,
): number {
  return found.status ?? documented.find((each) => isMatch(each, response))?.status ?? response.status;
}

/** Only this many characters of each text, and this many causes, are compared: documented messages are short. */
const maxTextLength = 500;
const maxCauses = 20;

/** What the body of an error response states. */
export type StatedError = Pick<ApiErrorDetails, 'code' | 'text' | 'causes' | 'body'>;

/** All texts of an error response that may contain the reason, whichever keys the service gave them. */
export function textsOf({ code, text, causes, body }: StatedError): string[] {
  const fields = typeof body === 'object' && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  const all = [code, text, fields.message, fields.error, fields.code, fields.error_description, fields.detail];
  for (const cause of causes.slice(0, maxCauses)) all.push(cause.code, cause.message);
  const texts = new Set<string>();
  for (const each of all) if (typeof each === 'string') texts.add(each.slice(0, maxTextLength));
  return [...texts];
}

/** Whether one of the texts of an error response is this code. */
export function hasCode({ texts }: MatchedResponse, code: string): boolean {
  return texts.includes(code.toLowerCase());
}

/** Returns a matcher of error responses: one of the texts, as `words`, fits one of the patterns, and not `unless`. */
export function messageMatches(
  patterns: RegExp | readonly RegExp[],
  unless?: RegExp,
): (response: Pick<MatchedResponse, 'words'>) => boolean {
  const all = [patterns].flat();
  return ({ words }) => words.some((each) => all.some((pattern) => pattern.test(each)) && !unless?.test(each));
}

/** Whether a body is a page of a website, which no operation of the service sends. */
export function isPage(body: unknown): boolean {
  return typeof body === 'string' && /^\s*</.test(body);
}

function wordsOf(text: string): string {
  if (isPage(text)) return '';
  return text
    .replaceAll('’', "'")
    .replace(/(?<![a-z])'|'(?![a-z])|["`]/g, '')
    .replace(/[\s_]+/g, ' ')
    .trim();
}

/** Whether an error response only repeats its status in words, for example `{ "error": "forbidden" }`. */
export function onlyStatesStatus({ status, words }: MatchedResponse): boolean {
  const stated = statusCode(status)?.replaceAll('_', ' ');
  return words.length > 0 && words.every((each) => each === stated);
}

/** The row of the specification. */
type Documented = Omit<DocumentedError, 'error' | 'matches'> & { readonly section: string };

/** The class of an error, and how its texts are recognised. */
type ClassAndTexts = [
  error: DocumentedError['error'],
  matches: RegExp | readonly RegExp[] | ((response: MatchedResponse) => boolean),
  unless?: RegExp,
];

/**
 * Describes a documented error with a class of its own. The specification often gives only a message, so the error is
 * matched by any of its texts: one fits one of the patterns, and not `unless`.
 */
// @__NO_SIDE_EFFECTS__
export function errorByText(documented: Documented, ...[error, matches, unless]: ClassAndTexts): DocumentedError {
  const isMatch = typeof matches === 'function' ? matches : messageMatches(matches, unless);
  return documentedError({ ...documented, error, matches: isMatch });
}

/** Describes a documented error with a class of its own, which is matched by its code and by its texts. */
// @__NO_SIDE_EFFECTS__
export function errorByCode(
  documented: Documented & { readonly code: string },
  error: DocumentedError['error'],
  patterns: RegExp | readonly RegExp[],
): DocumentedError {
  const isInTexts = messageMatches(patterns);
  return errorByText(documented, error, (details) => hasCode(details, documented.code) || isInTexts(details));
}
