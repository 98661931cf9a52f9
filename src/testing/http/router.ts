import type { Endpoint } from '../../core/endpoint.js';
import { parseJson } from '../../core/serialization/json.js';
import { validate } from '../../core/schema/standard-schema.js';
import { matchPath } from '../../core/serialization/path-template.js';
import { decode } from '../../core/serialization/request.js';
import type { Accounts } from '../state/accounts.js';
import { ErrorResponse, HandlerResponse, errorResponse } from './handler.js';
import type { EndpointHandlers, HandlerInfo, ResourceConventions } from './handler.js';
import type { Clock } from '../clock.js';
import { asJsonp, pickAttributes } from './conventions.js';
import { FakeMarketplaceError } from '../errors.js';
import { describePath } from './options-response.js';

type AnyHandler = (input: unknown, context: HandlerInfo) => unknown;

interface Route {
  readonly endpoint: Endpoint;
  readonly handler: AnyHandler;
  readonly conventions: ResourceConventions;
}

/** Wraps the handling of every request. */
export type Interceptor = (
  request: Request,
  endpoint: Endpoint | undefined,
  next: () => Promise<Response>,
) => Promise<Response>;

/** Routes a request to the handler of its endpoint and applies the conventions that all resources share. */
export class Router {
  readonly #routes: Route[] = [];
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #failures = new Map<string, ErrorResponse[]>();
  readonly interceptors: Interceptor[] = [];

  constructor(accounts: Accounts, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Adds a group of endpoints with their handlers. */
  add<Group extends object>(
    group: Group,
    handlers: EndpointHandlers<Group>,
    conventions: ResourceConventions = {},
  ): void {
    for (const [name, entry] of Object.entries(group)) {
      const handler = (handlers as Record<string, unknown>)[name];
      if (isEndpoint(entry)) this.#routes.push({ endpoint: entry, handler: handler as AnyHandler, conventions });
      else this.add(entry as object, handler as EndpointHandlers<object>, conventions);
    }
    this.#routes.sort((a, b) => fixedSegments(b.endpoint) - fixedSegments(a.endpoint));
  }

  get endpoints(): readonly Endpoint[] {
    return this.#routes.map(({ endpoint }) => endpoint);
  }

  /** Makes the next call of the endpoint fail. */
  failNext(endpoint: Endpoint, response: ErrorResponse): void {
    if (!this.#routes.some((route) => route.endpoint.name === endpoint.name)) {
      throw new FakeMarketplaceError(`there is no endpoint ${endpoint.name}`);
    }
    this.#failures.set(endpoint.name, [...(this.#failures.get(endpoint.name) ?? []), response]);
  }

  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const route = this.#find(request.method, url.pathname);
    const respond = (): Promise<Response> => this.#respond(request, url, route);
    const chain = this.interceptors.reduceRight<() => Promise<Response>>(
      (next, interceptor) => () => interceptor(request, route?.endpoint, next),
      respond,
    );
    return chain();
  }

