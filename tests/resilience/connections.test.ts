import { once } from 'node:events';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutcomeUnknownError, SellerClient, TimeoutError } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { json, startServer } from '../support/http-server.ts';
import { unusedUrl, urlOf } from '../support/listen.ts';
import { rawServer } from '../support/raw-server.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const whole = 'content-length: 9\r\n\r\n{"id":42}';
const answer = { question_id: 42, text: 'Yes.' };

describe.each(transports)('over %s', (_, transport) => {
  const client = (baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...transport, ...options });

  test('a call after an aborted one gets its own response', async () => {
    const controller = new AbortController();
    const url = await rawServer((to, turn) => {
      if (turn > 1) to.write(`${ok}${whole}`);
      else to.write(`${ok}content-length: 50\r\n\r\n{"id":`, () => setTimeout(() => controller.abort(), 20));
    });
    const sellerClient = client(url);
    const first = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    expect(await first).toMatchObject({ name: 'AbortError' });
    expect(await sellerClient.questions.get({ question_id: 42 })).toEqual({ id: 42 });
  });

  test('a response that nobody asked for is not taken for that of the next call', async () => {
    const closed: Promise<unknown>[] = [];
    const url = await rawServer((to, turn) => {
      closed.push(once(to, 'close'));
      to.write(`${ok}content-length: 8\r\n\r\n{"id":${turn}}`);
      setTimeout(() => to.write(`${ok}content-length: 9\r\n\r\n{"id":66}`), 10);
    });
    const sellerClient = client(url);
    for (let call = 1; call <= 3; call += 1) {
      expect(await sellerClient.questions.answer({ ...answer, question_id: call })).toEqual({ id: call });
      // The client has seen it.
      await closed.at(-1);
    }
  });

  test('a body that drips ends with the timeout, and its socket is closed', async () => {
    const server = await startServer((to) => {
      const timer = setInterval(() => to.write(' '), 20);
      to.once('close', () => clearInterval(timer));
    });
    const error = await overSockets(() =>
      errorOf(client(server.url, { timeoutMs: 150 }).questions.get({ question_id: 42 })),
    );
    expect(error).toBeInstanceOf(TimeoutError);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('a server that closes each connection gets a new one for each call', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion, { connection: 'close' }));
    const sellerClient = client(server.url);
    for (let turn = 0; turn < 5; turn += 1)
      expect(await sellerClient.questions.answer(answer)).toMatchObject({ id: 42 });
    expect(server.received).toHaveLength(5);
  });

  test('an upload that is rejected before its end, and then reset, ends with the error of the response', async () => {
    const url = await rawServer(
      (to) => {
        to.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\n{}', () => {
          setTimeout(() => to.resetAndDestroy(), 50);
        });
        to.pause();
      },
      { waitsFor: 'headers' },
    );
    const file = Buffer.alloc(20_000_000, 'x');
    const error = await errorOf(client(url).messages.upload({ site_id: 'MLA', file, filename: 'a.pdf' }));
    expect(error).toMatchObject({ name: 'FileTooLargeError', status: 413 });
  });

  test.each(['fails', 'is aborted'])('an upload whose source %s midway closes its connection', async (how) => {
    const server = await startServer(() => undefined);
    const controller = new AbortController();
    let isOpen = true;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield new Uint8Array(1000);
        await sleep(20);
        if (how === 'fails') throw new Error('the disk is gone');
        controller.abort();
        yield new Uint8Array(1000);
      } finally {
        isOpen = false;
      }
    }
    const upload = { site_id: 'MLA', file: source(), filename: 'a.pdf', size: 5000 } as const;
    const error = await errorOf(client(server.url).messages.upload(upload, { signal: controller.signal }));
    if (how === 'is aborted') expect(error).toMatchObject({ name: 'AbortError' });
    else
      expect([error.name, error.message]).toEqual(['InvalidInputError', expect.stringContaining('the disk is gone')]);
    await expect.poll(() => server.sockets.size).toBe(0);
    await expect.poll(() => isOpen).toBe(false);
  });

  test('localhost without a server was never reached, at none of its addresses', async () => {
    const url = (await unusedUrl()).replace('127.0.0.1', 'localhost');
    expect(await errorOf(client(url).questions.answer(answer))).toMatchObject({
      name: 'ConnectionError',
      message: 'POST /answers got no response: fetch failed (ECONNREFUSED); check host and port of `baseUrl`',
    });
  });

  test('localhost is reached where only ::1 listens', async ({ skip }) => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(`${ok}connection: close\r\n${whole}`));
    });
    const addresses = await lookup('localhost', { all: true });
    if (!addresses.some(({ family }) => family === 6)) skip('localhost has no IPv6 address on this machine');
    const isListening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true));
    });
    onTestFinished(() => void server.close());
    if (!isListening) skip('this machine has no IPv6');
    expect(await client(urlOf(server).replace('127.0.0.1', 'localhost')).questions.answer(answer)).toEqual({ id: 42 });
  });
});

