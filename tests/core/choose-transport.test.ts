import { Agent, createServer } from 'node:http';
import { ConfigurationError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { http as http3, HttpResponse as Response3 } from 'msw';
import { setupServer as setupServer3 } from 'msw/node';
import { http as http2, HttpResponse as Response2 } from 'msw2';
import { setupServer as setupServer2 } from 'msw2/node';
import * as undici6 from 'undici6';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { json, startServer } from '../support/http-server.ts';
import { listen } from '../support/listen.ts';
import type { ReceivedRequest } from '../support/http-server.ts';
import { wireQuestion } from '../support/stubs.ts';
import { undici } from '../support/undici.ts';

/** Only the platform's `fetch` sends this header. */
function sentBy({ headers }: ReceivedRequest): 'fetch' | 'node:http' {
  return 'sec-fetch-mode' in headers ? 'fetch' : 'node:http';
}

function client(baseUrl: string, options: Partial<ClientOptions> = {}): SellerClient {
  return new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, ...options });
}

const answers = (): Promise<Awaited<ReturnType<typeof startServer>>> =>
  startServer((to) => json(to, 200, wireQuestion));

describe('node:http sends a request', () => {
  test('where nothing else is configured', async () => {
    const server = await answers();
    await client(server.url).questions.get({ question_id: 42 });
    expect(server.received.map(sentBy)).toEqual(['node:http']);
  });

  test('that is traced: what tracing adds to the headers is sent', async () => {
    const server = await answers();
    const tracing: ClientOptions['tracing'] = {
      observe: () => undefined,
      wrapAttempt: (attempt, next) => {
        attempt.headers.traceparent = '00-1';
        return next();
      },
    };
    await client(server.url, { tracing }).questions.get({ question_id: 42 });
    expect(server.received.map(sentBy)).toEqual(['node:http']);
    expect(server.received[0]!.headers.traceparent).toBe('00-1');
  });
});

describe('fetch sends a request', () => {
  test.each<[string, Partial<ClientOptions>]>([
    ['where it is given', { fetch: globalThis.fetch }],
    ['that a middleware receives', { middleware: [({ request }, next) => next(request)] }],
  ])('%s', async (_, options) => {
    const server = await answers();
    await client(server.url, options).questions.get({ question_id: 42 });
    expect(server.received.map(sentBy)).toEqual(['fetch']);
  });

  test('for a download', async () => {
    const server = await startServer((to) => to.writeHead(200).end('file'));
    const file = await client(server.url).messages.download({ site_id: 'MLA', attachment_id: 'a.pdf' });
    expect(Buffer.from(await file.arrayBuffer()).toString()).toBe('file');
    expect(server.received.map(sentBy)).toEqual(['fetch']);
  });

  test('while a test has replaced it, whenever the client was created', async () => {
    const server = await answers();
    const sellerClient = client(server.url);
    const stub = vi.fn(() => Promise.resolve(Response.json({ id: 42 })));
    vi.stubGlobal('fetch', stub);
    expect(await sellerClient.questions.get({ question_id: 42 })).toEqual({ id: 42 });
    vi.unstubAllGlobals();
    expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
    expect(stub).toHaveBeenCalledTimes(1);
    expect(server.received.map(sentBy)).toEqual(['node:http']);
  });
});

describe('an agent, which only node:http uses, is rejected', () => {
  const layer: NonNullable<ClientOptions['middleware']>[number] = ({ request }, next) => next(request);
  const observe = (): undefined => undefined;
  test.each<[string, Partial<ClientOptions>, string]>([
    ['beside a `fetch`', { fetch: globalThis.fetch }, 'requests are sent with the `fetch` that you gave'],
    ['beside a middleware', { middleware: [layer] }, 'middleware needs `fetch`'],
    ['beside a middleware of tracing', { tracing: { observe, middleware: layer } }, 'middleware needs `fetch`'],
  ])('%s', (_, options, reason) => {
    const make = (): SellerClient => client('http://127.0.0.1:9', { agent: new Agent(), ...options });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(`\`agent\` has no effect: ${reason}`);
  });

  test('and not beside anything else', () => {
    const options = { agent: new Agent(), middleware: [], tracing: { observe } };
    expect(() => client('http://127.0.0.1:9', options)).not.toThrow();
  });
});

