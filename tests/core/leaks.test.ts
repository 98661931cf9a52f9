import { inspect } from 'node:util';
import { ConnectionError, SellerError } from 'marketplace-seller-sdk';
import type { ApiError, CallEvent } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { startServer } from '../support/http-server.ts';
import type { Step } from '../support/stubs.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import { transports } from '../support/transports.ts';

// Where no secret and no text of a person may be: errors and their causes, log lines, traces, other origins.

const token = 'APP_USR-12/3+secret=';
const words = 'My private address is Calle Falsa 123, second floor';
const cookie = 'sid-cookie-77';
const secret = 'my-other-secret-77';
const secrets = /APP_USR-12.3.secret|Calle Falsa|sid-cookie-77/;

/** What a program prints of an error. */
function printed(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [
    inspect(error, { depth: 8 }),
    String(error),
    JSON.stringify(error),
    message,
    stack,
    inspect(cause, { depth: 8 }),
    (error as SellerError).toCurl(),
  ].join('\n');
}

/** What can be found in an error, also in what is not printed. */
function heldBy(error: Error): string {
  const { headers, body, requestId } = error as Partial<ApiError>;
  return inspect([error, error.stack, [...(headers ?? [])], body, requestId, error.cause], {
    depth: 20,
    showHidden: true,
  });
}

const leaks: [string, Step][] = [
  ['an error response that echoes everything', () => errorResponse(400)],
  ['an unauthorized that echoes the token', () => errorResponse(401)],
  ['a failing service that echoes everything', () => errorResponse(500)],
  ['a page of HTML that echoes everything', () => new Response(`<p>${token} ${words}</p>`, { status: 502 })],
  ['a success that is no JSON', () => new Response(`<p>${token} ${words}</p>`)],
  ['a network fault that echoes the token', new TypeError(`fetch failed with Bearer ${token}`)],
  [
    'a network fault that holds the request',
    Object.assign(new Error('failed'), { config: { headers: { authorization: `Bearer ${token}` }, data: words } }),
  ],
  ['a network fault that holds the text', Object.assign(new Error('failed'), { data: words })],
  ['a network fault whose cause echoes the token', new TypeError('fetch failed', { cause: new Error(token) })],
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a fetch of the user may do that
  ['something thrown that is no error and echoes the token', () => Promise.reject(token)],
  [
    'a network fault with a code whose cause echoes the token',
    Object.assign(new Error(`read ${token}`), { code: 'ECONNRESET' }),
  ],
  [
    'a network fault that holds the Request itself',
    (request) => Promise.reject(Object.assign(new Error('x'), { request })),
  ],
];

function errorResponse(status: number): Response {
  const body = { message: `no: ${words} (${token})`, error: token, cause: [{ code: token, message: words }, words] };
  return Response.json(body, { status, headers: { 'set-cookie': cookie, 'x-echo': 'fine' } });
}

/** A log and a trace that keep everything, and the options that fill them. */
function recordEverything() {
  const recorded: unknown[] = [];
  const log = (...line: unknown[]): void => void recorded.push(line);
  const observe = (event: CallEvent): void => void recorded.push(event);
  const logger = { debug: log, info: log, warn: log, error: log };
  return {
    recorded,
    options: { accessToken: token, headers: { cookie }, maxRetries: 0, logger, tracing: { observe } },
  };
}

describe('contract 9: token, user texts and cookies are in no error, log line or trace', () => {
  test('a success that echoes everything is delivered, and nothing of it is logged', async () => {
    const { recorded, options } = recordEverything();
    const body = [{ text: words }, { id: token }];
    const { sellerClient } = stubbed([Response.json(body)], options);
    expect(await sellerClient.questions.hide({ question_id: 42 })).toEqual(body);
    expect(recorded.length).toBeGreaterThan(0);
    expect(inspect(recorded, { depth: 12 })).not.toMatch(secrets);
  });

  test.each(leaks)('nothing leaks from %s', async (_, step) => {
    const { recorded, options } = recordEverything();
    const { sellerClient } = stubbed([step], options);
    const error = await errorOf(sellerClient.questions.ask({ item_id: 'MLA1', text: words }));
    expect(error).toBeInstanceOf(SellerError);
    expect(printed(error)).not.toMatch(secrets);
    expect(recorded.length).toBeGreaterThan(0);
    expect(inspect(recorded, { depth: 12 })).not.toMatch(secrets);
  });
});

