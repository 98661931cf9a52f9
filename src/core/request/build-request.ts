import { ConfigurationError, InvalidInputError, type Issue } from '../errors/errors.js';
import { isSecretHeader, redactUrl, redactUserText, type SentSecrets } from '../errors/redactor.js';
import type { CurlOptions } from '../errors/seller-error.js';
import { defined } from '../json/json.js';
import { selectAttributes } from '../operation/api-promise.js';
import type { Endpoint } from '../operation/endpoint.js';
import { callRules, checkOptions, insteadInCall } from '../options/client-options.js';
import { bare, nearest, optionMeantBy } from '../options/rules.js';
import { validate } from '../schema/read.js';
import { openFieldOf, shapeOf, type Shape, type StandardSchema } from '../schema/schema.js';
import type { InternalOptions } from '../scope/call-options.js';
import { encode, jsonBody } from './encode.js';
import { version } from './version.js';

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
  const options = checkOptions(given, callRules, insteadInCall);
  return options.headers ? { ...options, headers: lowerCaseNames(options.headers) } : options;
}

/**
 * Checks an input as a call does.
 *
 * @throws {InvalidInputError} when it is wrong.
 */
export function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const checked = checkFields(endpoint.input, input, endpoint.query);
  if (typeof checked !== 'object' || checked === null)
    throw new ConfigurationError('The input schema of the endpoint returned a value that is no object');
  return checked as Record<string, unknown>;
}

/**
 * Checks the fields of an input; `sent` are the constant parameters of the query.
 *
 * @throws {InvalidInputError} when it is wrong.
 */
export function checkFields(schema: StandardSchema, input: unknown, sent: Endpoint['query'] = {}): unknown {
  if (typeof input === 'object' && input !== null && Symbol.iterator in input && !Array.isArray(input)) {
    const message = 'the input takes an object of fields; convert it with Object.fromEntries';
    throw new InvalidInputError([{ path: [], message }]);
  }
  const parsed = validate(schema, input);
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(withHints(parsed.issues, shapeOf(schema), sent, input));
}

/**
 * Says in one issue what one mistake is. An unknown field may be misspelt, or an option of the call, or what is always sent, or belong into
 * `filters`, which accepts any name. The field that was meant is not reported as missing.
 */
function withHints(
  issues: readonly Issue[],
  shape: Shape,
  sent: NonNullable<Endpoint['query']>,
  input: unknown,
): Issue[] {
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  const isGiven = (name: string): boolean => given[name] !== undefined;
  const missing = Object.keys(shape).filter((name) => !isGiven(name) && issues.some(({ path }) => path[0] === name));
  const meant = new Set<string>();
  const named = issues.map((issue): Issue => {
    const name = issue.path.length === 1 ? String(issue.path[0]) : undefined;
    if (issue.path.length === 0) return { ...issue, message: issue.message.replace(/^the value /, 'the input ') };
    if (name === undefined) return issue;
    if (Object.hasOwn(shape, name)) return { ...issue, message: issue.message + givenInstead(name, given, shape) };
    const near = nearest(name, Object.keys(shape));
    const names =
      near === undefined
        ? meantBy(
            name,
            missing,
            Object.keys(shape).filter((each) => !isGiven(each)),
          )
        : [near];
    for (const each of names) meant.add(each);
    return { ...issue, message: issue.message + hintFor(name, names, shape, sent) };
  });
  const isConsequence = ({ path: [name, ...inside] }: Issue): boolean =>
    name === undefined ? meant.size > 0 : inside.length === 0 && meant.has(String(name)) && !isGiven(String(name));
  return named.filter((issue) => !isConsequence(issue));
}

/** What to do with a field that there is not; `meant` are those that were probably meant. */
function hintFor(name: string, meant: readonly string[], shape: Shape, sent: NonNullable<Endpoint['query']>): string {
  if (meant.length > 0) return `; did you mean ${meant.map((each) => `\`${each}\``).join(' or ')}?`;
  if (Object.hasOwn(sent, name)) return '; it is always sent, so leave it out';
  const option = optionMeantBy(name, Object.keys(callRules));
  if (option !== undefined) return `; the option \`${option}\` is given in the second argument, beside the input`;
  const openField = openFieldOf(shape);
  return openField === undefined ? '' : `; give it in \`${openField}\``;
}

