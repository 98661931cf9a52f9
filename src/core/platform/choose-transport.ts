import { ConfigurationError } from '../errors/errors.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { createNodeTransport } from '../transport/node.js';
import type { OutgoingRequest, Transport } from '../transport/transport.js';
import { isNodesOwn } from './node-fetch.js';

/**
 * Chooses what sends the requests of a client on Node. A request that needs nothing of `fetch` is sent with `node:http`,
 * which costs about half. What a user has put in the way of `fetch` is always respected.
 *
 * @throws {ConfigurationError} when `agent` is given where `node:http` is not used.
 */
export function chooseTransport(options: ResolvedOptions, sendWithFetch: Transport): Transport {
  const reason = reasonForFetch(options);
  if (reason !== undefined) {
    if (options.agent !== undefined) throw new ConfigurationError(`\`agent\` has no effect: ${reason}`);
    return sendWithFetch;
  }
  const sendWithNode = createNodeTransport(options);
  return (outgoing) => (canUseNode(outgoing) ? sendWithNode : sendWithFetch)(outgoing);
}

/** Why every request of a client needs `fetch`; `undefined` where none does. */
function reasonForFetch({ fetch, middleware = [], tracing }: ResolvedOptions): string | undefined {
  if (fetch !== undefined) return 'requests are sent with the `fetch` that you gave';
  // A middleware is given a `Request` and gives back a `Response`.
  return middleware.length > 0 || tracing?.middleware ? 'middleware needs `fetch`' : undefined;
}

/** Checked for each request: mocks are switched on and off while a client lives. */
function canUseNode({ endpoint }: OutgoingRequest): boolean {
  // A download is a stream of the platform, and follows redirects.
  return endpoint.responseBody !== 'stream' && isNodesOwn(globalThis.fetch) && hasDefaultDispatcher();
}

/**
 * Where undici, in Node and as a package, keeps the dispatcher of all requests that `fetch` sends, and the classes that it
 * puts there by itself: an `Agent`, and around it, since undici 8, a wrapper for those who look for it in the old place.
 */
const dispatchers: readonly (readonly [key: symbol, classes: readonly string[]])[] = [
  [Symbol.for('undici.globalDispatcher.1'), ['Agent', 'Dispatcher1Wrapper']],
  [Symbol.for('undici.globalDispatcher.2'), ['Agent']],
];

/** `MockAgent`, `ProxyAgent`, an agent with interceptors and the like decide where a request goes: `fetch` asks them. */
function hasDefaultDispatcher(): boolean {
  return dispatchers.every(([key, classes]) => {
    const dispatcher = (globalThis as Record<symbol, unknown>)[key] as UndiciDispatcher | undefined;
    if (dispatcher === undefined) return true;
    const { name, prototype } = dispatcher.constructor;
    return classes.includes(name) && dispatcher.dispatch === prototype.dispatch;
  });
}

interface UndiciDispatcher {
  readonly dispatch: unknown;
  readonly constructor: { readonly name: string; readonly prototype: { readonly dispatch: unknown } };
}
