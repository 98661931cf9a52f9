import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as Stream from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { nodeModule } from '../core/scope/node-module.js';
import { assertFields, FakeMarketplaceError } from './errors.js';
import { errorJson } from './http/handler.js';

/** Options of `listen`. */
export interface ListenOptions {
  /** The port; 0 picks a free one. @default 0 */
  readonly port?: number | undefined;
  /** The address to bind. Only this machine can reach the default. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** Serves the dashboard at `/`, with the control endpoints that it uses. @default false */
  readonly page?: boolean | undefined;
  /** Serves the control endpoints below `/__fake/`, for a program in another process or language. @default false */
  readonly controls?: boolean | undefined;
  /** The `x-fake-token` of control calls: 16 or more letters, digits, `-` and `_`. @default a random one */
  readonly controlToken?: string | undefined;
}

/** A running server. */
export interface Listening {
  /** The base URL, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** The `x-fake-token` of control calls; `undefined` without them. */
  readonly controlToken?: string | undefined;
  /** Stops the server and closes all open connections. */
  close(): Promise<void>;
}

type Handle = (request: Request) => Promise<Response>;
type Streams = typeof Stream;

/** Serves a `Request -> Response` function over HTTP. */
export async function listen(handle: Handle, options: ListenOptions): Promise<Listening> {
  assertFields('`listen`', options, ['port', 'host', 'page', 'controls', 'controlToken']);
  const { port = 0, host = '127.0.0.1' } = options;
  const [http, streams] = [nodeModule('node:http'), nodeModule('node:stream')];
  if (!http || !streams) throw new FakeMarketplaceError('`listen` needs Node.js, Deno or Bun; use `fetch` instead');
  const server = http.createServer((incoming, outgoing) => void serveRequest(handle, incoming, outgoing, streams));
  // Only faults break connections: one that ends because it was idle, just when a write is sent, loses a response by chance.
  server.keepAliveTimeout = 0;
  await startListening(server, port, host);
  const { port: boundPort } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${boundPort}`, port: boundPort, close: () => closeServer(server) };
}

async function startListening(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FakeMarketplaceError(`cannot listen: ${reason}. Omit \`port\` to get a free one`, { cause });
  }
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Keep-alive connections would otherwise hold the server open.
  server.closeAllConnections();
  await closed;
}

async function serveRequest(
  handle: Handle,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  streams: Streams,
): Promise<void> {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  const body = chunksOf(incoming);
  try {
    const request = toRequest(incoming, body, closed.signal);
    const response = request ? await respond(handle, request) : unreadable(incoming);
    const sent = send(response, outgoing, streams);
    if (!incoming.complete) await discardRest(body, incoming, sent);
    await sent;
  } catch {
    // A fault that makes `fetch` reject in process becomes a broken connection over HTTP.
    outgoing.destroy();
  }
}

/** Reports misuse of the fake to the caller as a 500, because the caller cannot see this process. */
async function respond(handle: Handle, request: Request): Promise<Response> {
  try {
    return await handle(request);
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    return errorJson(500, error.message);
  }
}

/** Returns the request; `undefined` if its method, target or headers are not valid for a `Request`. */
function toRequest(
  incoming: IncomingMessage,
  body: AsyncGenerator<Uint8Array>,
  signal: AbortSignal,
): Request | undefined {
  const { method = 'GET', url = '/', headers } = incoming;
  const hasNoBody = method === 'GET' || method === 'HEAD';
  try {
    const requestHeaders = new Headers();
    for (const [name, value] of Object.entries(headers)) requestHeaders.set(name, String(value));
    // A request through a proxy contains the whole URL.
    const target = `http://${headers.host ?? 'localhost'}${url.replace(/^https?:\/\/[^/]*/, '')}`;
    return new Request(target, {
      method,
      headers: requestHeaders,
      signal,
      ...(!hasNoBody && { body: toStream(body), duplex: 'half' }),
    });
  } catch {
    return undefined;
  }
}

function unreadable({ method = '' }: IncomingMessage): Response {
  if (['TRACE', 'TRACK', 'CONNECT'].includes(method)) return errorJson(405, `${method} is not allowed`);
  return errorJson(400, 'The target or the Host header of the request is invalid');
}

async function send(response: Response, outgoing: ServerResponse, { Readable, promises }: Streams): Promise<void> {
  // A list, because there can be several `Set-Cookie`.
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body) await promises.pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
  else outgoing.end();
}

/** Larger than the maximum upload of 25 MB, which the handler checks. */
const maxBodyBytes = 64 * 1024 * 1024;

/**
 * Returns the chunks of a body. It fails if the body is larger than any upload; `content-length` may be missing, so the
 * bytes are counted.
 */
async function* chunksOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Destroying the request would close the connection before the response is sent.
  const chunks: AsyncIterable<Uint8Array> = incoming.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBodyBytes) throw new Error('the body is too large');
    yield chunk;
  }
}

/** Returns the chunks as a stream. Cancelling it does not end the connection, which still has to send the response. */
function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

/**
 * Reads and discards the rest of a request while its response is sent: a client may write all of it before it reads,
 * and may send its next request on the same connection.
 */
async function discardRest(
  body: AsyncGenerator<Uint8Array>,
  incoming: IncomingMessage,
  sent: Promise<void>,
): Promise<void> {
  const { socket } = incoming;
  // For `connection: close`, Node closes the connection after the response. Unread bytes would turn this into a reset,
  // by which the client can lose the response. So only the sending direction is closed until they are read.
  socket.destroySoon = () => void socket.end();
  await Promise.allSettled([sent, readAll(body)]);
  Reflect.deleteProperty(socket, 'destroySoon');
  if (socket.writableEnded || !incoming.complete) socket.destroySoon();
}

async function readAll(chunks: AsyncGenerator<Uint8Array>): Promise<void> {
  for (let next = await chunks.next(); !next.done;) next = await chunks.next();
}
