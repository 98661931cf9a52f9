import ky from 'ky';
import type { Endpoint } from './endpoint.js';
import type { CallInfo } from './events.js';
import type { Middleware } from './options.js';
import type { Settings } from './settings.js';

/** One attempt of a call, ready to be sent. */
export interface Outgoing {
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
export type Send = (outgoing: Outgoing) => Promise<Response>;

/** The way to the network: ky, with everything switched off that the life of a call decides for itself. */
export function createSend({
  fetch,
  middleware = [],
  tracing,
}: Pick<Settings, 'fetch' | 'middleware' | 'tracing'>): Send {
  const layers = tracing?.middleware ? [...middleware, tracing.middleware] : middleware;
  // Each option that ky is given is copied several times, headers and a signal most of all. The platform's fetch takes
  // them as they are; a fetch or middleware of the user is owed one whole Request.
  if (fetch === undefined && layers.length === 0) {
    return (outgoing) => ky(outgoing.url, { ...quiet, fetch: () => platformFetch(outgoing) });
  }
  return (outgoing) => {
    const through = onion(layers, outgoing, fetch ?? globalThis.fetch);
    return ky(outgoing.url, { ...initOf(outgoing), ...quiet, fetch: through });
  };
}

/** ky without what the life of a call decides for itself. */
const quiet = { retry: 0, timeout: false, throwHttpErrors: false } as const;

function initOf({ endpoint, headers, body, signal }: Outgoing): RequestInit {
  return {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body, duplex: 'half' }),
    signal,
    // A redirect would make fetch buffer every body, and carry the token to another host; downloads need it.
    redirect: endpoint.answers === 'stream' ? 'follow' : notFollowing(),
  };
}

let told: RequestRedirect | undefined;

/** How the platform is told to follow nothing: Workers do not know `error`, and deliver the redirect as an answer. */
function notFollowing(): RequestRedirect {
  if (told !== undefined) return told;
  try {
    told = new Request('https://platform.test', { redirect: 'error' }).redirect;
  } catch {
    told = 'manual';
  }
  return told;
}

/** The platform's fetch as it is at the time of the call, so that it may be replaced (msw, instrumentation). */
function platformFetch(outgoing: Outgoing): Promise<Response> {
  outgoing.onSend?.();
  return globalThis.fetch(outgoing.url, initOf(outgoing));
}

function onion(
  middleware: readonly Middleware[],
  { endpoint, attempt, call, onSend }: Outgoing,
  fetch: NonNullable<Settings['fetch']>,
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
