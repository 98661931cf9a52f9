import type { DescribedEndpoint, Endpoint } from '../../core/endpoint.js';
import { isEndpoint } from '../../core/list-endpoints.js';
import { validate } from '../../core/schema/validate.js';
import type { Clock } from '../clock.js';
import { FakeMarketplaceError } from '../errors.js';
import { nearest } from '../nearest.js';
import type { MarketplaceSettings } from '../settings.js';
import type { Accounts, Bearer } from '../state/accounts.js';
import { bearerToken } from './authorization.js';
import { asJsonp, pickAttributes } from './conventions.js';
import { ErrorResponse, HandlerResponse, errorResponse, notFound, unauthorized } from './handler.js';
import type { EndpointHandler, EndpointHandlers } from './handler.js';
import { matchRoute } from './match-route.js';
import { OddResponses } from './odd-responses.js';
import { describePath } from './options-response.js';
import { jsonResponse } from './recorded-body.js';

interface Route {
  readonly endpoint: DescribedEndpoint;
  readonly handler: EndpointHandler;
}

/** Wraps the handling of every request. */
export type Interceptor = (
  request: Request,
  endpoint: Endpoint | undefined,
  next: () => Promise<Response>,
) => Promise<Response>;

/** What the router needs from the marketplace. */
export interface RouterOptions {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly settings: MarketplaceSettings;
  readonly interceptors: readonly Interceptor[];
}

/** Routes a request to the handler of its endpoint and applies the conventions that all resources share. */
export class Router {
  readonly #routes: Route[] = [];
  readonly #options: RouterOptions;
  readonly #extraRoutes = new Map<string, (request: Request) => Promise<HandlerResponse>>();
  readonly #failures = new Map<string, ErrorResponse[]>();

