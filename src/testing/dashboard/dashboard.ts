import type { AsyncLocalStorage } from 'node:async_hooks';
import { nodeModule } from '../../core/node-module.js';
import type { ServedMarketplace } from './served-marketplace.js';
import { FakeMarketplaceError } from '../errors.js';
import { parseJson } from '../http/parse-json.js';
import { files, indexHtml } from './assets.js';
import { builtInControls, describeControls } from './control-openapi.js';
import { controls } from './controls.js';
import { denyReason, isControlToken } from './access.js';
import type { ResourceKind } from './access.js';
import { RequestLog } from './request-log.js';
import { selectRequests } from './select-requests.js';
import { snapshot } from './snapshot.js';
import { EventStream } from './event-stream.js';

/** Options of the dashboard. */
export interface DashboardOptions {
  /** The `x-fake-token` of control calls: 16 or more letters, digits, `-` and `_`. @default a random one */
  readonly controlToken?: string | undefined;
  /** Allowed host names, in addition to `localhost` and IP addresses. */
  readonly names?: readonly string[] | undefined;
  /** Creates the marketplace after a reset. Without it, reset is not available. */
  readonly create?: (() => ServedMarketplace) | undefined;
}

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Serves a marketplace with a dashboard at `/` and control endpoints under `/__fake/`. */
export class Dashboard {
  /** The `x-fake-token` of control calls. */
  readonly controlToken: string;
  readonly requestLog = new RequestLog();
  /** The number of the request that is being handled. */
  readonly #cause = createCause();
  readonly #names: readonly string[];
  readonly #create: (() => ServedMarketplace) | undefined;
  readonly #events: EventStream;
  #marketplace: ServedMarketplace;
  #unsubscribe: () => void;

  /** @throws {FakeMarketplaceError} when the control token is too short or not valid in a header */
  constructor(
    marketplace: ServedMarketplace,
    { controlToken = generateToken(), names = [], create }: DashboardOptions = {},
  ) {
    if (!isControlToken(controlToken))
      throw new FakeMarketplaceError('a control token has 16 or more letters, digits, - and _');
    this.controlToken = controlToken;
    this.#names = names.map((name) => name.toLowerCase());
    this.#create = create;
    this.#marketplace = marketplace;
    this.#events = new EventStream(this.requestLog, () => snapshot(this.#marketplace));
    this.#unsubscribe = this.#watch(marketplace);
  }

