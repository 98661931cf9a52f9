import { ConfigurationError, InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import type { CallOptions, ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
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
    ['a query in the address', { baseUrl: 'https://api.test/?a=1' }, 'give query parameters as `query`'],
    ['a fragment in the address', { baseUrl: 'https://api.test/#a' }, 'give query parameters as `query`'],
    ['a name that no option has', { baseUrl, timeout: 1 }, 'there is no option `timeout`; the options are baseUrl,'],
    ['a negative timeout', { baseUrl, timeoutMs: -1 }, '`timeoutMs` takes a number of milliseconds above 0'],
    ['a deadline as text', { baseUrl, deadlineMs: '5' }, '`deadlineMs` takes a number of milliseconds above 0'],
    ['half a retry', { baseUrl, maxRetries: 0.5 }, '`maxRetries` takes an integer, at least 0'],
    ['no call at a time', { baseUrl, maxConcurrency: 0 }, '`maxConcurrency` takes an integer, at least 1'],
    [
      'a delay that no timer can wait',
      { baseUrl, maxRetryDelayMs: 2 ** 31 },
      '`maxRetryDelayMs` takes an integer, at least 0 and at most 2147483647',
    ],
    ['headers of the platform', { baseUrl, headers: new Headers({ a: 'b' }) }, 'convert it with Object.fromEntries'],
    ['an address with a bare question mark', { baseUrl: `${baseUrl}?` }, 'contains a query or fragment'],
    ['an address with a bare number sign', { baseUrl: `${baseUrl}/#` }, 'contains a query or fragment'],
    ['an unknown word', { baseUrl, responseValidation: 'warn' }, "takes 'throw' or 'report' or 'off'"],
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
    ['a query as a list', { baseUrl, query: [] }, '`query` takes an object of names and values'],
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
    ['query', { a: { b: 1 } }, 'takes a string, number or boolean under `a`'],
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

  test.each(['limit', 'retries', 'constructor', 'timeout'])('an unknown option is rejected: %s', async (name) => {
    const { sellerClient, sent } = stubbed([Response.json(wireQuestion)]);
    const call = sellerClient.questions.get({ question_id: 42 }, { [name]: 5 });
    await expect(call).rejects.toThrow(`there is no option \`${name}\`; the options are signal, timeoutMs, deadlineMs`);
    await expect(call).rejects.toThrow(InvalidInputError);
    expect(sent).toEqual([]);
  });

  test('an ApiPromise has catch() and finally()', async () => {
    const { sellerClient } = stubbed([Response.json(wireQuestion)]);
    const calls: string[] = [];
    const found = await sellerClient.questions
      .get({ question_id: 42 })
      .finally(() => calls.push('finally'))
      .catch(() => undefined);
    expect(found).toMatchObject({ id: 42 });
    expect(calls).toEqual(['finally']);
    expect(await sellerClient.questions.get({ question_id: 42 }).finally(undefined)).toMatchObject({ id: 42 });
  });
});
