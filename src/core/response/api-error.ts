import { UnexpectedResponseError } from '../errors/response-errors.js';
import type { ApiError, ApiErrorCause } from '../errors/response-errors.js';
import { printable, redactUrl, userTexts, redactorOf } from '../errors/redactor.js';
import type { Redactor } from '../errors/redactor.js';
import { withMessageParts } from '../errors/seller-error.js';
import { classOfStatus } from '../errors/status-errors.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { SentCall } from '../request/built-request.js';
import { isOk, parseBody } from './body.js';
import type { BufferedResponse } from './body.js';
import type { ReadError } from './read-error.js';

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
  const reason = (read.redirect ? shown(read.redirect) || undefined : (text ?? code)) ?? 'the service gave no reason';
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
  const hint = status === 401 ? hintAfter401(call) : hintOf(endpoint, read);
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

/** What the endpoint says of a response that no documented error explains. */
function hintOf(endpoint: Endpoint, read: ReadError): string {
  const hint = read.documented ? undefined : endpoint.hintAfter?.(read);
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
