import { pageOfError } from '../../core/errors/seller-error.js';
import type { Bytes } from '../../core/files/file-source.js';
import { parseJson as parseExactly } from '../../core/json/json.js';
import type { DocumentedError } from '../../core/operation/documented-error.js';
import type { DescribedEndpoint, Endpoint } from '../../core/operation/endpoint.js';
import { nesting } from '../../notifications/http/request.js';
import type { Accounts, Bearer } from '../state/accounts.js';
import { paramsOf, type Routes } from './routes.js';

/** A call of the marketplace: a request, and what it asks for. */
export interface Call {
  readonly request: Request;
  readonly path: string;
  readonly query: URLSearchParams;
  /** `undefined` if there is none of this method and path. */
  readonly endpoint: DescribedEndpoint | undefined;
  /** The path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller; `undefined` without a valid token. */
  readonly bearer: Bearer | undefined;
  /** A copy of the body, for what does not handle the call. */
  readonly copied: RequestBody;
}

/** Wraps the handling of every call. */
export type Interceptor = (call: Call, next: () => Promise<Response>) => Promise<Response>;

/** Reads what a request asks for. The request stays unread. */
export async function readCall(request: Request, accounts: Accounts, routes: Routes): Promise<Call> {
  const { pathname: path, searchParams: query } = new URL(request.url);
  const endpoint = routes.of(request.method, path);
  return {
    request,
    path,
    query,
    endpoint,
    params: (endpoint && paramsOf(endpoint, path)) ?? {},
    bearer: accounts.bearerOf(bearerToken(request.headers) ?? ''),
    copied: await copyBody(request),
  };
}

/** Returns the token of an `Authorization: Bearer` header, in upper or lower case; `undefined` for other headers. */
export function bearerToken(headers: Headers): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.get('authorization')?.trim() ?? '')?.[1];
}

/**
 * Handles the calls of an endpoint, like the service.
 *
 * It returns the body of a 200 or a `HandlerResponse`, or throws an `ErrorResponse`.
 */
export type EndpointHandler = (call: Call) => unknown;

/** One handler per endpoint of a group. */
export type EndpointHandlers<Group> = {
  readonly [K in keyof Group]: Group[K] extends Endpoint ? EndpointHandler : EndpointHandlers<Group[K]>;
};

/** A response other than a plain 200 with a JSON body. */
export class HandlerResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** 204 without a body. */
export const noContent = new HandlerResponse(204);

/** An error response; handlers throw it. */
export class ErrorResponse extends HandlerResponse {
  /** The documented error by which the handler rejects, and where the documentation has it; `undefined` for what has none. */
  readonly rule: string | undefined;

  constructor(status: number, body: unknown, headers?: Readonly<Record<string, string>>, rule?: string) {
    super(status, body, headers);
    this.rule = rule;
  }
}

/** The rule by which a request was rejected. */
export const refusals = new WeakMap<Request, string>();

/** Values that replace those of a documented error. */
export type ErrorOverrides = Readonly<{
  message?: string | undefined;
  code?: string | undefined;
  cause?: unknown;
}>;

/** Creates the response of a documented error. */
export function errorResponse(
  error: Omit<DocumentedError, 'error'> & Partial<Pick<DocumentedError, 'error'>>,
  overrides: ErrorOverrides = {},
  headers?: Readonly<Record<string, string>>,
): ErrorResponse {
  const { status, error: type } = error;
  const body = {
    message: overrides.message ?? error.message,
    error: overrides.code ?? error.code ?? codeOfStatus(status),
    status,
    cause: overrides.cause ?? error.cause ?? [],
  };
  const rule = type && `${type.kind}: ${error.condition ?? error.message} (docs/errors/${pageOfError(type.kind)})`;
  return new ErrorResponse(status, body, headers, rule);
}

function codeOfStatus(status: number): string {
  const reasons: Readonly<Record<number, string>> = {
    400: 'bad_request',
    401: 'unauthorized',
    403: 'forbidden',
    404: 'not_found',
    405: 'method_not_allowed',
    409: 'conflict',
    413: 'request_entity_too_large',
    422: 'unprocessable_entity',
    429: 'too_many_requests',
    500: 'internal_server_error',
    502: 'bad_gateway',
  };
  return reasons[status] ?? `status_${status}`;
}

/** 400: the request is invalid. */
export const badRequest = (message: string): ErrorResponse => errorResponse({ status: 400, message });
/** 401: the call has no valid token. */
export const unauthorized = (code: string, message: string): ErrorResponse =>
  errorResponse({ status: 401, code, message });
/** 403: the caller is not allowed to do this. */
export const forbidden = (message: string): ErrorResponse => errorResponse({ status: 403, message });
/** 404: it does not exist. */
export const notFound = (message: string): ErrorResponse => errorResponse({ status: 404, message });

/** Returns what was found. @throws {ErrorResponse} 404 that says what does not exist */
export function foundOrThrow<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw notFound(`${what} does not exist`);
  return found;
}

