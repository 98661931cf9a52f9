import { inspect } from 'node:util';
import { ConnectionError } from 'marketplace-seller-sdk';
import type { ApiError, CallEvent } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

const token = 'APP_USR-12/3+secret=';
const secret = 'my-other-secret-77';
const names = [
  'x-auth-token',
  'x-client-secret',
  'x-api-key',
  'api_key',
  'apikey',
  'sig',
  'signature',
  'client_secret',
];
const spellings: [string, string][] = [
  ['as it is', token],
  ['URL-encoded', encodeURIComponent(token)],
  ['URL-encoded in lower case', encodeURIComponent(token).replace(/%../g, (hex) => hex.toLowerCase())],
  ['as JSON', JSON.stringify(token)],
  ['as JSON with escaped slashes', token.replaceAll('/', '\\/')],
];

/** Everything of an error that a program could print. */
function printed(error: Error): string {
  const { headers, body, requestId } = error as Partial<ApiError>;
  return inspect([error, error.stack, [...(headers ?? [])], body, requestId, error.cause], {
    depth: 20,
    showHidden: true,
  });
}

describe('a secret is masked', () => {
  test.each(names)('in a request with the header, query parameter and field %s', async (name) => {
    const echo = (): Response =>
      Response.json({ message: `no: ${secret} ${name}=other-9`, [name]: 'third-9' }, { status: 400 });
    const calls = [{ headers: { [name]: secret } }, { query: { [name]: secret } }];
    for (const options of calls) {
      const { sellerClient } = stubbed([echo]);
      const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 1 }, options));
      expect([printed(error), error.url, error.toCurl()].join('\n')).not.toMatch(/my-other-secret|other-9|third-9/);
    }
  });

  test.each(spellings)('when the service echoes the token %s', async (_, echo) => {
    const core = echo.slice(4, -4);
    const events: CallEvent[] = [];
    const headers = { 'x-request-id': echo, 'x-debug': `token ${echo}` };
    for (const status of [400, 200]) {
      const { sellerClient } = stubbed(
        [() => Response.json({ message: echo, list: [{ echo }] }, { status, headers })],
        {
          accessToken: token,
          tracing: { observe: (event) => void events.push(event) },
        },
      );
      expect(printed(await errorOf(sellerClient.questions.get({ question_id: 1 })))).not.toContain(core);
    }
    expect(events.some(({ type }) => type === 'response')).toBe(true);
    expect(inspect(events, { depth: 20 })).not.toContain(core);
  });

  test('when the service echoes a token that has been replaced', async () => {
    let turn = 0;
    const { sellerClient } = stubbed([() => Response.json({ message: 'rejected: token-number-1' }, { status: 401 })], {
      accessToken: () => Promise.resolve(`token-number-${(turn += 1)}`),
    });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error.message).toContain('rejected: [redacted]');
  });

  const deep = (value: unknown): unknown => Array.from({ length: 12 }).reduce<unknown>((inner) => ({ inner }), value);
  test.each<[string, object]>([
    ['a Map', { context: new Map([['token', token]]) }],
    ['a Set', { context: new Set([[token]]) }],
    ['a symbol', { [Symbol('state')]: { token } }],
    ['the name of a property', { seen: { [token]: true } }],
    ['bytes', { body: Buffer.from(`authorization: Bearer ${token}`) }],
    ['a deep object', { config: deep(token) }],
    ['a URL', { url: new URL(`https://api.test/?access_token=${encodeURIComponent(token)}`) }],
  ])('when a network error holds it in %s', async (_, parts) => {
    const fault = Object.assign(new TypeError('fetch failed'), parts);
    const { sellerClient } = stubbed([fault], { accessToken: token, maxRetries: 0 });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error.cause).not.toBe(fault);
    expect(error.cause).toMatchObject({ name: 'TypeError', message: 'fetch failed' });
  });

  test('a network error that leads to itself ends', async () => {
    const fault = new TypeError(`failed for ${token}`);
    fault.cause = fault;
    const { sellerClient } = stubbed([fault], { accessToken: token, maxRetries: 0 });
    expect(printed(await errorOf(sellerClient.questions.get({ question_id: 1 })))).not.toContain(token);
  });
});

test('a message about a signature stays readable', async () => {
  const { sellerClient } = stubbed([Response.json({ message: 'invalid signature: expired' }, { status: 400 })]);
  expect((await errorOf(sellerClient.questions.get({ question_id: 1 }))).message).toContain(
    'invalid signature: expired',
  );
});

test('control and bidirectional characters do not reach a message', async () => {
  const hostile = 'no\u001b[2J\u0007\u202Eevil\u2066\u0085\u2028end';
  const steps = [Response.json({ message: hostile, error: hostile }, { status: 400 }), new TypeError(hostile)];
  for (const step of steps) {
    const { sellerClient } = stubbed([step], { maxRetries: 0 });
    const { message } = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(message).toContain('evil');
    expect(message).not.toMatch(/[\p{Cc}\u2028\u202a-\u202e\u2066-\u2069]/u);
  }
});

