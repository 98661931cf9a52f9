import { bodyIsGone, collectBody } from './request.js';
import type { BodyLimits } from './request.js';
import type { Receiver } from '../receiver.js';

/** What a platform gives to say that work goes on after the answer: Workers' `ctx`, and its like. */
export interface WaitUntilContext {
  waitUntil(promise: Promise<unknown>): void;
}

/**
 * A receiver as a Fetch API handler: for Workers, Deno, Bun, Hono, Next and whatever else takes one.
 *
 * Where the platform stops a program after its answer, hand over its `ctx`, or say `acknowledge: 'handled'`.
 *
 * @example
 * const handle = fetchHandler(receiver);
 * export default { fetch: (request, env, ctx) => handle(request, ctx) };
 */
export function fetchHandler(
  receiver: Receiver,
): (request: Request, afterwards?: WaitUntilContext) => Promise<Response> {
  return async (request, afterwards) => {
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      header: (name) => request.headers.get(name),
      body: (bounds) => bodyOf(request, bounds),
    });
    if (status === 200 && typeof afterwards?.waitUntil === 'function') afterwards.waitUntil(receiver.idle());
    return new Response(body, { status, headers });
  };
}

async function bodyOf(request: Request, bounds: BodyLimits): Promise<Uint8Array> {
  if (request.bodyUsed) throw bodyIsGone;
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  try {
    return await collectBody(async () => (await reader.read()).value, bounds);
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  }
}