/** Returns the caller. @throws {ErrorResponse} 401 without a token */
export function bearerOrThrow({ bearer }: Pick<Call, 'bearer'>): Bearer {
  if (!bearer) throw unauthorized('unauthorized', 'Access token is required');
  return bearer;
}

/** What a handler or a fault sends. */
type Sendable = Pick<HandlerResponse, 'status' | 'body' | 'headers'>;

/** A JSON response with its value and its text. It has no body before it leaves the marketplace: a stream takes a fifth of a simulated call. */
export class JsonResponse extends Response {
  readonly value: unknown;
  readonly content: string;

  constructor(value: unknown, { status, headers }: Omit<Sendable, 'body'>) {
    super(null, { status, headers: { 'content-type': 'application/json', ...headers } });
    this.value = value;
    this.content = JSON.stringify(value);
  }
}

/** Returns a response as it leaves the marketplace. */
export function withBody(response: Response): Response {
  return response instanceof JsonResponse ? new Response(response.content, response) : response;
}

/** Creates a response with the standard body of an error. */
export function errorJson(status: number, message: string): Response {
  return Response.json(errorResponse({ status, message }).body, { status });
}

/** Creates the response to a call: JSON, nothing, or JSONP if the call asks for it. */
export function respond({ query }: Call, { status, body, headers }: Sendable): Response {
  const callback = query.get('callback');
  if (callback !== null) return asJsonp(callback, { status, body, headers });
  if (body instanceof Response) return body;
  if (body === undefined) return new Response(null, { status, headers });
  return new JsonResponse(body, { status, headers });
}

/** Wraps a response as JSONP: HTTP 200 with the real status inside. Spec: Common conventions 2. */
function asJsonp(callback: string, { status, body = null, headers }: Sendable): Response {
  // Only an identifier is accepted: with any other text, the caller could inject a script.
  const name = /^[\w$.]{1,100}$/.test(callback) ? callback : 'callback';
  // A script cannot contain the bytes of a file.
  const value = body instanceof Response ? null : body;
  const content = JSON.stringify([status, { 'Content-Type': 'application/json', ...headers }, value]);
  return new Response(`${name}(${content});`, {
    headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
  });
}

const maxRecordedBytes = 1024 * 1024;

/** The body of a request, read from a copy. */
interface RequestBody {
  /** The JSON value or the text; `undefined` if there is no body, it is a file upload or it exceeds 1 MB. */
  readonly value: unknown;
  /** The size of the text, in bytes. */
  readonly size: number;
}

const noBody: RequestBody = { value: undefined, size: 0 };

/** Reads the body of a request as JSON or text, unless it is large or a file upload. The request stays unread. */
async function copyBody(request: Request): Promise<RequestBody> {
  if (!request.body) return noBody;
  const isMultipart = (request.headers.get('content-type') ?? '').startsWith('multipart/');
  if (isMultipart || Number(request.headers.get('content-length') ?? 0) > maxRecordedBytes) return noBody;
  const bytes = await readUpTo(request.clone(), maxRecordedBytes).catch(() => undefined);
  if (bytes === undefined || bytes.byteLength === 0) return noBody;
  return { value: jsonOrText(new TextDecoder().decode(bytes)), size: bytes.byteLength };
}

/** Reads a body; `undefined` if it exceeds `maxBytes`. */
export async function readUpTo(body: Request, maxBytes: number): Promise<Bytes | undefined> {
  const reader = body.body?.getReader();
  const chunks: Bytes[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    size += value.byteLength;
    chunks.push(value);
    if (size <= maxBytes) continue;
    // The promise of `cancel` is not awaited: it resolves only after the other copy of the body is read.
    void reader?.cancel().catch(() => undefined);
    return undefined;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

/** Reads a form. An invalid form counts as empty. */
export function formOf(bytes: Bytes, headers: Headers): Promise<FormData> {
  const type = headers.get('content-type') ?? '';
  return new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => new FormData());
}

/** The fields of a form. */
export type FormFields = Readonly<Record<string, string | undefined>>;

/** Reads the fields of a form, or of a JSON object, from the copy of a body. */
export function formFieldsOf(body: unknown): FormFields {
  if (typeof body === 'string') return Object.fromEntries(new URLSearchParams(body));
  const entries = Object.entries((body ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The JSON value of a text, or the text. */
export function jsonOrText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The maximum depth: more than any documented body has, and not too deep for recursive functions. */
const maxDepth = 100;

/**
 * Parses JSON. An integer beyond 2^53 becomes a string of digits.
 *
 * @throws {SyntaxError} when it is invalid or nested more than 100 levels deep
 */
export function parseJson(text: string): unknown {
  if (nesting(text) > maxDepth) throw new SyntaxError(`the JSON is nested more than ${maxDepth} levels deep`);
  return parseExactly(text);
}
