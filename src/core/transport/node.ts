import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { BrotliOptions, InputType, ZlibOptions, ZstdOptions } from 'node:zlib';
import { ConfigurationError, networkError, TimeoutError } from '../errors/errors.js';
import type { ResponseHeaders } from '../errors/response-headers.js';
import { charsetOf } from './transport.js';
import type { BodyText, Exchange, OutgoingRequest, RequestDelivery, TransportResponse } from './transport.js';

/**
 * A request with `node:http` and `node:https`, and its response. This takes about half the time of the platform's `fetch`, which is
 * not loaded. Without `agent`, Node's global agents are used, so `NODE_EXTRA_CA_CERTS` and a replaced global agent
 * apply.
 */
export class NodeExchange implements Exchange {
  readonly response: Promise<TransportResponse>;
  readonly #signal: AbortSignal;
  readonly #request: ClientRequest;
  #sent = false;
  /** The same request on another connection, or the one to which a download was redirected. */
  #repeated: NodeExchange | undefined;
  #error: Error | undefined;

  constructor(outgoing: OutgoingRequest, agent?: Agent) {
    this.#signal = outgoing.signal;
    const request = (this.#request = openRequest(outgoing, agent));
    this.response = new Promise((resolve, reject) => {
      let hasEnded = false;
      const end = (): void => {
        if (hasEnded) return;
        hasEnded = true;
        // An idle connection was closed, or had bytes that nobody asked for, before anything was written to it.
        const isStale = !this.#sent && request.reusedSocket && !this.#signal.aborted;
        if (isStale) resolve((this.#repeated = new NodeExchange(outgoing, agent)).response);
        else reject(this.#failure('fetch failed'));
      };
      const fail = (error: Error): void => {
        this.#error = error;
        end();
      };
      request.on('response', (message) => {
        if (!this.#sent) {
          // Nothing was asked yet, so this is no answer. The connection is not in step with the server any more.
          request.destroy();
          return;
        }
        // Node.js accepts a 101 without an upgrade, and any number below 100, as the status of a response.
        if ((message.statusCode ?? 0) < 200) {
          fail(Object.assign(new Error('Invalid status code'), { code: 'HPE_INVALID_STATUS' }));
          request.destroy();
          return;
        }
        hasEnded = true;
        const received = this.#read(message);
        const next = outgoing.redirects?.next(outgoing, received);
        if (!next) {
          resolve(received);
          return;
        }
        message.destroy();
        resolve(this.#follow({ ...outgoing, ...next }, agent));
      });
      request.on('error', fail);
      // A server that switches protocols ends the request without an error.
      request.on('close', end);
    });
    this.#signal.addEventListener('abort', () => {
      request.destroy();
      // The end of a call by its caller says nothing about the connections.
      if (this.#signal.reason instanceof TimeoutError) closeIdleConnections(request);
    });
    whenConnected(request, () => {
      try {
        sendBody(request, outgoing.body);
      } catch (error) {
        // Node.js checks some headers only now.
        request.destroy(error as Error);
        return;
      }
      this.#sent = true;
    });
  }

  get delivery(): RequestDelivery {
    return this.#sent || this.#repeated?.delivery === 'maybe' ? 'maybe' : 'never';
  }

  /** @throws {ConfigurationError} when the agent opens no connections of the protocol of the new URL. */
  async #follow(outgoing: OutgoingRequest, agent: Agent | undefined): Promise<TransportResponse> {
    const { protocol } = new URL(outgoing.url);
    const { protocol: own = protocol } = (agent ?? {}) as { readonly protocol?: string };
    if (own !== protocol)
      throw new ConfigurationError(
        `The download is redirected to ${protocol}, and \`agent\` is for ${own}; give one for both`,
      );
    return (this.#repeated = new NodeExchange(outgoing, agent)).response;
  }

  #read(message: IncomingMessage): TransportResponse {
    const headers = rawHeaders(message.rawHeaders);
    const status = message.statusCode ?? 0;
    const text = async (maxBytes: number): Promise<BodyText> => {
      try {
        const body = await readText(message, headers, maxBytes);
        // By definition, a 205 has no body. A received body is ignored, like with `fetch`.
        return status === 205 ? { text: '', isTruncated: false } : body;
      } catch (error) {
        this.#error ??= error as Error;
        throw this.#failure('terminated');
      } finally {
        // The body was too long, or the service responded before it had read the whole request.
        if (!message.complete || !this.#request.writableEnded) this.#request.destroy();
      }
    };
    const stream = (): ReadableStream<Uint8Array> =>
      readStream(message, headers, (error) => {
        this.#error ??= error;
        return this.#failure('terminated');
      });
    return { status, headers, text, stream, drop: () => void this.#request.socket?.destroy() };
  }

  /** The error of the exchange, in the shape of an error of the platform's `fetch`. */
  #failure(message: string): Error {
    if (this.#signal.aborted) return this.#signal.reason as Error;
    closeIdleConnections(this.#request);
    const cause = this.#error ?? Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
    // Node.js adds the bytes that it could not parse, which may contain secrets.
    if ('rawPacket' in cause) delete cause.rawPacket;
    return networkError(new TypeError(message, { cause }));
  }
}

/** Creates the request. Nothing is sent before its body. */
function openRequest({ endpoint, url, headers, body }: OutgoingRequest, agent?: Agent): ClientRequest {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  // Looked up for each request, so that tracing and mocking libraries can replace it.
  const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  // Not the URL itself, which Node.js would copy into an object whose fields it reads slowly.
  const options: RequestOptions = {
    protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    path: pathname + search,
    method: endpoint.method,
    headers: { 'accept-encoding': acceptedEncodings, ...headers },
    agent,
  };
  try {
    rejectFraming(headers, body);
    const request = http.request(options);
    // Otherwise Node.js leaves out all headers after the first 2,000.
    request.maxHeadersCount = 0;
    return request;
  } catch (error) {
    throw networkError(new TypeError('fetch failed', { cause: error }));
  }
}

/**
 * Rejects headers with which a server could read one request as two, like the platform's `fetch`. Options cannot
 * contain them, but tracing can add them.
 */
function rejectFraming(headers: OutgoingRequest['headers'], body: OutgoingRequest['body']): void {
  for (const name of ['transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'trailer', 'content-length']) {
    // The length of a file is known.
    if (name in headers && (name !== 'content-length' || body === undefined))
      throw Object.assign(new TypeError(`invalid ${name} header`), { code: 'ERR_HTTP_INVALID_HEADER_VALUE' });
  }
}

function sendBody(request: ClientRequest, body: OutgoingRequest['body']): void {
  if (body === undefined) request.end();
  // Sent as bytes, whose length Node.js states: it would join a string with the headers and encode both as UTF-8.
  else if (typeof body === 'string') request.end(Buffer.from(body));
  else if (body.pipeTo) body.pipeTo(request);
  else throw new TypeError('a form of the platform can be sent only with `fetch`');
}

/** Up to this many compressed bytes are decompressed synchronously, because the thread pool would take longer. */
const syncBytes = 64 * 1024;

/** A body with more encodings than this is an attack. The platform's `fetch` has the same limit. */
const maxEncodings = 5;

type Codec = 'gunzip' | 'inflate' | 'inflateRaw' | 'brotliDecompress' | 'zstdDecompress';
type CodecOptions = ZlibOptions & BrotliOptions & ZstdOptions;

/** The part of `node:zlib` that decompresses. Node.js 22 supports zstd since 22.15. */
type Zlib = Record<`${Codec}Sync`, (body: InputType, options: CodecOptions) => Buffer> &
  Record<Codec, (body: InputType, options: CodecOptions, done: (error: Error | null, body: Buffer) => void) => void>;

let zlib: Zlib | undefined;

const hasZstd = 'zstd' in process.versions;

/** The encodings that `readText` supports, for `accept-encoding`. */
const acceptedEncodings = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

/**
 * Reads the body of a response by its charset, at most `maxBytes` after decompression.
 *
 * @throws {Error} when the body is incomplete or invalid.
 */
async function readText(message: IncomingMessage, headers: ResponseHeaders, maxBytes: number): Promise<BodyText> {
  const { body, isTruncated } = await readBody(message, maxBytes);
  const encoding = headers.get('content-encoding');
  const charset = charsetOf(headers.get('content-type'));
  if (encoding === null) return { text: textOf(body, charset), isTruncated };
  if (isTruncated) return { text: '', isTruncated };
  try {
    return { text: textOf(await decodeBody(body, encoding, maxBytes), charset), isTruncated };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return { text: '', isTruncated: true };
    throw error;
  }
}

/** Returns the body of a response as a stream, decompressed. `failure` creates the error with which reading fails. */
function readStream(
  message: IncomingMessage,
  headers: ResponseHeaders,
  failure: (error: Error) => Error,
): ReadableStream<Uint8Array> {
  const source = decoded(message, headers.get('content-encoding'));
  // Each has an error that reading says; without a listener it would end the process.
  for (const each of [message, source]) each.on('error', () => undefined);
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const next = await chunks.next().catch((error: unknown) => {
          throw failure(error as Error);
        });
        if (next.done === true) controller.close();
        else controller.enqueue(new Uint8Array(next.value.buffer, next.value.byteOffset, next.value.byteLength));
      },
      cancel: () => {
        message.destroy();
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A body without its encodings. An end that comes early is an error. */
function decoded(message: IncomingMessage, contentEncoding: string | null): Readable {
  const encodings = encodingsIn(contentEncoding ?? '');
  if (contentEncoding === null || !encodings.every(isKnown)) return message;
  const { createBrotliDecompress, createUnzip, createZstdDecompress } = process.getBuiltinModule('node:zlib');
  const streams = encodings
    .filter((encoding) => encoding !== 'identity')
    .map((encoding) =>
      encoding === 'br' ? createBrotliDecompress() : encoding === 'zstd' ? createZstdDecompress() : createUnzip(),
    );
  const { pipeline } = process.getBuiltinModule('node:stream');
  return streams.reduceRight<Readable>((body, stream) => pipeline(body, stream, () => undefined), message);
}

interface RawBody {
  readonly body: Buffer;
  readonly isTruncated: boolean;
}

function readBody(message: IncomingMessage, maxBytes: number): Promise<RawBody> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) resolve({ body: Buffer.concat(chunks, maxBytes), isTruncated: true });
    });
    message.on('end', () => {
      const [first] = chunks;
      const body = chunks.length === 1 && first ? first : Buffer.concat(chunks, length);
      resolve({ body, isTruncated: false });
    });
    message.on('error', reject);
    // Lost before the body was read, e.g. because tracing has waited: that event is over.
    if (message.errored) reject(message.errored);
  });
}

/** Returns the text of a body without a byte order mark, like `text()` of the platform's `fetch`. */
function textOf(bytes: Buffer, charset: string | undefined): string {
  if (charset !== undefined) return new TextDecoder(charset).decode(bytes);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return bytes.toString('utf8', hasMark ? 3 : 0);
}

/** Decompresses a body. With an unknown encoding, the body is returned unchanged, like with the platform's `fetch`. */
async function decodeBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const encodings = encodingsIn(contentEncoding);
  if (body.length === 0 || !encodings.every(isKnown)) return body;
  let decoded = body;
  for (const encoding of encodings.reverse()) decoded = await decompress(decoded, encoding, maxBytes);
  return decoded;
}

function encodingsIn(contentEncoding: string): string[] {
  const encodings = contentEncoding.split(',').map((encoding) => encoding.trim().toLowerCase());
  if (encodings.length <= maxEncodings) return encodings;
  throw new RangeError(
    `too many content-encodings in response: ${encodings.length}, maximum allowed is ${maxEncodings}`,
  );
}

function isKnown(encoding: string): boolean {
  return /^(?:identity|x-gzip|gzip|deflate|br)$/.test(encoding) || (encoding === 'zstd' && hasZstd);
}

function decompress(body: Buffer, encoding: string, maxOutputLength: number): Buffer | Promise<Buffer> {
  if (encoding === 'identity') return body;
  zlib ??= process.getBuiltinModule('node:zlib');
  const [codec, finishFlush] = codecOf(encoding, body);
  const options: CodecOptions = { maxOutputLength, finishFlush };
  if (body.length <= syncBytes) return zlib[`${codec}Sync`](body, options);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  zlib[codec](body, options, (error, decoded) => {
    if (error) reject(error);
    else resolve(decoded);
  });
  return promise;
}

/**
 * Returns the decompressor of an encoding and its mode at the end of the input, like the platform's `fetch`: the
 * available part of an incomplete body is returned, and it is then invalid JSON. With zstd, it is an error.
 */
function codecOf(encoding: string, body: Buffer): [codec: Codec, finishFlush: number] {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_end } = process.getBuiltinModule('node:zlib').constants;
  if (encoding === 'br') return ['brotliDecompress', BROTLI_OPERATION_FLUSH];
  if (encoding === 'zstd') return ['zstdDecompress', ZSTD_e_end];
  if (encoding !== 'deflate') return ['gunzip', Z_SYNC_FLUSH];
  // `deflate` means the zlib format, but some servers send the raw stream.
  return [((body[0] ?? 0) & 0x0f) === 0x08 ? 'inflate' : 'inflateRaw', Z_SYNC_FLUSH];
}

