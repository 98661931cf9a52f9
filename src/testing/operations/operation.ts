import type { Bearer } from '../state/accounts.js';
import { exact } from '../../core/json/json.js';
import type { DocumentedError } from '../../core/operation/documented-error.js';
import { hasBody, type Endpoint } from '../../core/operation/endpoint.js';
import { endpointError } from '../../core/options/rules.js';
import * as s from '../../core/schema/define.js';
import { validate } from '../../core/schema/read.js';
import { openFieldOf, shapeOf, unwrapped, type Schema, type StandardSchema } from '../../core/schema/schema.js';
import { assertFields, FakeMarketplaceError } from '../errors.js';
import { badRequest, bearerOrThrow, errorResponse, HandlerResponse, formOf, readUpTo } from '../http/handler.js';
import type { Call, EndpointHandler, ErrorOverrides } from '../http/handler.js';
import { readJsonObject, type JsonObject } from '../http/read-request.js';
import { matchPath } from '../http/routes.js';
import { from } from '../settings.js';

/** An operation of your own: an endpoint that `seller.call` takes, and how the marketplace responds to it. */
export interface Operation<In = unknown, Marketplace = unknown> {
  readonly endpoint: Endpoint<In>;
  /** Whether a call needs no token. @default false: without a token, it gets a 401 */
  readonly public?: boolean | undefined;
  /**
   * Returns the body of the response, which the endpoint's `output` must accept, or a `Response` with a status of its own.
   * To reject a call, it calls `reject`.
   */
  handle(call: OperationCall<In>, marketplace: Marketplace): unknown;
}

/** A call of an operation of your own. */
export interface OperationCall<In = unknown> {
  readonly request: Request;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller; `undefined` without a valid token. */
  readonly bearer: Bearer | undefined;
  /** The input of the call: path, query, headers and body, checked by the endpoint's `input`. */
  readonly input: In;
  /** Ends the call with an error response; `overrides` replace some of its fields. */
  readonly reject: (error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides) => never;
}

/** @throws {FakeMarketplaceError} when an operation is incomplete, as JavaScript code can write it */
export function assertOperation(operation: Operation): void {
  assertFields('an operation', operation, ['endpoint', 'handle', 'public']);
  const wrong = endpointError(operation.endpoint);
  if (wrong) throw new FakeMarketplaceError(wrong.message.replace('Not sent: ', ''));
  if (typeof operation.handle !== 'function')
    throw new FakeMarketplaceError(`the operation ${operation.endpoint.name} needs a function \`handle\``);
}

/** Creates the handler of an operation. */
export function handlerOf(operation: Operation, marketplace: unknown): EndpointHandler {
  const { endpoint } = operation;
  return async (call) => {
    if (!operation.public) bearerOrThrow(call);
    const { request, path, query, params, bearer } = call;
    const input = await readInput(endpoint, call);
    const given = { request, path, query, params, bearer, input, reject };
    try {
      return await toHandlerResponse(await operation.handle(given, marketplace));
    } catch (error) {
      if (error instanceof HandlerResponse) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new FakeMarketplaceError(`the handler of ${endpoint.name} failed: ${reason}`, { cause: error });
    }
  };
}

function reject(error: Omit<DocumentedError, 'error'>, overrides?: ErrorOverrides): never {
  throw errorResponse(error, overrides);
}

/** JSON is read, so that it is checked and recorded like any other body. */
async function toHandlerResponse(result: unknown): Promise<HandlerResponse> {
  if (!(result instanceof Response)) return new HandlerResponse(result === undefined ? 204 : 200, result);
  const { 'content-type': type = '', ...headers } = Object.fromEntries(result.headers);
  if (!type.includes('json')) return new HandlerResponse(result.status, result.body ? result : undefined, headers);
  return new HandlerResponse(result.status, await result.json(), headers);
}

/** What a text in a path, a query or a header can stand for, besides itself. */
const readings: readonly ((text: string) => unknown)[] = [
  dateOf,
  numberOf,
  (text) => (text === 'true' || text === 'false' ? text === 'true' : text),
  (text) => text.split(','),
  (text) => text.split(',').map(numberOf),
];

/**
 * Reads the input of a call of any endpoint, and checks it with the endpoint's schema. A text that the schema rejects is
 * read as the number, the boolean, the list or the date that it stands for.
 *
 * @throws {ErrorResponse} 400 that says what the schema rejects
 */
async function readInput(endpoint: Endpoint, call: Call): Promise<unknown> {
  const input = { ...(await sentIn(endpoint, call)) };
  const texts = textsIn(endpoint, call);
  let parsed = validate(endpoint.input, input);
  for (const reading of readings) {
    if (parsed.success) break;
    const rejected = new Set(parsed.issues.map(({ path }) => path[0]));
    for (const [name, value] of Object.entries(input).filter(([name]) => rejected.has(name))) {
      const text = texts[name];
      // In a body, only a date becomes a text.
      if (text !== undefined) input[name] = reading(text);
      else if (typeof value === 'string') input[name] = dateOf(value);
    }
    parsed = validate(endpoint.input, input);
  }
  if (parsed.success) return parsed.data;
  const reasons = parsed.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw badRequest(`the input of ${endpoint.name} is invalid: ${reasons.join('; ')}`);
}

/** The fields of a request that are sent as text. */
function textsIn({ inHeader = {} }: Endpoint, { query, params, request }: Call): Readonly<Record<string, string>> {
  const headers = Object.entries(inHeader).map(([name, header]) => [name, request.headers.get(header) ?? ''] as const);
  return { ...Object.fromEntries([...query, ...headers]), ...params };
}

