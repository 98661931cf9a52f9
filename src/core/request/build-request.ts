import { defined } from '../json/defined.js';
import type { Endpoint } from '../operation/endpoint.js';
import { ConfigurationError, InvalidInputError } from '../errors/errors.js';
import type { InternalOptions } from '../scope/call-options.js';
import { nearest } from '../options/nearest.js';
import { callRules, checkOptions } from '../options/resolve-options.js';
import { selectAttributes } from '../operation/attributes.js';
import { openFieldOf, shapeOf } from '../schema/describe.js';
import type { Issue } from '../errors/issue.js';
import type { Shape } from '../schema/schema.js';
import { validate } from '../schema/validate.js';
import { encode } from './encode.js';
import { lowerCaseNames } from './built-request.js';
import type { BuiltRequest } from './built-request.js';

/** What the requests of a client have in common. */
export interface RequestSettings {
  readonly options: { readonly baseUrl: string };
  /** Headers of every request, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Checks the input and the options of a call, and encodes its request. Nothing is sent.
 *
 * @throws {InvalidInputError} when the input or an option is wrong.
 */
export function buildRequest(
  endpoint: Endpoint,
  input: unknown,
  given: InternalOptions | undefined,
  runtime: RequestSettings,
): BuiltRequest {
  // First: if the input is no object, what follows it is most likely a part of it, and not the options.
  const parsed = checkInput(endpoint, input ?? {});
  const options = given === undefined ? {} : readOptions(given);
  const parts = encode(endpoint, parsed);
  const url = runtime.options.baseUrl + parts.target;
  return {
    endpoint,
    // Copied, because `confirm` needs the input later and the caller may have changed the object by then.
    input: endpoint.confirm && endpoint.requestBody !== 'multipart' ? structuredClone(parsed) : parsed,
    options,
    url: options.query || options.attributes ? extendedUrl(url, options) : url,
    headers: {
      ...runtime.headers,
      // The end of a compressed file does not always show that the file is incomplete.
      ...(endpoint.responseBody === 'stream' && { accept: '*/*', 'accept-encoding': 'identity' }),
      ...(parts.json !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
      ...options.headers,
      ...parts.headers,
    },
    body: parts.json,
    bodyValue: parts.body,
    output: options.attributes ? selectAttributes(endpoint, options.attributes) : endpoint.output,
  };
}

/** Checks the options of a call. Reading back a write needs its headers later, so they are copied, too. */
function readOptions(given: InternalOptions): InternalOptions {
  const options = checkOptions(given, callRules);
  return options.headers ? { ...options, headers: lowerCaseNames(options.headers) } : options;
}

/**
 * Checks an input as a call does.
 *
 * @throws {InvalidInputError} when it is wrong.
 */
export function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = validate(endpoint.input, input);
  if (!parsed.success) {
    const shape = shapeOf(endpoint.input);
    throw new InvalidInputError(parsed.issues.map((issue) => withHint(issue, shape)));
  }
  const { data } = parsed;
  if (typeof data === 'object' && data !== null) return data as Record<string, unknown>;
  throw new ConfigurationError('The input schema of the endpoint returned a value that is no object');
}

/** Adds a hint to the issue of an unknown field: it may be misspelt, or belong into `filters`, which accepts any name. */
function withHint(issue: Issue, shape: Shape): Issue {
  if (issue.path.length === 0) return { ...issue, message: issue.message.replace(/^the value /, 'the input ') };
  const name = issue.path.length === 1 ? String(issue.path[0]) : undefined;
  if (name === undefined || Object.hasOwn(shape, name)) return issue;
  const near = nearest(name, Object.keys(shape));
  if (near !== undefined) return { ...issue, message: `${issue.message}; did you mean \`${near}\`?` };
  const openField = openFieldOf(shape);
  return openField === undefined ? issue : { ...issue, message: `${issue.message}; give it in \`${openField}\`` };
}

/** Adds the query and the `attributes` of the call to a URL. */
function extendedUrl(given: string, { query = {}, attributes }: InternalOptions): string {
  const url = new URL(given);
  if (attributes) url.searchParams.set('attributes', attributes.join(','));
  for (const [name, value] of Object.entries(defined(query))) url.searchParams.set(name, String(value));
  return url.href;
}
