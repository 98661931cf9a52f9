import { printable, redactorOf, redactUrl, userTexts, type Redactor } from '../errors/redactor.js';
import { classOfStatus, UnexpectedResponseError } from '../errors/response-errors.js';
import type { ApiError, ApiErrorCause } from '../errors/response-errors.js';
import { parseRetryAfter, type ResponseHeaders } from '../errors/response-headers.js';
import { withMessageParts } from '../errors/seller-error.js';
import { defined } from '../json/json.js';
import { matchDocumentedError, statusOfErrorInBody, withTexts } from '../operation/documented-error.js';
import type { DocumentedError, ErrorInBody, MatchedResponse, StatedError } from '../operation/documented-error.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { SentCall } from '../request/build-request.js';
import { isOk } from '../transport/transport.js';
import { parseBody, type BufferedResponse } from './body.js';

/** An error response as the service sent it, before anything in it is masked, and the documented error that it is. */
export interface ReadError extends MatchedResponse {
  readonly headers: ResponseHeaders;
  readonly documented: DocumentedError | undefined;
  /** Where the service redirects, as a sentence. */
  readonly redirect?: string | undefined;
}

/** Causes can be a list of lists. Deeper lists, and more causes, are ignored. */
const maxCauseDepth = 2;
const maxCauses = 100;

/** Reads an error response of any shape. `inBody` is the error in a success. */
export function readError(response: BufferedResponse, endpoint: Endpoint, inBody?: ErrorInBody): ReadError {
  const { status, headers } = response;
  const stated = readBody(response.body.value);
  const details = withTexts({
    ...stated,
    ...inBody,
    status,
    headers,
    retryAfterMs: parseRetryAfter(headers, Date.now()),
  });
  const found = inBody ? { ...details, status: statusOfErrorInBody(endpoint.errors, inBody, details) } : details;
  const redirect = redirectStatuses.has(status) ? redirectText(headers) : undefined;
  return { ...found, headers, redirect, documented: matchDocumentedError(endpoint.errors, found) };
}

/** The statuses with which a service redirects. 0: a browser hides the status and the location. */
const redirectStatuses = new Set([0, 301, 302, 303, 307, 308]);

/** The text for a redirect. Redirects are not followed, because another host would receive the token. */
function redirectText(headers: ResponseHeaders): string {
  const location = headers.get('location');
  return `\`baseUrl\` redirects${location === null ? '' : ` to ${redactUrl(location)}`}; is it right?`;
}

/** Reads code, text and causes from an error body of any shape. */
function readBody(body: unknown): StatedError {
  if (typeof body === 'string') return { text: body, code: undefined, causes: [], body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { causes: [], body };
  const { error, errors, code, message, error_description, cause } = body as Record<string, unknown>;
  // `{ error: { message } }`, and `{ errors: [{ message }] }` of GraphQL services.
  const nested = [typeof error === 'object' ? error : undefined, errors].flatMap((each) =>
    causesFrom(each, maxCauseDepth),
  );
  const codes = [error, code, nested[0]?.code].map(textOf).filter((each) => each !== undefined);
  const own = textOf(message);
  return {
    code: codes.find(looksLikeCode) ?? (isBareCode(own) ? own : codes[0]),
    text: own ?? textOf(error_description) ?? textOf(error) ?? nested[0]?.message,
    causes: [...causesFrom(cause, maxCauseDepth), ...nested],
    body,
  };
}

function causesFrom(cause: unknown, depth: number): ApiErrorCause[] {
  if (cause === null) return [];
  if (Array.isArray(cause))
    return depth === 0 ? [] : cause.slice(0, maxCauses).flatMap((each) => causesFrom(each, depth - 1));
  if (typeof cause === 'object') {
    const { code, message, cause_id } = cause as Record<string, unknown>;
    return [defined({ code: textOf(code) ?? textOf(cause_id), message: textOf(message) })];
  }
  const text = textOf(cause);
  if (text === undefined) return [];
  return [looksLikeCode(text) ? { code: text, message: text } : { message: text }];
}

function looksLikeCode(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_.-]*$/.test(text);
}

