import { ApiPromise, ConfigurationError, InvalidInputError, NotFoundError, SellerClient } from 'marketplace-seller-sdk';
import type { CallOptions, ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled } from './support/fake-time.ts';
import { stubbed, wireQuestion } from './support/stubs.ts';

const baseUrl = 'https://api.test';

describe('the constructor rejects wrong options and says what to write instead', () => {
  const wrong: readonly (readonly [string, unknown, string])[] = [
    ['nothing', undefined, 'SellerClient takes an object of options'],
    ['null', null, 'SellerClient takes an object of options'],
    ['no address', {}, '`baseUrl` is missing: give the address of the service'],
    ['an address that is none', { baseUrl: 'api.test' }, '`baseUrl` is not a URL; it takes one such as'],
    ['another protocol', { baseUrl: 'ftp://api.test' }, '`baseUrl` takes an https: URL'],
    ['an address in clear text', { baseUrl: 'http://api.test' }, 'allowInsecure'],
    ['a password in the address', { baseUrl: 'https://me:secret@api.test' }, 'give the token as `accessToken`'],
    [
      'a query in the address',
      { baseUrl: 'https://api.test/?a=1' },
      'give query parameters as the call option `query`',
    ],
    [
      'a fragment in the address',
      { baseUrl: 'https://api.test/#a' },
      'give query parameters as the call option `query`',
    ],
    ['a name that no option has', { baseUrl, timeout: 1 }, 'there is no option `timeout`; did you mean `timeoutMs`?'],
    ['a negative timeout', { baseUrl, timeoutMs: -1 }, '`timeoutMs` takes a number of milliseconds above 0'],
    ['a deadline as text', { baseUrl, deadlineMs: '5' }, '`deadlineMs` takes a number of milliseconds above 0'],
    ['half a retry', { baseUrl, maxRetries: 0.5 }, '`maxRetries` takes an integer, at least 0'],
    ['no call at a time', { baseUrl, concurrency: 0 }, '`concurrency` takes an integer, at least 1'],
    [
      'a delay that no timer can wait',
      { baseUrl, maxRetryDelayMs: 2 ** 31 },
      '`maxRetryDelayMs` takes an integer, at least 0 and at most 2147483647',
    ],
    ['headers of the platform', { baseUrl, headers: new Headers({ a: 'b' }) }, 'convert it with Object.fromEntries'],
    ['an address with a bare question mark', { baseUrl: `${baseUrl}?` }, 'contains a query or fragment'],
    ['an address with a bare number sign', { baseUrl: `${baseUrl}/#` }, 'contains a query or fragment'],
    ['an unknown word', { baseUrl, responseValidation: 'warn' }, "takes 'throw' or 'report'"],
    ['a token of another type', { baseUrl, accessToken: 7 }, 'takes the token as a string, or a function'],
    ['an empty token', { baseUrl, accessToken: '' }, 'give the bare token, without "Bearer"'],
    ['a token with its scheme', { baseUrl, accessToken: 'Bearer abc' }, 'give the bare token, without "Bearer"'],
    ['headers as text', { baseUrl, headers: 'a: b' }, '`headers` takes an object of names and values'],
    [
      'a header with a space',
      { baseUrl, headers: { 'a b': 'c' } },
      '`headers` contains a name that no header can have',
    ],
    [
      'a header of two lines',
      { baseUrl, headers: { a: 'b\r\nc: d' } },
      'contains under `a` a value that no header can have',
    ],
    ['query parameters of all requests', { baseUrl, query: {} }, 'there is no option `query`'],
    ['middleware that is none', { baseUrl, middleware: [{}] }, '`middleware` takes a list of functions'],
    ['a logger that cannot log', { baseUrl, logger: {} }, '`logger` takes an object with a function `info`'],
    ['a limiter without `acquire`', { baseUrl, limiter: null }, '`limiter` takes an object with a function `acquire`'],
    ['a fetch that is none', { baseUrl, fetch: 'fetch' }, '`fetch` takes a function'],
  ];

  test.each(wrong)('%s is rejected', (_, options, sentence) => {
    const make = (): SellerClient => new SellerClient(options as ClientOptions);
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(sentence);
  });

  test('all wrong options are reported at once', () => {
    const make = (): SellerClient => new SellerClient({ timeoutMs: 0, maxRetries: -1 } as unknown as ClientOptions);
    expect(make).toThrow(/`baseUrl` is missing.*`timeoutMs` takes.*`maxRetries` takes/);
  });

  test('the message of a ConfigurationError does not hold the token', () => {
    const make = (): SellerClient => new SellerClient({ baseUrl, accessToken: 'TOKEN 12345' });
    expect(make).toThrow(expect.not.objectContaining({ message: expect.stringContaining('12345') as string }));
  });

  test.each(['http://localhost:80', 'http://127.0.0.1:4010', 'http://[::1]:4010', 'http://api.localhost'])(
    'http: is allowed to this machine: %s',
    (address) => {
      expect(() => new SellerClient({ baseUrl: address })).not.toThrow();
    },
  );

  test('http: to another machine needs allowInsecure', () => {
    expect(() => new SellerClient({ baseUrl: 'http://10.0.0.1', allowInsecure: true })).not.toThrow();
  });

  test('an option that is undefined has its default', () => {
    const options = { baseUrl, timeoutMs: undefined, headers: undefined };
    expect(() => new SellerClient(options)).not.toThrow();
  });

  test('withOptions() checks its options, too', () => {
    expect(() => new SellerClient({ baseUrl }).withOptions({ maxRetries: -1 })).toThrow(ConfigurationError);
  });
});

