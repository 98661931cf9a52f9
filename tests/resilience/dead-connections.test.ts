import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { rawServer } from '../support/raw-server.ts';
import { smallCalls } from '../support/small-calls.ts';
import { errorOf } from '../support/stubs.ts';

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"id":1}';

/** How a connection ends that was idle, when the next request arrives on it. */
const deaths: readonly (readonly [how: string, end: (socket: Socket) => void])[] = [
  ['are silent', () => undefined],
  ['are reset', (socket) => socket.resetAndDestroy()],
  ['are closed', (socket) => socket.destroy()],
  ['break off the response', (socket) => void socket.write(answer.slice(0, -3), () => socket.resetAndDestroy())],
  ['never end the response', (socket) => socket.write(answer.slice(0, -3))],
];

/** A server whose connections all die together, once, while new ones work. It counts the requests to dead ones. */
async function dyingServer(
  end: (socket: Socket) => void,
): Promise<{ url: string; die: () => void; lost: () => number }> {
  const open = new Set<Socket>();
  let dead = new Set<Socket>();
  let lost = 0;
  let waiting: Socket[] = [];
  const url = await rawServer((socket) => {
    open.add(socket);
    if (dead.has(socket)) {
      lost += 1;
      end(socket);
      return;
    }
    // The first eight are answered together, so that there are eight connections.
    waiting.push(socket);
    if (open.size < 8) return;
    for (const each of waiting) each.write(answer);
    waiting = [];
  });
  return { url, die: () => void (dead = new Set(open)), lost: () => lost };
}

const eight = async (client: SellerClient): Promise<void> => {
  const [, read] = smallCalls[0]!;
  await Promise.all(Array.from({ length: 8 }, () => read(client)));
  // undici makes a connection idle one turn after its response.
  await turnOfTheLoop();
};

const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient =>
  new SellerClient({ baseUrl, accessToken: 'token-1', timeoutMs: 300, maxRetries: 2, ...options });
const isRepeatable = ([name]: (typeof smallCalls)[number]): boolean => name === 'GET' || name === 'PUT';

describe('over node:http, eight idle connections that', () => {
  test('another call has left are not closed when the caller aborts it', async () => {
    const { url, die, lost } = await dyingServer(() => undefined);
    const client = clientOf(url);
    await overSockets(() => eight(client));
    die();
    const controller = new AbortController();
    const aborted = errorOf(client.questions.get({ question_id: 1 }, { signal: controller.signal }));
    await expect.poll(lost).toBe(1);
    controller.abort();
    await aborted;
    const [, read] = smallCalls[0]!;
    expect(await overSockets(() => read(client))).toEqual({ id: 1 });
    expect(lost()).toBe(2);
  });

  describe.each(deaths)('%s', (_, end) => {
    test.each(smallCalls.filter(isRepeatable))('cost a %s that may be repeated one attempt', async (__, call) => {
      const { url, die, lost } = await dyingServer(end);
      const client = clientOf(url);
      await overSockets(() => eight(client));
      die();
      expect(await overSockets(() => call(client))).toEqual({ id: 1 });
      expect(lost()).toBe(1);
    });

    test.each(smallCalls.filter((each) => !isRepeatable(each)))(
      'cost a %s its result, and the next one nothing',
      async (__, call) => {
        const { url, die, lost } = await dyingServer(end);
        const client = clientOf(url);
        await overSockets(() => eight(client));
        die();
        expect(await overSockets(() => errorOf(call(client)))).toBeInstanceOf(OutcomeUnknownError);
        expect(await overSockets(() => call(client))).toEqual({ id: 1 });
        expect(lost()).toBe(1);
      },
    );
  });
});

// undici opens the new connection, and may take a second idle one while it closes the first.
describe('over fetch, eight idle connections that', () => {
  describe.each(deaths)('%s', (_, end) => {
    test.each(smallCalls.filter(isRepeatable))('cost a %s no more than two attempts', async (__, call) => {
      const { url, die } = await dyingServer(end);
      const client = clientOf(url, { fetch: globalThis.fetch });
      await overSockets(() => eight(client));
      die();
      expect(await overSockets(() => call(client))).toEqual({ id: 1 });
    });
  });
});

test('over node:http, an agent of one’s own opens a new connection too, and keeps those to other hosts', async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { url, die, lost } = await dyingServer(() => undefined);
  const elsewhere = await rawServer((socket) => socket.write(answer));
  const of = (baseUrl: string): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'token-1', timeoutMs: 300, maxRetries: 1, agent });
  const [, read] = smallCalls[0]!;
  await overSockets(() => eight(of(url)));
  await read(of(elsewhere.replace('127.0.0.1', 'localhost')));
  die();
  expect(await overSockets(() => read(of(url)))).toEqual({ id: 1 });
  expect(lost()).toBe(1);
  expect(Object.entries(agent.freeSockets).map(([name, sockets]) => [name.split(':')[0], sockets?.length])).toEqual(
    expect.arrayContaining([['localhost', 1]]),
  );
});

test('over node:http, a call that its caller ends leaves the idle connections open', async () => {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const { url, die } = await dyingServer(() => controller.abort());
  const controller = new AbortController();
  const sellerClient = new SellerClient({ baseUrl: url, accessToken: 'token-1', maxRetries: 0, agent });
  await eight(sellerClient);
  die();
  const [, read] = smallCalls[0]!;
  expect(await errorOf(read(sellerClient, { signal: controller.signal }))).toMatchObject({ name: 'AbortError' });
  expect(Object.values(agent.freeSockets).map((sockets) => sockets?.length)).toEqual([7]);
});
