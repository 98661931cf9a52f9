import { nodeHeaders } from './request.js';
import type { Inbox } from '../inbox.js';

/** The parts of Fastify's request that the inbox uses. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly url?: string | undefined;
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The parts of Fastify's reply that the inbox uses. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: string): unknown;
}

/**
 * An inbox as a route of Fastify, which has already read and parsed the body within its own `bodyLimit`. It sends the response itself,
 * so it serves as a handler, and in a controller of Nest with `@Res()` too.
 *
 * @example
 * fastify.post('/notifications', fastifyHandler(inbox));
 */
export function fastifyHandler<Reply extends FastifyReplyLike>(
  inbox: Inbox,
): (request: FastifyRequestLike, reply: Reply) => Promise<Reply> {
  return async (request, reply) => {
    const { status, headers, body } = await inbox.receive({
      method: request.method,
      ...nodeHeaders(request.headers),
      address: request.ip,
      url: request.url,
      body: () => Promise.resolve(request.body),
    });
    reply.code(status);
    reply.headers({ ...headers });
    reply.send(body);
    // Fastify waits for the response of a handler that returns the reply.
    return reply;
  };
}
