import { ConfigurationError, summarizeIssues } from '../errors/errors.js';
import { UnexpectedResponseError } from '../errors/response-errors.js';
import { printable, userTexts, redactorOf } from '../errors/redactor.js';
import { withMessageParts } from '../errors/seller-error.js';
import type { Issue } from '../errors/issue.js';
import { isObject } from '../json/plain-object.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { SentCall } from '../request/built-request.js';
import { isObjectWithMainList, read } from '../schema/read.js';
import type { Difference, ReadValue } from '../schema/read.js';
import type { StandardSchema } from '../schema/schema.js';
import { ignoreErrors } from '../scope/wait.js';
import { hasContent } from './error-in-body.js';
import type { BufferedResponse } from './body.js';
import { damagedTexts } from './damaged-texts.js';
import { compareIds } from './identity.js';

type ValidationOptions = Pick<ResolvedOptions, 'responseValidation' | 'onDrift'>;

/** An output, and the error of a response that belongs to another request. */
interface ReadOutput extends Pick<ReadValue, 'value' | 'leftOut'> {
  readonly ofAnother?: Error | undefined;
}

/**
 * Reads the output in the body of a success with the schema of the endpoint.
 *
 * @throws {UnexpectedResponseError} when the body is not JSON, or something required is missing or wrong.
 */
export function readOutput(
  response: BufferedResponse,
  schema: StandardSchema,
  call: SentCall,
  { responseValidation, onDrift }: ValidationOptions,
): ReadOutput {
  if (response.isTruncated) throw unexpectedResponse('a body that is longer than `maxResponseBytes`', response, call);
  const { value, problem } = outputIn(response, call.request.endpoint);
  if (problem !== undefined) throw unexpectedResponse(problem, response, call, value);
  // An empty list may be `null` or absent, but a body of something else is no empty list.
  const isOther = isObject(value) && Object.keys(value).length > 0 && isObjectWithMainList(schema);
  if (isOther && !hasContent(schema, value, Object.keys))
    throw unexpectedResponse('a body without a list, or any other documented field', response, call, value);
  const { endpoint, input } = call.request;
  let found: ReadValue | Misfit;
  try {
    const body = endpoint.complete ? endpoint.complete(value, input) : value;
    found = read(schema, body, responseValidation !== 'throw');
  } catch (error) {
    // The response has arrived, so the error of the call must say what is known of it.
    found = misfitOf(error);
  }
  if ('value' in found) {
    const { ofAnother, differences } = compareIds(endpoint, input, found.value);
    if (ofAnother) {
      // A cache or a proxy mixes users, or a server responded twice. The body is of somebody else, so it is not shown.
      const told = { own: 'got the response to another request', said: ofAnother.message };
      return { ...found, ofAnother: responseError(told, response, call, { issues: [ofAnother] }) };
    }
    if (onDrift) reportDrift(call, [...found.differences, ...differences, ...damagedTexts(response)], onDrift);
    return found;
  }
  const what = value === undefined ? 'an empty body' : 'a body of another shape';
  throw unexpectedResponse(what, response, call, response.body.value, found);
}

/** Why a value could not be read. */
interface Misfit {
  readonly issues: readonly Issue[];
  /** What the schema threw. */
  readonly thrown?: unknown;
}

/** A schema may fail: one of the user's own, or any schema where very deep nesting overflows the stack. */
function misfitOf(error: unknown): Misfit {
  const isNamed = error instanceof ConfigurationError;
  const why = error instanceof Error ? `: ${error.message}` : '';
  const message = isNamed
    ? error.message.replace(/^A schema of the endpoint/, 'its schema')
    : `its schema failed${why}`;
  return { issues: [{ path: [], message }], thrown: isNamed ? error.cause : error };
}

function reportDrift(
  call: SentCall,
  differences: readonly Difference[],
  onDrift: NonNullable<ValidationOptions['onDrift']>,
): void {
  if (differences.length === 0) return;
  const { endpoint } = call.request;
  const redactor = redactorOf(call);
  for (const { path, message, received } of differences)
    ignoreErrors(() => onDrift({ endpoint, path, expected: redactor.text(message), received }));
}

function unexpectedResponse(
  what: string,
  response: BufferedResponse,
  call: SentCall,
  body?: unknown,
  misfit: Misfit = { issues: [] },
): Error {
  const isRead = call.request.endpoint.retry === 'safe';
  const warning =
    ' The service reported success, so the write was most likely carried out; do not retry it without checking.';
  const told = { own: `responded ${response.status} with ${what}`, end: `.${isRead ? '' : warning}` };
  const said = body === undefined ? '' : summarizeIssues(misfit.issues);
  return responseError({ ...told, said }, response, call, misfit, body);
}

function responseError(
  { own, said, end = '' }: { readonly own: string; readonly said: string; readonly end?: string },
  { status, headers }: BufferedResponse,
  call: SentCall,
  misfit: Misfit,
  body?: unknown,
): Error {
  const { request, attempts } = call;
  const { endpoint } = request;
  const hasThrown = 'thrown' in misfit;
  // What a schema throws may repeat the texts of the body.
  const redactor = redactorOf(call, hasThrown ? userTexts(body) : undefined);
  const shown = (text: string): string => (hasThrown ? redactor.foreignText(text) : redactor.text(text));
  const details = {
    status,
    headers: redactor.headers(headers),
    body: redactor.body(body),
    issues: misfit.issues.map((issue) => ({ ...issue, message: shown(issue.message) })),
    endpoint,
    attempts,
  };
  const cause = hasThrown ? redactor.error(misfit.thrown) : undefined;
  const parts = { own: `${endpoint.method} ${endpoint.path} ${own}`, said: printable(shown(said)) };
  const message = [parts.own, parts.said].filter((part) => part !== '').join(': ') + end;
  const error = new UnexpectedResponseError(message, details, cause === undefined ? {} : { cause });
  return withMessageParts(error, parts);
}

/** Reads the output of a success. `problem` says why there is none; `value` is then the body. */
function outputIn(response: BufferedResponse, { retry }: Endpoint): { value: unknown; problem?: string } {
  const { text, result } = response;
  if (typeof result === 'object') return result;
  const { isJson, value } = response.body;
  if (!isJson && retry !== 'safe' && isPlainText(text)) return { value: text.trim() };
  if (!isJson) return { value, problem: 'a body that is not JSON' };
  if (result === undefined) return { value };
  return { value, problem: value === undefined ? 'an empty body' : 'a body of another shape' };
}

/** Whether a text is neither HTML nor the beginning of JSON: then it can be the response to a write, which is done. */
function isPlainText(text: string): boolean {
  return !/^\s*[<{["]/.test(text);
}
