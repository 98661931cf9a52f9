import { nodeModule } from '../../core/scope/node-module.js';
import { FakeMarketplaceError } from '../errors.js';
import { parseJson, readUpTo } from '../http/handler.js';
import { bodyless, describeControls, marketplaceOpenApi, type Control, type ServedMarketplace } from './control.js';
import { controls } from './controls.js';
import { filterNames, listsOf, search, searchFields, selectRequests } from './lists.js';
import { RequestLog } from './request-log.js';
import { EventStream, snapshot } from './snapshot.js';

/** Options of the dashboard. */
interface DashboardOptions {
  /** The `x-fake-token` of control calls: 16 or more letters, digits, `-` and `_`. @default a random one */
  readonly controlToken?: string | undefined;
  /** Allowed host names, in addition to `localhost` and IP addresses. */
  readonly names?: readonly string[] | undefined;
  /** Whether the page is served, beside the control endpoints. @default true */
  readonly page?: boolean | undefined;
  /** Restores the initial state of the marketplace. Without it, the dashboard cannot be used for that. */
  readonly reset?: (() => void) | undefined;
}

/** Serves a marketplace with a dashboard at `/` and control endpoints under `/__fake/`. */
export class Dashboard {
  /** The `x-fake-token` of control calls. */
  readonly controlToken: string;
  readonly requestLog = new RequestLog();
  readonly #hasPage: boolean;
  readonly #names: readonly string[];
  readonly #marketplace: ServedMarketplace;
  readonly #events: EventStream;
  readonly #controls: Readonly<Record<string, Control>>;
  /** Handles a call of the marketplace, and remembers its number for the notifications that it causes. */
  readonly #handle: (id: number, request: Request) => Promise<Response>;

  /** Follows the marketplace no more. */
  readonly close: () => void;

  /** @throws {FakeMarketplaceError} when the control token is too short or not valid in a header */
  constructor(
    marketplace: ServedMarketplace,
    { controlToken = crypto.randomUUID().replaceAll('-', ''), names = [], page = true, reset }: DashboardOptions = {},
  ) {
    if (!isControlToken(controlToken))
      throw new FakeMarketplaceError('a control token has 16 or more letters, digits, - and _');
    this.controlToken = controlToken;
    this.#hasPage = page;
    this.#names = names.map((name) => name.toLowerCase());
    this.#marketplace = marketplace;
    this.#handle = rememberingCause(marketplace);
    const events = new EventStream(() => snapshot(marketplace, this.requestLog.all));
    this.#events = events;
    this.#controls = controlsOf({ requestLog: this.requestLog, events, reset });
    this.requestLog.on(() => events.changed());
    const stops = [
      marketplace.events.on(() => events.changed()),
      marketplace.notifications.onAttempt(() => events.changed()),
    ];
    this.close = () => stops.forEach((stop) => stop());
  }

  /** Handles a request: the dashboard and its control endpoints, or the marketplace for everything else. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    // Not protected, because it contains no data, and containers and load balancers call it with any host name.
    if (pathname === '/__fake/health' && request.method === 'GET') return this.#control(request, pathname);
    const shown = this.#hasPage ? await this.#page(request, pathname) : undefined;
    if (shown) return shown;
    if (pathname.startsWith('/__fake/'))
      return this.#guarded(request, 'control', () => this.#control(request, pathname));
    return this.requestLog.watch(request, this.#marketplace, (id) => this.#handle(id, request));
  };

  async #guarded(request: Request, kind: ResourceKind, respond: () => Response | Promise<Response>): Promise<Response> {
    const reason = denyReason(request, { controlToken: this.controlToken, names: this.#names }, kind);
    return reason === undefined ? respond() : errorJson(403, reason);
  }

  /** Serves what a browser loads; `undefined` for any other path. */
  async #page(request: Request, pathname: string): Promise<Response | undefined> {
    if (pathname === '/' && request.method === 'GET') return this.#guarded(request, 'document', () => this.#document());
    const file = isFile.test(pathname) ? (await import('./assets.js')).files.get(pathname) : undefined;
    return file && this.#guarded(request, 'asset', () => contentOf(file.text, file.type));
  }

  async #document(): Promise<Response> {
    const { indexHtml } = await import('./assets.js');
    return contentOf(indexHtml.replace('{{controlToken}}', this.controlToken), 'text/html; charset=utf-8');
  }

  async #control(request: Request, path: string): Promise<Response> {
    const line = `${request.method} ${path}`;
    const control = Object.hasOwn(this.#controls, line) ? this.#controls[line] : undefined;
    if (!control) return this.#noControl(path);
    const bytes = await readUpTo(request, maxControlBytes).catch(() => undefined);
    if (!bytes) return errorJson(413, `The body is larger than ${maxControlMb} MB, which a control call takes.`);
    try {
      const text = new TextDecoder().decode(bytes);
      const body = text === '' ? {} : parseJson(text);
      const result = await control.run(this.#marketplace, body, new URL(request.url));
      return result instanceof Response ? result : json(result ?? {});
    } catch (error) {
      if (error instanceof FakeMarketplaceError) return errorJson(400, error.message);
      if (error instanceof SyntaxError) return errorJson(400, `The body is not valid JSON: ${error.message}.`);
      throw error;
    } finally {
      if (request.method !== 'GET') this.#events.changed();
    }
  }

  #noControl(path: string): Response {
    const lines = Object.keys(this.#controls).filter((line) => line.endsWith(` ${path}`));
    if (lines.length === 0)
      return errorJson(404, 'This control endpoint does not exist. See the guide "The fake marketplace as a server".');
    const methods = lines.map((line) => line.split(' ', 1)[0]).join(' or ');
    return errorJson(405, `The method of this control endpoint is ${methods}.`);
  }
}

