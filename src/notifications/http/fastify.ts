import { nodeHeaders } from './request.js';
import type { Receiver } from '../receiver.js';

/** The parts of Fastify's request that the receiver uses. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly url?: string | undefined;
  readonly ip?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** The parts of Fastify's reply that the receiver uses. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
}

/**
 * A receiver as a route of Fastify, which has already read and parsed the body within its own `bodyLimit`.
 *
 * @example
 * fastify.post('/notifications', fastifyHandler(receiver));
 */
export function fastifyHandler(
  receiver: Receiver,
): (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<string> {
  return async (request, reply) => {
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      ...nodeHeaders(request.headers),
      address: request.ip,
      url: request.url,
      body: () => Promise.resolve(request.body),
    });
    reply.code(status);
    reply.headers({ ...headers });
    return body;
  };
}
