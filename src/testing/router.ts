import type { DescribedEndpoint, Endpoint } from '../core/operation/endpoint.js';
import type { DocumentedError } from '../core/operation/documented-error.js';
import { validate } from '../core/schema/read.js';
import type { endpoints } from '../endpoints.js';
import { authorizationPage, exchangeToken, isTokenPath } from './oauth.js';
import { FakeMarketplaceError } from './errors.js';
import { actionGuideHandlers } from './handlers/action-guide.js';
import { contactHandlers } from './handlers/contacts.js';
import { currencyHandlers, itemHandlers } from './handlers/items.js';
import { describePath } from './handlers/describe.js';
import { flexHandlers } from './handlers/flex.js';
import { flexV2Handlers } from './handlers/flex-v2.js';
import { messageHandlers } from './handlers/messages.js';
import { questionHandlers } from './handlers/questions.js';
import { siteHandlers } from './handlers/sites.js';
import {
  bearerToken,
  readCall,
  ErrorResponse,
  HandlerResponse,
  errorResponse,
  notFound,
  refusals,
  unauthorized,
  respond,
  withBody,
} from './http/handler.js';
import type { Call, Interceptor, EndpointHandler, EndpointHandlers, ErrorOverrides } from './http/handler.js';
import { pickAttributes } from './http/read-request.js';
import { endpointName, type Routes } from './http/routes.js';
import { uuidOf } from './random.js';
import type { Operations } from './operations/operations.js';
import type { Stores } from './state/stores.js';

/** Passes each call to the handler of its endpoint, and applies the conventions that all resources share. */
export class Router {
  readonly #stores: Stores;
  readonly #operations: Operations;
  readonly #interceptors: readonly Interceptor[];
  readonly #handlers: EndpointHandlers<typeof endpoints>;
  readonly #failures = new Map<string, ErrorResponse[]>();
  #responses = 1;

