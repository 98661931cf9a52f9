let ownFetch: typeof globalThis.fetch | undefined;

/** Tells Node's own `fetch` from one that msw, a framework or a test has put in its place, and from other runtimes'. */
export function isNodesOwn(fetch: unknown): boolean {
  if (fetch === ownFetch) return true;
  const isOwn = typeof fetch === 'function' && Function.prototype.toString.call(fetch).includes('internal/deps/undici');
  if (isOwn) ownFetch = fetch as typeof globalThis.fetch;
  return isOwn;
}

/**
 * Whether the end of a body cannot be told from a connection that was lost. Node's `fetch` delivers what there is of a
 * compressed body; where nothing states its length or its end, that may be a part of it.
 */
export function hasOpenEnd(fetch: unknown, headers: Headers): boolean {
  const isCompressed = (headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';
  return isCompressed && !headers.has('content-length') && !headers.has('transfer-encoding') && isNodesOwn(fetch);
}

/** undici, which is behind Node's `fetch`, ends a silence of 300 s by itself; its clock is not exact. */
const undiciLimitMs = 290_000;

/** What undici is given for a request; the rest of it belongs to undici. */
interface DispatchOptions {
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
}

interface FetchDispatcher {
  readonly isMockActive?: boolean | undefined;
  dispatch(options: DispatchOptions, handler: unknown): boolean;
}

/** Options of Node's own `fetch` for a request that may be silent for `timeoutMs`. */
export function silenceOptions(fetch: unknown, timeoutMs: number): { readonly dispatcher?: FetchDispatcher } {
  return timeoutMs > undiciLimitMs && isNodesOwn(fetch) ? { dispatcher } : {};
}

/** The dispatcher of all requests, without time limits of its own: the attempt has one. */
const dispatcher: FetchDispatcher = {
  dispatch: (options, handler) =>
    globalDispatcher().dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler),
  get isMockActive() {
    return globalDispatcher().isMockActive;
  },
};

/** Looked up for each request: a proxy or a mock may be set at any time. The version of undici decides the place. */
function globalDispatcher(): FetchDispatcher {
  const isNew = Number.parseInt(process.versions.undici ?? '', 10) >= 8;
  return Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${isNew ? 2 : 1}`)) as FetchDispatcher;
}
