import { Agent } from 'node:http';
import type { ServerResponse } from 'node:http';
import { Agent as HttpsAgent, createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { ConfigurationError, ConnectionError, SellerClient, TimeoutError } from 'marketplace-seller-sdk';
import type { ClientOptions, Download } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { overSockets } from '../support/fake-time.ts';
import { certificate } from '../support/certificate.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { json, startServer } from '../support/http-server.ts';
import type { Respond } from '../support/http-server.ts';
import { listen } from '../support/listen.ts';
import { errorOf } from '../support/stubs.ts';
import { undici } from '../support/undici.ts';

// An agent is what keeps requests inside a network: none may go out past it.

/** An agent that keeps the paths of its requests. */
class Recording extends Agent {
  readonly paths: string[] = [];

  addRequest(...given: [{ path: string }, unknown]): void {
    this.paths.push(given[0].path);
    (Agent.prototype as unknown as { addRequest(...args: unknown[]): void }).addRequest.apply(this, given);
  }
}

const file = { site_id: 'MLA', attachment_id: 'a' };

async function withAgent(respond: Respond, options: Partial<ClientOptions> = {}) {
  const server = await startServer(respond);
  const agent = new Recording();
  onTestFinished(() => agent.destroy());
  const client = new SellerClient({ baseUrl: server.url, accessToken: 'token-1', maxRetries: 0, agent, ...options });
  return { server, agent, client };
}

async function textOf(download: Download): Promise<string> {
  return Buffer.from(await download.arrayBuffer()).toString();
}

describe('every request goes through the agent', () => {
  test.each(everyEndpoint)('$name', async ({ endpoint, input }) => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('past the agent')));
    onTestFinished(() => void vi.unstubAllGlobals());
    const { agent, client, server } = await withAgent((response) => json(response, 422, { message: 'no' }));
    expect(await errorOf(client.call(endpoint, input))).toMatchObject({ status: 422 });
    expect(agent.paths).toEqual(server.received.map(({ url }) => url));
    expect(agent.paths).toHaveLength(1);
  });

  test('also where the global dispatcher of fetch was replaced', async () => {
    const { getGlobalDispatcher, setGlobalDispatcher, MockAgent } = undici;
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const mock = new MockAgent();
    mock.disableNetConnect();
    setGlobalDispatcher(mock);
    const { agent, client } = await withAgent((response) => response.end('file'));
    expect(await textOf(await client.messages.download(file))).toBe('file');
    expect(agent.paths).toHaveLength(1);
  });

  test('with the certificate authority of the agent, a download too', async () => {
    const server = createTlsServer(certificate, (_, response) => void response.end('file'));
    const { url, close } = await listen(server, 'https');
    onTestFinished(close);
    const agent = new HttpsAgent({ ca: certificate.cert });
    onTestFinished(() => agent.destroy());
    const client = new SellerClient({ baseUrl: url, accessToken: 'token-1', agent, maxRetries: 0 });
    expect(await textOf(await client.messages.download(file))).toBe('file');
  });
});

describe('a download through an agent', () => {
  const moved = (response: ServerResponse, location: string): unknown =>
    response.writeHead(302, { location }).end('moved');

  test('follows redirects, without the token and secret headers for another origin', async () => {
    const storage = await startServer((response) => response.end('file'));
    const { agent, client, server } = await withAgent(
      (response, turn) => void moved(response, turn === 1 ? '/moved' : `${storage.url}/file`),
      { headers: { 'x-api-key': 'secret', 'x-request-id': 'trace' } },
    );
    expect(await textOf(await client.messages.download(file))).toBe('file');
    expect(agent.paths.slice(1)).toEqual(['/moved', '/file']);
    const carried = [...server.received, ...storage.received].map(({ headers }) => [
      headers.authorization,
      headers['x-api-key'],
      headers['x-request-id'],
    ]);
    const whole = ['Bearer token-1', 'secret', 'trace'];
    expect(carried).toEqual([whole, whole, [undefined, undefined, 'trace']]);
  });

  test('follows five redirects, and not a sixth', async () => {
    const { client, server } = await withAgent((response) => void moved(response, '/again'));
    expect(await errorOf(client.messages.download(file))).toMatchObject({ status: 302 });
    expect(server.received).toHaveLength(6);
  });

  test.each([
    ['gzip', gzipSync('whole file')],
    ['deflate', deflateSync('whole file')],
    ['br', brotliCompressSync('whole file')],
    ['gzip, br', brotliCompressSync(gzipSync('whole file'))],
    ['unknown', Buffer.from('whole file')],
  ])('is decompressed: %s, and rejected when it is cut', async (encoding, body) => {
    const { client } = await withAgent((response, turn) => {
      response.setHeader('content-encoding', encoding);
      response.end(turn === 1 ? body : body.subarray(0, body.length - 6));
    });
    const download = await client.messages.download(file);
    expect(download.size).toBeUndefined();
    expect(await textOf(download)).toBe('whole file');
    if (encoding !== 'unknown')
      expect(await errorOf(textOf(await client.messages.download(file)))).toBeInstanceOf(ConnectionError);
  });

  test('that breaks off says how much had arrived, and leaves no connection', async () => {
    const { client, server } = await withAgent((response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('12345');
      setTimeout(() => response.destroy(), 20);
    });
    const error = await errorOf(textOf(await client.messages.download(file)));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.message).toContain('broke off after 5 of 10 bytes');
    await vi.waitFor(() => expect(server.sockets.size).toBe(0));
  });

  test.each([
    ['its time limit', { timeoutMs: 20_000 }, TimeoutError],
    ['its deadline', { deadlineMs: 20_000 }, TimeoutError],
  ])('that stalls ends with %s, and leaves no connection', async (_, options, Class) => {
    const { client, server } = await withAgent((response) => void response.writeHead(200).write('12345'));
    const read = async (): Promise<unknown> => textOf(await client.messages.download(file, options));
    expect(await overSockets(() => errorOf(read()))).toBeInstanceOf(Class);
    await vi.waitFor(() => expect(server.sockets.size).toBe(0));
  });

  test('ends with a signal, and with cancel()', async () => {
    const { client, server } = await withAgent((response) => void response.writeHead(200).write('12345'));
    const controller = new AbortController();
    const download = await client.messages.download(file, { signal: controller.signal });
    const reading = errorOf(textOf(download));
    controller.abort();
    expect(await reading).toMatchObject({ name: 'AbortError' });
    await (await client.messages.download(file)).cancel();
    await vi.waitFor(() => expect(server.sockets.size).toBe(0));
  });

  test('that the service rejects has the class of its status', async () => {
    const { client } = await withAgent((response) => json(response, 404, { message: 'no' }));
    expect(await errorOf(client.messages.download(file))).toMatchObject({ status: 404 });
  });

  test('to which an agent of another protocol is redirected says so', async () => {
    const { client } = await withAgent((response) => void moved(response, 'https://127.0.0.1:9/file'));
    const error = await errorOf(client.messages.download(file));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain('`agent` is for http:; give one for both');
  });
});