/** The largest body of a control call: a seed with some 50,000 questions. */
export const maxControlMb = 16;
const maxControlBytes = maxControlMb * 1024 * 1024;

/** What the browser loads: most of the dashboard's size, so it is read when a browser asks for it. */
const isFile = /^\/__fake\/\w+\.(?:css|js)$/;

/** Remembers the number of a request through asynchronous calls, where the platform can. */
function rememberingCause(marketplace: ServedMarketplace): (id: number, request: Request) => Promise<Response> {
  const hooks = nodeModule('node:async_hooks');
  if (!hooks) return (_id, request) => marketplace.fetch(request);
  const cause = new hooks.AsyncLocalStorage<number>();
  marketplace.notifications.causeOf = () => cause.getStore();
  return (id, request) => cause.run(id, () => marketplace.fetch(request));
}

/** What protects the dashboard and its control endpoints. */
interface AccessRules {
  /** The token that control calls need. */
  readonly controlToken: string;
  /** Host names that are allowed in addition to `localhost` and IP addresses; lower case. */
  readonly names: readonly string[];
}

/** Whether a text can be a control token: long enough, and valid in a header and a URL. */
export function isControlToken(text: string): boolean {
  return /^[\w-]{16,}$/.test(text);
}

/**
 * Returns why a request is denied; `undefined` when it is allowed.
 *
 * Any website that a person visits can send requests to this machine. It cannot read the responses, set `x-fake-token`
 * or hide its origin from the browser's `Origin` and `Sec-Fetch-Site` headers. A host name that later resolves to this
 * machine (DNS rebinding) still appears in `Host`, under which the page with the token is therefore not served.
 */
function denyReason(request: Request, { controlToken, names }: AccessRules, kind: ResourceKind): string | undefined {
  const { host, hostname, searchParams } = new URL(request.url);
  // Who has the token needs no known name: a container is called by the name of its service.
  if (kind !== 'control' && !isKnownHost(hostname, names))
    return 'This host name is not allowed. Use the IP address, or allow the name with --allow-host.';
  if (kind === 'document') return undefined;
  if (isCrossSite(request.headers, host)) return 'Cross-site requests are not allowed.';
  if (kind === 'asset') return undefined;
  const token = request.headers.get('x-fake-token') ?? searchParams.get('token');
  return token === controlToken ? undefined : 'The x-fake-token header is missing or wrong.';
}

/** `document`: the page, which other sites may link to. `asset`: its files, without secrets. `control`: the rest. */
type ResourceKind = 'document' | 'asset' | 'control';

/** Anyone can make a host name resolve to this machine; an IP address is not looked up. */
function isKnownHost(hostname: string, names: readonly string[]): boolean {
  const isAddress = /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[');
  return isAddress || hostname === 'localhost' || hostname.endsWith('.localhost') || names.includes(hostname);
}

function isCrossSite(headers: Headers, host: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') return true;
  const origin = headers.get('origin');
  return origin !== null && (!URL.canParse(origin) || new URL(origin).host !== host);
}

/** What the control endpoints of a server need of it. */
interface ServerState {
  readonly requestLog: RequestLog;
  readonly events: EventStream;
  /** Restores the initial state of the marketplace; `undefined` if only its program can do that. */
  readonly reset: (() => void) | undefined;
}

/** Returns all control endpoints of a server: its own, and those that change or read the marketplace. */
export function controlsOf({ requestLog, events, reset }: ServerState): Readonly<Record<string, Control>> {
  const clear = (): void => {
    requestLog.clear();
    events.changed();
  };
  const all: Record<string, Control> = {
    'GET /__fake/health': bodyless('Tells that the server runs; needs no control token', () => ({ status: 'ok' })),
    'POST /__fake/reset': bodyless('Restores the initial state', () => {
      if (!reset)
        return errorJson(
          409,
          'This marketplace belongs to the program that serves it; only that program can reset it.',
        );
      reset();
      clear();
      return {};
    }),
    'GET /__fake/state': bodyless('Returns the current state', (marketplace) => snapshot(marketplace, requestLog.all)),
    'GET /__fake/search': bodyless(
      'Searches a list of the state',
      (marketplace, { searchParams }) => search(listsOf(marketplace, requestLog.all), searchParams),
      searchFields,
    ),
    'GET /__fake/requests': bodyless(
      'Returns the number of requests that match the filters of the query, and the newest 1,000 of them',
      ({ operations }, { searchParams }) => {
        const requests = selectRequests(requestLog.all, searchParams, operations.routes);
        return { count: requests.length, requests: requests.slice(-1000) };
      },
      filterNames,
    ),
    'DELETE /__fake/requests': bodyless('Removes all recorded requests', clear),
    'GET /__fake/events': bodyless('Streams the state and its changes as server-sent events', () =>
      contentOf(events.stream(), 'text/event-stream'),
    ),
    'GET /__fake/openapi.json': bodyless('Returns this document', () => describeControls(all)),
    'GET /__fake/marketplace-openapi.json': bodyless(
      'Returns the OpenAPI document of the marketplace itself',
      ({ operations }, { origin }) => marketplaceOpenApi(origin, operations.all),
    ),
    ...controls,
  };
  return all;
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

/** Creates a response of the dashboard. */
function contentOf(body: string | ReadableStream, type: string): Response {
  return new Response(body, { headers: { ...securityHeaders, 'content-type': type } });
}

/** Creates a response of a control endpoint. */
function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: securityHeaders });
}

/** Creates the response of a control endpoint to a wrong call. */
function errorJson(status: number, message: string): Response {
  return json({ message: message.replace(/^FakeMarketplace: /, '') }, status);
}
