import { connect } from 'node:net';
import { SellerClient } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import type { Listening } from 'marketplace-seller-sdk/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';
import { endpoints } from '../../src/endpoints.js';
import { controls } from '../../src/testing/dashboard/controls.js';
import { Dashboard } from '../../src/testing/dashboard/dashboard.js';
import { sample } from '../../src/testing/seed/schema.js';
import { listen } from '../../src/testing/server.js';
import { fc } from '../support/fast-check.ts';

const controlToken = 'a-control-token-of-the-test';
const create = (): FakeMarketplace => {
  const marketplace = new FakeMarketplace({ settings: { optionLockMs: 0 } });
  marketplace.seed(sample());
  return marketplace;
};
let server: Listening;
let send: (request: Request) => Promise<Response>;
const failures: unknown[] = [];
const onUnhandled = (reason: unknown): void => void failures.push(reason);
beforeAll(async () => {
  process.on('unhandledRejection', onUnhandled);
  const marketplace = create();
  const dashboard = new Dashboard(marketplace, {
    controlToken,
    reset: () => {
      marketplace.reset();
      marketplace.seed(sample());
    },
  });
  // What `fetch` rejects with would be a closed connection over HTTP, without a response.
  send = (request) => dashboard.fetch(request);
  server = await listen(dashboard.fetch, {});
});
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled);
  await server.close();
});

/** Values that a careless or hostile program sends in place of the documented ones. */
const values = fc.oneof(
  fc.constantFrom<unknown>(null, true, [], {}, '', ' ', 'x'.repeat(20_000), '\u0000', '\ud800', '__proto__', '../..'),
  fc.constantFrom<unknown>(0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, 2 ** 53 - 1, '99999999999999999999', '1e400', 'NaN'),
  fc.constantFrom<unknown>(1001, 1002, 'MLA600000001', 2_000_000_000_000_001, 'SELLER-TOKEN', 'active', 'buyer', 'in'),
  fc.constantFrom<unknown>('2026-03-02', '9999-12-31T23:59:59Z', '+275760-09-13T00:00:00Z', 'http://u:p@127.0.0.1/'),
  fc.constant({ user_id: 1001 }),
  fc.constant(JSON.parse('['.repeat(90) + ']'.repeat(90)) as unknown),
);
const names = [
  ...['text', 'item_id', 'question_id', 'from', 'to', 'user_id', 'attachments', 'option_id', 'template_id', 'vars'],
  ...['query', 'variables', 'zones', 'delivery_window', 'delivery_ranges', 'grant_type', 'code', 'client_id'],
  ...['pack', 'set', 'advanceMs', 'running', 'status', 'body', 'times', 'callback', 'faults', 'capPerOption', 'token'],
  ...['users', 'items', 'packs', 'now', 'id', 'driver_id', 'shipment_id', 'perSecond', 'maxWindowIntervals', 'match'],
];
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 5 }).map(toText) },
  { weight: 1, arbitrary: values.map(toText) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{',
      '\ufeff{}',
      '--x\r\n',
      'a=b',
      '['.repeat(900_000),
      '"'.repeat(90_000),
      `{"text":${nested(5000)}}`,
      `{"status":500,"body":${nested(5000)}}`,
    ),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);
const queryNames = ['limit', 'offset', 'seller_id', 'item', 'from', 'last', 'unit', 'ids', 'date_from', 'date_to'];
const queries = fc
  .dictionary(fc.constantFrom(...queryNames, 'ending', 'order', 'callback', 'attributes', 'tag', 'site_id'), values, {
    maxKeys: 6,
  })
  .map(
    (fields) => new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value).slice(0, 500)])),
  );
const segments = fc.constantFrom(
  '1001',
  'MLA',
  'MLA600000001',
  '0',
  '-1',
  '9'.repeat(400),
  '%00',
  '%zz',
  '%E0%A4',
  'a%2Fb',
);
const paths = fc
  .constantFrom(...listEndpoints(endpoints).map(({ path }) => path), '/oauth/token', '/', '/__fake/', '/%')
  .chain((path) => fc.array(segments, { minLength: 6, maxLength: 6 }).map((parts) => fill(path, parts)));