  #find(method: string, path: string): Route | undefined {
    return this.#routes.find(
      ({ endpoint }) => endpoint.method === method && matchPath(endpoint.path, path) !== undefined,
    );
  }

  async #respond(request: Request, url: URL, route: Route | undefined): Promise<Response> {
    const response = await this.#handle(request, url, route);
    const callback = url.searchParams.get('callback');
    // The Date of the marketplace's clock: a client compares timestamps with it.
    const date = new Date(this.#clock.ms).toUTCString();
    const headers = { 'x-request-id': crypto.randomUUID(), date, ...response.headers };
    if (callback !== null) return asJsonp(callback, response, headers);
    if (response.body instanceof Response) return response.body;
    if (response.body === undefined) return new Response(null, { status: response.status, headers });
    return Response.json(response.body, { status: response.status, headers });
  }

  async #handle(request: Request, url: URL, route: Route | undefined): Promise<HandlerResponse> {
    try {
      const bearer = this.#bearer(request);
      if (request.method === 'OPTIONS') return this.#describe(url.pathname);
      if (!route) throw this.#noRoute(request.method, url.pathname);
      const failure = this.#failures.get(route.endpoint.name)?.shift();
      if (failure) throw failure;
      const input = await readInput(request, url, route);
      const result = await route.handler(input, { request, endpoint: route.endpoint, bearer, clock: this.#clock });
      const response = result instanceof HandlerResponse ? result : new HandlerResponse(200, result);
      assertOutput(route.endpoint, response);
      const body = pickAttributes(response.body, url.searchParams.get('attributes'));
      return new HandlerResponse(response.status, body, response.headers);
    } catch (error) {
      if (error instanceof ErrorResponse) return new HandlerResponse(error.status, error.body, error.headers);
      throw error;
    }
  }

  #bearer(request: Request): HandlerInfo['bearer'] {
    const header = request.headers.get('authorization');
    if (header === null) return undefined;
    const bearer = this.#accounts.bearerOf(header.replace(/^Bearer /, ''));
    if (!bearer) throw errorResponse({ status: 401, code: 'invalid_token', message: 'The access token is not valid' });
    return bearer;
  }

  #describe(path: string): HandlerResponse {
    const description = describePath(path, this.#routes);
    if (!description) throw errorResponse({ status: 404, code: 'not_found', message: `There is no resource ${path}` });
    return new HandlerResponse(200, description);
  }

  #noRoute(method: string, path: string): ErrorResponse {
    const others = this.#routes.filter(({ endpoint }) => matchPath(endpoint.path, path) !== undefined);
    if (others.length === 0)
      return errorResponse({ status: 404, code: 'not_found', message: `There is no resource ${path}` });
    return errorResponse({ status: 405, code: 'method_not_allowed', message: `${method} is not allowed on ${path}` });
  }
}

/** Reads the input of a call. @throws {ErrorResponse} when it is invalid */
async function readInput(request: Request, url: URL, { endpoint, conventions }: Route): Promise<unknown> {
  const missing = Object.entries(endpoint.query ?? {}).find(([name, value]) => url.searchParams.get(name) !== value);
  // Wire notes 10: without its tag the resource is not found.
  if (missing) throw errorResponse({ status: 404, code: 'not_found', message: `There is no resource ${url.pathname}` });
  const conventionParams = new Set(['attributes', 'callback']);
  const query = new URLSearchParams([...url.searchParams].filter(([name]) => !conventionParams.has(name)));
  const body =
    endpoint.requestBody === 'multipart' ? await readForm(request) : await readJson(request, endpoint, conventions);
  const parsed = validate(
    endpoint.input,
    decode(endpoint, { path: url.pathname, query, headers: request.headers, body }),
  );
  if (parsed.success) return parsed.data;
  const { issues } = parsed;
  const message = issues.map((issue) => issue.message).join('; ');
  throw conventions.onInvalidInput?.(endpoint, issues) ?? errorResponse({ status: 400, code: 'bad_request', message });
}

/** Reads the fields of a multipart body; none when it is not one. */
async function readForm(request: Request): Promise<object> {
  const form = await request.formData().catch(() => new FormData());
  const file = form.get('file');
  return file instanceof File ? { file, filename: file.name } : {};
}

async function readJson(request: Request, endpoint: Endpoint, conventions: ResourceConventions): Promise<unknown> {
  const text = await request.text();
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw (
      conventions.onInvalidInput?.(endpoint, []) ??
      errorResponse({ status: 400, code: 'bad_request', message: 'invalid JSON body' })
    );
  }
}

/** Checks a response against the client's schema. @throws {FakeMarketplaceError} when the fake has a bug */
function assertOutput(endpoint: Endpoint, response: HandlerResponse): void {
  if (response.body instanceof Response || endpoint.responseBody === 'stream') return;
  const parsed = validate(endpoint.output, response.body);
  if (parsed.success) return;
  const issues = parsed.issues.map(({ message }) => message).join('; ');
  throw new FakeMarketplaceError(`the response of ${endpoint.name} does not match its schema: ${issues}`);
}

/** Fixed segments win over parameters: `/questions/search` is not a question. */
function fixedSegments(endpoint: Endpoint): number {
  return endpoint.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length;
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
