import ky, { isNetworkError } from 'ky';
import { ConfigurationError } from '../errors/errors.js';
import type { Middleware } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { FetchResponse } from './fetch-response.js';
import type { OutgoingRequest, Transport } from './transport.js';

/** What has to be known of a `fetch`. Only that of Node.js needs it. */
interface FetchTraits {
  /** Returns options with which a request can be without data for its `timeoutMs`, and tells when it is written. */
  readonly requestOptions: (outgoing: OutgoingRequest) => object;
  /** Whether the end of a body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd: (headers: Headers) => boolean;
}

/** Sends requests with ky, on every platform and with any `fetch`. */
export function createFetchTransport(
  { fetch, middleware = [], tracing }: Pick<ResolvedOptions, 'fetch' | 'middleware' | 'tracing'>,
  traitsOf?: (fetch: unknown) => FetchTraits | undefined,
): Transport {
  const layers = tracing?.middleware ? [...middleware, tracing.middleware] : middleware;
  return async (outgoing) => {
    // The platform's `fetch` is looked up for each request, so that it can be replaced (msw, instrumentation).
    const used = fetch ?? globalThis.fetch;
    const traits = traitsOf?.(used);
    const options = {
      ...requestInit(outgoing),
      ...traits?.requestOptions(outgoing),
      ...kyOptions,
      fetch: composeMiddleware(layers, outgoing, used),
    };
    const response = await ky(outgoing.url, options).catch((error: unknown) => rethrowCause(error, outgoing));
    return new FetchResponse(response, traits?.hasOpenEnd(response.headers) ?? false);
  };
}

/** Disables the features of ky that the pipeline implements itself. */
const kyOptions = { retry: 0, timeout: false, throwHttpErrors: false } as const;

/** Throws what `fetch` threw. ky puts it into an error of its own, with the request, whose headers contain the token. */
function rethrowCause(error: unknown, { isSent }: OutgoingRequest): never {
  if (!isNetworkError(error)) throw error;
  const { cause } = error;
  throw cause instanceof TypeError && !isSent() ? Object.assign(cause, { sent: false }) : cause;
}

function requestInit(outgoing: OutgoingRequest): RequestInit {
  const { endpoint, headers, body, signal } = outgoing;
  return {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : body.forFetch(), duplex: 'half' }),
    signal,
    redirect: redirectMode(outgoing),
  };
}

/** Redirects are followed only for downloads, because another host would receive the token. */
function redirectMode({ endpoint, followRedirects }: OutgoingRequest): RequestRedirect {
  if (endpoint.responseBody === 'stream') return followRedirects ? 'manual' : 'follow';
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

function composeMiddleware(
  middleware: readonly Middleware[],
  { endpoint, attempt, call, followRedirects, signal, onSend, onResponse }: OutgoingRequest,
  fetch: NonNullable<ResolvedOptions['fetch']>,
): typeof globalThis.fetch {
  const sendOnce = fetch as (request: Request) => Promise<Response>;
  const send = followRedirects ? (request: Request) => followRedirects(request, sendOnce) : sendOnce;
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
      onSend();
      const response = checked('`fetch`', await send(request));
      onResponse();
      return response;
    },
  );
  return composed as typeof globalThis.fetch;
}
