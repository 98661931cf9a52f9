import type { Agent } from 'node:http';
import { ConfigurationError } from '../errors/errors.js';
import type { ResolvedOptions } from '../options/client-options.js';
import { connectErrorOf } from './connect-errors.js';
import { NodeExchange } from './node.js';
import type { Exchange, OutgoingRequest, Transport } from './transport.js';

/**
 * Chooses the transport of a client on Node.js. Requests are sent with `node:http`, which takes about half the time,
 * unless they need `fetch`. A replaced `fetch` and a replaced dispatcher of undici are used, unless an `agent` is given: it may
 * be what keeps a request inside a network, so every request goes through it.
 *
 * @throws {ConfigurationError} when `agent` is given with what needs `fetch`, or it is one of `node:http` and the base
 * URL is `https:`.
 */
export function chooseTransport(options: ResolvedOptions): Transport {
  const loadFetch = fetchLoader(options);
  const sendWithFetch: Transport = (outgoing) => lateExchange(outgoing, loadFetch());
  const reason = reasonForFetch(options);
  if (options.agent !== undefined) {
    if (reason !== undefined) throw new ConfigurationError(`\`agent\` has no effect: ${reason}`);
    rejectWrongAgent(options);
    const agent = options.agent as Agent;
    return (outgoing) => new NodeExchange(outgoing, agent);
  }
  if (reason === undefined)
    return (outgoing) => (canUseNode(outgoing) ? new NodeExchange(outgoing) : sendWithFetch(outgoing));
  // Now, so that no time limit of the first request includes it. If it fails, the request fails.
  loadFetch().catch(() => undefined);
  return sendWithFetch;
}

/** An agent that inherits from that of `node:http` may open connections with TLS, e.g. that of a proxy. */
function rejectWrongAgent({ agent, baseUrl }: ResolvedOptions): void {
  if (agent?.constructor === process.getBuiltinModule('node:http').Agent && baseUrl.startsWith('https:'))
    throw new ConfigurationError('`agent` is one of node:http, and `baseUrl` is https:; give one of node:https');
}

/** An exchange whose transport is being loaded. Until then, nothing is sent. */
function lateExchange(outgoing: OutgoingRequest, loading: Promise<Transport>): Exchange {
  let exchange: Exchange | undefined;
  const send = (transport: Transport): Exchange['response'] => (exchange = transport(outgoing)).response;
  return {
    response: loading.then(send),
    get delivery() {
      return exchange?.delivery ?? 'never';
    },
  };
}

/** Loads ky once, only where it is needed, because its import loads the platform's `fetch`, which takes tens of ms. */
function fetchLoader(options: ResolvedOptions): () => Promise<Transport> {
  let loading: Promise<Transport> | undefined;
  return () =>
    (loading ??= import('./node-fetch.js').then(({ createFetchTransport, requestOptions, hasOpenEnd }) =>
      createFetchTransport(options, {
        traitsOf: (fetch) => (isNodesOwn(fetch) ? { requestOptions, hasOpenEnd } : undefined),
        isConnectError: (error) => connectErrorOf(error) !== undefined,
      }),
    ));
}

/** Returns why all requests of a client need `fetch`; `undefined` if they do not. */
function reasonForFetch({ fetch, middleware = [], tracing }: ResolvedOptions): string | undefined {
  if (fetch !== undefined) return 'requests are sent with the `fetch` that you gave';
  // A middleware receives a `Request` and returns a `Response`.
  return middleware.length > 0 || tracing?.middleware ? 'middleware needs `fetch`' : undefined;
}

/**
 * Node's own `fetch`; `undefined` on other runtimes, and where it was replaced before this module was loaded, as the set-up
 * of a test does. Only its source distinguishes these: Node.js has no second reference to it.
 */
const ownFetch = /* @__PURE__ */ String(globalThis.fetch).includes('internal/deps/undici')
  ? globalThis.fetch
  : undefined;

/** Whether this is Node's own `fetch`, not one of msw, a framework, a test or another runtime. */
export function isNodesOwn(fetch: unknown): boolean {
  return fetch !== undefined && fetch === ownFetch;
}

/** Checked for each request, because mocks can be enabled and disabled at any time. */
function canUseNode({ endpoint }: OutgoingRequest): boolean {
  const fetch: unknown = globalThis.fetch;
  return fetch !== undefined && fetch === ownFetch && endpoint.responseBody !== 'stream' && hasDefaultDispatcher();
}

/**
 * The keys under which undici (in Node.js and as a package) stores the global dispatcher of `fetch`, and the classes of
 * its default dispatchers: an `Agent`, and since undici 8 a wrapper of it under the old key.
 */
const dispatchers: readonly (readonly [key: symbol, classes: readonly string[]])[] = [
  [Symbol.for('undici.globalDispatcher.1'), ['Agent', 'Dispatcher1Wrapper']],
  [Symbol.for('undici.globalDispatcher.2'), ['Agent']],
];

/** Whether undici's dispatcher is not replaced, e.g. by a `MockAgent` or a `ProxyAgent`, which only `fetch` uses. */
function hasDefaultDispatcher(): boolean {
  for (const [key, classes] of dispatchers) {
    const dispatcher = (globalThis as Record<symbol, unknown>)[key] as UndiciDispatcher | undefined;
    if (dispatcher === undefined) continue;
    const { name, prototype } = dispatcher.constructor;
    if (!classes.includes(name) || dispatcher.dispatch !== prototype.dispatch) return false;
  }
  return true;
}

interface UndiciDispatcher {
  readonly dispatch: unknown;
  readonly constructor: { readonly name: string; readonly prototype: { readonly dispatch: unknown } };
}
