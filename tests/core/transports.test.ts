import { createServer as createHttpsServer, Agent as HttpsAgent } from 'node:https';
import { Agent, ClientRequest } from 'node:http';
import { Socket, connect, createServer } from 'node:net';
import type { AddressInfo, NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { ConfigurationError, OutcomeUnknownError, SellerClient, TimeoutError } from 'marketplace-seller-sdk';
import type { ClientOptions, Fetch, Tracing } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { anyText } from '../support/any-text.ts';
import { fc } from '../support/fast-check.ts';
import { json, startServer } from '../support/http-server.ts';
import { listen, unusedUrl } from '../support/listen.ts';
import { rawServer } from '../support/raw-server.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const answer = { question_id: 42, text: 'Sí, hay stock: 5 €.' };
const ok = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** A client that sends once. */
function client(url: string, options: Partial<ClientOptions>): SellerClient {
  return new SellerClient({
    baseUrl: url,
    accessToken: 'APP_USR-secret-1',
    maxRetries: 0,
    timeoutMs: 600_000,
    ...options,
  });
}

describe('a request that was not sent is reported as such over both transports', () => {
  test.each(transports)('over %s, a write without a connection was never sent', async (_, options) => {
    expect(await errorOf(client(await unusedUrl(), options).questions.answer(answer))).toMatchObject({
      name: 'ConnectionError',
      message: 'POST /answers got no response: fetch failed (ECONNREFUSED); check host and port of `baseUrl`',
    });
  });

  test.each(transports)('over %s, a write to a server that is not trusted was never sent', async (_, options) => {
    const { url, received } = await tlsServer();
    expect(await errorOf(client(url, options).questions.answer(answer))).toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining(
        'fetch failed (DEPTH_ZERO_SELF_SIGNED_CERT); the certificate is not trusted',
      ) as string,
    });
    expect(received).toEqual([]);
  });

  const framing = ['transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'trailer', 'content-length'];

  test.each(framing)('the header %s, which would make two requests of one, is no option', async (name) => {
    const headers = { 'X-Shop': 'a', [name.toUpperCase()]: '5' };
    const message = `contains \`${name.toUpperCase()}\`, which only the connection sets`;
    expect(() => client('http://127.0.0.1:9', { headers })).toThrow(message);
    const call = client('http://127.0.0.1:9', {}).questions.get({ question_id: 42 }, { headers });
    await expect(call).rejects.toThrow(`Not sent: the option \`headers\` ${message}`);
  });

  test.each(transports)('over %s, such a header that tracing adds is rejected', async (_, options) => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const tracing: Tracing = {
      observe: () => undefined,
      wrapAttempt: ({ headers }, next) => {
        headers['transfer-encoding'] = 'chunked';
        return next();
      },
    };
    const error = await errorOf(client(server.url, { ...options, tracing }).questions.get({ question_id: 42 }));
    expect(error).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    expect(error.message).toContain('fetch failed (ERR_HTTP_INVALID_HEADER_VALUE); the platform does not send such');
    expect(server.received).toEqual([]);
  });

  test.each(framing)('over node, so is %s, for a read and a write', async (name) => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const tracing: Tracing = {
      observe: () => undefined,
      wrapAttempt: ({ headers }, next) => {
        headers[name] = '5';
        return next();
      },
    };
    const { questions } = client(server.url, { tracing });
    const calls = [
      questions.get({ question_id: 42 }),
      ...(name === 'content-length' ? [] : [questions.answer(answer)]),
    ];
    for (const call of calls) expect(await errorOf(call)).toMatchObject({ name: 'ConnectionError', attempts: 1 });
    expect(server.received).toEqual([]);
  });

  test('what Node.js finds wrong only while it sends ends the call, not the process', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const end = vi.spyOn(ClientRequest.prototype, 'end').mockImplementationOnce(() => {
      throw Object.assign(new Error('Trailers are invalid'), { code: 'ERR_HTTP_TRAILER_INVALID' });
    });
    const error = await errorOf(client(server.url, { maxRetries: 0 }).questions.answer(answer));
    expect(end).toHaveBeenCalled();
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('ERR_HTTP_TRAILER_INVALID') as string,
    });
    expect(server.received).toEqual([]);
  });
});