test('secret headers do not follow a download to another origin', async () => {
  const storage = await startServer((response) => response.end('the file'));
  const service = await startServer((response, turn) => {
    response.writeHead(302, { location: turn === 1 ? '/moved' : `${storage.url}/file` }).end();
  });
  const { sellerClient } = stubbed([], {
    baseUrl: service.url,
    fetch: undefined,
    headers: { 'x-api-key': secret, 'x-auth-token': secret, 'accept-language': 'es-AR' },
  });
  const file = await sellerClient.messages.download({ attachment_id: 'a.png', site_id: 'MLA' });
  expect(Buffer.from(await file.arrayBuffer()).toString()).toBe('the file');
  expect(service.received.map(({ headers }) => headers['x-api-key'])).toEqual([secret, secret]);
  expect(storage.received.map(({ headers }) => headers['accept-language'])).toEqual(['es-AR']);
  expect(JSON.stringify(storage.received)).not.toMatch(/my-other-secret|token-1/);
});

describe('a header of your own', () => {
  const own = { headers: { 'X-Tenant-Key': secret } };
  const echoes: [string, () => Response | Error][] = [
    ['in a message', () => Response.json({ message: `tenant ${secret}` }, { status: 400 })],
    ['in a header of the response', () => Response.json({}, { status: 400, headers: { 'x-echo': secret } })],
    ['in a request id', () => Response.json({}, { status: 400, headers: { 'x-request-id': secret } })],
    ['in its own header', () => Response.json({}, { status: 400, headers: { 'x-tenant-key': 'rotated-99' } })],
    ['URL-encoded', () => Response.json({ message: `a=${encodeURIComponent(secret)}` }, { status: 500 })],
    ['in a success', () => new Response(`<p>${secret}</p>`)],
    ['in a network error', () => new TypeError(`bad ${secret}`, { cause: new Error(secret) })],
  ];

  test.each(echoes)('is masked where it is repeated %s', async (_, echo) => {
    const lines: unknown[] = [];
    const line = (...said: unknown[]): void => void lines.push(said);
    const step = (): Response => {
      const made = echo();
      if (made instanceof Error) throw made;
      return made;
    };
    const { sellerClient } = stubbed([step], {
      ...own,
      maxRetries: 0,
      logger: { debug: line, info: line, warn: line, error: line },
    });
    const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 1 }));
    const all = [printed(error), error.toCurl(), inspect(lines, { depth: 9 })].join('\n');
    expect(all).not.toMatch(/my-other-secret|rotated-99/);
    expect(lines).not.toEqual([]);
  });

  test.each(transports)('does not follow a download to another origin (%s)', async (_, options) => {
    const storage = await startServer((response) => response.end('the file'));
    const service = await startServer((response) => response.writeHead(302, { location: storage.url }).end());
    const { sellerClient } = stubbed([], { baseUrl: service.url, fetch: undefined, ...own, ...options });
    const file = await sellerClient.messages.download({ attachment_id: 'a.png', site_id: 'MLA' });
    expect(Buffer.from(await file.arrayBuffer()).toString()).toBe('the file');
    expect(service.received[0]!.headers['x-tenant-key']).toBe(secret);
    expect(JSON.stringify(storage.received)).not.toContain(secret);
  });
});

test.each([
  'accept',
  'Accept-Language',
  'cache-control',
  'user-agent',
  'x-client-id',
  'x-correlation-id',
  'x-request-id',
])('the header %s is public: its value is shown', async (name) => {
  const { sellerClient } = stubbed([
    Response.json({ message: 'no: shown-value' }, { status: 400, headers: { [name]: 'shown-value' } }),
  ]);
  const call = sellerClient.questions.get({ question_id: 1 }, { headers: { [name]: 'shown-value' } });
  const error = await errorOf<ApiError>(call);
  expect(error.message).toContain('no: shown-value');
  expect(error.headers.get(name)).toBe('shown-value');
  expect(error.toCurl()).toContain('shown-value');
});

test('a header of a call is secret as well', async () => {
  const { sellerClient } = stubbed([Response.json({ message: `no: ${secret}` }, { status: 400 })]);
  const call = sellerClient.questions.get({ question_id: 1 }, { headers: { 'X-Shop': secret } });
  const error = await errorOf<ApiError>(call);
  expect(`${printed(error)} ${error.toCurl()}`).not.toContain(secret);
});

test('a successful response is delivered as it came', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion, { headers: { 'x-signature': 'abc' } })]);
  const { response } = await sellerClient.questions.get({ question_id: 42 }).withResponse();
  expect(response.headers.get('x-signature')).toBe('abc');
});
