import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConnectionError, OutcomeUnknownError, SellerClient, TimeoutError } from 'marketplace-seller-sdk';
import type { ClientOptions, ServerError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { startServer, json, reset } from '../support/http-server.ts';
import { unusedUrl } from '../support/listen.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const answer = { question_id: 42, text: 'Sí, hay stock para entregar hoy.' };

describe.each(transports)('failures that other libraries are known for, over %s', (_, transport) => {
  const client = (baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient =>
    new SellerClient({ baseUrl, accessToken: 'APP_USR-secret-1', ...transport, ...options });

  test('a body that stalls ends with the timeout, and its socket is closed', async () => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
    });
    const sellerClient = client(server.url, { timeoutMs: 100, maxRetries: 0 });
    const error = await overSockets(() => errorOf(sellerClient.questions.get({ question_id: 42 })));
    expect(error).toBeInstanceOf(TimeoutError);
    await expect.poll(() => server.sockets.size).toBe(0);
  });

  test('a response that never begins ends with the timeout', async () => {
    const server = await startServer(() => {});
    const sellerClient = client(server.url, { timeoutMs: 50, maxRetries: 1 });
    expect(await overSockets(() => errorOf(sellerClient.questions.get({ question_id: 42 })))).toMatchObject({
      name: 'TimeoutError',
      attempts: 2,
    });
  });

  test('a write whose connection is reset is sent once, and its outcome is unknown', async () => {
    const server = await startServer((to) => reset(to));
    const error = await errorOf<OutcomeUnknownError>(client(server.url).questions.answer(answer));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('may or may not have been carried out');
    expect(error.cause).toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(1);
  });

  test('a write that could not be sent has no unknown outcome', async () => {
    const sellerClient = client(await unusedUrl(), { maxRetries: 1 });
    const error = await errorOf<ConnectionError>(sellerClient.questions.answer(answer));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.attempts).toBe(2);
  });

  test('an HTML 502 keeps status, request id and body', async () => {
    const page = '<html><body><h1>Bad Gateway</h1></body></html>';
    const server = await startServer((to) => {
      to.writeHead(502, { 'content-type': 'text/html', 'x-request-id': 'r-1' }).end(page);
    });
    const error = await errorOf<ServerError>(client(server.url, { maxRetries: 0 }).questions.get({ question_id: 42 }));
    expect(error).toMatchObject({ name: 'ServerError', status: 502, requestId: 'r-1', body: page });
    expect(error.message).toBe('GET /questions/{question_id} failed with 502: Bad Gateway');
  });

  test('a network fault keeps its cause and its code', async () => {
    const server = await startServer((to) => reset(to));
    const error = await errorOf<ConnectionError>(
      client(server.url, { maxRetries: 0 }).questions.get({ question_id: 42 }),
    );
    expect(error.message).toContain('ECONNRESET');
    expect(error.cause).toMatchObject({ message: 'fetch failed' });
  });

  test('a debug log holds no token, cookie or user text', async () => {
    const server = await startServer((to, turn) => {
      json(to, turn === 1 ? 429 : 400, { message: `no: ${answer.text}` }, { 'set-cookie': 'sid=cookie-9' });
    });
    const lines: unknown[] = [];
    const log = (...line: unknown[]): void => void lines.push(line);
    const logger = { debug: log, info: log, warn: log, error: log };
    await errorOf(client(server.url, { logger }).questions.answer(answer));
    expect(lines.length).toBeGreaterThanOrEqual(4);
    const shown = inspect(lines, { depth: 10 });
    expect(shown).not.toMatch(/secret-1|cookie-9|hay stock para/);
    expect(shown).toContain('/answers');
  });

  test('sixty finished calls leave no listener on their signal', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const { signal } = new AbortController();
    const sellerClient = client(server.url, { deadlineMs: 600_000 });
    await Promise.all(Array.from({ length: 60 }, () => sellerClient.questions.get({ question_id: 42 }, { signal })));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('the options of one call do not leak into the next', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const sellerClient = client(server.url);
    await sellerClient.questions.get(
      { question_id: 42 },
      { headers: { 'x-trace': 'one' }, query: { debug: true }, accessToken: 'other-token' },
    );
    await sellerClient.questions.get({ question_id: 42 });
    expect(server.received[0]).toMatchObject({ url: '/questions/42?debug=true', headers: { 'x-trace': 'one' } });
    expect(server.received[1]!.url).toBe('/questions/42');
    expect(server.received[1]!.headers['x-trace']).toBeUndefined();
    expect(server.received[1]!.headers.authorization).toBe('Bearer APP_USR-secret-1');
  });

  test('a redirect does not carry the token away', async () => {
    const other = await startServer((to) => json(to, 200, wireQuestion));
    const server = await startServer((to) => {
      to.writeHead(307, { location: `${other.url}/stolen` }).end();
    });
    await errorOf(client(server.url, { maxRetries: 0 }).questions.answer(answer));
    expect(other.received).toHaveLength(0);
  });

  test('a truncated response to a write says that it was most likely carried out', async () => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-length': '500' });
      to.write('{"id": 42', () => to.socket?.destroy());
    });
    const error = await errorOf<OutcomeUnknownError>(client(server.url).questions.answer(answer));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.status).toBe(200);
    expect(error.message).toContain('most likely carried out');
  });

  test('aborted calls leave no socket behind', async () => {
    const server = await startServer(() => {});
    const sellerClient = client(server.url, { timeoutMs: 600_000, maxRetries: 0 });
    const controller = new AbortController();
    const calls = Array.from({ length: 10 }, () =>
      errorOf(sellerClient.questions.get({ question_id: 42 }, { signal: controller.signal })),
    );
    await expect.poll(() => server.received.length).toBeGreaterThan(0);
    controller.abort();
    await Promise.all(calls);
    await expect.poll(() => server.sockets.size).toBe(0);
    await sleep(0);
  });
});
