import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A server of this process. */
export interface Listening {
  readonly url: string;
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** Stops listening and closes the connections. */
  close(): Promise<void>;
}

/** Makes a server listen on a free port of this machine. */
export async function listen(server: Server, protocol = 'http'): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: urlOf(server, protocol),
    sockets,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Where a server on this machine listens. */
export function urlOf(server: Server, protocol = 'http'): string {
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An address of this machine at which nothing listens. */
export async function unusedUrl(): Promise<string> {
  const { url, close } = await listen(createServer());
  await close();
  return url;
}
