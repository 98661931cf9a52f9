import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionError, InvalidInputError, OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions, Download, Fetch, FetchInit, Middleware } from 'marketplace-seller-sdk';
import { createOAuth } from 'marketplace-seller-sdk/oauth';
import { describe, expect, onTestFinished, test } from 'vitest';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { listen } from '../support/listen.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';

// A `fetch` of a user is called as `fetch(url, init)`: what the service receives is the same with each that people use.

/** Each `fetch` by the package that it comes from. */
const fetches: [name: string, fetch: Fetch][] = [['of Node.js', globalThis.fetch]];
for (const name of 'zstdCompressSync' in (await import('node:zlib'))
  ? ['undici6', 'undici7', 'undici', 'node-fetch']
  : ['undici6', 'node-fetch']) {
  const module = (await import(name)) as { readonly fetch?: Fetch; readonly default: Fetch };
  fetches.push([name, module.fetch ?? module.default]);
}

interface Received {
  readonly line: string;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly token: string | undefined;
  readonly body: Buffer;
}

interface Service {
  readonly url: string;
  readonly received: Received[];
}

/** A service that keeps what it receives, byte by byte, until the test is over. */
async function service(respond: (request: IncomingMessage) => unknown = () => ({})): Promise<Service> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({
        line: `${method} ${url}`,
        type: headers['content-type'],
        length: headers['content-length'],
        token: headers.authorization,
        body: Buffer.concat(chunks),
      });
      const body = respond(request);
      if (body instanceof Buffer) response.setHeader('content-type', 'application/pdf').end(body);
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, received };
}

function clientOf(baseUrl: string, options: Partial<ClientOptions>): SellerClient {
  return new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...options });
}

/** What a request says, with a boundary that does not differ from one to the next. */
function said({ line, type, token, body }: Received): object {
  const boundary = /boundary=(\S+)/.exec(type ?? '')?.[1] ?? ' ';
  const text = body.toString('latin1');
  return { line, token, type: type?.replace(boundary, '-'), body: text.replaceAll(boundary, '-') };
}

/** What a service receives of every call. */
async function ofEveryCall(options: Partial<ClientOptions>): Promise<object[]> {
  const { url, received } = await service();
  const seller = clientOf(url, options);
  for (const { endpoint, input } of everyEndpoint) await seller.call(endpoint, input).catch(() => undefined);
  return received.map(said);
}

const setsHeader: Middleware = async ({ request }, next) => {
  request.headers.set('x-trace', 'a');
  return next(request);
};
const replaces: Middleware = async ({ request }, next) => next(new Request(request, { headers: request.headers }));

const file = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));
const upload = (seller: SellerClient, options?: Parameters<SellerClient['messages']['upload']>[1]) =>
  seller.messages.upload({ site_id: 'MLA', file, filename: 'a.pdf' }, options);

