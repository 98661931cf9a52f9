import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { acceptedEncodings, readStream, readText } from './node-body.js';
import { closeIdleConnections, whenConnected } from './node-connection.js';
import { ConfigurationError, TimeoutError, networkError } from '../errors/errors.js';
import { RawHeaders } from './raw-headers.js';
import type { BodyText, RequestDelivery, Exchange, OutgoingRequest, TransportResponse } from './transport.js';

/**
 * A request with `node:http` and `node:https`, and its response. This takes about half the time of the platform's `fetch`, which is
 * not loaded. Without `agent`, Node's global agents are used, so `NODE_EXTRA_CA_CERTS` and a replaced global agent
 * apply.
 */
export class NodeExchange implements Exchange {
  readonly response: Promise<TransportResponse>;
  readonly #signal: AbortSignal;
  readonly #request: ClientRequest;
  #sent = false;
  /** The same request on another connection, or the one to which a download was redirected. */
  #repeated: NodeExchange | undefined;
  #error: Error | undefined;

  constructor(outgoing: OutgoingRequest, agent?: Agent) {
    this.#signal = outgoing.signal;
    const request = (this.#request = openRequest(outgoing, agent));
    this.response = new Promise((resolve, reject) => {
      let hasEnded = false;
      const end = (): void => {
        if (hasEnded) return;
        hasEnded = true;
        // An idle connection was closed, or had bytes that nobody asked for, before anything was written to it.
        const isStale = !this.#sent && request.reusedSocket && !this.#signal.aborted;
        if (isStale) resolve((this.#repeated = new NodeExchange(outgoing, agent)).response);
        else reject(this.#failure('fetch failed'));
      };
      const fail = (error: Error): void => {
        this.#error = error;
        end();
      };
      request.on('response', (message) => {
        if (!this.#sent) {
          // Nothing was asked yet, so this is no answer. The connection is not in step with the server any more.
          request.destroy();
          return;
        }
        // Node.js accepts a 101 without an upgrade, and any number below 100, as the status of a response.
        if ((message.statusCode ?? 0) < 200) {
          fail(Object.assign(new Error('Invalid status code'), { code: 'HPE_INVALID_STATUS' }));
          request.destroy();
          return;
        }
        hasEnded = true;
        const received = this.#read(message);
        const next = outgoing.redirects?.next(outgoing, received);
        if (!next) {
          resolve(received);
          return;
        }
        message.destroy();
        resolve(this.#follow({ ...outgoing, ...next }, agent));
      });
      request.on('error', fail);
      // A server that switches protocols ends the request without an error.
      request.on('close', end);
    });
    this.#signal.addEventListener('abort', () => {
      request.destroy();
      // The end of a call by its caller says nothing about the connections.
      if (this.#signal.reason instanceof TimeoutError) closeIdleConnections(request);
    });
    whenConnected(request, () => {
      try {
        sendBody(request, outgoing.body);
      } catch (error) {
        // Node.js checks some headers only now.
        request.destroy(error as Error);
        return;
      }
      this.#sent = true;
    });
  }

  get delivery(): RequestDelivery {
    return this.#sent || this.#repeated?.delivery === 'maybe' ? 'maybe' : 'never';
  }

  /** @throws {ConfigurationError} when the agent opens no connections of the protocol of the new URL. */
  async #follow(outgoing: OutgoingRequest, agent: Agent | undefined): Promise<TransportResponse> {
    const { protocol } = new URL(outgoing.url);
    const { protocol: own = protocol } = (agent ?? {}) as { readonly protocol?: string };
    if (own !== protocol)
      throw new ConfigurationError(
        `The download is redirected to ${protocol}, and \`agent\` is for ${own}; give one for both`,
      );
    return (this.#repeated = new NodeExchange(outgoing, agent)).response;
  }

  #read(message: IncomingMessage): TransportResponse {
    const headers = new RawHeaders(message.rawHeaders);
    const status = message.statusCode ?? 0;
    const text = async (maxBytes: number): Promise<BodyText> => {
      try {
        const body = await readText(message, headers, maxBytes);
        // By definition, a 205 has no body. A received body is ignored, like with `fetch`.
        return status === 205 ? { text: '', isTruncated: false } : body;
      } catch (error) {
        this.#error ??= error as Error;
        throw this.#failure('terminated');
      } finally {
        // The body was too long, or the service responded before it had read the whole request.
        if (!message.complete || !this.#request.writableEnded) this.#request.destroy();
      }
    };
    const stream = (): ReadableStream<Uint8Array> =>
      readStream(message, headers, (error) => {
        this.#error ??= error;
        return this.#failure('terminated');
      });
    return { status, headers, text, stream, drop: () => void this.#request.socket?.destroy() };
  }

  /** The error of the exchange, in the shape of an error of the platform's `fetch`. */
  #failure(message: string): Error {
    if (this.#signal.aborted) return this.#signal.reason as Error;
    closeIdleConnections(this.#request);
    const cause = this.#error ?? Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' });
    // Node.js adds the bytes that it could not parse, which may contain secrets.
    if ('rawPacket' in cause) delete cause.rawPacket;
    return networkError(new TypeError(message, { cause }));
  }
}

/** Creates the request. Nothing is sent before its body. */
function openRequest({ endpoint, url, headers, body }: OutgoingRequest, agent?: Agent): ClientRequest {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  // Looked up for each request, so that tracing and mocking libraries can replace it.
  const http = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  // Not the URL itself, which Node.js would copy into an object whose fields it reads slowly.
  const options: RequestOptions = {
    protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    path: pathname + search,
    method: endpoint.method,
    headers: { 'accept-encoding': acceptedEncodings, ...headers },
    agent,
  };
  try {
    rejectFraming(headers, body);
    const request = http.request(options);
    // Otherwise Node.js leaves out all headers after the first 2,000.
    request.maxHeadersCount = 0;
    return request;
  } catch (error) {
    throw networkError(new TypeError('fetch failed', { cause: error }));
  }
}

/**
 * Rejects headers with which a server could read one request as two, like the platform's `fetch`. Options cannot
 * contain them, but tracing can add them.
 */
function rejectFraming(headers: OutgoingRequest['headers'], body: OutgoingRequest['body']): void {
  for (const name of ['transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'trailer', 'content-length']) {
    // The length of a file is known.
    if (name in headers && (name !== 'content-length' || body === undefined))
      throw Object.assign(new TypeError(`invalid ${name} header`), { code: 'ERR_HTTP_INVALID_HEADER_VALUE' });
  }
}

function sendBody(request: ClientRequest, body: OutgoingRequest['body']): void {
  if (body === undefined) request.end();
  // Sent as bytes, whose length Node.js states: it would join a string with the headers and encode both as UTF-8.
  else if (typeof body === 'string') request.end(Buffer.from(body));
  else if (body.pipeTo) body.pipeTo(request);
  else throw new TypeError('a form of the platform can be sent only with `fetch`');
}
