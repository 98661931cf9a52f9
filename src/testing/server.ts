import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as Stream from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { FakeMarketplaceError } from './errors.js';

/** Where a marketplace is to listen. */
export interface ListenOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number | undefined;
  /** Only this machine reaches the default, `127.0.0.1`. */
  readonly host?: string | undefined;
  /** With a page at `/` that shows what comes in and what there is. */
  readonly page?: boolean | undefined;
}

/** A marketplace on a port. */
export interface Listening {
  /** Its base URL, e.g. `http://127.0.0.1:41234`. */
  readonly url: string;
  readonly port: number;
  /** Ends it, with all connections that are still open. */
  close(): Promise<void>;
}

type Handle = (request: Request) => Promise<Response>;
type Streams = typeof Stream;

/** Serves a `Request -> Response` function over HTTP. */
export async function listen(
  handle: Handle,
  { port = 0, host = '127.0.0.1' }: Omit<ListenOptions, 'page'>,
): Promise<Listening> {
  // Loaded here, because bundlers for browsers and Workers resolve what a file imports even if it is never loaded.
  const [{ createServer }, streams] = await Promise.all([import('node:http'), import('node:stream')]);
  const server = createServer((incoming, outgoing) => void answer(handle, incoming, outgoing, streams));
  await opened(server, port, host);
  const taken = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${taken}`, port: taken, close: () => closed(server) };
}

async function opened(server: Server, port: number, host: string): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FakeMarketplaceError(`it cannot listen: ${why}. Leave \`port\` out to get a free one`, { cause });
  }
}

async function closed(server: Server): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  // A client keeps its connections for the next request; nobody will send one.
  server.closeAllConnections();
  await done;
}

async function answer(
  handle: Handle,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  streams: Streams,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  try {
    await send(await respond(handle, requestOf(incoming, gone.signal, streams)), outgoing, streams);
  } catch {
    // What makes `fetch` reject is, on a port, a connection that breaks.
    outgoing.destroy();
  }
}

/** A misuse that shows only now is told to the caller, who sees nothing else of this process. */
async function respond(handle: Handle, request: Request): Promise<Response> {
  try {
    return await handle(request);
  } catch (error) {
    if (!(error instanceof FakeMarketplaceError)) throw error;
    const body = { message: error.message, error: 'internal_server_error', status: 500, cause: [] };
    return Response.json(body, { status: 500 });
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal, { Readable }: Streams): Request {
  const { method = 'GET', url = '/', headers } = incoming;
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) sent.set(name, String(value));
  const bodyless = method === 'GET' || method === 'HEAD';
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
    method,
    headers: sent,
    signal,
    ...(!bodyless && { body: Readable.toWeb(incoming), duplex: 'half' }),
  } as RequestInit);
}

async function send(response: Response, outgoing: ServerResponse, { Readable, promises }: Streams): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body) await promises.pipeline(Readable.fromWeb(response.body as ReadableStream), outgoing);
  else outgoing.end();
}
