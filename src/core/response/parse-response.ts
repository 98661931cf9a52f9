import { ConfigurationError, summarizeIssues } from '../errors/errors.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { redactError } from '../errors/redact-error.js';
import { printable, redactBody, redactHeaders, redactSecrets, redactText, userTexts } from '../errors/redact.js';
import type { Endpoint } from '../operation/endpoint.js';
import { findErrorInBody } from '../operation/documented-error.js';
import type { ErrorInBody } from '../operation/documented-error.js';
import { ignoreErrors } from '../scope/ignore-errors.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { isOwn } from '../schema/describe.js';
import type { Issue } from '../errors/issue.js';
import { read } from '../schema/read.js';
import type { Difference, ReadValue } from '../schema/read.js';
import type { StandardSchema } from '../schema/schema.js';
import { parseJson } from '../json/json.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import { secretsOf } from '../request/built-request.js';
import type { ResponseContext } from '../request/built-request.js';

/** A response whose body has been read. */
export interface BufferedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly text: string;
  /** Whether the body exceeds `maxResponseBytes`. Then the text is only its beginning. */
  readonly isTruncated: boolean;
  /** What the exchange of the endpoint found in the text; absent if the text is plain JSON. */
  readonly result?: { readonly value: unknown } | 'unreadable' | undefined;
}

type ValidationOptions = Pick<ResolvedOptions, 'responseValidation' | 'onDrift'>;

/**
 * Parses the body of a success with the schema of the endpoint.
 *
 * @throws {UnexpectedResponseError} when the body is not JSON, or something required is missing or wrong.
 */
export function parseResponse(
  response: BufferedResponse,
  schema: StandardSchema,
  context: ResponseContext,
  { responseValidation, onDrift }: ValidationOptions,
): Pick<ReadValue, 'value' | 'leftOut'> {
  const { endpoint } = context.request;
  if (response.isTruncated)
    throw unexpectedResponse('a body that is longer than `maxResponseBytes`', response, context);
  const { value, problem } = outputIn(response, endpoint);
  if (problem !== undefined) throw unexpectedResponse(problem, response, context, value);
  const found = readBody(schema, value, responseValidation !== 'throw', secretsOf(context));
  if ('value' in found) {
    if (onDrift) reportDrift(context, found.differences, onDrift);
    return found;
  }
  const what = value === undefined ? 'an empty body' : `a body of another shape: ${summarizeIssues(found.issues)}`;
  throw unexpectedResponse(what, response, context, parseBody(response.text).value, found);
}

/** Why a body could not be read. `cause` is the error of a schema that failed. */
interface Misfit {
  readonly issues: readonly Issue[];
  readonly cause?: unknown;
}

/**
 * A schema may fail: one of the user's own, or any schema where very deep nesting overflows the stack. The response has
 * arrived by then, so the error of the call must say what is known of it.
 */
function readBody(
  schema: StandardSchema,
  value: unknown,
  isRelaxed: boolean,
  secrets: readonly string[],
): ReadValue | Misfit {
  try {
    return read(schema, value, isRelaxed);
  } catch (error) {
    const texts = userTexts(value);
    const cause = error instanceof ConfigurationError ? error.cause : error;
    const message = redactText(failureOf(schema, error), secrets, texts);
    return { issues: [{ path: [], message }], cause: redactError(cause, [...secrets, ...texts]) };
  }
}

function failureOf(schema: StandardSchema, error: unknown): string {
  if (isOwn(schema) && error instanceof RangeError) return 'the body is wrong in too many places to list them';
  if (!(error instanceof Error)) return 'its schema failed';
  const isNamed = error instanceof ConfigurationError;
  return isNamed
    ? error.message.replace(/^A schema of the endpoint/, 'its schema')
    : `its schema failed: ${error.message}`;
}

function reportDrift(
  context: ResponseContext,
  differences: readonly Difference[],
  onDrift: NonNullable<ValidationOptions['onDrift']>,
): void {
  if (differences.length === 0) return;
  const { endpoint } = context.request;
  const secrets = secretsOf(context);
  for (const { path, message, received } of differences)
    ignoreErrors(() => onDrift({ endpoint, path, expected: redactSecrets(message, secrets), received }));
}

function unexpectedResponse(
  what: string,
  { status, headers }: BufferedResponse,
  context: ResponseContext,
  body?: unknown,
  { issues, cause }: Misfit = { issues: [] },
): Error {
  const { request, attempts } = context;
  const { endpoint, isSecretHeader } = request;
  const warning =
    endpoint.retry === 'safe'
      ? ''
      : ' The service reported success, so the write was most likely carried out; do not retry it without checking.';
  const message = `${endpoint.method} ${endpoint.path} responded ${status} with ${what}.${warning}`;
  const secrets = secretsOf(context);
  const details = {
    status,
    headers: redactHeaders(headers, secrets, isSecretHeader),
    body: redactBody(body, secrets),
    issues: issues.map((issue) => ({ ...issue, message: redactSecrets(issue.message, secrets) })),
    endpoint,
    attempts,
  };
  const options = cause === undefined ? {} : { cause };
  return new UnexpectedResponseError(printable(redactSecrets(message, secrets)), details, options);
}

/** Whether a status is a success. */
export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Parses a body. The result is the JSON value, or the text if it is not JSON, or `undefined` if it is empty. */
export function parseBody(text: string): { isJson: boolean; value: unknown } {
  if (text.trim() === '') return { isJson: true, value: undefined };
  try {
    return { isJson: true, value: parseJson(text) };
  } catch {
    return { isJson: false, value: text };
  }
}

/** Reads the output of a success. `problem` says why there is none; `value` is then the body. */
function outputIn({ text, result }: BufferedResponse, { retry }: Endpoint): { value: unknown; problem?: string } {
  if (typeof result === 'object') return result;
  const { isJson, value } = parseBody(text);
  if (!isJson && retry !== 'safe' && isPlainText(text)) return { value: text.trim() };
  if (!isJson) return { value, problem: 'a body that is not JSON' };
  if (result === undefined) return { value };
  return { value, problem: value === undefined ? 'an empty body' : 'a body of another shape' };
}

/** Whether a text is neither HTML nor the beginning of JSON: then it can be the response to a write, which is done. */
function isPlainText(text: string): boolean {
  return !/^\s*[<{["]/.test(text);
}

/** Finds the error in the body of a success. A function that fails finds none: the schema then explains the body. */
export function errorInBody(
  endpoint: Endpoint,
  { text, isTruncated, result }: BufferedResponse,
): ErrorInBody | undefined {
  // An exchange that returns a value has found no error.
  if (isTruncated || typeof result === 'object' || !(endpoint.errorInBody || mayBeError(text))) return undefined;
  const { isJson, value } = parseBody(text);
  try {
    return isJson ? findErrorInBody(endpoint, value) : undefined;
  } catch {
    return undefined;
  }
}

/** Only a short body that names an error is parsed twice. */
function mayBeError(text: string): boolean {
  return text.length < 10_000 && text.includes('"error"');
}