test('the log of a successful call holds no token', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion)]);
  const query = { access_token: token };
  const { response } = await sellerClient.questions.get({ question_id: 42 }, { query }).withResponse();
  expect(response.url).toBe('https://api.test/questions/42?access_token=[redacted]');
});

test('toCurl() of a request without a token shows no authorization header', async () => {
  const { sellerClient } = stubbed([new Response('{}', { status: 404 })]);
  const error = await errorOf(sellerClient.questions.get({ question_id: 1 }, { accessToken: null }));
  expect(error.toCurl()).not.toMatch(/authorization/i);
});

describe('a network error', () => {
  async function causeOf(thrown: unknown): Promise<unknown> {
    const fetch = (): Promise<Response> => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a fetch of the user may do that
      return Promise.reject(thrown);
    };
    const { sellerClient } = stubbed([], { fetch, accessToken: token, maxRetries: 0 });
    const error = await errorOf(sellerClient.questions.get({ question_id: 1 }));
    expect(error).toBeInstanceOf(ConnectionError);
    return error.cause;
  }
  const deep = (value: unknown): unknown => Array.from({ length: 12 }).reduce<unknown>((inner) => ({ inner }), value);
  const fault = (parts: object): Error => Object.assign(new RangeError('failed'), parts);

  test.each<[string, object]>([
    ['nothing secret', { note: 'a', list: [1, null, { a: true }], at: new URL('https://api.test/') }],
    ['another error without a secret', { cause: Object.assign(new TypeError('inner'), { code: 'ECONNRESET' }) }],
    ['several errors', { errors: [new Error('a'), new Error('b')] }],
    ['a symbol', { [Symbol('kind')]: true }],
  ])('is the cause as it is with %s', async (_, parts) => {
    const thrown = fault(parts);
    expect(await causeOf(thrown)).toBe(thrown);
  });

  const unreadable = {
    get broken(): string {
      throw new Error('cannot be read');
    },
  };

  test.each<[string, object]>([
    ['an object', { config: { headers: { authorization: `Bearer ${token}` } } }],
    ['a list of lists', { list: [[[token]]] }],
    ['the name of a property', { seen: { [token]: 1 } }],
    ['the name of a symbol', { [Symbol(token)]: 1 }],
    ['a symbol', { [Symbol('state')]: { token } }],
    ['a symbol of an object', { state: { [Symbol('state')]: token } }],
    ['its cause', { cause: new Error(token) }],
    ['the cause of its cause', { cause: new Error('a', { cause: new DOMException(token) }) }],
    ['one of several errors', { errors: [new Error('a'), new Error(token)] }],
    ['a deep object', { config: deep(token) }],
    ['a URL', { url: new URL(`https://api.test/?access_token=${encodeURIComponent(token)}`) }],
    ['a Map, which is not searched', { a: new Map([['k', 'v']]) }],
    ['a Set, which is not searched', { a: new Set(['v']) }],
    ['Headers, which are not searched', { headers: new Headers({ 'x-any': token }) }],
    [
      'a Request, which is not searched',
      { request: new Request('https://api.test/', { headers: { 'x-any': token } }) },
    ],
    ['bytes, which are not searched', { a: new Uint8Array(2) }],
    ['a value that cannot be read', unreadable],
  ])('is copied without what it holds in %s', async (_, parts) => {
    const thrown = fault({});
    Object.defineProperties(thrown, Object.getOwnPropertyDescriptors(parts));
    const cause = await causeOf(thrown);
    expect(cause === thrown).toBe(false);
    expect(cause).toMatchObject({ name: 'RangeError', message: 'failed' });
    expect(Reflect.ownKeys(cause as object).sort()).toEqual(['message', 'name', 'stack']);
  });

  test('keeps its name, its code and its stack, masked', async () => {
    const inner = new Error(`inner ${token}`);
    const thrown = Object.assign(new TypeError(`outer ${token}`, { cause: inner }), { code: `E-${token}` });
    const cause = (await causeOf(thrown)) as Error & { code: string };
    expect(cause).toMatchObject({ name: 'TypeError', message: 'outer [redacted]', code: 'E-[redacted]' });
    expect(cause.stack).toContain('TypeError: outer [redacted]');
    expect(cause.stack).not.toContain(token);
    expect('cause' in cause).toBe(false);
    expect('code' in ((await causeOf(Object.assign(new Error(token), { code: 7 }))) as Error)).toBe(false);
  });

  test('that is no error is not shown', async () => {
    expect(await causeOf({ token })).toMatchObject({ message: 'the thrown value contained a secret and is not shown' });
  });
});

