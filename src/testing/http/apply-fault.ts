import { asJsonp } from './conventions.js';
import type { FaultKind } from './fault.js';
import { HandlerResponse } from './handler.js';
import { jsonResponse } from './recorded-body.js';

/** Applies a fault to a call: before, instead of or after the service acts. */
export async function applyFault(fault: FaultKind, request: Request, next: () => Promise<Response>): Promise<Response> {
  const { status, reset, stall, truncate, delayMs, after } = fault;
  if (delayMs !== undefined) await wait(delayMs, request.signal);
  if (reset === 'before') throw connectionError('ECONNRESET');
  if (status !== undefined) {
    if (after) await next();
    return toResponse(fault, status, request);
  }
  const response = await next();
  if (reset === 'after') throw connectionError('ECONNRESET');
  if (stall === 'headers') await wait(undefined, request.signal);
  if (stall !== undefined || truncate) return firstHalfOf(response, request.signal, truncate === true);
  return response;
}

function toResponse({ body, headers }: FaultKind, status: number, request: Request): Response {
  // A JSONP response always has HTTP 200.
  const callback = new URL(request.url).searchParams.get('callback');
  if (callback !== null) return asJsonp(callback, new HandlerResponse(status, body), { ...headers });
  if (body === undefined) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'string') return new Response(body, { status, headers: { ...headers } });
  return jsonResponse(body, { status, headers: { ...headers } });
}

/** The error that `fetch` rejects with when the connection breaks. */
function connectionError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) });
}

/** The error that reading a body rejects with when the connection breaks. */
function bodyError(): TypeError {
  return new TypeError('bodyError', { cause: connectionError('UND_ERR_SOCKET').cause });
}

/** Returns a response with the first half of its body, after which it stalls or the connection breaks. */
async function firstHalfOf(response: Response, signal: AbortSignal, breaks: boolean): Promise<Response> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0 && breaks) throw connectionError('ECONNRESET');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (bytes.length > 1) controller.enqueue(bytes.slice(0, bytes.length >> 1));
      signal.addEventListener('abort', () => controller.error(signal.reason), { once: true });
    },
    // A stalled body never ends: the reader waits until it is aborted.
    pull: () => (breaks ? Promise.reject(bodyError()) : new Promise<void>(() => undefined)),
  });
  const { status, headers } = response;
  return new Response(status === 204 ? null : body, { status, headers });
}

/** Waits for `ms`, or forever without it, and rejects when the signal aborts. */
function wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    const end = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    function done(): void {
      signal.removeEventListener('abort', end);
      resolve();
    }
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
