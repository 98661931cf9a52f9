import type { Endpoint } from '../operation/endpoint.js';
import type { StreamedBody } from '../files/streamed-body.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import type { CallInfo } from '../options/hooks.js';

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
  /** Follows the redirects of a download if `fetch` must not. It sends requests with `send`. */
  readonly followRedirects?:
    ((request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>) | undefined;
  /** Ends the request immediately, also while the response is read. */
  readonly signal: AbortSignal;
  /** Called when the request is sent: from then on, a write may have been carried out. */
  readonly onSend: () => void;
  /** Called when the last `onSend` was too early: the request still waits for its connection, and nothing was written. */
  readonly onHold: () => void;
  /** Whether an `onSend` was not taken back. */
  readonly isSent: () => boolean;
  /** Called when a response begins to arrive, which proves that the request was sent. */
  readonly onResponse: () => void;
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
}

/**
 * Sends one attempt. It does not retry, does not check the status, and follows redirects only for downloads. It rejects
 * like the platform's `fetch`: with a `TypeError` whose `cause` is the network error, or with the reason of the signal.
 */
export type Transport = (outgoing: OutgoingRequest) => Promise<TransportResponse>;

/** The error of a transport that knows whether the request was sent, unlike the platform's `fetch`. */
export interface TransportError extends TypeError {
  readonly sent: boolean;
}

export function isTransportError(error: unknown): error is TransportError {
  return error instanceof TypeError && 'sent' in error;
}
