import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { createInbox, fastifyHandler, fetchHandler, nodeHandler } from 'marketplace-seller-sdk/inbox';
import type { DeliveryRequest } from 'marketplace-seller-sdk/inbox';
import { expect, test } from 'vitest';
import { about } from '../support/deliveries.ts';

function watching() {
  const seen: DeliveryRequest[] = [];
  const accept = (_: unknown, request: DeliveryRequest): boolean => {
    seen.push(request);
    return request.headers.get('x-proxy') === 'ours' && request.path === '/hooks/secret';
  };
  return { seen, inbox: createInbox({ accept, handle: false }) };
}

const body = JSON.stringify(about(1));
const headers = { 'content-type': 'application/json', 'x-proxy': 'ours' };

test('`accept` sees address, headers and path of a request of Node', async () => {
  const { seen, inbox } = watching();
  const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secret?a=1`;
  expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
  server.close();
  server.closeAllConnections();
  expect(seen).toMatchObject([{ address: '127.0.0.1', path: '/hooks/secret' }]);
  expect(seen[0]!.headers.get('X-Proxy')).toBe('ours');
  expect(await inbox.stats()).toMatchObject({ waiting: 1 });
});

test('`accept` sees headers and path of a Fetch request, and Fastify also tells the address', async () => {
  const { seen, inbox } = watching();
  await fetchHandler(inbox)(new Request('https://app.test/hooks/secret?a=1', { method: 'POST', headers, body }));
  const reply = { code: () => undefined, headers: () => undefined, send: () => undefined };
  const request = { method: 'POST', headers, body: about(2), url: '/hooks/other', ip: '10.0.0.1' };
  await fastifyHandler(inbox)(request, reply);
  expect(seen).toMatchObject([{ path: '/hooks/secret' }, { path: '/hooks/other', address: '10.0.0.1' }]);
  // The second one was not accepted.
  expect(await inbox.stats()).toMatchObject({ waiting: 1 });
});