describe.each(fetches)('over the fetch %s', (_, fetch) => {
  test.each<[string, Partial<ClientOptions>]>([
    ['as it is', {}],
    ['with a middleware that changes the request', { middleware: [setsHeader] }],
    ['with a middleware that replaces the request', { middleware: [replaces] }],
  ])('every call sends what it sends over node:http: %s', async (__, options) => {
    const expected = await ofEveryCall({});
    expect(expected.length).toBeGreaterThanOrEqual(everyEndpoint.length);
    expect(await ofEveryCall({ fetch, ...options })).toEqual(expected);
  });

  test.each<[string, Partial<ClientOptions>]>([
    ['as it is', {}],
    ['with a middleware that replaces the request', { middleware: [replaces] }],
  ])('a file arrives byte by byte, and its length is stated: %s', async (__, options) => {
    const { url, received } = await service(() => ({ id: 'a.pdf' }));
    const sent: number[] = [];
    const onUploadProgress = ({ sentBytes }: { readonly sentBytes: number }): void => void sent.push(sentBytes);
    await upload(clientOf(url, { fetch, ...options }), { onUploadProgress });
    const [{ body, length } = { body: Buffer.alloc(0), length: '' }, ...others] = received;
    expect(others).toEqual([]);
    expect(body.includes(file)).toBe(true);
    expect(length).toBe(String(body.length));
    expect(sent.at(-1)).toBe(file.length);
  });

  test('a file that cannot be read is not stored', async () => {
    const { url, received } = await service(() => ({ id: 'a.pdf' }));
    const folder = await mkdtemp(join(tmpdir(), 'fetch-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'a.pdf'), file);
    const stream = createReadStream(join(folder, 'a.pdf'));
    const input = { site_id: 'MLA', file: stream, filename: 'a.pdf', size: file.length + 1 } as const;
    const error = await errorOf(clientOf(url, { fetch }).messages.upload(input));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(received.filter(({ body }) => body.length > file.length)).toEqual([]);
  });

  test('a file is downloaded', async () => {
    const { url } = await service(() => file);
    const { messages } = clientOf(url, { fetch });
    const download = await messages.download({ site_id: 'MLA', attachment_id: 'a.pdf' });
    expect(Buffer.from(await download.arrayBuffer()).equals(file)).toBe(true);
  });

  test('a download that nobody reads frees its connection, and a lost one fails', async () => {
    const server = createServer((_request, response) => response.writeHead(200, { 'content-length': 9 }).write('file'));
    const { url, sockets, close } = await listen(server);
    onTestFinished(close);
    const download = (): Promise<Download> =>
      clientOf(url, { fetch }).messages.download({ site_id: 'MLA', attachment_id: 'a.pdf' });
    await (await download()).stream.cancel();
    while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const lost = download().then(async (file) => file.arrayBuffer());
    while (sockets.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => sockets.forEach((socket) => socket.destroy()), 50);
    await expect(lost).rejects.toThrow();
  });

  test('the headers of a response are those of the platform', async () => {
    const { url } = await service(() => wireQuestion);
    const { data, response } = await clientOf(url, { fetch }).questions.get({ question_id: 42 }).withResponse();
    expect(data).toMatchObject({ id: 42 });
    expect(response.headers).toBeInstanceOf(Headers);
    expect(response.headers.get('content-type')).toBe('application/json');
  });

  test('a write that no server took was not sent', async () => {
    const seller = clientOf('http://127.0.0.1:29999', { fetch });
    const error = await errorOf(seller.questions.answer({ question_id: 42, text: 'Yes.' }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain('check host and port of `baseUrl`');
  });

  test('a call ends with its signal, and with its time', async () => {
    let arrived = 0;
    const server = createServer(() => (arrived += 1));
    const { url, close } = await listen(server);
    onTestFinished(close);
    for (const middleware of [[], [replaces]]) {
      const { questions } = clientOf(url, { fetch, middleware });
      const aborter = new AbortController();
      const call = errorOf(questions.get({ question_id: 42 }, { signal: aborter.signal }));
      const before = arrived;
      while (arrived === before) await new Promise((resolve) => setTimeout(resolve, 5));
      aborter.abort();
      expect((await call).name).toBe('AbortError');
      // real: it never responds.
      expect((await errorOf(questions.get({ question_id: 42 }, { timeoutMs: 50 }))).name).toBe('TimeoutError');
    }
  });

  test('tokens are exchanged', async () => {
    const { url, received } = await service(() => ({ access_token: 'APP', refresh_token: 'TG', expires_in: 21_600 }));
    const oauth = createOAuth({
      ...{ clientId: '500', clientSecret: 'secret', redirectUri: 'https://bot.example.com/callback' },
      ...{ authorizationUrl: 'https://auth.example.com/authorization', tokenUrl: `${url}/oauth/token`, fetch },
    });
    expect(await oauth.refresh({ accessToken: 'old', refreshToken: 'TG-1' })).toMatchObject({ accessToken: 'APP' });
    expect(received.map(({ line, type }) => [line, type])).toEqual([
      ['POST /oauth/token', 'application/x-www-form-urlencoded'],
    ]);
    expect(received[0]!.body.toString()).toContain('refresh_token=TG-1');
  });
});

describe('a fetch of a user gets', () => {
  /** What a `fetch` is called with by a call. */
  async function given(
    call: (seller: SellerClient) => PromiseLike<unknown>,
    options: Partial<ClientOptions> = {},
  ): Promise<[string, FetchInit]> {
    const calls: [string, FetchInit][] = [];
    const fetch: Fetch = async (...args) => {
      calls.push(args);
      return Response.json({ ...wireQuestion, id: 42 });
    };
    await Promise.resolve(call(clientOf('https://api.example.com', { fetch, ...options }))).catch(() => undefined);
    expect(calls).toHaveLength(1);
    return calls[0]!;
  }
  const answer = (seller: SellerClient): PromiseLike<unknown> =>
    seller.questions.answer({ question_id: 42, text: 'Sí, «hoy».' });
  const text = '{"question_id":42,"text":"Sí, «hoy»."}';

  test('a text and plain values', async () => {
    const [url, init] = await given(answer);
    expect(url).toBe('https://api.example.com/answers');
    expect(Object.getPrototypeOf(init)).toBe(Object.prototype);
    expect(init).toEqual({
      method: 'POST',
      headers: expect.objectContaining({ authorization: 'Bearer token-1' }) as object,
      body: text,
      signal: expect.any(AbortSignal) as AbortSignal,
      redirect: 'manual',
      cache: 'no-store',
    });
    expect(Object.getPrototypeOf(init.headers)).toBe(Object.prototype);
    const [, read] = await given((seller) => seller.questions.get({ question_id: 42 }));
    expect(Object.keys(read).sort()).toEqual(['cache', 'headers', 'method', 'redirect', 'signal']);
  });

  test.each<[string, (request: Request) => Request | Promise<Request>, unknown]>([
    [
      'as we wrote it, of a request with other headers',
      (request) => new Request(request, { headers: { 'content-type': 'a/b' } }),
      text,
    ],
    [
      'as we wrote it, of a request whose copy was read',
      async (request) => (await request.clone().text(), request),
      text,
    ],
    ['as we wrote it, of a request that was read', async (request) => (await request.text(), request), text],
    ['of the middleware', (request) => new Request(request, { body: '{"text":"No."}' }), '{"text":"No."}'],
    [
      'of the middleware as bytes, if it is no text',
      (request) => new Request(request, { body: new Uint8Array([31, 139, 8]) }),
      new Uint8Array([31, 139, 8]),
    ],
    [
      'of the middleware as bytes, if it has no type',
      (request) => new Request(request.url, { method: 'POST', body: new Uint8Array([65]) }),
      new Uint8Array([65]),
    ],
    [
      'of the middleware, with a mark of the order of bytes',
      (request) => new Request(request, { body: '\uFEFFa' }),
      '\uFEFFa',
    ],
    ['of the middleware, which removed it', (request) => new Request(request.url, { method: 'POST' }), undefined],
  ])('the body %s', async (_, change, body) => {
    const middleware: Middleware[] = [async ({ request }, next) => next(await change(request))];
    const [, init] = await given(answer, { middleware });
    expect(init.body).toEqual(body);
    expect('body' in init).toBe(body !== undefined);
    expect('duplex' in init).toBe(false);
  });

  test('what a middleware set in a request, and its signal', async () => {
    const aborter = new AbortController();
    const middleware: Middleware[] = [
      async ({ request }, next) =>
        next(new Request(request, { credentials: 'include', keepalive: true, signal: aborter.signal })),
    ];
    const [, init] = await given(answer, { middleware });
    expect(init).toMatchObject({ credentials: 'include', keepalive: true, body: text });
    expect(init.signal.aborted).toBe(false);
    aborter.abort();
    expect(init.signal.aborted).toBe(true);
  });

  test('the stream of a file, with `duplex`, in one call', async () => {
    const [, init] = await given((seller) => upload(seller));
    expect(init.body).toBeInstanceOf(ReadableStream);
    expect(init).toMatchObject({ duplex: 'half', redirect: 'error' });
    expect(Number(init.headers['content-length'])).toBeGreaterThan(file.length);
  });
});

test('a file is not sent again after a fetch has read it and writes it as text', async () => {
  const { url, received } = await service(() => ({ id: 'a.pdf' }));
  let calls = 0;
  const fetch: Fetch = async (to, init) => {
    calls += 1;
    await globalThis.fetch(to, init);
    throw new Error(`failed: ${String(init.body)}`);
  };
  const error = await errorOf(upload(clientOf(url, { fetch })));
  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error.message).toContain('a stream is not sent as text');
  expect([calls, received.length]).toEqual([1, 1]);
});
