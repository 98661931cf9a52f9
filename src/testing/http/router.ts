import type { Endpoint } from '../../core/endpoint.js';
import { parseJson } from '../../core/serialization/json.js';
import { matchPath } from '../../core/serialization/path-template.js';
import { decode } from '../../core/serialization/request.js';
import type { Accounts } from '../state/accounts.js';
import { ErrorResponse, HandlerResponse, errorResponse } from './handler.js';
import type { Handlers, HandlerContext, ResourceConventions } from './handler.js';
import type { Clock } from '../clock.js';
import { asJsonp, pickAttributes } from './conventions.js';
import { FakeMarketplaceError } from '../errors.js';
import { describePath } from './options-response.js';

type AnyHandler = (input: unknown, context: HandlerContext) => unknown;

interface Route {
  readonly endpoint: Endpoint;
  readonly behaviour: AnyHandler;
  readonly manners: ResourceConventions;
}

/** What stands between the wire and the behaviours: sees every request of the fake first. */
export type Interceptor = (
  request: Request,
  endpoint: Endpoint | undefined,
  next: () => Promise<Response>,
) => Promise<Response>;

/** From a request to the behaviour of its endpoint and back, by the conventions that all resources share. */
export class Router {
  readonly #routes: Route[] = [];
  readonly #accounts: Accounts;
  readonly #clock: Clock;
  readonly #refusals = new Map<string, ErrorResponse[]>();
  readonly interceptors: Interceptor[] = [];

  constructor(accounts: Accounts, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Adds a group of endpoints with their behaviours. */
  add<Group extends object>(group: Group, behaviours: Handlers<Group>, manners: ResourceConventions = {}): void {
    for (const [name, entry] of Object.entries(group)) {
      const behaviour = (behaviours as Record<string, unknown>)[name];
      if (isEndpoint(entry)) this.#routes.push({ endpoint: entry, behaviour: behaviour as AnyHandler, manners });
      else this.add(entry as object, behaviour as Handlers<object>, manners);
    }
    this.#routes.sort((a, b) => fixedness(b.endpoint) - fixedness(a.endpoint));
  }

  get endpoints(): readonly Endpoint[] {
    return this.#routes.map(({ endpoint }) => endpoint);
  }

  /** The next call of the endpoint is refused so. */
  failNext(endpoint: Endpoint, refused: ErrorResponse): void {
    if (!this.#routes.some((route) => route.endpoint.name === endpoint.name)) {
      throw new FakeMarketplaceError(`there is no endpoint ${endpoint.name} to refuse`);
    }
    this.#refusals.set(endpoint.name, [...(this.#refusals.get(endpoint.name) ?? []), refused]);
  }

  async handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const route = this.#find(request.method, url.pathname);
    const answer = (): Promise<Response> => this.#respond(request, url, route);
    const chain = this.interceptors.reduceRight<() => Promise<Response>>(
      (next, interceptor) => () => interceptor(request, route?.endpoint, next),
      answer,
    );
    return chain();
  }

  #find(method: string, path: string): Route | undefined {
    return this.#routes.find(
      ({ endpoint }) => endpoint.method === method && matchPath(endpoint.path, path) !== undefined,
    );
  }

  async #respond(request: Request, url: URL, route: Route | undefined): Promise<Response> {
    const reply = await this.#reply(request, url, route);
    const callback = url.searchParams.get('callback');
    // A Date of this marketplace's clock: by it, a client tells what happened since.
    const date = new Date(this.#clock.ms).toUTCString();
    const headers = { 'x-request-id': crypto.randomUUID(), date, ...reply.headers };
    if (callback !== null) return asJsonp(callback, reply, headers);
    if (reply.body instanceof Response) return reply.body;
    if (reply.body === undefined) return new Response(null, { status: reply.status, headers });
    return Response.json(reply.body, { status: reply.status, headers });
  }

  async #reply(request: Request, url: URL, route: Route | undefined): Promise<HandlerResponse> {
    try {
      const bearer = this.#bearer(request);
      if (request.method === 'OPTIONS') return this.#describe(url.pathname);
      if (!route) throw this.#noRoute(request.method, url.pathname);
      const refused = this.#refusals.get(route.endpoint.name)?.shift();
      if (refused) throw refused;
      const input = await readInput(request, url, route);
      const result = await route.behaviour(input, { request, endpoint: route.endpoint, bearer, clock: this.#clock });
      const reply = result instanceof HandlerResponse ? result : new HandlerResponse(200, result);
      holdToSchema(route.endpoint, reply);
      return new HandlerResponse(
        reply.status,
        pickAttributes(reply.body, url.searchParams.get('attributes')),
        reply.headers,
      );
    } catch (refused) {
      if (refused instanceof ErrorResponse) return new HandlerResponse(refused.status, refused.body, refused.headers);
      throw refused;
    }
  }

  #bearer(request: Request): HandlerContext['bearer'] {
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
    return errorResponse({ status: 405, code: 'method_not_allowed', message: `${path} takes no ${method}` });
  }
}

/** The input of a call as the service sees it. @throws {ErrorResponse} when it does not understand. */
async function readInput(request: Request, url: URL, { endpoint, manners }: Route): Promise<unknown> {
  const always = Object.entries(endpoint.query ?? {}).find(([name, value]) => url.searchParams.get(name) !== value);
  // Wire notes 10: without its tag the service does not know the resource.
  if (always) throw errorResponse({ status: 404, code: 'not_found', message: `There is no resource ${url.pathname}` });
  const conventional = new Set(['attributes', 'callback']);
  const query = new URLSearchParams([...url.searchParams].filter(([name]) => !conventional.has(name)));
  const body =
    endpoint.requestBody === 'multipart' ? await readForm(request) : await readJson(request, endpoint, manners);
  const parsed = endpoint.input.safeParse(
    decode(endpoint, { path: url.pathname, query, headers: request.headers, body }),
  );
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const message = issues.map((issue) => issue.message).join('; ');
  throw manners.onInvalidInput?.(endpoint, issues) ?? errorResponse({ status: 400, code: 'bad_request', message });
}

/** The fields of a multipart body; a file brings its name. Without one, or in another form, there are none. */
async function readForm(request: Request): Promise<object> {
  const form = await request.formData().catch(() => new FormData());
  const file = form.get('file');
  return file instanceof File ? { file, filename: file.name } : {};
}

async function readJson(request: Request, endpoint: Endpoint, manners: ResourceConventions): Promise<unknown> {
  const text = await request.text();
  if (text === '') return undefined;
  try {
    return parseJson(text);
  } catch {
    throw (
      manners.onInvalidInput?.(endpoint, []) ??
      errorResponse({ status: 400, code: 'bad_request', message: 'invalid JSON body' })
    );
  }
}

/** The fake is held to the same schemas as the client: a behaviour that strays is a bug of the fake. */
function holdToSchema(endpoint: Endpoint, reply: HandlerResponse): void {
  if (reply.body instanceof Response || endpoint.responseBody === 'stream') return;
  const parsed = endpoint.output.safeParse(reply.body);
  if (parsed.success) return;
  const what = parsed.error.issues.map(({ message }) => message).join('; ');
  throw new FakeMarketplaceError(`the behaviour of ${endpoint.name} does not keep to its schema: ${what}`);
}

/** Fixed segments win over fields: `/questions/search` is not a question. */
function fixedness(endpoint: Endpoint): number {
  return endpoint.path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{')).length;
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}