describe.each(transports)('over %s', (name, options) => {
  test('requests are sent this way', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    await client(server.url, options).questions.get({ question_id: 42 });
    expect('sec-fetch-mode' in server.received[0]!.headers).toBe(name === 'fetch');
  });

  test('a body arrives as UTF-8 with its length, beside a header in Latin-1', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    await client(server.url, { ...options, headers: { 'x-shop': 'café' } }).questions.answer(answer);
    const { headers, body } = server.received[0]!;
    expect(JSON.parse(body)).toEqual(answer);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(headers['x-shop']).toBe('café');
  });

  const zstd: [string, Buffer][] =
    // The fetch of Node.js 22 does not know zstd.
    Number(process.versions.node.split('.')[0]) >= 24 ? [['zstd', zstdCompressSync('{"id":42,"text":"ñ"}')]] : [];
  const encodings: [string, Buffer][] = [
    ['gzip', gzipSync('{"id":42,"text":"ñ"}')],
    ['deflate', deflateSync('{"id":42,"text":"ñ"}')],
    ['deflate', deflateRawSync('{"id":42,"text":"ñ"}')],
    ['br', brotliCompressSync('{"id":42,"text":"ñ"}')],
    ['br, gzip', gzipSync(brotliCompressSync('{"id":42,"text":"ñ"}'))],
    ['gzip', gzipSync(`{"id":42,"text":"ñ","more":${JSON.stringify(noise(100_000))}}`)],
    [
      'gzip, gzip, gzip, gzip, gzip',
      [1, 2, 3, 4, 5].reduce((body) => gzipSync(body), Buffer.from('{"id":42,"text":"ñ"}')),
    ],
    // With an encoding that nobody knows, the body is not decoded at all.
    ...['unheard-of', 'not-gzip', 'identity', 'unheard-of, gzip'].map((encoding): [string, Buffer] => [
      encoding,
      Buffer.from('{"id":42,"text":"ñ"}'),
    ]),
    ...zstd,
  ];
  test.each(encodings)('a body in %s is read', async (encoding, body) => {
    const server = await startServer((to) => to.writeHead(200, { 'content-encoding': encoding }).end(body));
    const question = await client(server.url, options).questions.get({ question_id: 42 });
    expect(question).toMatchObject({ id: 42, text: 'ñ' });
  });

  test('a write on a used connection that breaks once it has arrived is not sent again', async () => {
    let requests = 0;
    const url = await rawServer((to) => {
      if ((requests += 1) > 1) to.destroy();
      else to.write(`${ok}content-length: 9\r\n\r\n{"id":42}`);
    });
    const seller = client(url, options);
    await seller.questions.get({ question_id: 42 });
    expect(await errorOf(seller.questions.answer(answer))).toBeInstanceOf(OutcomeUnknownError);
    expect(requests).toBe(2);
  });

  test('a byte order mark is no part of the text', async () => {
    const server = await startServer((to) => to.writeHead(200).end('\ufeff{"id":42}'));
    expect(await client(server.url, options).questions.get({ question_id: 42 })).toEqual({ id: 42 });
  });

  test('a compressed error response that is too long has no body', async () => {
    const server = await startServer((to) => {
      to.writeHead(404, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(5000)));
    });
    const call = client(server.url, { ...options, maxResponseBytes: 1000 }).questions.get({ question_id: 42 });
    expect(await errorOf(call)).toMatchObject({ name: 'NotFoundError', body: undefined });
  });

  test('headers are those of the response', async () => {
    const server = await startServer((to) => {
      json(to, 200, wireQuestion, { 'x-request-id': 'r-1', 'x-two': ['a', 'b'] as unknown as string });
    });
    const { response } = await client(server.url, options).questions.get({ question_id: 42 }).withResponse();
    expect(response.requestId).toBe('r-1');
    expect(response.headers).toBeInstanceOf(Headers);
    expect(response.headers.get('X-Two')).toBe('a, b');
    expect(response.headers).toBe(response.headers);
  });

  test('an error keeps the headers without cookies', async () => {
    const server = await startServer((to) => json(to, 404, {}, { 'set-cookie': 'sid=9', 'x-request-id': 'r-2' }));
    const error = await errorOf(client(server.url, options).questions.get({ question_id: 42 }));
    expect(error).toMatchObject({ name: 'NotFoundError', requestId: 'r-2' });
    const { headers } = error as unknown as { headers: Headers };
    expect(headers).toBeInstanceOf(Headers);
    expect([headers.get('x-request-id'), headers.get('set-cookie')]).toEqual(['r-2', null]);
  });

  test('calls in turn share connections', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const seller = client(server.url, options);
    for (let turn = 0; turn < 5; turn += 1) await seller.questions.get({ question_id: 42 });
    expect(server.sockets.size).toBeLessThan(5);
  });

  test('an upload arrives whole, with its length', async () => {
    const server = await startServer((to) => json(to, 201, { id: 'a.pdf' }));
    const file = Buffer.alloc(300_000, 'x');
    await client(server.url, options).messages.upload({ site_id: 'MLA', file, filename: 'a.pdf' });
    const { headers, body } = server.received[0]!;
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(body).toContain('x'.repeat(300_000));
  });

  test.each(['the headers', 'the body'])('an abort while it waits for %s closes the connection', async (what) => {
    const server = await startServer((to) => {
      if (what === 'the body') to.writeHead(200).write('{"id":');
    });
    const controller = new AbortController();
    const call = errorOf(client(server.url, options).questions.get({ question_id: 42 }, { signal: controller.signal }));
    await expect.poll(() => server.received.length).toBe(1);
    controller.abort();
    expect(await call).toMatchObject({ name: 'AbortError' });
    await expect.poll(() => server.sockets.size).toBe(0);
  });
});