const names = [
  'x-auth-token',
  'x-client-secret',
  'x-api-key',
  'api_key',
  'apikey',
  'sig',
  'signature',
  'client_secret',
  'token',
  'security_token',
  'X-Amz-Security-Token',
  'X-Amz-Signature',
  'X-Amz-Credential',
  'password',
  'id_token',
];
const spellings: [string, string][] = [
  ['as it is', token],
  ['URL-encoded', encodeURIComponent(token)],
  ['URL-encoded in lower case', encodeURIComponent(token).replace(/%../g, (hex) => hex.toLowerCase())],
  ['as JSON', JSON.stringify(token)],
  ['as JSON with escaped slashes', token.replaceAll('/', '\\/')],
];

describe('a secret is masked', () => {
  test.each(names)('in a request with the header, query parameter and field %s', async (name) => {
    const echo = (): Response =>
      Response.json({ message: `no: ${secret} ${name}=other-9`, [name]: 'third-9' }, { status: 400 });
    const calls = [{ headers: { [name]: secret } }, { query: { [name]: secret } }];
    for (const options of calls) {
      const { sellerClient } = stubbed([echo]);
      const error = await errorOf<ApiError>(sellerClient.questions.get({ question_id: 1 }, options));
      expect([heldBy(error), error.url, error.toCurl()].join('\n')).not.toMatch(/my-other-secret|other-9|third-9/);
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
      expect(heldBy(await errorOf(sellerClient.questions.get({ question_id: 1 })))).not.toContain(core);
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

  test('a network error that leads to itself ends', async () => {
    const fault = new TypeError(`failed for ${token}`);
    fault.cause = fault;
    const { sellerClient } = stubbed([fault], { accessToken: token, maxRetries: 0 });
    expect(heldBy(await errorOf(sellerClient.questions.get({ question_id: 1 })))).not.toContain(token);
  });
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
    const all = [heldBy(error), error.toCurl(), inspect(lines, { depth: 9 })].join('\n');
    expect(all).not.toMatch(/my-other-secret|rotated-99/);
    expect(lines).not.toEqual([]);
  });

  test.each(transports)('does not follow a download to another origin (%s)', async (_, options) => {
    const storage = await startServer((response) => response.end('the file'));
    const service = await startServer((response, turn) => {
      response.writeHead(302, { location: turn === 1 ? '/moved' : `${storage.url}/file` }).end();
    });
    const headers = { ...own.headers, 'x-api-key': secret, 'accept-language': 'es-AR' };
    const { sellerClient } = stubbed([], { baseUrl: service.url, fetch: undefined, headers, ...options });
    const file = await sellerClient.messages.download({ attachment_id: 'a.png', site_id: 'MLA' });
    expect(Buffer.from(await file.arrayBuffer()).toString()).toBe('the file');
    for (const name of ['x-tenant-key', 'x-api-key'])
      expect(service.received.map((each) => each.headers[name])).toEqual([secret, secret]);
    expect(storage.received.map((each) => each.headers['accept-language'])).toEqual(['es-AR']);
    expect(JSON.stringify(storage.received)).not.toMatch(/my-other-secret|token-1/);
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
  expect(`${heldBy(error)} ${error.toCurl()}`).not.toContain(secret);
});

test('a successful response is delivered as it came', async () => {
  const { sellerClient } = stubbed([Response.json(wireQuestion, { headers: { 'x-signature': 'abc' } })]);
  const { response } = await sellerClient.questions.get({ question_id: 42 }).withResponse();
  expect(response.headers.get('x-signature')).toBe('abc');
});
