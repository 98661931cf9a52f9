import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

const endOfHeaders = '\r\n\r\n';

/** The JSON of a notification about a question. */
export function bodyOf(questionId: number): string {
  return JSON.stringify({
    _id: `event-${questionId}`,
    user_id: 7,
    resource: `/questions/${questionId}`,
    topic: 'questions',
    sent: '2026-11-20T10:00:00.000Z',
  });
}

/**
 * Posts notifications over one connection, one after the other. It knows only as much of HTTP as that needs: `node:http`
 * would cost more than a bare server, and its own cost would be measured.
 */
export class RawPoster {
  readonly #socket: Socket;
  #received = '';
  #settle: PromiseWithResolvers<number> | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (text: string) => this.#receive(text));
    socket.on('close', () => this.#settle?.reject(new Error('the inbox closed the connection')));
  }

  static async open(port: number): Promise<RawPoster> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new RawPoster(socket);
  }

  /** Resolves to the status of the response. */
  post(questionId: number, body = bodyOf(questionId)): Promise<number> {
    const headers = `Host: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    this.#settle = Promise.withResolvers();
    this.#socket.write(`POST / HTTP/1.1\r\n${headers}${endOfHeaders}${body}`);
    return this.#settle.promise;
  }

  #receive(text: string): void {
    this.#received += text;
    const end = this.#received.indexOf(endOfHeaders);
    const length = /content-length: (\d+)/i.exec(this.#received)?.[1];
    if (end < 0 || length === undefined) return;
    if (this.#received.length < end + endOfHeaders.length + Number(length)) return;
    const status = Number(this.#received.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length));
    this.#received = '';
    this.#settle?.resolve(status);
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }
}