/** The time limit for opening a connection, in milliseconds. The platform's `fetch` has the same limit. */
const connectTimeoutMs = 10_000;

/**
 * Waits for the next turn of the event loop. Fake timers of test runners may never call back, so the real
 * `setImmediate` is kept from the start. If it was already replaced (the fakes of Sinon, Jest and Vitest have a
 * `clock`), there is no wait.
 */
const nextTurn = 'clock' in setImmediate ? (turn: () => void): void => turn() : setImmediate;

/**
 * Calls `ready` when the connection of a request is open. Before that nothing is sent, so an error of the request is an
 * error of the connection.
 */
function whenConnected(outgoing: ClientRequest, ready: () => void): void {
  // Every TLS socket has `secureConnecting`, but the types do not declare it.
  outgoing.on('socket', (socket: Socket & { secureConnecting?: boolean }) => {
    if (socket.connecting || socket.secureConnecting === true) whenOpened(outgoing, socket, ready);
    else whenAlive(outgoing, socket, ready);
  });
}

/** A shorter turn of the event loop only polled for events; in milliseconds. */
const shortTurnMs = 0.25;
const maxTurns = 4;

/**
 * Calls `ready` when a reused connection is still open and silent. Bytes that arrive before are no response to this request,
 * because nothing was sent, so they end it.
 *
 * Node.js notices what has happened to an idle connection only when it polls for events. One turn of the event loop may
 * begin after the poll, and a long turn means that the last poll was long ago, so it waits for a short turn. Without this,
 * the outcome of a fifth of the writes is unknown if a server closes idle connections early; with it, fewer than with the
 * platform's `fetch` (`npm run soak`).
 */
