import ky, { isNetworkError as isKysNetworkError } from 'ky';
import { ConfigurationError, networkError, isOfFramework } from '../errors/errors.js';
import type { Middleware } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/client-options.js';
import type { Redirects } from '../files/open-download.js';
import { FetchResponse } from './fetch-response.js';
import type { RequestDelivery, Exchange, OutgoingRequest, Transport, TransportResponse } from './transport.js';

/** What has to be known of a `fetch`. Only that of Node.js needs it. */
export interface FetchTraits {
  /** Returns options with which a request can be without data for its `timeoutMs`, and tells when it is written. */
  readonly requestOptions: (outgoing: OutgoingRequest, writing: Writing) => object;
  /** Whether the end of a body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd: (headers: Headers) => boolean;
}

/** Hears from a `fetch` when its request is written. */
export interface Writing {
  /** The request waits for its connection, so it is not written yet. */
  holds(): void;
  begins(): void;
}

/** What a platform knows of `fetch`. */
interface FetchPlatform {
  readonly traitsOf?: (fetch: unknown) => FetchTraits | undefined;
  /** Whether an error shows that no connection was made. */
  readonly isConnectError?: (error: unknown) => boolean;
}

type FetchOptions = Pick<ResolvedOptions, 'fetch' | 'middleware' | 'tracing'>;

/** Sends requests with ky, on every platform and with any `fetch`. */
export function createFetchTransport(options: FetchOptions, platform: FetchPlatform = {}): Transport {
  return (outgoing) => new FetchExchange(outgoing, options, platform);
}

class FetchExchange implements Exchange, Writing {
  readonly response: Promise<TransportResponse>;
  /** How many requests were sent. A middleware can send several. */
  #sends = 0;
  #hasResponded = false;

  constructor(outgoing: OutgoingRequest, options: FetchOptions, platform: FetchPlatform) {
    this.response = this.#send(outgoing, options, platform);
  }

  get delivery(): RequestDelivery {
    return this.#sends > 0 ? 'maybe' : 'never';
  }

  holds(): void {
    this.#sends -= 1;
  }

  begins(): void {
    this.#sends += 1;
  }

  responds(): void {
    this.#hasResponded = true;
  }

  async #send(
    outgoing: OutgoingRequest,
    // The platform's `fetch` is looked up for each request, so that it can be replaced (msw, instrumentation).
    { fetch = globalThis.fetch, middleware = [], tracing }: FetchOptions,
    { traitsOf, isConnectError }: FetchPlatform,
  ): Promise<TransportResponse> {
    const layers = tracing?.middleware ? [...middleware, tracing.middleware] : middleware;
    const traits = traitsOf?.(fetch);
    try {
      const response = await ky(outgoing.url, {
        ...requestInit(outgoing),
        ...traits?.requestOptions(outgoing, this),
        ...kyOptions,
        fetch: composeMiddleware(layers, outgoing, fetch, this),
      });
      return new FetchResponse(response, traits?.hasOpenEnd(response.headers) ?? false);
    } catch (thrown) {
      // ky puts what `fetch` threw into an error of its own, with the request, whose headers contain the token.
      const error = isKysNetworkError(thrown) ? thrown.cause : thrown;
      if (!this.#hasResponded && (isConnectError?.(error) || isOfFramework(error))) this.#sends = 0;
      throw error instanceof TypeError && isKysNetworkError(thrown) ? networkError(error) : error;
    }
  }
}

/** Disables the features of ky that the pipeline implements itself. */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

function requestInit(outgoing: OutgoingRequest): RequestInit {
  const { endpoint, headers, body, signal } = outgoing;
  return {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : body.forFetch(), duplex: 'half' }),
    signal,
    redirect: redirectMode(outgoing),
    ...(takesNoStore() && noStore),
  };
}

/** No cache between this client and the service may answer for it, such as that of a framework. */
const noStore = { cache: 'no-store' } as const;

let doesTakeNoStore: boolean | undefined;

/** Whether requests take the member `cache`. Older Workers throw on it; React Native ignores it, and changes the URL. */
function takesNoStore(): boolean {
  try {
    return (doesTakeNoStore ??= new Request('https://platform.test', noStore).cache === 'no-store');
  } catch {
    return (doesTakeNoStore = false);
  }
}

/** Redirects are followed only for downloads, because another host would receive the token. */
function redirectMode({ endpoint, redirects }: OutgoingRequest): RequestRedirect {
  if (redirects) return redirects.isSecret ? 'manual' : 'follow';
  return endpoint.requestBody === 'multipart' ? uploadRedirectMode() : 'manual';
}

/**
 * With any other mode than `error`, `fetch` keeps a copy of the whole file for a redirect. Workers do not support
 * `error`.
 */
function uploadRedirectMode(): RequestRedirect {
  try {
    return new Request('https://platform.test', { redirect: 'error' }).redirect;
  } catch {
    return 'manual';
  }
}

async function followRedirects(
  request: Request,
  redirects: Redirects,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const response = await send(request);
  const next = redirects.next({ url: request.url, headers: Object.fromEntries(request.headers) }, response);
  if (!next) return response;
  // Not awaited: the cancel of a response that a custom `fetch` has cloned ends with that of the other copy.
  void response.body?.cancel().catch(() => undefined);
  const { method, signal } = request;
  const { url, headers } = next;
  return followRedirects(new Request(url, { method, headers, signal, redirect: 'manual' }), redirects, send);
}

function composeMiddleware(
  middleware: readonly Middleware[],
  { endpoint, attempt, call, redirects, signal }: OutgoingRequest,
  fetch: NonNullable<ResolvedOptions['fetch']>,
  exchange: FetchExchange,
): typeof globalThis.fetch {
  // Next.js ends the prerendering of a page at such a request only if it is said here, too.
  const isOfPlatform = fetch === globalThis.fetch;
  const sendOnce = (request: Request): Promise<Response> =>
    isOfPlatform && takesNoStore() ? globalThis.fetch(request, { ...noStore }) : fetch(request);
  const send = redirects?.isSecret ? (request: Request) => followRedirects(request, redirects, sendOnce) : sendOnce;
  let isSent = false;
  const checked = (creator: string, response: Response | undefined): Response => {
    if (response && Number.isInteger(response.status)) return response;
    const message = `${creator} returned no Response; is a \`return\` missing?`;
    throw isSent ? new TypeError(message) : new ConfigurationError(message);
  };
  const composed = middleware.reduceRight<(request: Request) => Promise<Response>>(
    (next, layer) => async (request) =>
      checked('A middleware', await layer({ endpoint, attempt, call, request }, next)),
    async (request) => {
      // A middleware may be late: the attempt has ended, and the request may have been sent again.
      signal.throwIfAborted();
      isSent = true;
      exchange.begins();
      const response = checked('`fetch`', await send(request));
      exchange.responds();
      return response;
    },
  );
  return composed as typeof globalThis.fetch;
}
