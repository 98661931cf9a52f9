import type { Writing } from './fetch.js';
import type { OutgoingRequest } from './transport.js';

// This module is loaded on first use, and imports nothing that the others need.
export { createFetchTransport } from './fetch.js';

/**
 * Whether the end of a body cannot be distinguished from a lost connection. Node's `fetch` returns an incomplete
 * compressed body without an error, so its length or its end must be stated.
 */
export function hasOpenEnd(headers: Headers): boolean {
  const isCompressed = (headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity';
  return isCompressed && !headers.has('content-length') && !headers.has('transfer-encoding');
}

/** undici, which implements Node's `fetch`, ends a request after 300 s without data. Its clock is not exact. */
const undiciLimitMs = 290_000;

/** The options of a request that are changed for undici. */
interface DispatchOptions {
  readonly headersTimeout?: number;
  readonly bodyTimeout?: number;
}

/** Receives the events of a request: the first one before it is written, on an open connection. Its name depends on undici. */
type DispatchHandler = Partial<Record<'onConnect' | 'onRequestStart', (...args: unknown[]) => unknown>>;

interface FetchDispatcher {
  readonly isMockActive?: boolean | undefined;
  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean;
}

/**
 * Returns options of Node's own `fetch`: without the time limits of undici where `timeoutMs` is longer, and with calls of
 * `writing`. A TLS handshake or a proxy that never answers thus ends a write that was never sent.
 */
export function requestOptions(outgoing: OutgoingRequest, writing: Writing): { readonly dispatcher?: FetchDispatcher } {
  // Whether a read was sent makes no difference.
  const isNeeded = outgoing.endpoint.retry !== 'safe' || outgoing.timeoutMs > undiciLimitMs;
  return isNeeded ? { dispatcher: observedDispatcher(outgoing, writing) } : {};
}

function observedDispatcher({ timeoutMs, signal }: OutgoingRequest, writing: Writing): FetchDispatcher {
  const limits = timeoutMs > undiciLimitMs ? { headersTimeout: 0, bodyTimeout: 0 } : {};
  let isWritten = false;
  const observe = (handler: DispatchHandler): void => {
    const event = 'onRequestStart' in handler ? 'onRequestStart' : 'onConnect';
    const start = handler[event];
    // A mock has no connections. A redirected request was already written.
    if (!start || isWritten || globalDispatcher().isMockActive) return;
    writing.holds();
    handler[event] = (...args) => {
      // After the attempt, a write must not go out: it may have been sent again. It throws, which ends the request.
      signal.throwIfAborted();
      isWritten = true;
      writing.begins();
      return start.apply(handler, args);
    };
  };
  return {
    dispatch: (options, handler) => {
      observe(handler);
      return globalDispatcher().dispatch({ ...options, ...limits }, handler);
    },
    get isMockActive() {
      return globalDispatcher().isMockActive;
    },
  };
}

/**
 * Looked up for each request, because a proxy or a mock can be set at any time. The key depends on undici's version.
 */
function globalDispatcher(): FetchDispatcher {
  const isNew = Number.parseInt(process.versions.undici ?? '', 10) >= 8;
  return Reflect.get(globalThis, Symbol.for(`undici.globalDispatcher.${isNew ? 2 : 1}`)) as FetchDispatcher;
}
