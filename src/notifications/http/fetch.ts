import { BodyChunks, bodyConsumed, bodyIncomplete, bodyTimeoutMs, bodyTooSlow } from './request.js';
import type { BodyLimits, IncomingRequest } from './request.js';
import type { Inbox } from '../inbox.js';
import { TimeLimit } from '../../core/scope/cancel-scope.js';

/** A platform's way to keep a program running after its response: `ctx` of Workers, `{ waitUntil: after }` of Next. */
export interface WaitUntilContext {
  waitUntil(promise: Promise<unknown>): void;
}

/** A Fetch API handler. Platforms pass a second argument of their own, such as Next the parameters of the route. */
export interface FetchHandler {
  (request: Request, context?: WaitUntilContext): Promise<Response>;
  (request: Request, context: unknown): Promise<Response>;
  /** The `path` of its inbox, where the fake marketplace and a simulation deliver. Not enumerable: it is a secret. */
  readonly path?: string | undefined;
}

/**
 * An inbox as a Fetch API handler: for Workers, Deno, Bun, Hono, Next and every other platform that takes one.
 *
 * Where the platform stops a program after its response, pass its `ctx`; without a place to store, use `handleNow`.
 *
 * @example
 * const handle = fetchHandler(inbox);
 * export default { fetch: (request, env, ctx) => handle(request, ctx) }; // Workers
 * export const POST = handle; // Next
 */
export function fetchHandler(inbox: Inbox): FetchHandler {
  const handle = async (request: Request, context?: unknown): Promise<Response> => {
    const { status, headers, body } = await inbox.receive(incomingRequest(request, context));
    return new Response(body, { status, headers });
  };
  return Object.defineProperty(handle, 'path', { value: inbox.path });
}

/** A delivery that came as a request of the Fetch API. */
export function incomingRequest(request: Request, context?: unknown): IncomingRequest {
  return {
    method: request.method,
    header: (name) => request.headers.get(name),
    headers: () => request.headers,
    url: request.url,
    body: (limits) => bodyOf(request, limits),
    waitUntil: canWait(context) ? (promise) => context.waitUntil(promise) : undefined,
  };
}

function canWait(context: unknown): context is WaitUntilContext {
  return typeof (context as Partial<WaitUntilContext> | null | undefined)?.waitUntil === 'function';
}

async function bodyOf(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  if (request.bodyUsed || request.body?.locked) throw bodyConsumed;
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const timeLimit = new TimeLimit(bodyTimeoutMs);
  try {
    return await timeLimit.run(
      () => readAll(reader, limits),
      () => bodyTooSlow,
    );
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, limits: BodyLimits): Promise<Uint8Array> {
  const chunks = new BodyChunks(limits);
  for (;;) {
    const { value } = await reader.read().catch(() => {
      throw bodyIncomplete;
    });
    if (!value) return chunks.concatenated();
    chunks.add(value);
  }
}
