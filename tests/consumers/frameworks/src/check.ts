// Delivers notifications over HTTP to an inbox in each framework.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import { servers } from './servers.js';

const notification = (id: number): string =>
  JSON.stringify({ _id: `event-${id}`, user_id: 7, topic: 'questions', resource: `/questions/${id}` });

type Headers = Record<string, string | number>;

/** Posts to the path, with a known length or in chunks, and resolves to the status of the response. */
async function post(port: number, body: string, headers: Headers = { 'content-length': body.length }): Promise<number> {
  const options = { host: '127.0.0.1', port, path: '/notifications', method: 'POST', agent: false as const };
  const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }).end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

for (const [name, start] of Object.entries(servers)) {
  const handled: number[] = [];
  const inbox = createInbox({
    on: {
      questions: ({ question_id }) => {
        handled.push(question_id);
      },
    },
  });
  const server = start(inbox);
  if (!server.listening) await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const chunked = { 'transfer-encoding': 'chunked' };
  const statuses = {
    notification: await post(port, notification(1)),
    'in chunks': await post(port, notification(2), chunked),
    empty: await post(port, ''),
    'empty, in chunks': await post(port, '', chunked),
    'empty, without a length': await post(port, '', {}),
    'not JSON': await post(port, '{'),
  };
  const expected = Object.fromEntries(Object.keys(statuses).map((what, index) => [what, index < 2 ? 200 : 400]));
  assert.deepEqual(statuses, expected, name);
  // It is acknowledged, unless a parser of bodies may have left it for an empty one.
  assert.ok([200, 400].includes(await post(port, '{}')), name);
  await inbox.idle();
  assert.deepEqual(handled.sort(), [1, 2], name);
  await inbox.close();
  server.close();
}
