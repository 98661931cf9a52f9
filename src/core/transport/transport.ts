import type { Endpoint } from '../endpoint.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import type { CallInfo } from '../options/hooks.js';

/** One attempt of a call, ready to be sent. */
export interface OutgoingRequest {
  readonly endpoint: Endpoint;
  /** 1 for the first. */
  readonly attempt: number;
  readonly call: CallInfo;
  readonly url: string;
  /** Their names are in lower case. */
  readonly headers: Record<string, string>;
  readonly body: BodyInit | undefined;
  /** How long the service may be silent, in milliseconds. `signal` enforces it. */
  readonly timeoutMs: number;
  /** Follows the redirects of a download where `fetch` must not; it sends with the function that it is given. */
  readonly followRedirects?:
    ((request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>) | undefined;
  /** Ends the request at once, also while the response is read. */
  readonly signal: AbortSignal;
  /** Called when the request leaves: from then on, a write may have been carried out. */
  readonly onSend?: (() => void) | undefined;
  /** Called when a response begins to arrive: from then on, the request was sent whatever else happens. */
  readonly onResponse?: (() => void) | undefined;
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
  /** The end of the body cannot be told from a connection that was lost. */
  readonly hasOpenEnd?: boolean;
  /** Closes the body unread, so that its connection is free. */
  discard(): void;
}

/**
 * Sends one attempt. It retries nothing, follows no redirect except of a download, and judges no status. It rejects like
 * the platform's `fetch`, with a `TypeError` whose `cause` is the error of the network, or with the reason of the signal.
 */
export type Transport = (outgoing: OutgoingRequest) => Promise<TransportResponse>;

/** The error of a transport that knows whether the request was sent; the platform's `fetch` does not say. */
export interface TransportError extends TypeError {
  readonly sent: boolean;
}

export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TypeError && 'sent' in error;
}
