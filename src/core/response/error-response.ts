import {
  findErrorInBody,
  matchDocumentedError,
  statusOfErrorInBody,
  withTexts,
} from '../operation/documented-error.js';
import type { MatchedResponse } from '../operation/documented-error.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { ApiError, ApiErrorCause, ApiErrorDetails } from '../errors/response-errors.js';
import {
  maskSecrets,
  printable,
  redactBody,
  redactHeaders,
  redactText,
  redactUrl,
  userTexts,
} from '../errors/redact.js';
import { classOfStatus } from '../errors/status-errors.js';
import { mayHaveSucceeded } from './failure.js';
import type { Failure } from './failure.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { parseBody } from './parse-response.js';
import type { BufferedResponse } from './parse-response.js';
import { secretsOf } from '../request/built-request.js';
import type { ResponseContext } from '../request/built-request.js';

/** What is known of a write when an attempt of it fails. */
export interface Knowledge {
  /** An earlier attempt may have been carried out. */
  readonly earlierUnknown: boolean;
  /** Reading back proved that the failed attempt was not carried out. */
  readonly isUndone: boolean;
}

const nothing: Knowledge = { earlierUnknown: false, isUndone: false };

/** Only this many characters of the service's text are used for the message of an error. */
const maxTextLength = 20_000;
const maxCauses = 100;
/** Causes can be a list of lists. Deeper lists are ignored. */
const maxCauseDepth = 2;

/**
 * Creates the error of a response. Its class follows from the documented error that matches, otherwise from the status.
 */
export function apiErrorFrom(
  response: BufferedResponse,
  context: ResponseContext,
  { earlierUnknown, isUndone } = nothing,
): { readonly error: ApiError; readonly failure: Failure } {
  const { endpoint, input } = context.request;
  const secrets = secretsOf(context);
  // In the form in which a message shows them: the service may repeat a text with other line ends and spaces.
  const texts = userTexts(input).map((text) => printable(text).trim());
  const shown = (text: string): string => shorten(redactText(printable(text.slice(0, maxTextLength)), secrets, texts));
  const raw = errorDetailsFrom(response, context, secrets);
  const { status, retryAfterMs } = raw;
  const documented = matchDocumentedError(endpoint.errors, raw);
  const transient = documented?.transient === true || isUndone;
  const failure: Failure = { kind: 'errorResponse', status, retryAfterMs, transient };
  const outcomeUnknown = mayHaveSucceeded(endpoint.retry, failure);
  const code = raw.code && shown(raw.code);
  const causes = raw.causes.map((cause) => mapValues(cause, shown));
  const Class = documented?.error ?? classOfStatus(status);
  const reason = shown(raw.text ?? raw.code ?? '') || 'the service gave no reason';
  const warning = warningOf(endpoint, outcomeUnknown, earlierUnknown);
  const message = `${endpoint.method} ${endpoint.path} failed with ${status}${code === undefined ? '' : ` (${code})`}: ${reason}${tokenHint(status, context)}${warning}`;
  const details = { ...raw, code, causes, outcomeUnknown: outcomeUnknown || earlierUnknown, transient };
  return { error: new Class(message, details), failure };
}

/** A 401 of a request without a token has a simple reason. */
function tokenHint(status: number, { token, request }: ResponseContext): string {
  if (status !== 401 || token !== undefined || request.headers.authorization !== undefined) return '';
  return '. The request had no token: give the client or the call an `accessToken`';
}

/** What to do about a write that may have been carried out. */
export function adviceFor(endpoint: Endpoint): string {
  return endpoint.confirm ? 'confirm() reads it back' : 'read back before you retry it';
}

/** The end of an error's message that says that a write may have been carried out nevertheless. */
export function warningOf(endpoint: Endpoint, outcomeUnknown: boolean, earlierUnknown: boolean): string {
  const advice = adviceFor(endpoint);
  if (outcomeUnknown) return `. The write may have been carried out anyway: ${advice}`;
  return earlierUnknown ? `. An earlier attempt may have been carried out: ${advice}` : '';
}

/** Reads the details of an error response with the service's texts, by which documented errors are matched. */
function errorDetailsFrom(
  response: BufferedResponse,
  { request: { endpoint, url, isSecretHeader }, attempts }: ResponseContext,
  secrets: readonly string[],
): MatchedResponse {
  const stated = parseErrorBody(redactBody(parseBody(maskSecrets(response.text, secrets)).value, secrets));
  const redirect = redirectText(response);
  const inBody = response.status < 300 ? findErrorInBody(endpoint, stated.body) : undefined;
  const details = withTexts({
    ...stated,
    ...(redirect !== undefined && { text: redirect }),
    ...inBody,
    status: response.status,
    headers: redactHeaders(response.headers, secrets, isSecretHeader),
    url: redactUrl(url),
    endpoint,
    attempts,
    retryAfterMs: parseRetryAfter(response.headers, Date.now()),
  });
  return inBody ? { ...details, status: statusOfErrorInBody(endpoint.errors, inBody, details) } : details;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** The text for a redirect. Redirects are not followed, because another host would receive the token. */
function redirectText({ status, headers }: BufferedResponse): string | undefined {
  // A browser hides the status and the location of a redirect that it does not follow.
  if (status !== 0 && !redirectStatuses.has(status)) return undefined;
  const location = headers.get('location');
  return `\`baseUrl\` redirects${location === null ? '' : ` to ${redactUrl(location)}`}; is it right?`;
}

/** Reads code, text and causes from an error body of any shape. */
function parseErrorBody(body: unknown): Pick<ApiErrorDetails, 'code' | 'text' | 'causes' | 'body'> {
  if (typeof body === 'string') return { text: body, code: undefined, causes: [], body };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { causes: [], body };
  const { error, errors, code, message, error_description, cause } = body as Record<string, unknown>;
  // `{ error: { message } }`, and `{ errors: [{ message }] }` of GraphQL services.
  const nested = [typeof error === 'object' ? error : undefined, errors].flatMap((each) =>
    causesFrom(each, maxCauseDepth),
  );
  const codes = [error, code, nested[0]?.code].map(textOf).filter((each) => each !== undefined);
  const texts = [message, error_description, error, nested[0]?.message].map(textOf);
  return {
    code: codes.find(looksLikeCode) ?? texts.slice(0, 1).find(isBareCode) ?? codes[0],
    text: texts.find((each) => each !== undefined),
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
    const causeCode = textOf(code) ?? textOf(cause_id);
    const causeText = textOf(message);
    return [
      { ...(causeCode !== undefined && { code: causeCode }), ...(causeText !== undefined && { message: causeText }) },
    ];
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