  constructor(stores: Stores, operations: Operations, interceptors: readonly Interceptor[]) {
    this.#stores = stores;
    this.#operations = operations;
    this.#interceptors = interceptors;
    this.#handlers = {
      describe: (call) => describePath(call, operations.routes),
      questions: questionHandlers(stores),
      flex: flexHandlers(stores),
      flexV2: flexV2Handlers(stores),
      contacts: contactHandlers(stores),
      items: itemHandlers(stores),
      sites: siteHandlers(stores),
      currencies: currencyHandlers,
      actionGuide: actionGuideHandlers(stores),
      messages: messageHandlers(stores),
    };
  }

  /** Makes the next call of the endpoint fail. @throws {FakeMarketplaceError} when there is no such endpoint or status */
  failNext(
    endpoint: Pick<Endpoint, 'name'> | string,
    error: Omit<DocumentedError, 'error'>,
    overrides?: ErrorOverrides,
  ): void {
    const { status } = error;
    if (!Number.isInteger(status) || status < 400 || status > 599)
      throw new FakeMarketplaceError(`the \`status\` of an error is from 400 to 599, not ${String(status)}`);
    this.#operations.routes.assertName(endpoint);
    const name = endpointName(endpoint);
    this.#failures.set(name, [...(this.#failures.get(name) ?? []), errorResponse(error, overrides)]);
  }

  async handle(request: Request): Promise<Response> {
    const call = await readCall(request, this.#stores.accounts, this.#operations.routes);
    const chain = this.#interceptors.reduceRight<() => Promise<Response>>(
      (next, interceptor) => () => interceptor(call, next),
      () => this.#respond(call),
    );
    const response = withCors(request, await chain(), this.#stores.settings.cors);
    return request.method === 'HEAD' ? new Response(null, response) : response;
  }

  async #respond(call: Call): Promise<Response> {
    const { clock } = this.#stores;
    const handled = await this.#handle(call).catch(asResponse);
    if (handled instanceof ErrorResponse && handled.rule !== undefined) refusals.set(call.request, handled.rule);
    const { status, body, headers } = handled;
    // The Date of the marketplace's clock: a client compares timestamps with it.
    const date = new Date(clock.ms).toUTCString();
    return respond(call, { status, body, headers: { 'x-request-id': uuidOf(this.#responses++), date, ...headers } });
  }

  /** @throws {ErrorResponse} when the service rejects the call */
  async #handle(call: Call): Promise<HandlerResponse> {
    const { request, path, query, endpoint } = call;
    if (this.#stores.settings.cors && isPreflight(request)) return new HandlerResponse(204);
    if (isTokenPath(path)) return exchangeToken(call, this.#stores);
    if (['GET', 'POST'].includes(request.method) && path === '/authorization')
      return authorizationPage(call, this.#stores.accounts);
    if (request.method !== 'OPTIONS') this.#assertToken(call);
    if (!endpoint) throw noEndpoint(request.method, path, this.#operations.routes);
    const failure = this.#failures.get(endpoint.name)?.shift();
    if (failure) throw failure;
    this.#assertTag(endpoint, call);
    const handler = this.#operations.handlerOf(endpoint) ?? handlerOf(this.#handlers, endpoint);
    const result = await handler(call);
    const { status, body, headers } = result instanceof HandlerResponse ? result : new HandlerResponse(200, result);
    if (status < 400) assertOutput(endpoint, body);
    return new HandlerResponse(status, pickAttributes(body, query.get('attributes')), headers);
  }

  /** @throws {ErrorResponse} 401 when the header is not a valid bearer token, or the token is in the query */
  #assertToken({ request: { headers }, query, bearer }: Call): void {
    if (bearer) return;
    if (!headers.has('authorization')) {
      if (!query.has('access_token')) return;
      throw unauthorized(
        'unauthorized',
        'Send the access token as a header (Authorization: Bearer <token>), not in the query',
      );
    }
    const token = bearerToken(headers);
    if (token === undefined) throw unauthorized('invalid_token', 'The Authorization header must be Bearer <token>');
    const { invalidToken } = this.#stores.settings;
    if (invalidToken !== 'explained') throw new ErrorResponse(401, seenBodies[invalidToken]);
    const reason = this.#stores.accounts.isExpired(token) ? 'has expired' : 'is not valid';
    throw unauthorized('invalid_token', `The access token ${reason}`);
  }

  /** Wire notes 10: a call below `/messages` without its tag is not found. @throws {ErrorResponse} 404 */
  #assertTag({ name, query: expected }: Endpoint, { path, query }: Call): void {
    const tag = expected?.tag;
    if (tag === undefined || query.get('tag') === tag) return;
    if (this.#stores.settings.postSaleTag === 'documented' && !documentedTags.has(name)) return;
    throw notFound(`There is no resource ${path} without the query parameter tag=${tag}`);
  }
}

/** What the live service was seen to respond to a token that is not valid. Wire notes 41. */
const seenBodies = {
  unauthorized: { code: 'unauthorized', message: 'invalid access token' },
  not_found: { message: 'invalid_token', error: 'not_found' },
};

/** The calls for which the specification names the tag. */
const documentedTags = new Set(['messages.send', 'messages.upload', 'messages.download']);

/** Finds a handler by the name of its endpoint, e.g. `questions.blacklist.add`. */
function handlerOf(handlers: object, { name }: Endpoint): EndpointHandler {
  const found = name.split('.').reduce((group, part) => (group as Record<string, object>)[part] ?? {}, handlers);
  return found as EndpointHandler;
}

function asResponse(error: unknown): ErrorResponse {
  if (error instanceof ErrorResponse) return error;
  throw error;
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

const howToAdd =
  'To add one to this fake marketplace, stub it with POST /__fake/operations or in a seed, or start it with --operations';

function noEndpoint(method: string, path: string, routes: Routes): ErrorResponse {
  const methods = new Set(routes.at(path).map((endpoint) => endpoint.method));
  if (methods.size === 0) {
    const plain = path.replace(/\/{2,}/g, '/').replace(/\/$/, '');
    const isKnown = routes.at(plain).length > 0;
    return notFound(`There is no resource ${path}. ${isKnown ? `Did you mean ${plain}?` : howToAdd}`);
  }
  const allow = [...methods, 'OPTIONS'].join(', ');
  return errorResponse({ status: 405, message: `${method} is not allowed on ${path}` }, {}, { allow });
}

/** Checks a response against the client's schema. @throws {FakeMarketplaceError} when the fake has a bug */
function assertOutput(endpoint: DescribedEndpoint, body: unknown): void {
  if (body instanceof Response || endpoint.responseBody === 'stream') return;
  const parsed = validate(endpoint.output, body);
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
  return new Response(withBody(response).body, { status: response.status, headers });
}
