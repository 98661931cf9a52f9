import type { DeliveryRequest } from '../options.js';

/** A delivery as an adapter received it over HTTP. Nothing in it has been checked yet. */
export type IncomingRequest = Readonly<{
  method: string;
  /** A header by its lower-case name. */
  header: (name: string) => string | null | undefined;
  /** All headers, for `accept`. */
  headers?: (() => Headers) | undefined;
  /** The address of the sender, for `accept`. */
  address?: string | undefined;
  /** The URL, or its path, for `path` and `accept`. */
  url?: string | undefined;
  /**
   * The body: its text, its bytes, or the object that a framework parsed it into.
   *
   * @throws {DeliveryRejected} when it is too long, too slow, or was already consumed.
   */
  body(limits: { readonly maxBodyBytes: number }): Promise<unknown>;
  /** Keeps the platform running after the response, until nothing is due any more. */
  waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
}>;

/** How long a body may be, in bytes. */
export type BodyLimits = Parameters<IncomingRequest['body']>[0];

/** How long reading a body may take, in milliseconds: senders that are slower hold connections. */
export const bodyTimeoutMs = 5_000;

/** The response to a delivery. It never contains anything from the request. */
export type OutgoingResponse = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}>;

/** Notifications are flat. This is deep enough for every extension, and far from what a parser's stack takes. */
const maxNesting = 32;

/** What `accept` sees of a delivery. */
export function deliveryRequest({ address, url, headers }: IncomingRequest): DeliveryRequest {
  const path = url?.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*/s, '');
  return { address, path, headers: headers?.() ?? new Headers() };
}

/** The headers of a request of Node's server. */
export function nodeHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Pick<IncomingRequest, 'header' | 'headers'> {
  const valuesOf = (name: string): string[] => [headers[name] ?? []].flat();
  const pairs = (): [string, string][] =>
    Object.keys(headers).flatMap((name) => valuesOf(name).map((each): [string, string] => [name, each]));
  return { header: (name) => valuesOf(name)[0], headers: () => new Headers(pairs()) };
}

/** Builds a plain-text response. */
export function respond(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): OutgoingResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** A delivery that is not accepted, with the response that says why. */
export class DeliveryRejected extends Error {
  readonly response: OutgoingResponse;

  constructor(status: number, reason: string, headers?: Readonly<Record<string, string>>) {
    super(reason);
    this.response = respond(status, reason, headers);
  }
}

const tooLong = new DeliveryRejected(413, 'The body is too long', { connection: 'close' });
/** The body was consumed by something in front of the inbox. */
export const bodyConsumed = new DeliveryRejected(
  500,
  'The body was consumed before it reached the inbox. Mount the inbox before the body parser, or keep the parsed body as `body`.',
);
/** The body took longer than 5 seconds. */
export const bodyTooSlow = new DeliveryRejected(408, 'The body took too long', { connection: 'close' });
/** The sender disconnected: not an error of the inbox. */
export const bodyIncomplete = new DeliveryRejected(400, 'The body ended early');

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws {DeliveryRejected} when the method or a header is wrong. */
export function checkHeaders({ method, header }: IncomingRequest, { maxBodyBytes }: BodyLimits): void {
  if (method !== 'POST') throw new DeliveryRejected(405, 'Notifications are delivered by POST', { allow: 'POST' });
  const type = header('content-type');
  if (type && !isJson(type)) throw new DeliveryRejected(415, 'Notifications are JSON');
  const encoding = header('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity')
    throw new DeliveryRejected(415, 'Notifications are not compressed');
  if (Number(header('content-length') ?? 0) > maxBodyBytes) throw tooLong;
}

function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const charset = parameters.map((each) => /^\s*charset="?([\w-]+)/.exec(each)?.[1]).find(Boolean);
  return /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type.trim()) && (!charset || /^utf-?8$/.test(charset));
}

/** The chunks of a body, up to `maxBodyBytes`. */
export class BodyChunks {
  readonly #maxBodyBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  constructor({ maxBodyBytes }: BodyLimits) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** @throws {DeliveryRejected} when the body is too long. */
  add(chunk: Uint8Array): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBodyBytes) throw tooLong;
    this.#chunks.push(chunk);
  }

  /** The whole body. One chunk, which is usual, is not copied. */
  concatenated(): Uint8Array {
    const [first] = this.#chunks;
    if (first && this.#chunks.length === 1) return first;
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return whole;
  }
}

/**
 * Turns a body into what `parseNotification` accepts.
 *
 * @throws {DeliveryRejected} when it is too long, nested too deeply, or not UTF-8 text.
 */
export function decodeBody(body: unknown, { maxBodyBytes }: BodyLimits): string | object {
  if (typeof body === 'object' && body !== null && !isBytes(body)) {
    checkText(jsonOf(body), maxBodyBytes);
    return body;
  }
  const text = isBytes(body) ? textOf(body, maxBodyBytes) : String(body);
  checkText(text, maxBodyBytes);
  return text;
}

function isBytes(body: unknown): body is Uint8Array | ArrayBuffer {
  return body instanceof Uint8Array || body instanceof ArrayBuffer;
}

function textOf(body: Uint8Array | ArrayBuffer, maxBodyBytes: number): string {
  if (body.byteLength > maxBodyBytes) throw tooLong;
  try {
    return utf8.decode(body);
  } catch {
    throw new DeliveryRejected(400, 'The body is not UTF-8 text');
  }
}

/** The JSON of an object that a framework parsed: it is stored as JSON later. */
function jsonOf(body: object): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new DeliveryRejected(400, 'The body cannot be stored as JSON');
  }
}

function checkText(text: string, maxBodyBytes: number): void {
  // A character has at most three bytes: most texts need no count.
  if (text.length * 3 > maxBodyBytes && new Blob([text]).size > maxBodyBytes) throw tooLong;
  if (nesting(text) > maxNesting) throw new DeliveryRejected(400, 'The body is nested too deeply');
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** The deepest nesting of arrays and objects in a JSON text. */
export function nesting(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === backslash) at += 1;
      else if (code === quote) isString = false;
    } else if (code === quote) isString = true;
    else if (code === openBracket || code === openBrace) deepest = Math.max(deepest, ++depth);
    else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return deepest;
}