  readonly #odd: OddResponses;

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#odd = new OddResponses(options.settings);
  }

  /** Adds a group of endpoints with their handlers. */
  add<Group extends object>(group: Group, handlers: EndpointHandlers<Group>): void {
    for (const [name, entry] of Object.entries(group) as [string, object][]) {
      const handler = (handlers as Record<string, unknown>)[name];
      if (isEndpoint(entry)) this.#routes.push({ endpoint: entry, handler: handler as EndpointHandler });
      else this.add(entry, handler as EndpointHandlers<object>);
    }
    this.#routes.sort((a, b) => fixedSegments(b.endpoint) - fixedSegments(a.endpoint));
  }

  /** Adds a route of the service that the client has no endpoint for. */
  addRoute(method: string, path: string, handler: (request: Request) => Promise<HandlerResponse>): void {
    this.#extraRoutes.set(`${method} ${path}`, handler);
  }

  /** Makes the next call of the endpoint fail. */
  failNext(endpoint: Endpoint, response: ErrorResponse): void {
    const names = this.#routes.map((route) => route.endpoint.name);
    if (!names.includes(endpoint.name)) {
      const near = nearest(endpoint.name, names);
      const hint = near === undefined ? '' : `; did you mean ${near}?`;
      throw new FakeMarketplaceError(`there is no endpoint ${endpoint.name}${hint}`);
    }
    this.#failures.set(endpoint.name, [...(this.#failures.get(endpoint.name) ?? []), response]);
  }

  /** Returns the endpoint of a request. */
  endpointOf(method: string, pathname: string): Endpoint | undefined {
    return this.#find(method, pathname)?.endpoint;
  }

  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const route = this.#find(request.method, url.pathname);
    const respond = (): Promise<Response> => this.#respond(request, url, route);
    const chain = this.#options.interceptors.reduceRight<() => Promise<Response>>(
      (next, interceptor) => () => interceptor(request, route?.endpoint, next),
      respond,
    );
    return withCors(request, await chain(), this.#options.settings.cors);
  }

  #find(method: string, path: string): Route | undefined {
    return this.#routes.find(({ endpoint }) => takes(endpoint, method) && matchRoute(endpoint, path) !== undefined);
  }

  async #respond(request: Request, url: URL, route: Route | undefined): Promise<Response> {
    const plain = await this.#handle(request, url, route);
    const callback = url.searchParams.get('callback');
    const response = callback === null ? this.#odd.apply(route?.endpoint, plain) : plain;
    if (response instanceof Response) return response;
    // The Date of the marketplace's clock: a client compares timestamps with it.
    const date = new Date(this.#options.clock.ms).toUTCString();
    const headers = { 'x-request-id': crypto.randomUUID(), date, ...response.headers };
    const isFile = response.body instanceof Response;
    // A JSONP script cannot contain the bytes of a file.
    if (callback !== null) return asJsonp(callback, isFile ? new HandlerResponse(200) : response, headers);
    if (response.body instanceof Response) return response.body;
    if (response.body === undefined) return new Response(null, { status: response.status, headers });
    return jsonResponse(response.body, { status: response.status, headers });
  }

  async #handle(request: Request, url: URL, route: Route | undefined): Promise<HandlerResponse> {
    try {
      if (request.method === 'OPTIONS') return this.#describe(request, url.pathname);
      const extra = this.#extraRoutes.get(`${request.method} ${url.pathname}`);
      if (extra) return await extra(request);
      const bearer = this.#bearer(request);
      if (!route) throw this.#noRoute(request.method, url.pathname);
      const { endpoint, handler } = route;
      const failure = this.#failures.get(endpoint.name)?.shift();
      if (failure) throw failure;
      this.#assertTag(endpoint, url);
      const params = matchRoute(endpoint, url.pathname) ?? {};
      const result = await handler({ request, endpoint, params, query: url.searchParams, bearer });
      const response = result instanceof HandlerResponse ? result : new HandlerResponse(200, result);
      assertOutput(endpoint, response);
      const body = pickAttributes(response.body, url.searchParams.get('attributes'));
      return new HandlerResponse(response.status, body, response.headers);
    } catch (error) {
      if (error instanceof ErrorResponse) return new HandlerResponse(error.status, error.body, error.headers);
      throw error;
    }
  }

  /** Returns the caller. @throws {ErrorResponse} 401 when the header is not a valid bearer token */
  #bearer(request: Request): Bearer | undefined {
    if (!request.headers.has('authorization')) return undefined;
    const token = bearerToken(request.headers);
    if (token === undefined) throw unauthorized('invalid_token', 'The Authorization header must be Bearer <token>');
    const bearer = this.#options.accounts.bearerOf(token);
    if (bearer) return bearer;
    const reason = this.#options.accounts.isExpired(token) ? 'has expired' : 'is not valid';
    throw unauthorized('invalid_token', `The access token ${reason}`);
  }

  /** Wire notes 10: a call below `/messages` without its tag is not found. @throws {ErrorResponse} 404 */
  #assertTag({ name, query }: Endpoint, url: URL): void {
    const tag = query?.tag;
    if (tag === undefined || url.searchParams.get('tag') === tag) return;
    if (this.#options.settings.postSaleTag === 'documented' && !documentedTags.has(name)) return;
    throw notFound(`There is no resource ${url.pathname} without the query parameter tag=${tag}`);
  }

  #describe(request: Request, path: string): HandlerResponse {
    if (this.#options.settings.cors && request.headers.has('access-control-request-method')) {
      return new HandlerResponse(204);
    }
    const description = describePath(
      path,
      this.#routes.map(({ endpoint }) => endpoint),
    );
    if (!description) throw notFound(`There is no resource ${path}`);
    return new HandlerResponse(200, description);
  }

  #noRoute(method: string, path: string): ErrorResponse {
    const found = this.#routes.filter(({ endpoint }) => matchRoute(endpoint, path) !== undefined);
    if (found.length === 0) return notFound(`There is no resource ${path}`);
    const allow = [...new Set(found.map(({ endpoint }) => endpoint.method)), 'OPTIONS'].join(', ');
    return errorResponse({ status: 405, message: `${method} is not allowed on ${path}` }, {}, { allow });
  }
}

/** The calls for which the specification names the tag. */
const documentedTags = new Set(['messages.send', 'messages.upload', 'messages.download']);

/** Whether an endpoint accepts a method. Items are read with PUT in the specification, with GET in the live service. */
function takes({ method, name }: Endpoint, given: string): boolean {
  return method === given || (name === 'items.status' && given === 'PUT');
}

/** Checks a response against the client's schema. @throws {FakeMarketplaceError} when the fake has a bug */
function assertOutput(endpoint: Endpoint, response: HandlerResponse): void {
  if (response.body instanceof Response || endpoint.responseBody === 'stream') return;
  const parsed = validate(endpoint.output, response.body);
  if (parsed.success) return;
  const issues = parsed.issues.map(({ message }) => message).join('; ');
  throw new FakeMarketplaceError(`the response of ${endpoint.name} does not match its schema: ${issues}`);
}

/** Lets browsers at any origin read a response. */
function withCors(request: Request, response: Response, isAllowed: boolean): Response {
  const origin = request.headers.get('origin');
  if (!isAllowed || origin === null) return response;
  const headers = new Headers(response.headers);
  headers.set('access-control-allow-origin', origin);
  headers.set('access-control-allow-methods', 'GET, POST, PUT, DELETE, OPTIONS');
  headers.set('access-control-allow-headers', request.headers.get('access-control-request-headers') ?? '*');
  headers.set('access-control-expose-headers', '*');
  headers.set('vary', 'origin');
  return new Response(response.body, { status: response.status, headers });
}

/** The number of fixed segments, which take precedence over parameters: `/questions/search` is not a question. */
function fixedSegments(endpoint: Endpoint): number {
  return endpoint.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length;
}
