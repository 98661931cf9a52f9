import { errorJson } from '../http/respond.js';
import { Unreadable, bodyOf } from './read-body.js';
import { maskExchange } from './exchange.js';
import type { RawExchange } from './exchange.js';
import { Masker } from './mask.js';
import type { TapeExchange } from './tape.js';

/** Hop-by-hop headers, and those that `fetch` sets itself. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'expect'];

/** Encodings that `fetch` decodes. */
const isDecoded = /^(x-gzip|gzip|deflate|br)(, *(x-gzip|gzip|deflate|br))*$/i;

/** The statuses of a response without a body. */
const withoutBody = [204, 205, 304];

/** What a recorder does with each exchange. */
export interface RecorderOptions {
  /** Takes an exchange, masked. */
  readonly write: (exchange: TapeExchange) => void;
  /** Takes the reason why an exchange was not written. It was passed on all the same. */
  readonly skipped?: ((reason: string) => void) | undefined;
  /** Whether ids stay as they are. @default false */
  readonly keepsIds?: boolean | undefined;
}

/** Creates a proxy to a service, which hands each exchange, masked, to `write`. */
export function createRecorder(
  upstream: string,
  { write, skipped, keepsIds = false }: RecorderOptions,
): (request: Request) => Promise<Response> {
  const masker = new Masker({ keepsIds });
  const callers = new Map<string, string>();
  const base = upstream.endsWith('/') ? upstream.slice(0, -1) : upstream;
  return async (request) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const body = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer();
    const received = await forward(base + path, method, headers, body);
    if (received instanceof Response) return received;
    const { status } = received;
    try {
      const exchange: RawExchange = {
        method,
        path,
        headers,
        request: await bodyOf('request', headers, body),
        status,
        responseHeaders: received.headers,
        response: await bodyOf('response', received.headers, received.bytes),
      };
      write({ ...maskExchange(exchange, masker, callers), ...(keepsIds && { idsAreKept: true }) });
    } catch (error) {
      skipped?.(`${method} was passed on and not written to the tape: ${reasonOf(error)}`);
    }
    return new Response(withoutBody.includes(status) ? null : received.bytes, { status, headers: received.headers });
  };
}

/** The text of any other error could hold a part of the exchange. */
function reasonOf(error: unknown): string {
  return error instanceof Unreadable ? error.message : 'it cannot be masked';
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
}

/** Forwards a request. A service that cannot be reached is a 502. */
async function forward(
  url: string,
  method: string,
  headers: Headers,
  body: ArrayBuffer | undefined,
): Promise<Received | Response> {
  const forwarded = new Headers(headers);
  for (const name of ownHeaders) forwarded.delete(name);
  try {
    const init = { method, headers: forwarded, redirect: 'manual' as const, ...(body?.byteLength && { body }) };
    const response = await fetch(url, init);
    const bytes = await response.arrayBuffer();
    const kept = new Headers(response.headers);
    for (const name of ['content-length', 'transfer-encoding', 'connection']) kept.delete(name);
    if (isDecoded.test(kept.get('content-encoding') ?? '')) kept.delete('content-encoding');
    return { status: response.status, headers: kept, bytes };
  } catch (error) {
    return errorJson(502, `The upstream cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}