/** Collects the fields of a request. A schema whose fields are not known gets all that were sent. */
async function sentIn(endpoint: Endpoint, call: Call): Promise<JsonObject> {
  const { path, query, request } = call;
  const sent = { path, query, headers: request.headers, body: await bodyOf(endpoint, request) };
  const decoded = decode(endpoint, sent);
  if (Object.keys(shapeOf(endpoint.input)).length > 0) return decoded;
  const conventions = ['attributes', 'callback', ...Object.keys(endpoint.query ?? {})];
  const parameters = [...query].filter(([name]) => !conventions.includes(name));
  return { ...Object.fromEntries(parameters), ...decoded };
}

async function bodyOf(endpoint: Endpoint, request: Request): Promise<JsonObject> {
  if (!request.body) return {};
  // The handler may read the request itself.
  const copy = request.clone();
  if (endpoint.requestBody !== 'multipart') return readJsonObject({ request: copy });
  const bytes = await readUpTo(copy, maxFormBytes);
  if (!bytes) throw badRequest(`the form is larger than ${maxFormBytes} bytes`);
  return Object.fromEntries(await formOf(bytes, request.headers));
}

/** Larger than any upload of the service. */
const maxFormBytes = 32 * 1024 * 1024;

function dateOf(text: string): unknown {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text) : text;
}

function numberOf(text: string): unknown {
  const value = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : NaN;
  return Number.isNaN(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER ? text : value;
}

const path = s.refine(s.string, (value) =>
  /^\/[^?#\s]*$/.test(value) ? undefined : 'a path begins with / and has no query, e.g. "/orders/{order_id}"',
);

/** A fixed response, or several in turn, to the calls of a path. */
export interface Stub {
  /** Names it in faults and filters. @default method and path, e.g. `GET /orders/{order_id}` */
  readonly name?: string | undefined;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, in which `{order_id}` stands for any segment. */
  readonly path: string;
  /** Whether a call needs no token. @default false: without a token, it gets a 401 */
  readonly public?: boolean | undefined;
  /** The status of the response. @default 200 */
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** The JSON of the response. @default none */
  readonly body?: unknown;
  /** The bodies of the first call, the second one, and so on; the last one stays. */
  readonly bodies?: readonly unknown[] | undefined;
}

/** The schema of a stub. */
export const stub: Schema<Stub> = s.strictObject({
  name: s.optional(s.refine(s.string, (value) => (value.trim() === '' ? 'a name is not empty' : undefined))),
  method: s.enumOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path,
  public: s.optional(s.boolean),
  status: s.optional(from(200, 599)),
  headers: s.optional(s.record),
  body: s.optional(s.unknown),
  bodies: s.optional(s.array(s.unknown)),
});

/** Returns the name of a stub in faults and filters. */
export function nameOfStub({ name, method, path: template }: Stub): string {
  return name ?? `${method} ${template}`;
}

/** Creates the handler of a stub. @throws {FakeMarketplaceError} when no server can send its response */
export function handlerOfStub({ status = 200, headers = {}, body, bodies, public: isPublic }: Stub): EndpointHandler {
  if (body !== undefined && bodies !== undefined)
    throw new FakeMarketplaceError('`body` and `bodies` exclude each other');
  if (bodies?.length === 0) throw new FakeMarketplaceError('`bodies` has at least one entry');
  const all = bodies ?? [body];
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  assertSendable(status, all, texts);
  let calls = 0;
  return (call) => {
    if (!isPublic) bearerOrThrow(call);
    calls += 1;
    return new HandlerResponse(status, all[Math.min(calls, all.length) - 1], texts);
  };
}

/** @throws {FakeMarketplaceError} that names what cannot be sent */
function assertSendable(status: number, bodies: readonly unknown[], headers: Readonly<Record<string, string>>): void {
  const hasBody = bodies.some((body) => body !== undefined);
  if (hasBody && [204, 205, 304].includes(status))
    throw new FakeMarketplaceError(`\`body\`: a response with status ${status} has none`);
  try {
    new Headers(headers);
  } catch {
    throw new FakeMarketplaceError('`headers` are HTTP headers: names and texts');
  }
}

/**
 * The reverse of `encode`: reads the input from a request. The input schema must then check it.
 */
export function decode(
  endpoint: Endpoint,
  sent: { path: string; query: URLSearchParams; headers: Headers; body?: unknown },
): Readonly<Record<string, unknown>> {
  const shape = shapeOf(endpoint.input);
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(matchPath(endpoint.path, sent.path) ?? {}))
    input[name] = endpoint.path.includes(`{${name}*}`)
      ? `/${value}`
      : shape[name]
        ? fromText(shape[name], value)
        : value;
  for (const [name, header] of Object.entries(endpoint.inHeader ?? {})) {
    const value = sent.headers.get(header);
    if (value !== null) input[name] = shape[name] ? fromText(shape[name], value) : value;
  }
  const isBodyless = !hasBody(endpoint.method);
  const spread = openFieldOf(shape);
  for (const [name, value] of sent.query) {
    if (endpoint.query?.[name] !== undefined) continue;
    const field = shape[name];
    if (field && (isBodyless || endpoint.inQuery?.includes(name))) input[name] = fromText(field, value);
    else if (spread && isBodyless) input[spread] = { ...(input[spread] as object | undefined), [name]: value };
  }
  return typeof sent.body === 'object' && sent.body !== null ? { ...sent.body, ...input } : input;
}

function fromText(field: StandardSchema, value: string): unknown {
  switch (unwrapped(field).kind) {
    case 'array':
      return value === '' ? [] : value.split(',');
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    case 'integer':
    case 'int64':
      return exact(value);
    default:
      return value;
  }
}
