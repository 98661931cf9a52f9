import ky from 'ky';
import type { Endpoint } from '../endpoint.js';
import type { Middleware } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { FetchResponse } from './fetch-response.js';
import type { OutgoingRequest, Transport } from './transport.js';

/** Sends requests with ky, on every platform and with any `fetch`; everything is switched off that the pipeline decides. */
export function createFetchTransport({
  fetch,
  middleware = [],
  tracing,
}: Pick<ResolvedOptions, 'fetch' | 'middleware' | 'tracing'>): Transport {
  const layers = tracing?.middleware ? [...middleware, tracing.middleware] : middleware;
  // ky copies each option several times, headers and a signal most of all. The platform's fetch takes them as they are;
  // a fetch or middleware of the user gets one whole Request.
  if (fetch === undefined && layers.length === 0) {
    return async (outgoing) =>
      new FetchResponse(await ky(outgoing.url, { ...kyOptions, fetch: () => platformFetch(outgoing) }));
  }
  return async (outgoing) => {
    const composed = composeMiddleware(layers, outgoing, fetch ?? globalThis.fetch);
    return new FetchResponse(await ky(outgoing.url, { ...requestInit(outgoing), ...kyOptions, fetch: composed }));
  };
}

/** ky without what the pipeline decides for itself. */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

function requestInit({ endpoint, headers, body, signal }: OutgoingRequest): RequestInit {
  return {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body, duplex: 'half' }),
    signal,
    redirect: redirectMode(endpoint),
  };
}

/** A redirect that is followed would carry the token to another host. Only downloads need it. */
function redirectMode({ responseBody, requestBody }: Endpoint): RequestRedirect {
  if (responseBody === 'stream') return 'follow';
  return requestBody === 'multipart' ? uploadRedirectMode() : 'manual';
}

let supportedMode: RequestRedirect | undefined;

/** Except for `error`, fetch keeps a copy of the whole file to follow a redirect with. Workers do not know `error`. */
function uploadRedirectMode(): RequestRedirect {
  if (supportedMode !== undefined) return supportedMode;
  try {
    supportedMode = new Request('https://platform.test', { redirect: 'error' }).redirect;
  } catch {
    supportedMode = 'manual';
  }
  return supportedMode;
}

/** The platform's fetch as it is at the time of the call, so that it may be replaced (msw, instrumentation). */
function platformFetch(outgoing: OutgoingRequest): Promise<Response> {
  outgoing.onSend?.();
  return globalThis.fetch(outgoing.url, requestInit(outgoing));
}

function composeMiddleware(
  middleware: readonly Middleware[],
  { endpoint, attempt, call, onSend, onResponse }: OutgoingRequest,
  fetch: NonNullable<ResolvedOptions['fetch']>,
): typeof globalThis.fetch {
  const send = fetch as (request: Request) => Promise<Response>;
  const composed = middleware.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => (request) => layer({ endpoint, attempt, call, request }, next),
    async (request) => {
      onSend?.();
      const response = await send(request);
      onResponse?.();
      return response;
    },
  );
  return composed as typeof globalThis.fetch;
}
