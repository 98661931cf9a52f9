import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Where a server on this machine listens. */
export function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * A server of bytes: `act` is called with a connection each time a request has arrived on it, with its body unless only
 * its headers are waited for. It ends with the test.
 */
export async function rawServer(
  act: (socket: Socket, turn: number) => void,
  { waitsFor = 'request' }: { waitsFor?: 'request' | 'headers' } = {},
): Promise<string> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return urlOf(server);
}

/** Whether a request has arrived with its body, as far as its headers state the length. */
function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(request.slice(0, end))?.[1] ?? 0;
  return request.length >= end + 4 + Number(length);
}
