import { bodyConsumed, collectBody } from './request.js';
import type { BodyLimits, OutgoingResponse } from './request.js';
import type { Receiver } from '../receiver.js';

/** The parts of a request of Node's server that the receiver uses, with what Express may have added. */
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

/** The parts of Node's response that the receiver uses. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string | number>): { end(body: string): unknown };
}

/**
 * A receiver as a listener for Node's own server, and as a route of Express.
 *
 * Mount it before body parsers where you can. After one, it uses `rawBody` or `body`.
 *
 * @example
 * http.createServer(nodeHandler(receiver)).listen(8080);
 * express().all('/notifications', nodeHandler(receiver));
 */
export function nodeHandler(receiver: Receiver): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    void receiver
      .receive({
        method: request.method ?? '',
        header: (name) => firstOf(request.headers[name]),
        body: (limits) => bodyOf(request, limits),
      })
      .then((outgoing) => write(request, response, outgoing));
  };
}

function write(request: NodeRequest, response: NodeResponse, { status, headers, body }: OutgoingResponse): void {
  // An unread rest of the body would keep the connection busy.
  const connection = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, ...connection, 'content-length': Buffer.byteLength(body) }).end(body);
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

async function bodyOf(request: NodeRequest, limits: BodyLimits): Promise<unknown> {
  const parsed = request.rawBody ?? request.body;
  if (hasContent(parsed)) return parsed;
  if (request.readableEnded || request.readableDidRead) {
    // A body parser that read an empty body leaves an empty object.
    if (typeof parsed === 'object' && parsed !== null) return parsed;
    if (request.headers['content-length'] === '0') return '';
    throw bodyConsumed;
  }
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array, undefined>;
  return collectBody(async () => (await chunks.next()).value, limits);
}

/** Some body parsers leave `{}` when they parsed nothing. */
function hasContent(body: unknown): boolean {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length > 0;
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}
