import type { ResponseHeaders } from '../errors/response-headers.js';
import type { FileInput } from '../files/file-source.js';
import type { Redirects } from '../files/open-download.js';
import type { RejectFile, StreamedBody, Upload } from '../files/upload.js';
import type { Endpoint } from '../operation/endpoint.js';
import type { ResolvedOptions } from '../options/client-options.js';
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
