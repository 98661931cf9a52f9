import type { ResponseHeaders } from '../errors/response-headers.js';
import type { FileInput } from '../files/file-source.js';
import type { Redirects } from '../files/open-download.js';
import type { RejectFile, StreamedBody, Upload } from '../files/upload.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { Fetch, ResolvedOptions } from '../options/client-options.js';
import type { CallInfo } from '../options/hooks.js';
import type { ConnectError } from './connect-errors.js';

/** An attempt of a call, ready to be sent. */
export interface OutgoingRequest {
  readonly endpoint: Endpoint;
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number;
  readonly call: CallInfo;
  readonly url: string;
  /** The headers, with names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: string | StreamedBody | undefined;
  /** The maximum time without data, in milliseconds. `signal` enforces it. */
  readonly timeoutMs: number;
  /** How redirects are followed: those of a download alone. */
  readonly redirects?: Redirects | undefined;
  /** Ends the request immediately, also while the response is read. */
  readonly signal: AbortSignal;
}

/** The text of a body, up to the maximum size. */
export interface BodyText {
  readonly text: string;
  /** Whether the body exceeds the maximum size. Then the text is only its beginning. */
  readonly isTruncated: boolean;
}

/** A response with an unread body. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Reads the body, at most `maxBytes` after decompression, and closes it. */
  text(maxBytes: number): Promise<BodyText>;
  /** Returns the body as a stream, for a download; `null` if there is none. */
  stream(): ReadableStream<Uint8Array> | null;
  /** Whether the end of the body cannot be distinguished from a lost connection. */
  readonly hasOpenEnd?: boolean;
  /** Closes the body without reading it, which frees its connection, if `signal` may not have ended the request. */
  discard?(): void;
  /** Closes the connection, so that no other request uses it. */
  drop?(): void;
}

/** Whether a request may have reached the service. */
export type RequestDelivery = 'never' | 'maybe';

/** A request that is being sent. */
export interface Exchange {
  /** Rejects like the platform's `fetch`: with a `TypeError` whose `cause` is the network error, or with the reason of the signal. */
  readonly response: Promise<TransportResponse>;
  /** What is known now. It becomes `maybe` when the request is written, and `never` again if the connection was not made. */
  readonly delivery: RequestDelivery;
}

/** Sends a request once. It does not retry, does not check the status, and follows redirects only for downloads. */
export type Transport = (outgoing: OutgoingRequest) => Exchange;

/**
 * What differs between platforms. By the conditions in package.json, `#platform` is `portable.ts` for browsers, Workers and
 * React Native, so that bundles for these contain no code that they cannot use, and `node.ts` for Node.js, Deno and Bun.
 */
export interface Platform {
  /** What the running process remembers beside its objects: see `ofProcess`. A simulated process has its own. */
  memory(): Map<object, unknown>;
  /** Whether other processes may use the files of this one. */
  sharesFiles(): boolean;
  /** The base URL that names a service in a store. In a simulation, each start of a process has another address. */
  addressOf(baseUrl: string): string;
  /**
   * Chooses the transport of a client: `fetch` or another one of the platform.
   *
   * @throws {ConfigurationError} when `agent` is given and has no effect.
   */
  chooseTransport(options: ResolvedOptions): Transport;
  /** Recognises a network error that certainly occurred before the service acted; `undefined` for other errors. */
  connectErrorOf(error: unknown): ConnectError | undefined;
  /** Returns the short reason of a network error: its code, otherwise its message. */
  networkReason(error: Error & { readonly code?: unknown }): string;
  /** Loads the module that opens files for uploads. */
  loadUploads(): Promise<{ openUpload(input: FileInput, reject: RejectFile, maxBytes?: number): Promise<Upload> }>;
}

/** Whether a status is a success. */
export function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns the charset of a body by its content type, if it is one that this platform can read and not UTF-8. */
export function charsetOf(contentType: string | null): string | undefined {
  const stated = /;\s*charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType ?? '')?.[1];
  if (stated === undefined || /^utf-?8$/i.test(stated)) return undefined;
  try {
    return new TextDecoder(stated).encoding;
  } catch {
    return undefined;
  }
}

type FetchedResponse = Awaited<ReturnType<Fetch>>;

/** A response of `fetch`. */
export class FetchResponse implements TransportResponse {
  readonly hasOpenEnd: boolean;
  readonly #response: FetchedResponse;
  #headers: Headers | undefined;

  constructor(response: FetchedResponse, hasOpenEnd: boolean) {
    this.#response = response;
    this.hasOpenEnd = hasOpenEnd;
  }

  get status(): number {
    return this.#response.status;
  }

  get headers(): ResponseHeaders {
    const { headers } = this.#response;
    // Those of node-fetch and of undici are classes of their own.
    const toHeaders = (): Headers =>
      (this.#headers ??= headers instanceof Headers ? headers : new Headers(headers as Headers));
    return { get: (name) => headers.get(name), toHeaders };
  }

  async text(maxBytes: number): Promise<BodyText> {
    const body = this.stream();
    // Its headers do not limit a body: a browser hides that it is compressed, and a `fetch` may return any headers.
    if (body) return readText(body, charsetOf(this.#response.headers.get('content-type')), maxBytes);
    // React Native has no streams.
    const text = await this.#response.text();
    return { text: text.slice(0, maxBytes), isTruncated: text.length > maxBytes };
  }

  stream(): ReadableStream<Uint8Array> | null {
    const { body } = this.#response;
    if (typeof body !== 'object' || body === null) return null;
    if ('getReader' in body) return body as ReadableStream<Uint8Array>;
    return Symbol.asyncIterator in body ? webStream(body as AsyncIterable<Uint8Array>) : null;
  }

  discard(): void {
    closeBody(this.#response.body);
  }
}

/** The body of node-fetch is a stream of Node.js. That of `ReadableStream.from` would not close it before it is read. */
function webStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const chunk = await chunks.next();
    if (chunk.done === true) controller.close();
    else controller.enqueue(chunk.value);
  };
  return new ReadableStream({ pull, cancel: () => closeBody(body) }, { highWaterMark: 0 });
}

/** Closes a body that is not read. Not awaited: the cancel of a body that a `fetch` has cloned ends with that of the other copy. */
export function closeBody(body: unknown): void {
  const { cancel, destroy } = (body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  if (cancel) cancel.call(body).catch(() => undefined);
  else destroy?.call(body);
}

/** Reads a stream, and stops if it exceeds `maxBytes`. Without a `charset` it is UTF-8. */
async function readText(
  body: ReadableStream<Uint8Array>,
  charset: string | undefined,
  maxBytes: number,
): Promise<BodyText> {
  const reader = body.getReader();
  const decoder = new TextDecoder(charset);
  let [text, bytes] = ['', 0];
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) {
      reader.cancel().catch(() => undefined);
      return { text, isTruncated: true };
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return { text: text + decoder.decode(), isTruncated: false };
}