const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'LINK');
const types = fc.constantFrom(
  'application/json',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'x',
  'text/html',
);

function fill(path: string, parts: readonly string[]): string {
  let index = 0;
  return path.replaceAll(/\{\w+\*?\}/g, () => parts[index++] ?? '1');
}

function toText(value: unknown): string {
  return JSON.stringify(value);
}

/** What the control calls of a hostile test suite would do to the marketplace is undone by a reset. */
const reset = (): Promise<Response> => send(controlRequest('POST', '/__fake/reset'));

function controlRequest(method: string, path: string, body?: string): Request {
  const headers = { 'x-fake-token': controlToken };
  const isRead = method === 'GET' || method === 'HEAD';
  return new Request(`http://127.0.0.1${path}`, { method, headers, ...(body !== undefined && !isRead && { body }) });
}

describe('no request can hurt the marketplace', () => {
  test('every endpoint answers every request with a status below 500, soon', async () => {
    await fc.assert(
      fc.asyncProperty(methods, paths, queries, bodies, types, async (method, path, query, body, type) => {
        const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
        const request = new Request(`http://127.0.0.1${path}?${query.toString()}`, {
          method,
          headers: { authorization: 'Bearer SELLER-TOKEN', 'content-type': type },
          ...(hasBody && { body }),
        });
        const response = await send(request);
        await response.text();
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 300 },
    );
    expect(failures).toEqual([]);
  });

  test('every control answers every body with 200 or a 400 that says why, and the state stays readable', async () => {
    const lines = Object.keys(controls).filter((line) => !line.endsWith('/flush'));
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...lines), bodies, async (line, body) => {
        const [method = '', path = ''] = line.split(' ');
        const response = await send(controlRequest(method, path, body));
        const { message } = (await response.json()) as { message?: string };
        expect([200, 400]).toContain(response.status);
        if (response.status === 400) expect(message).toMatch(/\w/);
        expect((await send(controlRequest('GET', '/__fake/state'))).status).toBe(200);
        await send(controlRequest('DELETE', '/__fake/faults'));
        await send(controlRequest('POST', '/__fake/limit', '{}'));
        const call = await send(new Request('http://127.0.0.1/questions/search?seller_id=1001'));
        expect(call.status).toBe(401);
        await reset();
      }),
      { numRuns: 250 },
    );
    expect(failures).toEqual([]);
  });

  // More than 2,000 tokens are not validated: that compares the fields with each other.
  test.each<[what: string, reason: string, query: string]>([
    [
      'many equal fields',
      'more that 2000 tokens',
      `{configuration(user_id:1001,service_id:10001){${'delivery_window '.repeat(60_000)}}}`,
    ],
    ['deep braces', 'Expected Name', '{'.repeat(100_000)],
    [
      'an endless selection',
      'more that 2000 tokens',
      `{configuration(user_id:1,service_id:1){${'address{'.repeat(50_000)}`,
    ],
  ])('a GraphQL query with %s is invalid at once', async (_, reason, query) => {
    const response = await send(
      new Request('http://127.0.0.1/shipping/flex/sites/MLA/configuration/v3', {
        method: 'POST',
        headers: { authorization: 'Bearer SELLER-TOKEN' },
        body: JSON.stringify({ query }),
      }),
    );
    expect(response.status).toBe(400);
    const { message } = (await response.json()) as { message: string };
    expect(message).toMatch(/^invalid query/);
    expect(message).toContain(reason);
  });

  test('the recorded requests do not grow without bound', async () => {
    const marketplace = new FakeMarketplace();
    const body = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    for (let call = 0; call < 40; call += 1)
      await marketplace.fetch(`${marketplace.baseUrl}/questions`, { method: 'POST', body });
    expect(marketplace.requests.all.length).toBeLessThan(34);
    expect(marketplace.requests.last).toMatchObject({ path: '/questions', response: { status: 401 } });
  });
});

