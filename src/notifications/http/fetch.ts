import { bodyConsumed, collectBody } from './request.js';
import type { BodyLimits } from './request.js';
import type { Receiver } from '../receiver.js';

/** A platform's way to keep a program running after its response, such as the `ctx` of Workers. */
export interface WaitUntilContext {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * A receiver as a Fetch API handler: for Workers, Deno, Bun, Hono, Next and every other platform that takes one.
 *
 * Where the platform stops a program after its response, pass its `ctx`, or set `acknowledge: 'handled'`.
 *
 * @example
 * const handle = fetchHandler(receiver);
 * export default { fetch: (request, env, ctx) => handle(request, ctx) };
 */
export function fetchHandler(receiver: Receiver): (request: Request, context?: WaitUntilContext) => Promise<Response> {
  return async (request, context) => {
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      header: (name) => request.headers.get(name),
      body: (limits) => bodyOf(request, limits),
    });
    if (status === 200 && typeof context?.waitUntil === 'function') context.waitUntil(receiver.idle());
    return new Response(body, { status, headers });
  };
}

async function bodyOf(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  if (request.bodyUsed) throw bodyConsumed;
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  try {
    return await collectBody(async () => (await reader.read()).value, limits);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