describe('over a given fetch', () => {
  const clientOf = (fetch: Fetch, options: Partial<ClientOptions> = {}): SellerClient =>
    client('https://api.test', { fetch, ...options });

  test.each([
    ['a body', new ReadableStream()],
    ['no body', null],
  ])('a late response with %s is closed unread where fetch ignores its signal', async (_, body) => {
    const cancel = body && vi.spyOn(body, 'cancel');
    const { promise, resolve } = Promise.withResolvers<Response>();
    const fetch = vi.fn(() => promise);
    const controller = new AbortController();
    const { signal } = controller;
    const call = errorOf(clientOf(fetch).questions.get({ question_id: 42 }, { signal }));
    await expect.poll(() => fetch.mock.calls.length).toBeGreaterThan(0);
    controller.abort();
    resolve(new Response(body));
    expect(await call).toMatchObject({ name: 'AbortError' });
    if (cancel) await expect.poll(() => cancel.mock.calls.length).toBe(1);
  });

  test('a body that is too long is not read to its end', async () => {
    const cancel = vi.fn();
    const chunk = new TextEncoder().encode('x'.repeat(600));
    const body = new ReadableStream<Uint8Array>({ pull: (to) => to.enqueue(chunk), cancel });
    const seller = clientOf(() => Promise.resolve(new Response(body)), { maxResponseBytes: 1000 });
    expect(await errorOf(seller.questions.get({ question_id: 42 }))).toMatchObject({ name: 'UnexpectedResponseError' });
    expect(cancel).toHaveBeenCalledTimes(1);
  });

  test('middleware is called in its order, and that of tracing last', async () => {
    const order: string[] = [];
    const layer =
      (name: string): NonNullable<ClientOptions['middleware']>[number] =>
      ({ request }, next) => {
        order.push(name);
        return next(request);
      };
    const tracing = { observe: () => undefined, middleware: layer('tracing') };
    const fetch = (): Promise<Response> => Promise.resolve(Response.json(wireQuestion));
    await clientOf(fetch, { middleware: [layer('a'), layer('b')], tracing }).questions.get({ question_id: 42 });
    expect(order).toEqual(['a', 'b', 'tracing']);
  });

  test('an upload follows no redirect, in the way that the platform supports', async () => {
    const modes: string[] = [];
    const fetch: Fetch = (_url, { redirect }) => {
      modes.push(redirect);
      return Promise.resolve(Response.json({ id: 'a.pdf' }));
    };
    const upload = () =>
      clientOf(fetch).messages.upload({ site_id: 'MLA', file: new Uint8Array(9), filename: 'a.pdf' });
    await upload();
    // Like in Workers.
    class WorkersRequest extends Request {
      constructor(input: RequestInfo | URL, init?: RequestInit) {
        if (init?.redirect === 'error') throw new TypeError('Invalid redirect value');
        super(input, init);
      }
    }
    vi.stubGlobal('Request', WorkersRequest);
    onTestFinished(() => void vi.unstubAllGlobals());
    await upload();
    expect(modes).toEqual(['error', 'manual']);
  });
});