describe('a call rejects wrong options before anything is sent', () => {
  test.each([
    ['timeoutMs', 0, 'takes a number of milliseconds above 0'],
    ['maxRetries', -1, 'takes an integer, at least 0'],
    ['signal', {}, 'takes an object with a function `addEventListener`'],
    ['headers', { 'x-a': 7 }, 'contains under `x-a` a value that no header can have'],
    ['query', 'a=1', 'takes an object of names and values'],
    ['accessToken', 'two words', 'is empty or contains characters that no token has'],
    ['headers', new Headers({ 'x-a': '7' }), 'takes an object of names and values; convert it with Object.fromEntries'],
    [
      'query',
      new URLSearchParams({ a: '1' }),
      'takes an object of names and values; convert it with Object.fromEntries',
    ],
    ['query', { a: { b: 1 } }, 'takes a string, finite number or boolean under `a`'],
    ['query', { a: Number.NaN }, 'takes a string, finite number or boolean under `a`'],
    ['query', { a: Infinity }, 'takes a string, finite number or boolean under `a`'],
    ['query', { attributes: 'id' }, 'has `attributes`, which removes fields that the client needs'],
    ['onUploadProgress', 'yes', 'takes a function'],
    ['attributes', 'id', 'takes a list of strings'],
  ])('a wrong `%s` is rejected', async (name, value, sentence) => {
    const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
    const options = { [name]: value } as CallOptions;
    const call = sellerClient.questions.get({ question_id: 42 }, options);
    await expect(call).rejects.toThrow(`the option \`${name}\` ${sentence}`);
    await expect(call).rejects.toThrow(InvalidInputError);
    expect(sent).toEqual([]);
  });

  test.each(['limit', 'repeats', 'constructor', 'timeLimit'])('an unknown option is rejected: %s', async (name) => {
    const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
    const call = sellerClient.questions.get({ question_id: 42 }, { [name]: 5 });
    await expect(call).rejects.toThrow(`there is no option \`${name}\`; the options are signal, timeoutMs, deadlineMs`);
    await expect(call).rejects.toThrow(InvalidInputError);
    expect(sent).toEqual([]);
  });
});

