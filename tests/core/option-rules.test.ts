import { runInNewContext } from 'node:vm';
import { ConfigurationError, InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import type { ClientOptions } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const baseUrl = 'https://api.test';
const run = (): void => {};
const every = "!#$%&'*+.^`|~-_aZ09";
const milliseconds = 'takes a number of milliseconds above 0';
const record = 'takes an object of names and values';
const iterable = `${record}; convert it with Object.fromEntries`;
const delay = 'takes an integer, at least 0 and at most 2147483647';
const noHeaderValue = 'contains under `x-a` a value that no header can have';
const noHeaderName = 'contains a name that no header can have';
const noToken = 'is empty or contains characters that no token has; give the bare token, without "Bearer"';
const jsonp = 'has `callback`, which makes the response JSONP; see readJsonp';

interface OptionRule {
  readonly option: keyof ClientOptions;
  readonly takes: readonly unknown[];
  readonly rejects: readonly (readonly [value: unknown, problem: string])[];
}

/** Each value with what the error says of it, as `of('takes a number', 'a', null)`. */
const of = (problem: string, ...values: readonly unknown[]) => values.map((value) => [value, problem] as const);

const rules: readonly OptionRule[] = [
  { option: 'timeoutMs', takes: [0.5, 1, 1e9], rejects: of(milliseconds, 0, -1, NaN, '5', null) },
  { option: 'maxRetries', takes: [0, 1, 7], rejects: of('takes an integer, at least 0', -1, 0.5, '1', NaN) },
  { option: 'concurrency', takes: [1, 2], rejects: of('takes an integer, at least 1', 0, 1.5) },
  { option: 'maxRetryDelayMs', takes: [0, 2 ** 31 - 1], rejects: of(delay, -1, 0.5, 2 ** 31, '5') },
  { option: 'allowInsecure', takes: [true, false], rejects: of('takes a boolean', 1, 'true', null) },
  { option: 'onDrift', takes: [run], rejects: of('takes a function', {}, 'log') },
  { option: 'unknownOutcome', takes: ['throw', 'confirm'], rejects: of("takes 'throw' or 'confirm'", 'off', 1) },
  {
    option: 'headers',
    takes: [{}, Object.create(null), runInNewContext('({ "x-a": "b" })'), { [every]: 'b' }, { 'x-a': 'a\tb ~é' }],
    rejects: [
      ...of(record, null, 'a: b', 5, [['x-a', 'b']], new Date(0), run),
      ...of(iterable, new Map(), new Headers(), new URLSearchParams()),
      ...of(noHeaderName, { '': 'a' }, { 'x a': 'b' }, { 'x-ä': 'b' }, { 'x-a:': 'b' }, { ':x-a': 'b' }),
      ...of(noHeaderValue, { 'x-a': 5 }, { 'x-a': 'a\nb' }, { 'x-a': '\x7f' }, { 'x-a': 'Ā' }, { 'x-a': undefined }),
    ],
  },
  { option: 'middleware', takes: [[], [run]], rejects: of('takes a list of functions', run, [run, 5]) },
  {
    option: 'logger',
    takes: [{ info: run, debug: run, warn: run, error: run }],
    rejects: of('takes an object with a function `info`', null, 5, {}, { info: true }),
  },
  {
    option: 'accessToken',
    takes: ['APP_USR-1', '!~', run],
    rejects: [
      ...of(noToken, '', 'Bearer a', 'a\n', 'é', '\x7f'),
      ...of('takes the token as a string, or a function that returns it', 5, null, {}),
    ],
  },
];

describe.each(rules)('the option $option', ({ option, takes, rejects }) => {
  test.each(takes.map((value) => [value]))('takes %o', (value) => {
    expect(() => new SellerClient({ baseUrl, [option]: value })).not.toThrow();
  });

  test.each(rejects)('rejects %o', (value, problem) => {
    const create = () => new SellerClient({ baseUrl, [option]: value });
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(new RegExp(`\\\`${option}\\\` ${problem.replace(/[^\w ]/g, '\\$&')}$`));
  });
});

test('an unknown option is rejected with the names of all', () => {
  const create = () => new SellerClient({ baseUrl, repeats: 2, timeout: undefined } as ClientOptions);
  expect(create).toThrow(/there is no option `repeats`; the options are baseUrl, accessToken, .*, allowInsecure$/);
});

test('an option whose name is misspelt is rejected with the name that is meant', () => {
  for (const [wrong, right] of Object.entries({ timeoutMS: 'timeoutMs', loger: 'logger', hedaers: 'headers' }))
    expect(() => new SellerClient({ baseUrl, [wrong]: 1 })).toThrow(
      `there is no option \`${wrong}\`; did you mean \`${right}\`?`,
    );
});

test.each([
  ['onUnknownOutcome', 'it is `unknownOutcome`'],
  ['userAgent', 'give a `user-agent` in `headers`'],
  ['redactHeaders', 'the values of `headers` are secret, unless SECURITY.md lists their names as public'],
])('%s is no option, and the error says what to use', (name, hint) => {
  expect(() => new SellerClient({ baseUrl, [name]: 'x' })).toThrow(`there is no option \`${name}\`; ${hint}`);
});

test('a client has these options and no others', () => {
  const names =
    'baseUrl, accessToken, fetch, agent, timeoutMs, deadlineMs, maxRetries, maxRetryDelayMs, unknownOutcome, ' +
    'responseValidation, maxResponseBytes, onDrift, headers, middleware, logger, tracing, ' +
    'concurrency, limiter, allowInsecure';
  expect(names.split(', ')).toHaveLength(19);
  for (const name of ['constructor', 'retryWritesAfter503', 'confirmWindowMs', 'onWait', 'query'])
    expect(() => new SellerClient({ baseUrl, [name]: run })).toThrow(
      `there is no option \`${name}\`; the options are ${names}`,
    );
});

describe('the options of a call', () => {
  const get = (options: object) =>
    stubbed([Response.json(wireQuestion)]).sellerClient.questions.get({ question_id: 42 }, options);

  const noQueryValue = 'takes a string, finite number or boolean under `a`';
  test.each([
    ...of(jsonp, { callback: 'f' }),
    ...of(noQueryValue, { a: null }, { b: 1, a: [] }, { a: 1n }, { a: run }, { a: Number.NaN }, { a: -Infinity }),
    ...of(record, [], 'a=b'),
    ...of(iterable, new URLSearchParams()),
  ])('query rejects %o', async (query, problem) => {
    const error = await errorOf<InvalidInputError>(get({ query }));
    expect(error.issues).toMatchObject([{ path: ['query'], message: `the option \`query\` ${problem}` }]);
  });

  test.each([{}, { a: 'b', c: 1, d: true, e: undefined }])('query takes %o', async (query) => {
    await expect(get({ query })).resolves.toMatchObject({ id: 42 });
  });

  test.each<[string, readonly unknown[], readonly unknown[]]>([
    ['accessToken', ['APP_USR-2', null], ['', 'Bearer a', 5]],
    ['timeoutMs', [5], [0]],
    ['signal', [new AbortController().signal], [{}, null, 5]],
    ['headers', [{ 'x-a': 'b' }], [[]]],
    ['onUploadProgress', [run], [true]],
    ['onDownloadProgress', [run], [true]],
  ])('%s', async (name, takes, rejects) => {
    for (const value of takes) await expect(get({ [name]: value })).resolves.toMatchObject({ id: 42 });
    for (const value of rejects) {
      const error = await errorOf<InvalidInputError>(get({ [name]: value }));
      expect(error).toBeInstanceOf(InvalidInputError);
      expect(error.issues).toMatchObject([
        { path: [name], message: expect.stringMatching(`^the option \`${name}\` `) as string },
      ]);
    }
  });

  test('an unknown option has its own message', async () => {
    const error = await errorOf<InvalidInputError>(get({ retries: 2 }));
    expect(error.issues).toMatchObject([
      { path: ['retries'], message: expect.stringMatching(/^there is no option/) as string },
    ]);
  });
});

describe('http: without `allowInsecure`', () => {
  test.each(['localhost', 'shop.localhost', '127.0.0.1', '127.255.0.254', '[::1]'])(
    'is for this machine: %s',
    (host) => {
      expect(() => new SellerClient({ baseUrl: `http://${host}:4010` })).not.toThrow();
    },
  );

  test.each(['localhost.test', 'mylocalhost', '127.0.0.1.test', '10.127.0.0', '[::2]', '[1::1]'])(
    'is not for another: %s',
    (host) => {
      expect(() => new SellerClient({ baseUrl: `http://${host}` })).toThrow(
        /use https:, or set `allowInsecure: true`$/,
      );
      expect(() => new SellerClient({ baseUrl: `http://${host}`, allowInsecure: true })).not.toThrow();
    },
  );

  test('a path of the address is kept, without the slashes at its end', async () => {
    for (const [given, expected] of [
      ['https://api.test/', 'https://api.test'],
      ['https://api.test/v1//', 'https://api.test/v1'],
    ]) {
      const { sellerClient, sent } = stubbed([Response.json(wireQuestion)], { baseUrl: given! });
      await sellerClient.questions.get({ question_id: 42 });
      expect(sent[0]!.url).toBe(`${expected!}/questions/42`);
    }
  });
});
