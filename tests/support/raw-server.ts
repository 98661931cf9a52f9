import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from './listen.ts';

/**
 * A server of bytes: `act` is called with a connection each time a request has arrived on it, with its body unless only
 * its headers are waited for. It ends with the test.
 */
export async function rawServer(
  act: (socket: Socket, turn: number) => void,
  { waitsFor = 'request' }: { waitsFor?: 'request' | 'headers' } = {},
): Promise<string> {
  let turn = 0;
  const server = createServer((socket) => {
    let received = '';
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        received += bytes.toString('latin1');
        if (waitsFor === 'headers' ? !received.includes('\r\n\r\n') : !isWhole(received)) return;
        received = '';
        act(socket, (turn += 1));
      });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return url;
}

/** Whether a request has arrived with its body, as far as its headers state the length. */
function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(request.slice(0, end))?.[1] ?? 0;
  return request.length >= end + 4 + Number(length);
}
