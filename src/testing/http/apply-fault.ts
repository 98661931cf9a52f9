import { wait } from '../../core/scope/wait.js';
import type { Call } from './call.js';
import type { FaultKind } from './fault.js';
import { respond, withBody } from './respond.js';

/** Applies a fault to a call: before, instead of or after the service acts. */
export async function applyFault(fault: FaultKind, call: Call, next: () => Promise<Response>): Promise<Response> {
  const { signal } = call.request;
  const { status, reset, stall, truncate, delayMs, after } = fault;
  if (delayMs !== undefined) await wait(delayMs, signal);
  signal.throwIfAborted();
  if (reset === 'before') throw connectionError('ECONNRESET');
  if (status !== undefined) {
    if (after) await next();
    return toResponse(fault, status, call);
  }
  const response = await next();
  if (reset === 'after') throw connectionError('ECONNRESET');
  if (stall === 'headers') return forever(signal);
  if (stall || truncate) return firstHalfOf(response, signal, truncate === true);
  return response;
}

function toResponse({ body, headers = {} }: FaultKind, status: number, call: Call): Response {
  const isText = typeof body === 'string' && !call.query.has('callback');
  return isText ? new Response(body, { status, headers }) : respond(call, { status, body, headers });
}

/** The error that `fetch` rejects with when the connection breaks, or is not made. */
export function connectionError(code: string, syscall = 'read'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) });
}

/** The error that reading a body rejects with when the connection breaks. */
function bodyError(): TypeError {
  return new TypeError('bodyError', { cause: connectionError('UND_ERR_SOCKET').cause });
}

/** Returns a response with the first half of its body, after which it stalls or the connection breaks. */
async function firstHalfOf(response: Response, signal: AbortSignal, breaks: boolean): Promise<Response> {
  const bytes = new Uint8Array(await withBody(response).arrayBuffer());
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

/** Never resolves, and rejects when the signal aborts. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
