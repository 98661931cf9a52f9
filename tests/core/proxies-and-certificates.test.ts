import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createTlsServer, Agent as TlsAgent } from 'node:https';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutcomeUnknownError, SellerClient } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { listen } from '../support/listen.ts';
import { run } from '../support/program.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { undici } from '../support/undici.ts';

const { ProxyAgent, getGlobalDispatcher, setGlobalDispatcher } = undici;

/** What a program that calls once over each transport prints. */
interface Printed {
  readonly transport: string;
  readonly read: string;
  readonly write: string;
}

async function callsOnce(baseUrl: string, env: NodeJS.ProcessEnv): Promise<Printed[]> {
  const { output } = await run('tests/support/call-once.ts', { BASE_URL: baseUrl, NO_PROXY: '', no_proxy: '', ...env });
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Printed);
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Node reads the settings of a proxy from 24.5 on, and from 22.21 on. */
const readsProxySettings = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

describe('what the environment of the process sets', () => {
  test('NODE_EXTRA_CA_CERTS is trusted over both transports', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ca-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'ca.pem');
    await writeFile(file, certificate.cert);
    const { url } = await service(true);
    expect(await callsOnce(url, { NODE_EXTRA_CA_CERTS: file })).toEqual([
      { transport: 'node:http', read: 'node:http', write: 'node:http' },
      { transport: 'fetch', read: 'fetch', write: 'fetch' },
    ]);
  });

  test.runIf(readsProxySettings)('NODE_USE_ENV_PROXY sends every request through the proxy', async () => {
    const { url, received } = await service(false);
    const proxyUrl = await proxy();
    const printed = await callsOnce(url, { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxyUrl, http_proxy: proxyUrl });
    expect(printed.map(({ transport }) => transport)).toEqual(['node:http', 'fetch']);
    expect(received).toHaveLength(4);
    expect(received.every(({ viaProxy }) => viaProxy)).toBe(true);
  });
});

describe('a proxy that rejects a connection', () => {
  test.each([407, 502])('with %i: the write was never sent, over both transports', async (status) => {
    const proxyUrl = await proxy(status);
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new ProxyAgent(proxyUrl));
    onTestFinished(() => setGlobalDispatcher(before));
    const options = readsProxySettings
      ? [{ agent: new TlsAgent({ proxyEnv: { HTTPS_PROXY: proxyUrl } } as object) }, { fetch: globalThis.fetch }]
      : [{ fetch: globalThis.fetch }];
    for (const each of options) {
      const client = new SellerClient({ baseUrl: 'https://127.0.0.1:29999', accessToken: 't', maxRetries: 0, ...each });
      const error = await errorOf(client.questions.answer({ question_id: 42, text: 'Yes.' }));
      expect(error).not.toBeInstanceOf(OutcomeUnknownError);
      expect(error.message).toContain('the proxy rejected the connection; check the settings of the proxy');
    }
  });

  test.runIf(readsProxySettings)('an agent with `proxyEnv` sends requests through the proxy', async () => {
    const { url, received } = await service(false);
    const proxyUrl = await proxy();
    const agent = new Agent({ proxyEnv: { HTTP_PROXY: proxyUrl } } as object);
    onTestFinished(() => agent.destroy());
    const client = new SellerClient({ baseUrl: url, accessToken: 't', agent });
    expect(await client.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
    expect(received.map(({ viaProxy }) => viaProxy)).toEqual([true]);
  });
});

/** A service that names the transport of each request. */
async function service(isSecure: boolean): Promise<{ url: string; received: { viaProxy: boolean }[] }> {
  const received: { viaProxy: boolean }[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    received.push({ viaProxy: proxied.has(request.socket.remotePort ?? 0) });
    const text = 'sec-fetch-mode' in request.headers ? 'fetch' : 'node:http';
    response.end(JSON.stringify({ ...wireQuestion, text }));
  };
  const server = isSecure ? createTlsServer(certificate, respond) : createServer(respond);
  return { url: await listening(server, isSecure ? 'https' : 'http'), received };
}

/** The ports from which proxies have connected. */
const proxied = new Set<number>();

/** A proxy that forwards both ways: requests of absolute URLs, and tunnels; with a status, it rejects tunnels. */
async function proxy(status?: number): Promise<string> {
  const server = createServer((request, response) => {
    const { hostname, port, pathname } = new URL(request.url ?? '');
    const target = connect(Number(port), hostname, () => {
      proxied.add(target.localPort ?? 0);
      target.write(`${request.method} ${pathname} HTTP/1.1\r\nconnection: close\r\n`);
      for (const [name, value] of Object.entries(request.headers))
        if (!name.includes('connection')) target.write(`${name}: ${String(value)}\r\n`);
      target.write('\r\n');
      request.pipe(target, { end: false });
      target.pipe(response.socket!);
    });
  });
  server.on('connect', (request, socket) => {
    if (status !== undefined) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      proxied.add(target.localPort ?? 0);
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) end.on('error', () => undefined);
  });
  return listening(server, 'http');
}

async function listening(server: Server, protocol: string): Promise<string> {
  const { url, close } = await listen(server, protocol);
  onTestFinished(close);
  return url;
}
