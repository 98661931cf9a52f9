import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

/** One request as the server received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** When it arrived, by `performance.now()`. */
  readonly at: number;
}

/** How the server responds to a request; `turn` is 1 for the first. */
export type Respond = (response: ServerResponse, turn: number, received: ReceivedRequest) => void;

/** A server on this machine that responds as a test says, and records what it receives. */
export interface TestServer {
  readonly url: string;
  readonly received: ReceivedRequest[];
  /** How many connections are open. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Listens on a free port of loopback until the test is over. */
export async function startServer(respond: Respond): Promise<TestServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const entry = { method, url, headers, body, at: performance.now() };
      received.push(entry);
      respond(response, received.length, entry);
    });
  });
  const { url, sockets, close } = await listen(server);
  onTestFinished(close);
  return { url, received, sockets };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  try {
    for await (const chunk of request) body += String(chunk);
  } catch {
    // A request that was cut off counts with what arrived.
  }
  return body;
}

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Breaks the connection. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