// The fetch of Node.js 26 is one of undici 8: it does not see the dispatcher that undici 6 sets. undici 8 does not run on the
// lowest supported version.
const libraries = [['undici 6', undici6] as const, ['undici 8', undici] as const].filter(([name, library]) =>
  name === 'undici 6'
    ? Number(process.versions.node.split('.')[0]) < 26
    : (library.ProxyAgent as unknown) !== undici6.ProxyAgent,
);

describe.each(libraries)('with %s', (_, library) => {
  const {
    MockAgent,
    ProxyAgent,
    Agent: UndiciAgent,
    getGlobalDispatcher,
    setGlobalDispatcher,
  } = library as typeof undici;
  const before = getGlobalDispatcher();
  afterEach(() => setGlobalDispatcher(before));

  test('a MockAgent answers', async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    setGlobalDispatcher(mock);
    mock.get('http://127.0.0.1:29999').intercept({ path: '/questions/42' }).reply(200, { id: 42 });
    expect(await client('http://127.0.0.1:29999').questions.get({ question_id: 42 })).toEqual({ id: 42 });
    await mock.close();
  });

  test('a ProxyAgent is asked', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createServer((request, response) => {
      asked.push(request.url);
      json(response, 200, wireQuestion);
    }).on('connect', (request, socket) => {
      asked.push(request.url);
      socket.end('HTTP/1.1 502 No\r\n\r\n');
    });
    const { url, close } = await listen(proxy);
    onTestFinished(close);
    const agent = new ProxyAgent(url);
    setGlobalDispatcher(agent);
    await client('http://127.0.0.1:29999')
      .questions.get({ question_id: 42 })
      .catch(() => undefined);
    expect(asked).toHaveLength(1);
    await agent.close();
  });

  test('interceptors of an Agent see the request', async () => {
    const server = await answers();
    const paths: string[] = [];
    const agent = new UndiciAgent().compose((dispatch) => (options, handler) => {
      paths.push(options.path);
      return dispatch(options, handler);
    });
    setGlobalDispatcher(agent);
    await client(server.url).questions.get({ question_id: 42 });
    expect(paths).toEqual(['/questions/42']);
    await agent.close();
  });

  test('a plain Agent, which undici sets by itself, changes nothing', async () => {
    const server = await answers();
    setGlobalDispatcher(new UndiciAgent());
    await client(server.url).questions.get({ question_id: 42 });
    expect(server.received.map(sentBy)).toEqual(['node:http']);
  });
});

describe.each([
  ['msw 2', http2, Response2, setupServer2],
  ['msw 3', http3, Response3, setupServer3],
] as const)('with %s', (_, http, Response, setupServer) => {
  test('a handler receives each request once, and others pass through once', async () => {
    const server = await answers();
    const sellerClient = client(server.url);
    let handled = 0;
    const handler = (http as typeof http3).get(`${server.url}/questions/7`, () => {
      handled += 1;
      return (Response as typeof Response3).json({ id: 7 });
    });
    const mock = (setupServer as typeof setupServer2)(handler as never);
    vi.spyOn(console, 'warn').mockReturnValue();
    mock.listen({ onUnhandledRequest: 'bypass' });
    onTestFinished(() => mock.close());
    expect(await sellerClient.questions.get({ question_id: 7 })).toEqual({ id: 7 });
    expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
    expect(handled).toBe(1);
    expect(server.received.map(({ url }) => url)).toEqual(['/questions/42']);
  });
});

test('with nock, a request is answered once', async () => {
  // It replaces `fetch` when it is loaded.
  const { default: nock } = await import('nock');
  nock('http://127.0.0.1:29999').get('/questions/42').reply(200, { id: 42 });
  onTestFinished(() => {
    nock.cleanAll();
    nock.restore();
  });
  expect(await client('http://127.0.0.1:29999').questions.get({ question_id: 42 })).toEqual({ id: 42 });
  expect(nock.isDone()).toBe(true);
});
