import { gzipSync } from 'node:zlib';
import { NotFoundError, SellerClient, ServerError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { transports } from '../support/transports.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';

const accessToken = 'APP_USR-secret-1';
const maxResponseBytes = 1000;
const bomb = gzipSync(Buffer.alloc(32 * 2 ** 20, ' '));

describe.each(transports)('a response body is read up to maxResponseBytes, over %s', (__, transport) => {
  test('a compressed body that expands beyond it is an error, and is not requested again', async () => {
    const server = await startServer((to) => {
      to.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb);
    });
    // On a busy machine, the default would end the attempt while it decompresses.
    const sellerClient = new SellerClient({ ...transport, baseUrl: server.url, accessToken, timeoutMs: 600_000 });
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

describe('over a `fetch` of one’s own, the headers of a response do not change the limit', () => {
  const unpacked = (): Response['body'] => new Blob([bomb]).stream().pipeThrough(new DecompressionStream('gzip'));
  const length = { 'content-length': '65000' };

  test.each<readonly [what: string, respond: (status: number) => Response]>([
    ['a browser that hides the encoding', (status) => new Response(unpacked(), { status, headers: length })],
    [
      'a browser that shows the encoding',
      (status) => new Response(unpacked(), { status, headers: { ...length, 'content-encoding': 'gzip' } }),
    ],
    ['no length', (status) => new Response(unpacked(), { status })],
    ['a length of 0', (status) => new Response(unpacked(), { status, headers: { 'content-length': '0' } })],
    ['a length below 0', (status) => new Response(unpacked(), { status, headers: { 'content-length': '-1' } })],
    [
      'a length that is no number',
      (status) => new Response(unpacked(), { status, headers: { 'content-length': 'x' } }),
    ],
    [
      'a platform without streams',
      (status) =>
        Object.defineProperty(new Response('x'.repeat(5000), { status, headers: length }), 'body', {
          value: undefined,
        }),
    ],
  ])('%s', async (_, respond) => {
    const answers = [200, 201, 404];
    let read = 0;
    const counted = (response: Response): Response => {
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, to) => {
          read += chunk.byteLength;
          to.enqueue(chunk);
        },
      });
      const body = response.body?.pipeThrough(count);
      return body ? new Response(body, { status: response.status, headers: response.headers }) : response;
    };
    const fetch = (): Promise<Response> => Promise.resolve(counted(respond(answers.shift() ?? 200)));
    const client = new SellerClient({ baseUrl: 'https://api.example.com', accessToken, fetch, maxResponseBytes });
    expect(await errorOf(client.questions.get({ question_id: 42 }))).toBeInstanceOf(UnexpectedResponseError);
    const write = client.questions.answer({ question_id: 42, text: 'Yes.' });
    expect(await errorOf(write)).toBeInstanceOf(UnexpectedResponseError);
    expect(await errorOf(client.questions.get({ question_id: 42 }))).toBeInstanceOf(NotFoundError);
    expect(read).toBeLessThan(2 ** 20);
  });
});