/** A message counts as a code only in lower case: `Forbidden` is a message, `not_found` is a code. */
function isBareCode(text = ''): boolean {
  return /^[a-z][a-z0-9_.-]*$/.test(text);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** What is known of a write whose call fails. */
export interface WriteKnowledge {
  /** The failed attempt may have been carried out. */
  readonly outcomeUnknown: boolean;
  /** An earlier attempt may have been carried out. */
  readonly earlierUnknown: boolean;
  /** The service asks to try again, or certainly did nothing. */
  readonly didNothing: boolean;
}

const nothing: WriteKnowledge = { outcomeUnknown: false, earlierUnknown: false, didNothing: false };

/** Only this many characters of the service's text are used for the message of an error. */
const maxTextLength = 20_000;

/** Creates the error of a response. Its class is that of the documented error that it is, otherwise that of the status. */
export function apiError(
  read: ReadError,
  response: BufferedResponse,
  call: SentCall,
  known = nothing,
): ApiError | UnexpectedResponseError {
  const { request, attempts } = call;
  const { endpoint, input, url } = request;
  const { status, documented } = read;
  const redactor = redactorOf(call, userTexts(input));
  const shown = (each: string): string => shorten(redactor.foreignText(printable(each.slice(0, maxTextLength))));
  const code = read.code && shown(read.code);
  const text = read.text && (shown(read.text) || undefined);
  const explained = documented?.explain?.(read);
  const stated = (read.redirect ? shown(read.redirect) || undefined : (text ?? code)) ?? 'the service gave no reason';
  const inside = explained?.reason && shown(explained.reason);
  const reason = !inside || stated.includes(inside) ? stated : `${stated} (${inside})`;
  const warning = warningOf(endpoint, known.outcomeUnknown, known.earlierUnknown);
  const Class = documented?.error ?? classOfStatus(status);
  const what = `${endpoint.method} ${endpoint.path}`;
  const named = code === undefined ? '' : ` (${code})`;
  const headers = redactor.headers(read.headers);
  const body = bodyOf(read, response.text, redactor);
  if (isOk(status) && !endpoint.errorInBody)
    return withMessageParts(
      new UnexpectedResponseError(
        `${what} responded ${status} with an error in the body${named}: ${reason}. The service did not do it`,
        { status, headers, body, issues: [], url: redactUrl(url), endpoint, attempts },
      ),
      { own: `${what} responded ${status} with an error in the body`, said: reason },
    );
  const hint = status === 401 ? hintAfter401(call) : hintOf(endpoint, read, explained?.remedy);
  const inSuccess = status === response.status ? '' : `, stated in a response with status ${response.status}`;
  const error = new Class(`${what} failed with ${status}${named}${inSuccess}: ${reason}${hint}${warning}`, {
    status,
    code,
    text,
    causes: read.causes.map((cause) => mapValues(cause, shown)),
    headers,
    body,
    url: redactUrl(url),
    endpoint,
    attempts,
    retryAfterMs: read.retryAfterMs,
    outcomeUnknown: known.outcomeUnknown || known.earlierUnknown,
    didNothing: known.didNothing,
    documentedStatus: documented?.status,
  });
  return withMessageParts(error, { own: `${what} failed with ${status}${inSuccess}${hint}`, said: reason });
}

/** What the documented error says to do, or the endpoint of a response that no documented error explains. */
function hintOf(endpoint: Endpoint, read: ReadError, remedy: string | undefined): string {
  const hint = read.documented ? remedy : endpoint.hintAfter?.(read);
  return hint === undefined ? '' : `. ${hint}`;
}

/** What to do about a rejected token, if the client could not do it itself. */
function hintAfter401({ token, request, isReplayable }: SentCall): string {
  if (token === undefined && request.headers.authorization === undefined)
    return '. The request had no token: give the client or the call an `accessToken`';
  return isReplayable === false
    ? '. A stream is sent once: with a path, bytes or a Blob as `file`, the request is sent again with a new token'
    : '';
}

/** The body without secrets, which may also stand in its names and numbers. */
function bodyOf({ body }: ReadError, text: string, redactor: Redactor): unknown {
  const masked = redactor.secrets(text);
  return redactor.body(masked === text ? body : parseBody(masked).value);
}

/** What to do about a write that may have been carried out. */
export function adviceFor(endpoint: Endpoint): string {
  return endpoint.confirm ? 'confirm() reads it back' : 'read back before you retry it';
}

/** The end of an error's message that says that a write may have been carried out nevertheless. */
export function warningOf(endpoint: Endpoint, outcomeUnknown: boolean, earlierUnknown: boolean): string {
  if (outcomeUnknown) return `. The write may have been carried out anyway: ${adviceFor(endpoint)}`;
  return earlierUnknown ? `. An earlier attempt may have been carried out: ${adviceFor(endpoint)}` : '';
}

function mapValues(cause: ApiErrorCause, change: (text: string) => string): ApiErrorCause {
  return Object.fromEntries(Object.entries(cause).map(([name, value]) => [name, change(value as string)]));
}

function shorten(text: string): string {
  const line = text
    .replace(/<[^<>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
