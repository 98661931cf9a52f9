import type { Endpoint } from '../operation/endpoint.js';
import type { Redirects } from '../files/redirects.js';
import type { StreamedBody } from '../files/upload.js';
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