// Over fetch, undici waits until the server closes the idle connection.
test.each(['before the package was imported', 'between two calls'])(
  'over node:http, a connection is used again if a test replaces the timers %s',
  async (when) => {
    const connections = new Set<number | undefined>();
    const server = await startServer((to) => {
      connections.add(to.socket?.remotePort);
      json(to, 200, wireQuestion);
    });
    vi.resetModules();
    onTestFinished(() => {
      vi.useRealTimers();
      vi.resetModules();
    });
    if (when === 'before the package was imported') vi.useFakeTimers();
    const { SellerClient: Client } = await import('marketplace-seller-sdk');
    const sellerClient = new Client({ baseUrl: server.url, accessToken: 'token-1', maxRetries: 0 });
    await sellerClient.questions.answer(answer);
    vi.useFakeTimers();
    await sellerClient.questions.answer(answer);
    await Promise.all([1, 2, 3].map(() => sellerClient.questions.get({ question_id: 42 })));
    expect(server.received).toHaveLength(5);
    expect(connections.size).toBe(3);
  },
);

describe('over node:http, an agent', () => {
  const client = (baseUrl: string, options: Partial<ClientOptions>): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...options });

  test('of one socket makes calls wait: a write that got none was never sent', async () => {
    const server = await startServer((to, turn) => {
      if (turn > 1) json(to, 200, wireQuestion);
    });
    const agent = new Agent({ maxSockets: 1, keepAlive: true });
    onTestFinished(() => agent.destroy());
    const sellerClient = client(server.url, { agent });
    const controller = new AbortController();
    const hung = errorOf(sellerClient.questions.get({ question_id: 1 }, { signal: controller.signal }));
    await expect.poll(() => server.received.length).toBe(1);
    // real: the only socket is taken.
    const waiting = await errorOf(client(server.url, { agent, timeoutMs: 50 }).questions.answer(answer));
    expect(waiting).toBeInstanceOf(TimeoutError);
    expect(waiting).not.toBeInstanceOf(OutcomeUnknownError);
    const next = sellerClient.questions.answer(answer);
    controller.abort();
    await hung;
    expect(await next).toMatchObject({ id: 42 });
    expect(server.received).toHaveLength(2);
  });

  test('that is destroyed during a write leaves its outcome unknown, and takes the next call', async () => {
    const server = await startServer((to, turn) => {
      if (turn > 1) json(to, 200, wireQuestion);
    });
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const sellerClient = client(server.url, { agent });
    const write = errorOf(sellerClient.questions.answer(answer));
    await expect.poll(() => server.received.length).toBe(1);
    agent.destroy();
    expect(await write).toBeInstanceOf(OutcomeUnknownError);
    expect(await sellerClient.questions.answer(answer)).toMatchObject({ id: 42 });
  });

  test('whose sockets fail in turn sends a write to the first that opens', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const { port } = new URL(server.url);
    // As for a name with two addresses, one of which is down.
    const agent = new Agent({
      lookup: (_, __, done) => {
        done(null, [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]);
      },
    });
    onTestFinished(() => agent.destroy());
    const sellerClient = client(`http://shop.localhost:${port}`, { agent, allowInsecure: true });
    expect(await sellerClient.questions.answer(answer)).toMatchObject({ id: 42 });
    expect(server.received).toHaveLength(1);
  });
});