/** The fields that a name is a part of, as `id` and `item` are of `item_id`; otherwise the only id that is missing, for another id. */
function meantBy(name: string, missing: readonly string[], absent: readonly string[]): string[] {
  const words = name.split(/(?=[A-Z])|_/).map((word) => word.toLowerCase());
  const hasWords = (each: string): boolean => words.every((word) => each.split('_').includes(word));
  const ids = words.length > 1 && words.at(-1) === 'id' ? missing.filter((each) => each.endsWith('_id')) : [];
  const found = [missing.filter(hasWords), absent.filter(hasWords)].find((each) => each.length > 0) ?? ids;
  return found.length > 2 || (found === ids && ids.length > 1) ? [] : [...found];
}

/** An open input takes any name: the one that is given in another spelling. */
function givenInstead(name: string, given: Readonly<Record<string, unknown>>, shape: Shape): string {
  if (given[name] !== undefined) return '';
  const other = Object.keys(given).find((each) => !Object.hasOwn(shape, each) && bare(each) === bare(name));
  return other === undefined ? '' : `; \`${other}\` is given`;
}

/** Adds the query and the `attributes` of the call to a URL. */
function extendedUrl(given: string, { query = {}, attributes }: InternalOptions): string {
  const url = new URL(given);
  if (attributes) url.searchParams.set('attributes', attributes.join(','));
  for (const [name, value] of Object.entries(defined(query))) url.searchParams.set(name, String(value));
  return url.href;
}

/** A request as data: checked and encoded, without its token. */
export interface BuiltRequest {
  readonly endpoint: Endpoint;
  readonly input: Readonly<Record<string, unknown>>;
  /** The options of the call, as they were checked: the caller may change the object since. */
  readonly options: InternalOptions;
  readonly url: string;
  /** With names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON text of the body; `undefined` if there is no body or it is multipart. */
  readonly body: string | undefined;
  /** The value of the body before it is encoded. For a multipart body, the fields of the file. */
  readonly bodyValue: unknown;
  /** The schema of the response. */
  readonly output: StandardSchema;
}

/** The part of a call that is needed to explain how it ended. */
export interface SentCall extends SentSecrets {
  readonly request: Pick<BuiltRequest, 'endpoint' | 'input' | 'url' | 'headers'>;
  readonly attempts: number;
  /** Whether the body can be sent again: it does not come from a stream. */
  readonly isReplayable?: boolean;
}

/** Converts header names to lower case, so that a user's header replaces the default in any case. */
export function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Returns the `user-agent` of requests: this package and the runtime. `undefined` in browsers, where the header would cause a
 * CORS preflight for every request.
 */
export function userAgentOf(): string | undefined {
  const runtime = runtimeName();
  return runtime === undefined ? undefined : `marketplace-seller-sdk/${version} (${runtime})`;
}

/** The short `navigator.userAgent` of Node.js, Deno, Bun and Workers. In browsers it starts with `Mozilla/5.0`. */
function runtimeName(): string | undefined {
  const { navigator, process } = globalThis as {
    navigator?: { userAgent?: string };
    process?: { versions?: { node?: string } };
  };
  const name = navigator?.userAgent;
  if (name !== undefined) return /^(?!Mozilla)[\w./ -]{1,40}$/.test(name) ? name : undefined;
  // Node.js can be started without `navigator`.
  const node = process?.versions?.node;
  return node === undefined ? undefined : `Node.js/${node.split('.', 1)[0]}`;
}

/** Returns a request as a curl command for a POSIX shell, with its token masked. */
export function curlOf(
  { endpoint, url, headers, body, bodyValue }: BuiltRequest,
  hasToken: boolean,
  { texts = false }: CurlOptions,
): string {
  const shown = Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? '[redacted]' : value]);
  if (hasToken) shown.push(['authorization', 'Bearer [redacted]']);
  const data = texts ? body : body && jsonBody(bodyValue, redactUserText);
  return [
    `curl -X ${endpoint.method} ${quoted(redactUrl(url))}`,
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(data === undefined ? [] : [`--data-raw ${quoted(data)}`]),
  ].join(' \\\n  ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
