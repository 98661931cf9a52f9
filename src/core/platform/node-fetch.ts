import type { FetchTraits } from '../transport/fetch.js';

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

/**
 * Whether the end of a body cannot be distinguished from a lost connection. Node's `fetch` returns an incomplete
 * compressed body without an error, so its length or its end must be stated.
 */
export function hasOpenEnd(fetch: unknown, headers: Headers): boolean {
  const isCompressed = (headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';
  return isCompressed && !headers.has('content-length') && !headers.has('transfer-encoding') && isNodesOwn(fetch);
}

/** undici, which implements Node's `fetch`, ends a request after 300 s without data. Its clock is not exact. */
const undiciLimitMs = 290_000;

/** The options of a request that are changed for undici. */
interface DispatchOptions {
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
}

interface FetchDispatcher {
  readonly isMockActive?: boolean | undefined;
  dispatch(options: DispatchOptions, handler: unknown): boolean;
}

/** Returns options of Node's own `fetch` for a request that can be without data for `timeoutMs`. */
export function silenceOptions(fetch: unknown, timeoutMs: number): { readonly dispatcher?: FetchDispatcher } {
  return timeoutMs > undiciLimitMs && isNodesOwn(fetch) ? { dispatcher } : {};
}

/** The global dispatcher without its own time limits, because the attempt has one. */
const dispatcher: FetchDispatcher = {
  dispatch: (options, handler) =>
    globalDispatcher().dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  get isMockActive() {
    return globalDispatcher().isMockActive;
  },
};

/**
 * Looked up for each request, because a proxy or a mock can be set at any time. The key depends on undici's version.
 */
function globalDispatcher(): FetchDispatcher {
  const isNew = Number.parseInt(process.versions.undici ?? '', 10) >= 8;
  return Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${isNew ? 2 : 1}`)) as FetchDispatcher;
}

/** What has to be known of Node's `fetch`. */
export const nodeFetch: FetchTraits = { silenceOptions, hasOpenEnd };