describe('an ApiPromise', () => {
  test('has catch() and finally(), which return plain promises', async () => {
    const { sellerClient } = stubbed([Response.json(wireQuestion)]);
    const calls: string[] = [];
    const call = sellerClient.questions.get({ question_id: 42 });
    expect(call).toBeInstanceOf(Promise);
    const handled = call.finally(() => calls.push('finally')).catch(() => undefined);
    expect(handled.constructor).toBe(Promise);
    expect(await handled).toMatchObject({ id: 42 });
    expect(calls).toEqual(['finally']);
    expect(await sellerClient.questions.get({ question_id: 42 }).finally(undefined)).toMatchObject({ id: 42 });
  });

  test('rejects for catch(), for finally(), and for withResponse()', async () => {
    const { sellerClient } = stubbed([Response.json({}, { status: 404 })]);
    const call = sellerClient.questions.get({ question_id: 42 });
    const ends = [call.catch((error: unknown) => error), call.finally(() => undefined), call.withResponse()];
    const results = await Promise.allSettled(ends);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await ends[0]).toBeInstanceOf(NotFoundError);
  });

  test('has the response behind its result, also where a method changes what the service returned', async () => {
    vi.useFakeTimers();
    const headers = { 'x-request-id': 'r-1', etag: '"a"' };
    const respond = async (): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return Response.json({}, { status: 200, headers });
    };
    try {
      const { sellerClient } = stubbed([respond]);
      const query = { access_token: 'secret' };
      const call = sellerClient.flex.items.isEnabled({ site_id: 'MLA', item_id: 'MLA100' }, { query });
      const { data, response } = await advanceUntilSettled(call.withResponse());
      expect(data).toBe(true);
      const url = 'https://api.test/sites/MLA/shipping/selfservice/items/MLA100?access_token=[redacted]';
      expect(response).toMatchObject({ status: 200, requestId: 'r-1', attempts: 1, url });
      expect(Math.round(response.durationMs)).toBe(300);
      expect(response.headers.get('etag')).toBe('"a"');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a client from withOptions()', () => {
  const paused = Response.json({}, { status: 429, headers: { 'retry-after': '60' } });

  test.each<readonly [string, Partial<ClientOptions>, boolean]>([
    ['other options', { timeoutMs: 20_000, maxRetries: 0 }, true],
    ['another token', { accessToken: 'token-2' }, false],
    ['another address', { baseUrl: 'https://other.test' }, false],
  ])('with %s shares the pause after a 429: %s', async (_, options, isShared) => {
    const { sellerClient, sent } = stubbed([paused, Response.json(wireQuestion)]);
    const first = await sellerClient.questions.get({ question_id: 42 }).catch((error: unknown) => error);
    expect(first).toMatchObject({ status: 429, attempts: 1 });
    const second = sellerClient.withOptions(options).questions.get({ question_id: 42 });
    const result: unknown = await second.catch((error: unknown) => error);
    expect(result).toMatchObject(isShared ? { status: 429, attempts: 0 } : { id: 42 });
    expect(sent).toHaveLength(isShared ? 1 : 2);
  });

  test('uses the token for which its origin has replaced a rejected one', async () => {
    const isNew = (request: Request): boolean => request.headers.get('authorization') === 'Bearer new';
    const respond = (request: Request): Response => Response.json(wireQuestion, { status: isNew(request) ? 200 : 401 });
    const { sellerClient, sent } = stubbed([respond], { accessToken: ({ rejected }) => (rejected ? 'new' : 'old') });
    await sellerClient.questions.get({ question_id: 42 });
    await sellerClient.withOptions({ timeoutMs: 20_000 }).questions.get({ question_id: 42 });
    expect(sent.map(isNew)).toEqual([false, true, true]);
    await sellerClient.withOptions({ baseUrl: 'https://other.test' }).questions.get({ question_id: 42 });
    expect(sent.map(isNew)).toEqual([false, true, true, false, true]);
  });
});

test('a mock of a method returns a promise of a value, with a response', async () => {
  const seller = new SellerClient({ baseUrl });
  vi.spyOn(seller.currencies, 'get').mockReturnValue(ApiPromise.of({ id: 'ARS' }));
  expect(await seller.currencies.get({ id: 'ARS' })).toEqual({ id: 'ARS' });
  const { data, response } = await ApiPromise.of({ id: 'ARS' }, { attempts: 2 }).withResponse();
  expect(data).toEqual({ id: 'ARS' });
  expect(response).toMatchObject({ status: 200, attempts: 2, requestId: undefined });
  expect(response.headers.get('etag')).toBeNull();
});

test('on a Node.js that is too old, a client says which one it needs', () => {
  const { withResolvers } = Promise;
  Reflect.deleteProperty(Promise, 'withResolvers');
  try {
    expect(() => new SellerClient({ baseUrl: 'https://api.example.com' })).toThrow(
      /^marketplace-seller-sdk needs Node.js 22.12/,
    );
  } finally {
    Promise.withResolvers = withResolvers;
  }
});

test('a client that is made apart from another one of the same service says so in the log; a derived one does not', () => {
  const lines: string[] = [];
  const warn = (line: string): void => void lines.push(line);
  const logger = { debug: warn, info: warn, warn, error: warn };
  const options = { baseUrl: 'https://apart.test', fetch: async () => new Response(), logger };
  const first = new SellerClient({ ...options, accessToken: 'a' });
  first.withOptions({ accessToken: 'b' });
  new SellerClient({ ...options, baseUrl: 'https://elsewhere.test' });
  expect(lines).toEqual([]);
  new SellerClient({ ...options, accessToken: 'b' });
  expect(lines).toEqual([expect.stringMatching(/^There is another SellerClient for https:\/\/apart.test/)]);
});
