import { InvalidInputError, ConfigurationError, OutcomeUnknownError, Paged } from 'marketplace-seller-sdk';
import type { ClientOptions, Endpoint, Middleware } from 'marketplace-seller-sdk';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { openTelemetry } from 'marketplace-seller-sdk/otel';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { pagedCalls } from '../../src/core/paging/paged.js';
import { validate } from '../../src/core/schema/read.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

const ok = (): Response => Response.json(wireQuestion);

describe('an endpoint without types is checked before anything is sent', () => {
  const right = endpoints.questions.get;

  test.each<readonly [object | undefined, string]>([
    [{ output: undefined }, '`output` takes a schema that implements Standard Schema'],
    [{ input: { parse: () => 1 } }, '`input` takes a schema'],
    [{ method: 'get' }, "`method` takes 'GET' or 'POST'"],
    [{ method: undefined }, '`method` takes'],
    [{ path: 'questions/{question_id}' }, '`path` takes a path that begins with /'],
    [{ path: undefined }, '`path` takes'],
    [
      { path: '/questions/{question_id}?x=1' },
      '`path` takes a path without ? and #; `query` takes constant parameters',
    ],
    [{ path: '/questions/{question_id}#x' }, '`path` takes a path without ? and #'],
    [{ retry: 'read' }, "`retry` takes 'safe' or 'idempotent' or 'unsafe'"],
    [{ errors: undefined }, '`errors` takes a list of objects'],
    [{ errors: ['NotFoundError'] }, '`errors` takes a list of objects'],
    [{ name: 5 }, '`name` takes a string'],
    [undefined, 'the endpoint is missing'],
  ])('%o', async (change, problem) => {
    const { sellerClient, sent } = stubbed([ok]);
    const endpoint = change && ({ ...right, ...change } as unknown as Endpoint);
    const error = await errorOf(sellerClient.call(endpoint!, { question_id: 42 }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(problem);
    expect(sent).toEqual([]);
  });

  test('a right one may have properties of its own', async () => {
    const { sellerClient } = stubbed([ok]);
    const endpoint = { ...right, owner: 'us' };
    expect(await sellerClient.call(endpoint, { question_id: 42 })).toMatchObject({ id: 42 });
  });
});

describe('an input that is missing, or is no object, rejects the call and sends nothing', () => {
  const needed = everyEndpoint.map(({ name, endpoint }) => {
    return { name, wrong: validate(endpoint.input, {}).success ? [5] : [undefined, null, 5] };
  });
  const combined = ['messages.contact', 'messages.channel', 'flex.query'].map((name) => {
    return { name, wrong: [undefined, null, 5] };
  });

  test.each([...needed, ...combined])('$name', async ({ name, wrong }) => {
    const { sellerClient, sent } = stubbed([ok]);
    type Method = (input: unknown) => Paged<unknown> | PromiseLike<unknown>;
    const path = name.split('.');
    const at = (names: readonly string[]): object =>
      names.reduce<object>((each, key) => (each as Record<string, object>)[key]!, sellerClient);
    for (const input of wrong) {
      const result = (at(path) as Method).call(at(path.slice(0, -1)), input);
      const error = await errorOf(result instanceof Paged ? result.first() : result);
      expect(error, String(input)).toBeInstanceOf(InvalidInputError);
    }
    expect(sent).toEqual([]);
  });
});

test.each([5, 'text', true])(
  'a list whose fields are all optional does not take %j for an empty input',
  async (wrong) => {
    const { sellerClient, sent } = stubbed([ok]);
    const endpoint: Endpoint<object> = { ...endpoints.questions.search, input: z.object({}), output: z.unknown() };
    const reader = { key: (item: unknown) => item, read: () => ({ items: [], extra: {} }) };
    const list = pagedCalls(sellerClient, endpoint, wrong as unknown as object, undefined, reader);
    expect(await errorOf(list.first())).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  },
);

describe('a function that forgets to return its Response is named', () => {
  const forgetful = (async (...[{ request }, next]: Parameters<Middleware>) => {
    await next(request);
  }) as unknown as Middleware;
  const silent = (async () => undefined) as unknown as Middleware;
  const passing: Middleware = (attempt, next) => next(attempt.request);
  const given: readonly (readonly [string, Partial<ClientOptions>, string])[] = [
    ['a middleware', { middleware: [forgetful] }, 'A middleware returned no Response'],
    ['an inner middleware', { middleware: [passing, forgetful] }, 'A middleware returned no Response'],
    ['fetch', { fetch: (async () => undefined) as never }, '`fetch` returned no Response'],
    ['fetch with a middleware', { middleware: [passing], fetch: (async () => null) as never }, '`fetch` returned no'],
  ];

  test.each(given)('%s, of a read and of a write', async (_, options, problem) => {
    const { sellerClient } = stubbed([ok], { ...options, maxRetries: 0 });
    const error = await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(error).toMatchObject({ name: 'ConnectionError', message: expect.stringContaining(problem) as string });
    const unknown = await errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes.' }));
    expect(unknown).toBeInstanceOf(OutcomeUnknownError);
    expect(unknown.message).toContain(problem);
  });

  test('a middleware that sends nothing', async () => {
    const { sellerClient, sent } = stubbed([ok], { middleware: [silent] });
    const error = await errorOf(sellerClient.questions.answer({ question_id: 42, text: 'Yes.' }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(sent).toEqual([]);
  });
});

describe('a wrong option or flag is an InvalidInputError, and nothing is sent', () => {
  const item = { site_id: 'MLA', item_id: 'MLA1' } as const;
  const { sellerClient, sent } = stubbed([Response.json({ total: 0, questions: [] })]);
  const search = (options?: object) => sellerClient.questions.search({ seller_id: 7 }, options);

  test.each<readonly [string, () => PromiseLike<unknown>]>([
    ['an option that a list does not have', () => search({ prefetch: 2 }).first()],
    ...[NaN, -1, 0.5, -Infinity, '2', null].map(
      (max) => [`max: ${String(max)}`, () => search().toArray({ max: max as number })] as const,
    ),
    ['toArray({ limit })', () => search().toArray({ limit: 5 } as object)],
    ...['yes', 1, null].flatMap((flag) => [
      [
        `enable, idempotent: ${flag}`,
        () => sellerClient.flex.items.enable({ ...item, idempotent: flag as never }),
      ] as const,
      [
        `requireActive: ${flag}`,
        () => sellerClient.flex.items.enable({ ...item, requireActive: flag as never }),
      ] as const,
      [
        `disable, idempotent: ${flag}`,
        () => sellerClient.flex.items.disable({ ...item, idempotent: flag as never }),
      ] as const,
    ]),
  ])('%s', async (_, call) => {
    expect(await errorOf(call())).toBeInstanceOf(InvalidInputError);
    expect(sent).toEqual([]);
  });

  test('max: 0 needs no request', async () => {
    expect(await search().toArray({ max: 0 })).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe('a wrong option is a ConfigurationError of the function that takes it', () => {
  const creators: Readonly<Record<string, (options: never) => unknown>> = {
    openTelemetry,
  };

  test.each(Object.entries(creators))('an unknown option of %s', (name, create) => {
    expect(() => create({ maxWait: 5 } as never)).toThrow(ConfigurationError);
    expect(() => create({ maxWait: 5 } as never)).toThrow(`${name}: there is no option \`maxWait\`; the options are`);
  });

  test.each([openTelemetry])('no options: %o', (create) => {
    for (const options of [null, 'inbox', 5]) expect(() => create(options as never)).toThrow(ConfigurationError);
  });

  test.each([{ tracer: {} }, { tracer: null }, { propagate: 'yes' }])('openTelemetry(%j)', (options) => {
    expect(() => openTelemetry(options as never)).toThrow(ConfigurationError);
  });
});

describe('an option that is undefined means its default', () => {
  const fallback = (): void => undefined;

  test.each(['maxRetries', 'firstDelayMs', 'maxDelayMs'])('retry.%s', async (name) => {
    const inbox = createInbox({ fallback, retry: { [name]: undefined } });
    await inbox.close();
  });

  test('every option of createInbox', async () => {
    const names: readonly (keyof InboxOptions)[] = [
      'retry',
      'concurrency',
      'leaseMs',
      'store',
      'path',
      'maxWaiting',
      'accept',
      'on',
    ];
    const inbox = createInbox({ fallback, ...Object.fromEntries(names.map((name) => [name, undefined])) });
    expect(await inbox.deadLetters.list({ limit: undefined })).toEqual([]);
    await inbox.close({ graceMs: undefined });
  });
});

describe('dead letters are asked for alike in every store', () => {
  test.each([NaN, -1, 0.5, 0, Infinity, '5', null])('limit: %s', async (limit) => {
    const { deadLetters } = createInbox({ fallback: () => undefined });
    const error = await errorOf(deadLetters.list({ limit: limit as number }));
    expect(error).toBeInstanceOf(ConfigurationError);
  });

  test.each([undefined, null, 5, { entry: { key: 'a' } }])('key: %s', async (key) => {
    const { deadLetters } = createInbox({ fallback: () => undefined });
    expect(await errorOf(deadLetters.replay(key as never))).toBeInstanceOf(ConfigurationError);
    expect(await errorOf(deadLetters.remove(key as never))).toBeInstanceOf(ConfigurationError);
  });
});
