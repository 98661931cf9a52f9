import { TimeLimit } from '../../core/scope/cancel-scope.js';
import { atEndOfTurn } from '../../work/timers.js';
import type { Inbox } from '../inbox.js';
import { BodyChunks, bodyConsumed, bodyIncomplete, bodyTimeoutMs, bodyTooSlow, nodeHeaders } from './request.js';
import type { BodyLimits, IncomingRequest, OutgoingResponse } from './request.js';

/** A Fetch API handler. Platforms pass a second argument of their own, such as Next the parameters of the route. */
export interface FetchHandler {
  (
    request: Request,
    context?: {
      /** A platform's way to keep a program running after its response: `ctx` of Workers, `{ waitUntil: after }` of Next. */
      waitUntil(promise: Promise<unknown>): void;
    },
  ): Promise<Response>;
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

function canWait(context: unknown): context is { waitUntil(promise: Promise<unknown>): void } {
  return typeof (context as { waitUntil?: unknown } | null | undefined)?.waitUntil === 'function';
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

/** The parts of a request of Node's server that the inbox uses, with what Express may have added. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** As Express received it, whatever the router is mounted on. */
  readonly originalUrl?: string | undefined;
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly complete: boolean;
  readonly readableEnded: boolean;
  readonly readableDidRead: boolean;
  readonly body?: unknown;
  readonly rawBody?: unknown;
  on(event: 'data' | 'end' | 'error' | 'close', listener: (chunk: Uint8Array) => void): unknown;
  off(event: 'data' | 'end' | 'error' | 'close', listener: (chunk: Uint8Array) => void): unknown;
}

/** The parts of Node's response that the inbox uses. */
export interface NodeResponse {
  /** Whether something else has responded. */
  readonly headersSent?: boolean | undefined;
  writeHead(status: number, headers: Record<string, string | number>): { end(body: string): unknown };
}

/**
 * An inbox as a listener for Node's own server, and as a route of Express.
 *
 * Mount it before body parsers where you can. After one, it uses `rawBody` or `body`.
 *
 * @example
 * http.createServer(nodeHandler(inbox)).listen(8080);
 * express().all('/notifications', nodeHandler(inbox));
 */
export function nodeHandler(inbox: Inbox): (request: NodeRequest, response: NodeResponse) => void {
  // Responses of one turn are written together: each write between other work would wake the sender's process again.
  const responses: (() => void)[] = [];
  const writeAll = (): void => {
    for (const respond of responses.splice(0)) respond();
  };
  return (request, response) => {
    void inbox
      .receive({
        method: request.method ?? '',
        ...nodeHeaders(request.headers),
        address: request.socket?.remoteAddress,
        url: request.originalUrl ?? request.url,
        body: (limits) => consumedBody(request) ?? readBody(request, limits),
      })
      .then((outgoing) => {
        if (responses.push(() => write(request, response, outgoing)) === 1) atEndOfTurn(writeAll);
      });
  };
}

function write(request: NodeRequest, response: NodeResponse, { status, headers, body }: OutgoingResponse): void {
  // Something else has responded already, such as a time limit of the framework.
  if (response.headersSent) return;
  // An unread rest of the body would keep the connection busy.
  const connection = request.complete ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, ...connection, 'content-length': Buffer.byteLength(body) }).end(body);
}

/** What a body parser has left; `undefined` when nothing has read the body. */
function consumedBody(request: NodeRequest): Promise<unknown> | undefined {
  const parsed = request.rawBody ?? request.body;
  if (hasContent(parsed)) return Promise.resolve(parsed);
  if (!request.readableEnded && !request.readableDidRead) return undefined;
  // A body parser that read an empty body leaves an empty text or object; one that is not strict also `null` and numbers.
  if (parsed !== undefined) return Promise.resolve(parsed);
  return request.headers['content-length'] === '0' ? Promise.resolve('') : Promise.reject(bodyConsumed);
}

/** Some body parsers leave `{}` or an empty text when they parsed nothing. */
function hasContent(body: unknown): boolean {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length > 0;
  return typeof body === 'object' && body !== null && Object.keys(body).length > 0;
}

type StreamEvent = Parameters<NodeRequest['on']>[0];

/** Reads the stream of a request with listeners: its iterator costs three times as much. */
async function readBody(request: NodeRequest, limits: BodyLimits): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks = new BodyChunks(limits);
  const onData = (chunk: Uint8Array): void => {
    try {
      chunks.add(chunk);
    } catch (error) {
      reject(error);
    }
  };
  const onGone = (): void => reject(bodyIncomplete);
  const listeners: [StreamEvent, (chunk: Uint8Array) => void][] = [
    ['data', onData],
    ['end', () => resolve(chunks.concatenated())],
    ['error', onGone],
    ['close', onGone],
  ];
  for (const [event, listener] of listeners) request.on(event, listener);
  try {
    return await new TimeLimit(bodyTimeoutMs).run(
      () => promise,
      () => bodyTooSlow,
    );
  } finally {
    for (const [event, listener] of listeners) request.off(event, listener);
  }
}

/**
 * An inbox as a route of Fastify, which has already read and parsed the body within its own `bodyLimit`. It sends the response itself,
 * so it serves as a handler, and in a controller of Nest with `@Res()` too.
 *
 * @example
 * fastify.post('/notifications', fastifyHandler(inbox));
 */
export function fastifyHandler<
  Reply extends {
    code(status: number): unknown;
    headers(values: Record<string, string>): unknown;
    send(body: string): unknown;
  },
>(
  inbox: Inbox,
): (
  request: {
    readonly method: string;
    readonly url?: string | undefined;
    readonly ip?: string | undefined;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly body: unknown;
  },
  reply: Reply,
) => Promise<Reply> {
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
