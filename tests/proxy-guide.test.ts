import zlib from 'node:zlib';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent as HttpAgent, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { Agent as HttpsAgent } from 'node:https';
import { ConfigurationError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from './support/certificate.ts';
import { listen } from './support/listen.ts';
import { run } from './support/program.ts';
import { wireQuestion } from './support/stubs.ts';
import { undici } from './support/undici.ts';

const root = join(import.meta.dirname, '..');
const folder = 'node_modules/.cache/proxy-guide';
const guide = readFileSync(join(root, 'docs/guide/proxy.md'), 'utf8');
/** The programs of the page, by the heading above them. */
const programs = [...guide.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?^```ts alone no-run\n([\s\S]*?)^```/gm)].map(
  ([, heading = '', code = '']) => [heading, code] as const,
);

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const readsProxySettings = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

async function listening(server: Server, protocol?: string): Promise<string> {
  const { url, close } = await listen(server, protocol);
  onTestFinished(close);
  return url;
}

/** A service, and a proxy that tunnels to it; `tunnels` is what it was asked for. */
async function serviceBehindProxy(status = 200) {
  const service = await listening(
    createTlsServer(certificate, (_request, response) => response.end(JSON.stringify(wireQuestion))),
    'https',
  );
  const tunnels: string[] = [];
  const proxy = createServer((_request, response) => response.writeHead(500).end());
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const end of [socket, target]) end.on('error', () => undefined);
  });
  return { service, tunnels, proxy: await listening(proxy) };
}

describe('a program of the page', () => {
  beforeAll(() => mkdirSync(join(root, folder), { recursive: true }));

  test('there is one for each way', () => {
    expect(programs.map(([heading]) => heading)).toEqual([
      'With an agent',
      'With a dispatcher',
      'With the environment',
    ]);
  });

  // The undici that is installed needs a Node.js with zstd.
  const runs: Readonly<Record<string, boolean>> = { 'With a dispatcher': 'createZstdDecompress' in zlib };

  test.each(programs.filter(([heading]) => runs[heading] ?? readsProxySettings))(
    '%s, reaches the service through the proxy, and says why if it cannot',
    async (heading, code) => {
      for (const status of [200, 407]) {
        const { service, tunnels, proxy } = await serviceBehindProxy(status);
        const program = `${folder}/${heading.replaceAll(' ', '-')}-${status}.ts`;
        const local = code.replace('https://api.example.com', service).replace('http://proxy.internal:3128', proxy);
        writeFileSync(join(root, program), local);
        writeFileSync(join(root, folder, 'ca.pem'), certificate.cert);
        const isByEnvironment = heading === 'With the environment';
        const { output } = await run(program, {
          SELLER_TOKEN: 'token-1',
          NODE_EXTRA_CA_CERTS: join(root, folder, 'ca.pem'),
          ...(isByEnvironment && { NODE_USE_ENV_PROXY: '1', HTTPS_PROXY: proxy, https_proxy: proxy }),
          NO_PROXY: '',
          no_proxy: '',
        });
        expect(output).toContain(
          status === 200 ? wireQuestion.text : 'the proxy rejected the connection; check the settings of the proxy',
        );
        expect(new Set(tunnels)).toEqual(new Set([new URL(service).host]));
      }
    },
  );
});

describe('an agent', () => {
  const create = (agent: object): SellerClient =>
    new SellerClient({ baseUrl: 'https://api.example.com', agent: agent as NonNullable<ClientOptions['agent']> });

  test.each<[string, () => object]>([
    ['ProxyAgent', () => new undici.ProxyAgent('http://127.0.0.1:3128')],
    ['Agent', () => new undici.Agent()],
    ['EnvHttpProxyAgent', () => new undici.EnvHttpProxyAgent()],
    ['a dispatcher of one host', () => new undici.Client('http://127.0.0.1:3128')],
  ])('of undici is rejected, and says what to write: %s', (_, agent) => {
    expect(() => create(agent())).toThrow(ConfigurationError);
    expect(() => create(agent())).toThrow(
      '`agent` is a dispatcher of undici, which only its own `fetch` takes; give `fetch: (url, init) => fetch(url, { ...init, dispatcher })` with the `fetch` of undici',
    );
  });

  test('of node:https, or one that inherits from it, is accepted', () => {
    for (const agent of [new HttpsAgent(), new (class extends HttpAgent {})()])
      expect(create(agent)).toBeInstanceOf(SellerClient);
  });

  test('of undici does not compile', () => {
    const options: ClientOptions[] = [
      { baseUrl: 'https://api.example.com', agent: new HttpsAgent() },
      // @ts-expect-error -- a dispatcher goes into `fetch`
      { baseUrl: 'https://api.example.com', agent: new undici.ProxyAgent('http://127.0.0.1:3128') },
      // @ts-expect-error -- as well as each other one
      { baseUrl: 'https://api.example.com', agent: new undici.Agent() },
    ];
    expect(options).toHaveLength(3);
  });
});
