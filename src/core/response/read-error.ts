import { defined } from '../json/defined.js';
import type { ApiErrorCause } from '../errors/response-errors.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import { parseRetryAfter } from '../errors/response-headers.js';
import { redactUrl } from '../errors/redactor.js';
import { matchDocumentedError, statusOfErrorInBody, withTexts } from '../operation/documented-error.js';
import type { DocumentedError, ErrorInBody, MatchedResponse, StatedError } from '../operation/documented-error.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { BufferedResponse } from './body.js';

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
