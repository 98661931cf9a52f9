import { errorJson } from '../http/respond.js';
import { bodyOfText, endpointNameOf, redacted } from './tape.js';
import type { TapeExchange } from './tape.js';

/** Hop-by-hop headers, and those that `fetch` sets itself. */
const ownHeaders = ['host', 'connection', 'content-length', 'transfer-encoding', 'accept-encoding', 'expect'];

/** Creates a proxy to a service, which hands each exchange, redacted, to `write`. */
export function createRecorder(
  upstream: string,
  write: (exchange: TapeExchange) => void,
): (request: Request) => Promise<Response> {
  const callers = new Map<string, string>();
  const base = upstream.endsWith('/') ? upstream.slice(0, -1) : upstream;
  return async (request) => {
    const { method, headers } = request;
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    const body = method === 'GET' || method === 'HEAD' ? undefined : await request.arrayBuffer();
    const received = await forward(base + path, method, headers, body);
    if (received instanceof Response) return received;
    const isForm = (headers.get('content-type') ?? '').startsWith('multipart/');
    const sent = body && !isForm ? bodyOfText(new TextDecoder().decode(body)) : null;
    const isText = /json|text/.test(received.headers.get('content-type') ?? '');
    const response = isText ? bodyOfText(new TextDecoder().decode(received.bytes)) : null;
    const { status } = received;
    const endpoint = endpointNameOf(method, path);
    write(redacted({ method, path, endpoint, caller: callerOf(headers, callers), request: sent, status, response }));
    return new Response(hasBody(status) ? received.bytes : null, { status, headers: received.headers });
  };
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
    // `fetch` has decoded the body.
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) kept.delete(name);
    return { status: response.status, headers: kept, bytes };
  } catch (error) {
    return errorJson(502, `The upstream cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Names the caller by the order of the tokens, never by the token. */
function callerOf(headers: Headers, callers: Map<string, string>): string | null {
  const token = headers.get('authorization');
  if (token === null) return null;
  const caller = callers.get(token) ?? `user ${callers.size + 1}`;
  callers.set(token, caller);
  return caller;
}
