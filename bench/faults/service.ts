import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen } from '../../tests/support/listen.ts';

/** One request as it was received. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A service that responds as a scenario says, and records the requests. */
export interface Service {
  readonly url: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

export type Respond = (request: IncomingMessage, response: ServerResponse, turn: number) => void;

/** Starts a service; every request is read to its end before the response. */
export async function serve(respond: Respond): Promise<Service> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers });
      respond(request, response, seen.length);
    });
  });
  const { url, close } = await listen(server);
  return { url, seen, close };
}

/** A success for every library. */
export const success = {
  ok: true,
  id: 42,
  object: 'x',
  seller_id: 7,
  item_id: 'MLA1',
  text: 'Is there stock?',
  status: 'UNANSWERED',
};

/** Responds with JSON. */
export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}