function whenAlive(outgoing: ClientRequest, socket: Socket, ready: () => void): void {
  let turns = 0;
  let last = performance.now();
  const { bytesRead } = socket;
  const turn = (): void => {
    if (outgoing.destroyed || socket.destroyed) return;
    const now = performance.now();
    turns += 1;
    if (turns === maxTurns || (turns > 1 && now - last < shortTurnMs)) {
      if (socket.bytesRead === bytesRead) ready();
      else outgoing.destroy();
      return;
    }
    last = now;
    nextTurn(turn);
  };
  nextTurn(turn);
}

/**
 * Closes the idle connections to the host of a request that was lost on a reused connection, so that the next request opens
 * a new one: a router that has forgotten one connection has probably forgotten all, and sends no packet about it.
 */
function closeIdleConnections(lost: ClientRequest & { readonly agent?: Agent | undefined }): void {
  if (!lost.reusedSocket) return;
  for (const [name, sockets = []] of Object.entries(lost.agent?.freeSockets ?? {}))
    if (name.startsWith(`${lost.host}:`)) for (const socket of [...sockets]) socket.destroy();
}

function whenOpened(outgoing: ClientRequest, socket: Socket, ready: () => void): void {
  const timer = setTimeout(() => {
    const error = new Error(`no connection was made within ${connectTimeoutMs} ms`);
    outgoing.destroy(Object.assign(error, { code: 'ETIMEDOUT', syscall: 'connect' }));
  }, connectTimeoutMs);
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    ready();
  });
}

/** The headers of a message of `node:http`, from its list of alternating names and values. */
function rawHeaders(raw: readonly string[]): ResponseHeaders {
  let headers: Headers | undefined;
  const get = (name: string): string | null => {
    let found: string | null = null;
    for (let at = 0; at + 1 < raw.length; at += 2) {
      const candidate = raw[at] ?? '';
      if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue;
      const value = raw[at + 1] ?? '';
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  };
  return { get, toHeaders: () => (headers ??= platformHeaders(raw)) };
}

function platformHeaders(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}
