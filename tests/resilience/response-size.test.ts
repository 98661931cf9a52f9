import { gzipSync } from 'node:zlib';
import { NotFoundError, SellerClient, ServerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { transports } from '../support/transports.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';

const accessToken = 'APP_USR-secret-1';
const maxResponseBytes = 1000;

describe.each(transports)('a response body is read up to maxResponseBytes, over %s', (__, transport) => {
  test('a compressed body that expands beyond it is an error, and is not requested again', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, ' '));
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
    });
    const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken });
    const before = process.memoryUsage().rss;
    const error = await errorOf<UnexpectedResponseError>(sellerClient.questions.get({ question_id: 42 }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toBe(
      'GET /questions/{question_id} responded 200 with a body that is longer than `maxResponseBytes`.',
    );
    expect(error.body).toBeUndefined();
    expect(server.received).toHaveLength(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
  });

  test.each([
    ['with its length', { 'content-length': '1001' }],
    ['in chunks', {}],
  ])('a body %s is accepted up to the limit and rejected beyond it', async (_, headers) => {
    const exact = JSON.stringify({
      ...wireQuestion,
      text: 'x'.repeat(1000 - JSON.stringify(wireQuestion).length + 10),
    });
    expect(Buffer.byteLength(exact)).toBe(1000);
    const server = await startServer((to, turn) => {
      const text = turn === 1 ? exact : `${exact} `;
      to.writeHead(200, 'content-length' in headers ? { 'content-length': text.length } : {});
      to.write(text.slice(0, 500));
      to.end(text.slice(500));
    });
    const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken, maxResponseBytes });
    expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
    expect(await errorOf(sellerClient.questions.get({ question_id: 42 }))).toBeInstanceOf(UnexpectedResponseError);
  });

  test.each([
    [404, NotFoundError],
    [500, ServerError],
  ])('the status of an error response with a long body decides its class: %i', async (status, Class) => {
    const server = await startServer((to) => {
      to.writeHead(status).end('<html>' + 'x'.repeat(5000));
    });
    const sellerClient = new SellerClient({
      ...transport,
      baseUrl: server.url,
      accessToken,
      maxResponseBytes,
      maxRetries: 0,
    });
    expect(await errorOf(sellerClient.questions.get({ question_id: 42 }))).toBeInstanceOf(Class);
  });

  test('a write that the service reports as done is not sent again because its response is too long', async () => {
    const server = await startServer((to) => {
      to.writeHead(201).end(JSON.stringify({ ...wireQuestion, text: 'x'.repeat(5000) }));
    });
    const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken, maxResponseBytes });
    const error = await errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes.' }));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('most likely carried out');
    expect(server.received).toHaveLength(1);
  });

  test('the characters of a body that arrives byte by byte stay whole', async () => {
    const bytes = Buffer.from(JSON.stringify({ ...wireQuestion, text: 'Sí, señor 😀' }));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    const fetch = (): Promise<Response> => Promise.resolve(new Response(body));
    const sellerClient = new SellerClient({ baseUrl: 'https://api.example.com', accessToken, fetch });
    expect((await sellerClient.questions.get({ question_id: 42 })).text).toBe('Sí, señor 😀');
  });
});