/** Sends bytes over a connection of its own. Resolves with what comes back until the server closes it. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    let received = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (received += part));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('over a connection', () => {
  test.each([
    ['TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 405],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 400],
    ['an asterisk as target', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['an invalid Host', 'GET /currencies HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    [
      'a whole URL as target',
      'GET http://a.test/currencies HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n',
      200,
    ],
    ['bad percent-encoding', 'GET /questions/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', 404],
    ['a header of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    [
      'a body that is announced as a terabyte',
      'POST /answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer SELLER-TOKEN\r\nContent-Length: 1000000000000\r\nConnection: close\r\n\r\n{',
      413,
    ],
    [
      'an upload that is announced as 30 MB',
      'POST /messages/attachments?tag=post_sale&site_id=MLA HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer SELLER-TOKEN\r\nContent-Length: 31457280\r\nConnection: close\r\n\r\n-',
      400,
    ],
  ])('%s gets a response', async (_, text, status) => {
    expect(await raw(text)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('a client that sends half a body holds up nobody else', async () => {
    const slow = Array.from({ length: 50 }, () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write('POST /answers HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"question_id"');
      return socket;
    });
    const responses = await Promise.all(Array.from({ length: 50 }, () => fetch(`${server.url}/currencies`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    for (const socket of slow) socket.destroy();
  });
});

/** Sends a request over a connection of its own and reads only after all of it is sent. Then sends a second one. */
async function blocking(head: string, bytes: number, next?: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(`${head}\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, 'x'), () => resolve());
  });
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => (received += part));
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(received)));
  if (next !== undefined) socket.write(next);
  return ended;
}

describe('an error response before the body is read', () => {
  const upload = 'POST /messages/attachments?tag=post_sale&site_id=MLA HTTP/1.1';
  const form = 'Content-Type: multipart/form-data; boundary=x';
  const seller = 'Authorization: Bearer SELLER-TOKEN';
  const rejected: readonly [what: string, head: string, status: number][] = [
    ['an unknown token', `${upload}\r\n${form}\r\nAuthorization: Bearer unknown`, 401],
    ['no token', `${upload}\r\n${form}`, 401],
    ['no tag', `${upload.replace('tag=post_sale&', '')}\r\n${form}\r\n${seller}`, 404],
    ['JSON over 1 MB', `POST /answers HTTP/1.1\r\n${seller}`, 413],
  ];

  test.each(rejected)('%s: the client sees it, and its next call on the connection works', async (_, head, status) => {
    const next = 'GET /currencies/ARS HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const received = await blocking(head, 10_000_000, next);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
  });

  test.each(rejected)('%s: a client that closes the connection afterwards sees it', async (_, head, status) => {
    const received = await blocking(`${head}\r\nConnection: close`, 10_000_000);
    expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\n0\r\n\r\n$`));
  });

  test.each<[what: string, status: number, reject: (marketplace: FakeMarketplace) => unknown]>([
    ['an unknown token', 401, () => undefined],
    ['an injected fault', 503, ({ faults }) => faults.inject({ status: 503 })],
    [
      'a documented error',
      500,
      (marketplace) => marketplace.failNext(endpoints.messages.upload, { status: 500, message: 'It cannot be saved' }),
    ],
    ['the rate limit', 429, ({ rateLimiter }) => rateLimiter.set({ perMinute: 1 })],
  ])('%s: the client of an upload gets its status, and its next call works', async (_, status, reject) => {
    const marketplace = create();
    const { url, close } = await marketplace.listen();
    onTestFinished(close);
    const client = new SellerClient({ baseUrl: url, accessToken: 'SELLER-TOKEN', maxRetries: 0, timeoutMs: 600_000 });
    for (const size of [300_000, 3_000_000]) {
      reject(marketplace);
      // The one call that the rate limit allows.
      if (status === 429) await client.currencies.list();
      const options = status === 401 ? { accessToken: 'unknown' } : {};
      const upload = { site_id: 'MLA', file: Buffer.alloc(size, 'x'), filename: 'a.txt' };
      await expect(client.messages.upload(upload, options)).rejects.toMatchObject({ status });
      marketplace.rateLimiter.set(undefined);
      expect(await client.currencies.get({ id: 'ARS' })).toMatchObject({ id: 'ARS' });
    }
  });
});
