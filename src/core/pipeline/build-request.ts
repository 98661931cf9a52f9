import { selectAttributes } from '../schema/attributes.js';
import { CancelScope } from '../retry/cancel-scope.js';
import type { Endpoint } from '../endpoint.js';
import type { RequestContext, InternalOptions } from './request-context.js';
import { InvalidInputError } from '../errors/errors.js';
import { Events } from '../observability/events.js';
import type { SharedState } from './shared-state.js';
import { checkCallOptions } from '../options/resolve-options.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { encode } from '../serialization/request.js';
import type { RequestParts } from '../serialization/request.js';

/** What all calls of a client have in common. */
export interface ClientRuntime {
  readonly options: ResolvedOptions;
  readonly shared: SharedState;
  readonly events: Events;
  /** Sent with every call, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Stands for options that are not given, and need no check. */
export const noOptions: InternalOptions = {};

/** Puts together what all calls of a client have in common. */
export function createRuntime(options: ResolvedOptions, shared: SharedState): ClientRuntime {
  return {
    options,
    shared,
    events: new Events(options),
    headers: { accept: 'application/json', ...lowered(options.headers) },
  };
}

/**
 * Checks what a call is given, and lays its request out. Nothing is sent.
 *
 * @throws {InvalidInputError} when the input or an option is wrong.
 */
export function buildRequest(
  endpoint: Endpoint,
  given: unknown,
  options: InternalOptions,
  runtime: ClientRuntime,
): RequestContext {
  const startedAt = performance.now();
  if (options !== noOptions) checkCallOptions(options);
  const input = checkInput(endpoint, given ?? {});
  const parts = encode(endpoint, input);
  const body =
    parts.body === undefined || endpoint.requestBody === 'multipart' ? undefined : JSON.stringify(parts.body);
  const { shared, events } = runtime;
  const { baseUrl, deadlineMs } = runtime.options;
  return {
    endpoint,
    input,
    parts,
    url: urlOf(parts, options, runtime.options),
    headers: headersOf({ endpoint, parts, body, options }, runtime),
    body,
    output: options.attributes ? selectAttributes(endpoint, options.attributes) : endpoint.output,
    options,
    startedAt,
    scope: new CancelScope(`${endpoint.method} ${endpoint.path}`, options.signal, options.deadlineMs ?? deadlineMs),
    rateLimiter: shared.rateLimiterFor(options.accessToken),
    sequence: shared.nextSequence(),
    call: { endpoint, baseUrl },
    emit: events.sink,
    upload: undefined,
    token: undefined,
    firstSentAt: 0,
    renewed: false,
    resent: false,
  };
}

function checkInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = endpoint.input.safeParse(input);
  if (!parsed.success) throw new InvalidInputError(parsed.error.issues);
  return parsed.data as Record<string, unknown>;
}

function urlOf(
  { target }: RequestParts,
  { query, attributes }: InternalOptions,
  { baseUrl, query: always }: ResolvedOptions,
): string {
  if (!attributes && !query && !always) return baseUrl + target;
  const url = new URL(baseUrl + target);
  if (attributes) url.searchParams.set('attributes', attributes.join(','));
  for (const [name, value] of Object.entries({ ...always, ...query })) url.searchParams.set(name, String(value));
  return url.href;
}

function headersOf(
  { endpoint, parts, body, options }: Pick<RequestContext, 'endpoint' | 'parts' | 'body' | 'options'>,
  { headers }: ClientRuntime,
): Record<string, string> {
  return {
    ...headers,
    ...(endpoint.responseBody === 'stream' && { accept: '*/*' }),
    ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
    ...lowered(options.headers),
    ...parts.headers,
  };
}

/** Header names in lower case, so that one given in another case takes the place of ours. */
function lowered(headers: Readonly<Record<string, string>> | undefined): Record<string, string> | undefined {
  return headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
