import ky from 'ky';
import type { Endpoint } from '../endpoint.js';
import type { CallInfo, Middleware } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { FetchResponse } from './fetch-response.js';

/** One attempt of a call, ready to be sent. */
export interface OutgoingRequest {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  readonly call: CallInfo;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: BodyInit | undefined;
  readonly signal: AbortSignal;
  /** Called when the request leaves: from then on, a write may have been carried out. */
  readonly onSend?: (() => void) | undefined;
  /** Called when a response begins to arrive: from then on, the request was sent whatever else happens. */
  readonly onResponse?: (() => void) | undefined;
}

/** Response headers, read one by one; a transport creates the platform's object only where a caller needs it. */
export interface ResponseHeaders {
  get(name: string): string | null;
  toHeaders(): Headers;
}

/** The text of a body, of at most as many bytes as were asked for. */
export interface BodyText {
  readonly text: string;
  /** The body is longer: the text is its beginning. */
  readonly isTruncated: boolean;
}

/** A response with its body unread: all that a call needs of one. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Reads the body, at most `maxBytes` of it after decompression, and closes it. */
  text(maxBytes: number): Promise<BodyText>;
  /** The body as a stream, for a download; `null` where there is none. */
  stream(): ReadableStream<Uint8Array> | null;
  /** Closes the body unread, so that its connection is free. */
  discard(): void;
}

/** Sends one attempt. It retries nothing, follows no redirect except of a download, and judges no status. */
export type Transport = (outgoing: OutgoingRequest) => Promise<TransportResponse>;

/** Creates the transport of a client: ky, with everything switched off that the pipeline decides for itself. */
export function createTransport({
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
