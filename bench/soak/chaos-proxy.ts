import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { listen } from '../../tests/support/listen.ts';
import { pick } from './workload.ts';

/** What the proxy does to a connection, and when. */
const faults = {
  'resets before the request is forwarded': (client: Socket) => client.resetAndDestroy(),
  'closes before the request is forwarded': (client: Socket) => client.end(),
  'swallows the request': () => undefined,
  'resets when the service has got the request': (client: Socket, service: Socket, request: Buffer) => {
    service.write(request, () => setTimeout(() => client.resetAndDestroy(), 10));
  },
  'closes when the service has got the request': (client: Socket, service: Socket, request: Buffer) => {
    service.write(request, () => setTimeout(() => client.end(), 10));
  },
  'swallows the response': (client: Socket, service: Socket, request: Buffer) => {
    service.unpipe(client).resume();
    service.write(request);
  },
  'cuts the response and closes': cutting((client) => client.end()),
  'cuts the response and resets': cutting((client) => client.resetAndDestroy()),
  'cuts the response and stalls': cutting(() => undefined),
  'delivers the response byte by byte': (client: Socket, service: Socket, request: Buffer) => {
    service.unpipe(client).once('data', (response: Buffer) => {
      for (const byte of response) client.write(Buffer.of(byte));
      service.pipe(client);
    });
    service.write(request);
  },
} satisfies Record<string, (client: Socket, service: Socket, request: Buffer) => unknown>;

function cutting(end: (client: Socket) => unknown) {
  return (client: Socket, service: Socket, request: Buffer): void => {
    service.unpipe(client).once('data', (response: Buffer) => {
      client.write(response.subarray(0, response.length >> 1), () => setTimeout(end, 5, client));
    });
    service.write(request);
  };
}

const kinds = Object.keys(faults) as (keyof typeof faults)[];

export interface ChaosProxy {
  readonly url: string;
  /** How many faults it has injected. */
  readonly injected: () => number;
  close(): Promise<void>;
}

/** A TCP proxy that breaks a share of what passes, each time in one of ten ways. */
export async function chaosProxy(port: number, random: () => number, share: number): Promise<ChaosProxy> {
  let injected = 0;
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1');
    for (const socket of [client, service]) {
      socket.on('error', () => undefined).setNoDelay();
    }
    client.on('close', () => service.destroy());
    service.pipe(client);
    client.on('data', (request) => {
      if (random() >= share) {
        service.write(request);
        return;
      }
      injected += 1;
      faults[pick(kinds, random)](client, service, request);
    });
  });
  const { url, close } = await listen(server);
  return { url, injected: () => injected, close };
}
