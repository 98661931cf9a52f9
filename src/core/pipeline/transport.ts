import ky from 'ky';
import type { Endpoint } from '../endpoint.js';
import type { CallInfo } from '../observability/events.js';
import type { Middleware } from '../options/client-options.js';
import type { ResolvedOptions } from '../options/resolve-options.js';

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
  /** Told when the request leaves: past this, a write may have been carried out. */
  readonly onSend?: (() => void) | undefined;
}

/** Sends one attempt and gives the answer with its body unread. Repeats nothing, follows nothing, judges no status. */
export type Transport = (outgoing: OutgoingRequest) => Promise<Response>;

/** The way to the network: ky, with everything switched off that the life of a call decides for itself. */
export function createTransport({
  fetch,
  middleware = [],
  tracing,
}: Pick<ResolvedOptions, 'fetch' | 'middleware' | 'tracing'>): Transport {
  const layers = tracing?.middleware ? [...middleware, tracing.middleware] : middleware;
  // Each option that ky is given is copied several times, headers and a signal most of all. The platform's fetch takes
  // them as they are; a fetch or middleware of the user is owed one whole Request.
  if (fetch === undefined && layers.length === 0) {
    return (outgoing) => ky(outgoing.url, { ...kyOptions, fetch: () => platformFetch(outgoing) });
  }
  return (outgoing) => {
    const through = composeMiddleware(layers, outgoing, fetch ?? globalThis.fetch);
    return ky(outgoing.url, { ...initOf(outgoing), ...kyOptions, fetch: through });
  };
}

/** ky without what the life of a call decides for itself. */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

function initOf({ endpoint, headers, body, signal }: OutgoingRequest): RequestInit {
  return {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body, duplex: 'half' }),
    signal,
    // A redirect would make fetch buffer every body, and carry the token to another host; downloads need it.
    redirect: endpoint.responseBody === 'stream' ? 'follow' : redirectMode(),
  };
}

let told: RequestRedirect | undefined;

/** How the platform is told to follow nothing: Workers do not know `error`, and deliver the redirect as an answer. */
function redirectMode(): RequestRedirect {
  if (told !== undefined) return told;
  try {
    told = new Request('https://platform.test', { redirect: 'error' }).redirect;
  } catch {
    told = 'manual';
  }
  return told;
}

/** The platform's fetch as it is at the time of the call, so that it may be replaced (msw, instrumentation). */
function platformFetch(outgoing: OutgoingRequest): Promise<Response> {
  outgoing.onSend?.();
  return globalThis.fetch(outgoing.url, initOf(outgoing));
}

function composeMiddleware(
  middleware: readonly Middleware[],
  { endpoint, attempt, call, onSend }: OutgoingRequest,
  fetch: NonNullable<ResolvedOptions['fetch']>,
): typeof globalThis.fetch {
  const core = fetch as (request: Request) => Promise<Response>;
  const layers = middleware.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => (request) => layer({ endpoint, attempt, call, request }, next),
    (request) => {
      onSend?.();
      return core(request);
    },
  );
  return layers as typeof globalThis.fetch;
}