  /** Handles a request: the dashboard and its control endpoints, or the marketplace for everything else. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === '/' && request.method === 'GET') return this.#guarded(request, 'document', () => this.#document());
    // Not protected, because it contains no data, and containers and load balancers call it with any host name.
    if (pathname === '/__fake/health' && request.method === 'GET') return json({ status: 'ok' });
    const file = files.get(pathname);
    if (file) return this.#guarded(request, 'asset', () => textResponse(file.text, file.type));
    if (pathname.startsWith('/__fake/'))
      return this.#guarded(request, 'control', () => this.#control(request, pathname));
    return this.requestLog.watch(request, this.#marketplace, (id) =>
      this.#cause ? this.#cause.run(id, () => this.#marketplace.fetch(request)) : this.#marketplace.fetch(request),
    );
  };

  /** Sends the state after each change of a marketplace. @returns a function that ends it */
  #watch({ events, notifications }: ServedMarketplace): () => void {
    notifications.causeOf = () => this.#cause?.getStore();
    const changed = (): void => this.#events.changed();
    const ends = [events.on(changed), notifications.onAttempt(changed)];
    return () => {
      for (const end of ends) end();
    };
  }

  async #guarded(request: Request, kind: ResourceKind, respond: () => Response | Promise<Response>): Promise<Response> {
    const reason = denyReason(request, { controlToken: this.controlToken, names: this.#names }, kind);
    return reason === undefined ? respond() : errorJson(403, reason);
  }

  #document(): Response {
    return textResponse(indexHtml.replace('{{controlToken}}', this.controlToken), 'text/html; charset=utf-8');
  }

  async #control(request: Request, path: string): Promise<Response> {
    switch (`${request.method} ${path}`) {
      case 'GET /__fake/events':
        return new Response(this.#events.stream(), {
          headers: { ...securityHeaders, 'content-type': 'text/event-stream' },
        });
      case 'GET /__fake/openapi.json':
        return json(describeControls(controls));
      case 'GET /__fake/marketplace-openapi.json':
        return json(await marketplaceOpenApi(new URL(request.url).origin));
      case 'GET /__fake/state':
        return json(snapshot(this.#marketplace));
      case 'GET /__fake/requests':
        return this.#requests(new URL(request.url).searchParams);
      case 'DELETE /__fake/requests':
        this.requestLog.clear();
        this.#events.cleared();
        return json({});
      case 'POST /__fake/reset':
        return this.#reset();
      default:
        return this.#runControl(request, path);
    }
  }

  #requests(query: URLSearchParams): Response {
    try {
      const requests = selectRequests(this.requestLog.all, query);
      return json({ count: requests.length, requests });
    } catch (error) {
      if (error instanceof FakeMarketplaceError) return errorJson(400, messageOf(error));
      throw error;
    }
  }

  /** Replaces the marketplace with a new one. */
  #reset(): Response {
    if (!this.#create)
      return errorJson(409, 'This marketplace belongs to the program that serves it; only that program can reset it.');
    this.#unsubscribe();
    this.#marketplace.notifications.reset();
    this.#marketplace = this.#create();
    this.#unsubscribe = this.#watch(this.#marketplace);
    this.requestLog.clear();
    this.#events.cleared();
    return json({});
  }

  async #runControl(request: Request, path: string): Promise<Response> {
    const line = `${request.method} ${path}`;
    const control = Object.hasOwn(controls, line) ? controls[line] : undefined;
    if (!control) return noControl(path);
    const text = await request.text().catch(() => undefined);
    if (text === undefined) return errorJson(413, 'The body is too large.');
    try {
      return json((await control.run(this.#marketplace, text === '' ? {} : parseJson(text))) ?? {});
    } catch (error) {
      if (error instanceof FakeMarketplaceError) return errorJson(400, messageOf(error));
      if (error instanceof SyntaxError) return errorJson(400, `The body is not valid JSON: ${error.message}.`);
      throw error;
    } finally {
      this.#events.changed();
    }
  }
}

/** Returns the OpenAPI document of the marketplace, with the address of this server. */
async function marketplaceOpenApi(url: string): Promise<object> {
  // The file of the package, because a copy in the code would double the size of the fake marketplace.
  const { default: document } = await import('marketplace-seller-sdk/openapi.json', { with: { type: 'json' } });
  return { ...document, servers: [{ url }] };
}

function noControl(path: string): Response {
  const lines = [...Object.keys(builtInControls), ...Object.keys(controls)];
  const methods = lines.flatMap((line) => (line.endsWith(` ${path}`) ? [line.split(' ', 1)[0]] : []));
  if (methods.length > 0) return errorJson(405, `The method of this control endpoint is ${methods.join(' or ')}.`);
  return errorJson(404, 'This control endpoint does not exist. See the guide "The fake marketplace as a server".');
}

function messageOf(error: Error): string {
  return error.message.replace(/^FakeMarketplace: /, '');
}

/** Remembers the request through asynchronous calls, where the platform can. */
function createCause(): AsyncLocalStorage<number> | undefined {
  const hooks = nodeModule('node:async_hooks');
  return hooks && new hooks.AsyncLocalStorage<number>();
}

function generateToken(): string {
  return crypto.randomUUID().replaceAll('-', '');
}

function textResponse(text: string, type: string): Response {
  return new Response(text, { headers: { ...securityHeaders, 'content-type': type } });
}

function json(value: unknown): Response {
  return Response.json(value, { headers: securityHeaders });
}

function errorJson(status: number, message: string): Response {
  return Response.json({ message }, { status, headers: securityHeaders });
}
