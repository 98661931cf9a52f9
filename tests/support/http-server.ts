import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** One request as the server got it. */
export interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** When it came, by `performance.now()`. */
  readonly at: number;
}

/** What the server does with a request; `turn` is 1 for the first. */
export type Act = (answer: ServerResponse, turn: number, heard: Heard) => void;

/** A server on this machine that does what a test tells it, and counts. */
export interface TestServer {
  readonly url: string;
  readonly heard: Heard[];
  /** How many connections are open. */
  readonly sockets: Set<Socket>;
}

/** Listens on a free port of loopback until the test is over. */
export async function startServer(act: Act): Promise<TestServer> {
  const heard: Heard[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, answer) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body, at: performance.now() };
      heard.push(one);
      act(answer, heard.length, one);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, sockets };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  try {
    for await (const chunk of request) body += String(chunk);
  } catch {
    // Who hangs up in the middle of a request has said what there is.
  }
  return body;
}

/** Answers with JSON. */
export function json(
  answer: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Breaks the connection. */
export function reset(answer: ServerResponse): void {
  answer.socket?.resetAndDestroy();
}
