import { bodyIsGone, collectBody } from './request.js';
import type { BodyLimits } from './request.js';
import type { Receiver } from '../receiver.js';

/** What of a request of Node's server is needed here, with what Express or another framework may have put on it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly complete: boolean;
  readonly readableEnded: boolean;
  readonly readableDidRead: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  iterator(options: { readonly destroyOnReturn: boolean }): AsyncIterator<unknown>;
}

/** What of Node's response is needed here. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string | number>): { end(body: string): unknown };
}

/**
 * A receiver as a listener for Node's own server, and as a route of Express.
 *
 * Mount it before body parsers where you can. A body that one has read already is taken from `rawBody` or `body`.
 *
 * @example
 * http.createServer(nodeHandler(receiver)).listen(8080);
 * express().all('/notifications', nodeHandler(receiver));
 */
export function nodeHandler(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    void answer(receiver, request, response);
  };
}

async function answer(receiver: Receiver, request: NodeRequest, response: NodeResponse): Promise<void> {
  const { status, headers, body } = await receiver.receive({
    method: request.method ?? '',
    header: (name) => headerOf(request, name),
    body: (bounds) => bodyOf(request, bounds),
  });
  // The rest of a body that nobody reads would keep the connection busy.
  const rest = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, ...rest, 'content-length': Buffer.byteLength(body) }).end(body);
}

function headerOf(request: NodeRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function bodyOf(request: NodeRequest, bounds: BodyLimits): Promise<unknown> {
  const kept = request.rawBody ?? request.body;
  if (isBody(kept)) return kept;
  if (request.readableEnded || request.readableDidRead) throw bodyIsGone;
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>;
  return collectBody(async () => (await chunks.next()).value, bounds);
}

/** Some parsers leave `{}` where they have parsed nothing. */
function isBody(kept: unknown): boolean {
  if (typeof kept === 'string' || kept instanceof Uint8Array) return kept.length > 0;
  return typeof kept === 'object' && kept !== null && Object.keys(kept).length > 0;
}

/** What of Fastify's request is needed here. */
export interface FastifyRequestLike {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** What of Fastify's reply is needed here. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
}

/**
 * A receiver as a route of Fastify, which has read and parsed the body by then, within its own `bodyLimit`.
 *
 * @example
 * fastify.post('/notifications', fastifyHandler(receiver));
 */
export function fastifyHandler(
  receiver: Receiver,
): (request: FastifyRequestLike, response: FastifyReplyLike) => Promise<string> {
  return async (request, response) => {
    const { status, headers, body } = await receiver.receive({
      method: request.method,
      header: (name) => [request.headers[name]].flat()[0],
      body: () => Promise.resolve(request.body),
    });
    response.code(status);
    response.headers({ ...headers });
    return body;
  };
}