describe('over node:http alone', () => {
  test('the encodings that it reads are accepted', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    await client(server.url, {}).questions.get({ question_id: 42 });
    const zstd = 'zstd' in process.versions ? ', zstd' : '';
    expect(server.received[0]!.headers['accept-encoding']).toBe(`gzip, deflate, br${zstd}`);
  });

  test.each(['before it is sent', 'while it waits for the response'])(
    'a request that is aborted %s ends with the reason, also for tracing',
    async (when) => {
      const server = await startServer(() => aborter.abort());
      const aborter = new AbortController();
      const outcomes: unknown[] = [];
      const tracing: Tracing = {
        observe: () => undefined,
        wrapAttempt: async (_, next) => {
          if (when === 'before it is sent') aborter.abort();
          const sent = next();
          outcomes.push(await sent.catch((error: unknown) => error));
          return sent;
        },
      };
      const call = client(server.url, { tracing }).questions.get({ question_id: 42 }, { signal: aborter.signal });
      const error = await errorOf(call);
      await expect.poll(() => outcomes).toEqual([error]);
      expect(error.name).toBe('AbortError');
      expect(server.received).toHaveLength(when === 'before it is sent' ? 0 : 1);
    },
  );

  test('a connection on which the rest of a response or of a request is useless is closed', async () => {
    const endless = await startServer((to) => {
      to.writeHead(200).write('x'.repeat(5000));
    });
    const tooLong = await errorOf(client(endless.url, { maxResponseBytes: 1000 }).questions.get({ question_id: 42 }));
    expect(tooLong.name).toBe('UnexpectedResponseError');
    await expect.poll(() => endless.sockets.size).toBe(0);

    let open = 0;
    const track = (socket: Socket): void => {
      open += 1;
      socket.once('close', () => (open -= 1));
    };
    const switching = await rawServer((to) => {
      track(to);
      to.write('HTTP/1.1 101 X\r\n\r\n');
    });
    expect((await errorOf(client(switching, {}).questions.get({ question_id: 42 }))).name).toBe('ConnectionError');
    await expect.poll(() => open).toBe(0);

    const early = await rawServer(
      (to) => {
        track(to);
        to.write('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 2\r\n\r\n{}');
      },
      { waitsFor: 'headers' },
    );
    const { promise: never } = Promise.withResolvers<undefined>();
    async function* file(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      await never;
    }
    const upload = client(early, {}).messages.upload({ site_id: 'MLA', file: file(), filename: 'a.pdf', size: 20 });
    expect((await errorOf(upload)).name).toBe('FileTooLargeError');
    await expect.poll(() => open).toBe(0);
  });

  test('no timer is left when a connection was opened, or not', async () => {
    const server = await startServer((to) => json(to, 200, wireQuestion));
    const nobody = await unusedUrl();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await client(server.url, {}).questions.get({ question_id: 42 });
    expect(vi.getTimerCount()).toBe(0);
    await errorOf(client(nobody, {}).questions.get({ question_id: 42 }));
    // Not polled for: that would advance the fake clock.
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('bytes that are no HTTP are in no error', async () => {
    const url = await rawServer((to) => to.end('APP_USR-other-2'));
    const { cause } = await errorOf(client(url, {}).questions.get({ question_id: 42 }));
    expect(cause).toMatchObject({ cause: { code: expect.stringMatching(/^HPE_/) as string } });
    expect((cause as Error).cause).not.toHaveProperty('rawPacket');
  });

  test.each(['EHOSTUNREACH', 'ECONNREFUSED', 'ENETDOWN'])(
    'a write that was sent before %s has an unknown outcome',
    async (code) => {
      const sockets: Socket[] = [];
      class Recording extends Agent {
        override createConnection(options: object): Socket {
          const socket = connect(options as NetConnectOpts);
          sockets.push(socket);
          return socket;
        }
      }
      const server = await startServer(() => sockets[0]?.destroy(Object.assign(new Error(`read ${code}`), { code })));
      const agent = new Recording();
      onTestFinished(() => agent.destroy());
      const error = await errorOf(client(server.url, { agent }).questions.answer(answer));
      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(error.message).toContain(`fetch failed (${code})`);
    },
  );

  test('a write over a connection that is open, but not yet trusted, was never sent', async () => {
    const { url, received } = await tlsServer();
    const portOf = (address: string): number => Number(new URL(address).port);
    // A proxy: the handshake with the server begins some time after its connection was opened.
    const proxy = createServer((socket) => {
      setTimeout(() => socket.pipe(connect(portOf(url), '127.0.0.1')).pipe(socket), 30);
      socket.on('error', () => undefined);
    });
    const { url: proxyUrl, close } = await listen(proxy);
    onTestFinished(close);
    class Tunnel extends HttpsAgent {
      override createConnection(_: object, done?: (error: Error | null, socket: Socket) => void): undefined {
        const socket = connect(portOf(proxyUrl), '127.0.0.1', () => done?.(null, connectTls({ socket })));
      }
    }
    const agent = new Tunnel();
    onTestFinished(() => agent.destroy());
    const error = await errorOf(client(url, { agent }).questions.answer(answer));
    expect(error.name).toBe('ConnectionError');
    expect(error.message).toContain('fetch failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(received).toEqual([]);
  });

  test('a compressed body that is damaged is an error, however long it is', async () => {
    const body = Buffer.from(noise(100_000));
    const server = await startServer((to) => to.writeHead(200, { 'content-encoding': 'gzip' }).end(body));
    expect(await errorOf(client(server.url, {}).questions.get({ question_id: 42 }))).toMatchObject({
      name: 'ConnectionError',
      message: 'GET /questions/{question_id} got no response: terminated (Z_DATA_ERROR)',
    });
  });

  test('a header that comes twice is one, in any case', async () => {
    const server = await startServer((to) => {
      json(to, 200, wireQuestion, { 'X-Request-Id': ['r-1', 'r-2'] as unknown as string });
    });
    const { response } = await client(server.url, {}).questions.get({ question_id: 42 }).withResponse();
    expect(response.requestId).toBe('r-1, r-2');
  });

  test('any bytes are read as the text that the platform reads', async () => {
    let body = new Uint8Array();
    const server = await startServer((to) => to.writeHead(400).end(body));
    const seller = client(server.url, {});
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 40 }).map((rest) => Uint8Array.of(0xef, 0xbb, 0xbf, ...rest)),
      anyText({ maxLength: 20 }).map((text) => new TextEncoder().encode(text)),
      // What begins like a byte order mark.
      fc
        .array(fc.constantFrom(0xef, 0xbb, 0xbf, 0x41), { minLength: 3, maxLength: 4 })
        .map((all) => Uint8Array.from(all)),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (next) => {
        body = next;
        const expected = new TextDecoder().decode(next);
        fc.pre(expected.trim() !== '' && !isJson(expected));
        expect(await errorOf(seller.questions.get({ question_id: 42 }))).toMatchObject({ body: expected });
      }),
      { numRuns: 200 },
    );
  });

  test('a write never goes to a connection that the server has closed', async () => {
    const server = await startServer((to) => {
      json(to, 200, wireQuestion);
      to.socket?.end();
    });
    const seller = client(server.url, {});
    for (let turn = 1; turn <= 30; turn += 1) {
      await seller.questions.answer(answer);
      // Now and then long enough for Node to have seen the end.
      if (turn % 3 === 0) await sleep(2);
    }
    expect(server.received).toHaveLength(30);
  });

  test('a connection that does not open within ten seconds ends as never sent', async () => {
    class Nowhere extends Agent {
      override createConnection(): Socket {
        const socket = new Socket();
        Object.defineProperty(socket, 'connecting', { value: true });
        return socket;
      }
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const seller = client('http://127.0.0.1:9', { agent: new Nowhere(), timeoutMs: 60_000 });
    const call = errorOf(seller.questions.answer(answer));
    await vi.advanceTimersByTimeAsync(10_000);
    const error = await call;
    expect(error).toMatchObject({
      name: 'ConnectionError',
      message: 'POST /answers got no response: fetch failed (ETIMEDOUT); check host and port of `baseUrl`',
    });
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.cause).toMatchObject({ cause: { message: 'no connection was made within 10000 ms' } });
  });

  test('a timeout before the connection stands is no unknown outcome', async () => {
    class Slow extends Agent {
      override createConnection(): Socket {
        return Object.defineProperty(new Socket(), 'connecting', { value: true });
      }
    }
    // real: it never connects.
    const seller = client('http://127.0.0.1:9', { agent: new Slow(), timeoutMs: 50 });
    const error = await errorOf(seller.questions.answer(answer));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  });

  test('an agent opens the connections: with a certificate authority of its own', async () => {
    const { url, received } = await tlsServer();
    const agent = new HttpsAgent({ ca: certificate.cert });
    onTestFinished(() => agent.destroy());
    const seller = client(url, { agent });
    expect(await seller.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
    expect(received).toEqual(['/questions/42']);
  });

  test('an agent has no effect on `fetch` and middleware, and is rejected with them', () => {
    const agent = new Agent();
    const given: Partial<ClientOptions>[] = [
      { fetch: globalThis.fetch },
      { middleware: [({ request }, next) => next(request)] },
    ];
    for (const options of given) {
      expect(() => client('http://127.0.0.1:9', { agent, ...options })).toThrow(ConfigurationError);
    }
    expect(() => client('http://127.0.0.1:9', { agent: { maxSockets: 1, destroy: () => undefined } })).toThrow(
      '`agent` takes',
    );
  });

  test('an IPv6 address is reached', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(`${ok}content-length: 9\r\nconnection: close\r\n\r\n{"id":42}`));
    });
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true));
    });
    onTestFinished(() => void server.close());
    if (!listening) return;
    const { port } = server.address() as AddressInfo;
    expect(await client(`http://[::1]:${port}`, {}).questions.get({ question_id: 42 })).toEqual({ id: 42 });
  });
});

/** A server with a certificate that nobody trusts; `received` has the paths of its requests. */
async function tlsServer(): Promise<{ url: string; received: string[] }> {
  const received: string[] = [];
  const server = createHttpsServer(certificate, (request, response) => {
    received.push(request.url ?? '');
    json(response, 200, wireQuestion);
  });
  const { url, close } = await listen(server, 'https');
  onTestFinished(close);
  return { url, received };
}

/** Text that does not compress. */
function noise(length: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (state % 90));
  }).join('');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
