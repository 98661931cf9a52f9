import { Agent as TlsAgent, createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { OutcomeUnknownError, SellerClient, TimeoutError } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from '../support/certificate.ts';
import { overSockets } from '../support/fake-time.ts';
import { json, startServer } from '../support/http-server.ts';
import { listen } from '../support/listen.ts';
import { smallCalls } from '../support/small-calls.ts';
import { errorOf, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';
import { undici } from '../support/undici.ts';

const { ProxyAgent, getGlobalDispatcher, setGlobalDispatcher } = undici;

const clientOf = (baseUrl: string, options: Partial<ClientOptions>): SellerClient =>
  new SellerClient({ baseUrl, accessToken: 'token-1', maxRetries: 0, timeoutMs: 300, ...options });

/** A server that accepts connections and never answers. It counts the bytes that it received. */
async function silentServer(): Promise<{ url: string; received: () => string }> {
  let received = '';
  const server = createServer((socket) => {
    socket.on('error', () => undefined).on('data', (bytes) => (received += bytes.toString('latin1')));
  });
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, received: () => received };
}

async function expectUnsent(client: SellerClient, call: (typeof smallCalls)[number][1]): Promise<void> {
  const error = await overSockets(() => errorOf(call(client)));
  expect(error).toBeInstanceOf(TimeoutError);
  expect(error).not.toBeInstanceOf(OutcomeUnknownError);
  // An abort and the deadline say the same.
  const deadline = await overSockets(() => errorOf(call(client, { timeoutMs: 60_000, deadlineMs: 300 })));
  expect(deadline).not.toBeInstanceOf(OutcomeUnknownError);
  const aborted = await overSockets(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    return errorOf(call(client, { timeoutMs: 60_000, signal: controller.signal }));
  });
  expect(aborted).toMatchObject({ name: 'AbortError', outcomeUnknown: false });
}

describe.each(transports)('over %s', (_, transport) => {
  test.each(smallCalls)('a TLS handshake that is never answered: a %s was not sent', async (__, call) => {
    const { url, received } = await silentServer();
    await expectUnsent(clientOf(url.replace('http:', 'https:'), transport), call);
    expect(received()).not.toContain('HTTP/1.1');
  });

  test('a write whose TLS handshake is not answered at first is sent once, by the second attempt', async () => {
    let [connections, requests] = [0, 0];
    const service = createTlsServer(certificate, (_request, response) => {
      requests += 1;
      json(response, 200, wireQuestion);
    });
    const front = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      if (connections > 1) service.emit('connection', socket);
    });
    const { url, close } = await listen(front);
    onTestFinished(close);
    const trusted = transport.fetch ? {} : { agent: new TlsAgent({ ca: certificate.cert }) };
    const client = clientOf(url.replace('http:', 'https:'), { ...transport, ...trusted, maxRetries: 1 });
    const call = () => client.questions.answer({ question_id: 42, text: 'Yes.' });
    if (!transport.fetch) expect(await overSockets(call)).toMatchObject({ id: 42 });
    // `fetch` trusts no certificate but those of the system: the second attempt ends before it is sent, too.
    else expect(await overSockets(() => errorOf(call()))).toMatchObject({ name: 'ConnectionError', attempts: 2 });
    expect([connections, requests]).toEqual([2, transport.fetch ? 0 : 1]);
  });
});

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
/** Node reads the settings of a proxy from 24.5 on, and from 22.21 on. */
const readsProxySettings = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);

describe('a CONNECT that the proxy never answers', () => {
  test.runIf(readsProxySettings).each(smallCalls)('over node:http: a %s was not sent', async (_, call) => {
    const { url, received } = await silentServer();
    const agent = new TlsAgent({ proxyEnv: { HTTPS_PROXY: url } } as object);
    onTestFinished(() => agent.destroy());
    await expectUnsent(clientOf('https://127.0.0.1:29999', { agent }), call);
    expect(received()).toMatch(/^(?:CONNECT 127\.0\.0\.1:29999 HTTP\/1\.1\r\n[^]*?\r\n\r\n)+$/);
  });

  test.each(smallCalls)('over fetch: a %s was not sent', async (_, call) => {
    const { url, received } = await silentServer();
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new ProxyAgent(url));
    onTestFinished(() => setGlobalDispatcher(before));
    await expectUnsent(clientOf('https://127.0.0.1:29999', { fetch: globalThis.fetch }), call);
    expect(received()).toContain('CONNECT 127.0.0.1:29999');
    expect(received()).not.toContain('/things');
  });
});

test('a write that is sent over fetch, and not answered, is of unknown outcome', async () => {
  const server = await startServer(() => undefined);
  for (const middleware of [
    [],
    [({ request }, next) => next(new Request(request.url, { method: 'POST', body: '{}' }))],
  ] satisfies NonNullable<ClientOptions['middleware']>[]) {
    const client = clientOf(server.url, { fetch: globalThis.fetch, middleware });
    const error = await overSockets(() => errorOf(client.questions.answer({ question_id: 42, text: 'Yes.' })));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
  }
  expect(server.received).toHaveLength(2);
});
