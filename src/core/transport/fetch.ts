import ky, { isNetworkError as isKysNetworkError } from 'ky';
import { ConfigurationError, networkError, isOfFramework } from '../errors/errors.js';
import type { Fetch, FetchInit } from '../options/client-options.js';
import type { Middleware } from '../options/hooks.js';
import type { ResolvedOptions } from '../options/client-options.js';
import type { Redirects } from '../files/open-download.js';
import { FetchResponse, closeBody } from './transport.js';
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
        ...kyOptions,
        fetch: composeMiddleware(layers, outgoing, fetch, traits?.requestOptions(outgoing, this), this),
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

/** What a `fetch` is called with: plain values, which every `fetch` takes, undici's own and node-fetch among them. */
async function fetchInit(request: Request, own: Request, outgoing: OutgoingRequest): Promise<FetchInit> {
  const isReplaced = request !== own;
  const { signal } = outgoing;
  return {
    method: request.method,
    headers: headersOf(request, outgoing, isReplaced),
    ...(await (isReplaced ? replacedBody(request, outgoing) : ownBody(request, outgoing))),
    signal: isReplaced ? AbortSignal.any([signal, request.signal]) : signal,
    redirect: redirectMode(outgoing),
    ...(takesNoStore() && noStore),
    ...(isReplaced && changedMembers(request, own)),
  };
}

/** A form of the platform states its boundary, which is new each time that it is written. */
function headersOf(
  { headers }: Request,
  { body, headers: own }: OutgoingRequest,
  isReplaced: boolean,
): FetchInit['headers'] {
  const { 'content-type': contentType, ...rest } = Object.fromEntries(headers);
  const isWrittenLater = typeof body === 'object' && !isReplaced && own['content-type'] === undefined;
  return contentType === undefined || isWrittenLater ? rest : { ...rest, 'content-type': contentType };
}

type FetchBody = Pick<FetchInit, 'body' | 'duplex'>;

/** The text that was written, or the file. */
function ownBody(request: Request, { body }: OutgoingRequest): FetchBody {
  if (typeof body !== 'object') return body === undefined ? {} : { body };
  if (body.pipeTo && request.body) return streamed(request.body);
  // ky cancels what nobody has locked. In undici that is an unhandled rejection while the beginning of a form is read.
  request.body?.getReader();
  return { body: body.forFetch() };
}

/** The body of the request of a middleware: a file is a stream, all else text, or bytes if it is none. */
async function replacedBody(request: Request, { body }: OutgoingRequest): Promise<FetchBody> {
  if (request.method === 'GET' || request.method === 'HEAD') return {};
  if (typeof body === 'object' && body.pipeTo && request.body) return streamed(request.body);
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength === 0) return {};
  // Without a type, `fetch` would state one for a text.
  return { body: (request.headers.has('content-type') ? textOf(bytes) : undefined) ?? new Uint8Array(bytes) };
}

function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function streamed(body: ReadableStream<Uint8Array>): FetchBody {
  return { body, duplex: 'half' };
}

/** The members of a `Request` that a middleware may have set, and that `fetch` takes. */
const members = [
  'cache',
  'credentials',
  'integrity',
  'keepalive',
  'mode',
  'redirect',
  'referrer',
  'referrerPolicy',
] as const;

function changedMembers(request: Request, own: Request): object {
  return Object.fromEntries(members.filter((name) => request[name] !== own[name]).map((name) => [name, request[name]]));
}

/**
 * Calls a `fetch`. One that takes no stream, such as that of node-fetch, writes a body as text, and would send the words
 * "[object ReadableStream]" in place of the file: it is called again with the bytes. The file is no larger than an upload may be.
 */
async function callFetch(fetch: Fetch, url: string, init: FetchInit): ReturnType<Fetch> {
  if (init.duplex === undefined) return fetch(url, init);
  const body = init.body as ReadableStream<Uint8Array>;
  const seen = { asText: false };
  const toString = (): never => {
    seen.asText = true;
    throw new TypeError('a stream is not sent as text');
  };
  Object.defineProperty(body, 'toString', { value: toString, configurable: true });
  try {
    return await fetch(url, init);
  } catch (error) {
    const unread = seen.asText ? responseOf(body) : undefined;
    if (!unread) throw error;
    const { duplex: _, ...rest } = init;
    return fetch(url, { ...rest, body: new Uint8Array(await unread.arrayBuffer()) });
  }
}

/** A response with a stream as its body; `undefined` if somebody has begun to read it. */
function responseOf(body: ReadableStream<Uint8Array>): Response | undefined {
  try {
    return new Response(body);
  } catch {
    return undefined;
  }
}

async function followRedirects(url: string, init: FetchInit, redirects: Redirects, send: Fetch): ReturnType<Fetch> {
  const response = await send(url, init);
  const next = redirects.next({ url, headers: init.headers }, response);
  if (!next) return response;
  closeBody(response.body);
  return followRedirects(next.url, { ...init, headers: next.headers }, redirects, send);
}

function composeMiddleware(
  middleware: readonly Middleware[],
  outgoing: OutgoingRequest,
  fetch: Fetch,
  platformOptions: object | undefined,
  exchange: FetchExchange,
): typeof globalThis.fetch {
  const { endpoint, attempt, call, redirects, signal } = outgoing;
  const sendOnce: Fetch = (url, init) => callFetch(fetch, url, init);
  const send: Fetch = redirects?.isSecret ? (url, init) => followRedirects(url, init, redirects, sendOnce) : sendOnce;
  let isSent = false;
  const checked = (creator: string, response: object | undefined): Response => {
    if (response && 'status' in response && Number.isInteger(response.status)) return response as Response;
    const message = `${creator} returned no Response; is a \`return\` missing?`;
    throw isSent ? new TypeError(message) : new ConfigurationError(message);
  };
  const composed = (own: Request): Promise<Response> =>
    middleware.reduceRight<(request: Request) => Promise<Response>>(
      (next, layer) => async (request) =>
        checked('A middleware', await layer({ endpoint, attempt, call, request }, next)),
      async (request) => {
        const init = { ...(await fetchInit(request, own, outgoing)), ...platformOptions };
        // A middleware may be late: the attempt has ended, and the request may have been sent again.
        signal.throwIfAborted();
        isSent = true;
        exchange.begins();
        const response = checked('`fetch`', await send(request.url, init));
        exchange.responds();
        return response;
      },
    )(own);
  return composed as typeof globalThis.fetch;
}
