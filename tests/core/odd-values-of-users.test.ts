import {
  ConfigurationError,
  InvalidInputError,
  OutcomeUnknownError,
  SellerClient,
  SellerError,
  UnexpectedResponseError,
} from 'marketplace-seller-sdk';
import type { Endpoint, StandardSchema } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { unknown } from '../../src/core/schema/define.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { fc } from '../support/fast-check.ts';
import { stubbed } from '../support/stubs.ts';

const revoked = Proxy.revocable({}, {});
revoked.revoke();
const failing = (): never => {
  throw new Error('private text');
};
const hostile = new Proxy({}, { get: failing, ownKeys: failing, getPrototypeOf: failing });
const circular: Record<string, unknown> = {};
circular.self = circular;
const detached = new ArrayBuffer(8);
const detachedBytes = new Uint8Array(detached);
structuredClone(detached, { transfer: [detached] });
const oddValues: readonly (readonly [string, unknown])[] = [
  ['NaN', Number.NaN],
  ['1e400', Number('1e400')],
  ['-0', -0],
  ['a fraction', 1.5],
  ['a rounded integer', 2 ** 60],
  ['a bigint', 5n],
  ['a symbol', Symbol('s')],
  ['a function', () => 1],
  ['null', null],
  ['a circular object', circular],
  ['an invalid Date', new Date(Number.NaN)],
  ['a Map', new Map([['a', 1]])],
  ['a list with a gap', [, 1]],
  ['a list of lists', [[[]]]],
  ['an object without a prototype', Object.create(null)],
  ['a NUL', '\u0000'],
  ['half a surrogate pair', '\ud800'],
  ['an empty text', ''],
  ['a detached buffer', detached],
  ['bytes of a detached buffer', detachedBytes],
  ['a class', Date],
  ['a promise', Promise.resolve(1)],
  ['a weak map', new WeakMap()],
];

async function outcomeOf(call: () => unknown): Promise<unknown> {
  try {
    const started = call();
    const result = started as { toArray?: () => PromiseLike<unknown> } & PromiseLike<unknown>;
    return { delivered: await (typeof result.toArray === 'function' ? result.toArray() : result) };
  } catch (error) {
    return error;
  }
}

function problemWith(found: unknown, sent: readonly unknown[]): string | undefined {
  if (!(found instanceof Error)) return undefined;
  if (!(found instanceof SellerError)) return `${found.name}: ${found.message}`;
  if (found.message.includes('private text')) return `leaks: ${found.message}`;
  if (sent.length > 0 && (found instanceof InvalidInputError || found instanceof ConfigurationError)) return 'was sent';
  return undefined;
}

/** Calls the method of the client that has the name of an endpoint. */
function methodOf(client: SellerClient, name: string): (input: unknown) => unknown {
  const path = name.split('.');
  const owner = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as never, client as never);
  return (owner[path.at(-1)!] as (input: unknown) => unknown).bind(owner);
}

test.each(everyEndpoint)(
  'any odd value as the input of $name or as a field ends as an error of the library',
  async ({ name, endpoint, input }) => {
    const problems: string[] = [];
    const { sellerClient, sent } = stubbed([new Response('[]')], { maxRetries: 0 });
    for (const [what, odd] of oddValues) {
      const inputs = [
        odd,
        ...Object.keys(input).map((field) => ({ ...input, [field]: odd })),
        ...Object.keys(input).map((field) => ({ ...input, [field]: [odd] })),
        ...Object.keys(input).map((field) => ({ ...input, [field]: { user_id: odd, id: odd, status: odd } })),
        { ...input, another: odd },
      ];
      // A method gives its input to the same call: what a field has inside is shown there.
      const direct = inputs.slice(0, 1 + Object.keys(input).length);
      for (const given of inputs) {
        for (const through of direct.includes(given) ? ['call', 'method'] : ['call']) {
          sent.length = 0;
          const call =
            through === 'call' ? () => sellerClient.call(endpoint, given) : () => methodOf(sellerClient, name)(given);
          const problem = problemWith(await outcomeOf(call), sent);
          if (problem !== undefined) problems.push(`${what} through ${through}: ${problem}`);
        }
      }
    }
    expect([...new Set(problems)]).toEqual([]);
  },
);

describe('a method of several calls', () => {
  const methods: readonly (readonly [string, (client: SellerClient, odd: never) => unknown])[] = [
    ['messages.contact', (client, odd) => client.messages.contact(odd)],
    ['messages.channel', (client, odd) => client.messages.channel(odd)],
    ['messages.reply', (client, odd) => client.messages.reply(odd, 'Hi')],
    ['messages.reply with a content', (client, odd) => client.messages.reply({ id: 'a', ...inPack }, odd)],
    ['flex.query', (client, odd) => client.flex.query(odd)],
    ['describe', (client, odd) => client.describe(odd)],
    ['confirm', (client, odd) => client.confirm(endpoints.questions.answer, odd, { sentAt: Date.now() - 1 })],
    ['the options of a call', (client, odd) => client.questions.get({ question_id: 42 }, odd)],
    ['the options of a list', (client, odd) => client.questions.search({ seller_id: 7 }, odd)],
    ['the options of a client', (_, odd) => new SellerClient(odd)],
    ['an option of a client', (_, odd) => new SellerClient({ baseUrl: 'https://api.test', headers: odd })],
    ['the options of a derived client', (client, odd) => client.withOptions(odd)],
    ['an endpoint', (client, odd) => client.call(odd, {})],
  ];
  test.each(methods)('%s takes no odd value, and fails with an error of the library', async (_, call) => {
    const problems: string[] = [];
    for (const [what, odd] of oddValues) {
      const { sellerClient, sent } = stubbed([new Response('[]')], { maxRetries: 0 });
      const problem = problemWith(await outcomeOf(() => call(sellerClient, odd as never)), sent);
      if (problem !== undefined) problems.push(`${what}: ${problem}`);
    }
    expect(problems).toEqual([]);
  });
});
const inPack = {
  message_resources: [
    { id: '1', name: 'packs' },
    { id: '7', name: 'sellers' },
  ],
};

const own: Endpoint = {
  name: 'own',
  method: 'POST',
  path: '/own',
  input: unknown,
  output: unknown,
  retry: 'unsafe',
  errors: [],
};
const schemaOf = (validate: unknown): unknown => ({ '~standard': { version: 1, vendor: 'mine', validate } });
const text = 'Calle Falsa 123, second floor';

describe('an input schema of the user', () => {
  const failing = (): never => {
    throw new Error(text);
  };
  test.each<readonly [string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['an object without ~standard', {}],
    ['~standard that is no object', { '~standard': 5 }],
    ['no validate', { '~standard': { version: 1, vendor: 'mine' } }],
    ['validate that is no function', schemaOf(5)],
    ['validate that returns undefined', schemaOf(() => undefined)],
    ['validate that returns null', schemaOf(() => null)],
    ['validate that returns text', schemaOf(() => 'ok')],
    ['validate that throws', schemaOf(failing)],
    [
      'validate that throws no error',
      schemaOf(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- a schema of the user may do that
        throw undefined;
      }),
    ],
    ['validate that returns a promise', schemaOf(async () => ({ value: {} }))],
    ['validate that returns a promise that rejects', schemaOf(async () => failing())],
    ['validate that returns a thenable', schemaOf(() => ({ then: () => undefined }))],
    ['issues that are text', schemaOf(() => ({ issues: 'wrong' }))],
    ['issues that are an object', schemaOf(() => ({ issues: {} }))],
    ['a value that is a number', schemaOf(() => ({ value: 5 }))],
    ['a value that is null', schemaOf(() => ({ value: null }))],
    ['no value', schemaOf(() => ({}))],
  ])('%s is a ConfigurationError', async (_, input) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const error = await outcomeOf(() => sellerClient.call({ ...own, input: input as StandardSchema }, { text }));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).not.toContain(text);
    expect(sent).toEqual([]);
  });

  test.each<readonly [string, unknown, readonly unknown[]]>([
    ['no issue', [], []],
    ['a path of segments', [{ message: 'm', path: [{ key: 'a' }, 1] }], [{ path: ['a', 1], message: 'm' }]],
    ['an echo of a text', [{ message: `"${text}" is wrong` }], [{ path: [], message: '"[redacted]" is wrong' }]],
    ['an e-mail', [{ message: 'a@b.example is wrong' }], [{ path: [], message: '[redacted] is wrong' }]],
  ])('%s in its issues is an InvalidInputError', async (_, issues, expected) => {
    const { sellerClient, sent } = stubbed([Response.json({})]);
    const input = schemaOf(() => ({ issues })) as StandardSchema;
    const error = await outcomeOf(() => sellerClient.call({ ...own, input }, { text }));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({ issues: expected });
    expect(sent).toEqual([]);
  });
});

describe('an output schema of the user', () => {
  test.each<readonly [string, unknown]>([
    ['undefined', schemaOf(() => undefined)],
    [
      'an error',
      schemaOf(() => {
        throw new Error(text);
      }),
    ],
    ['a promise', schemaOf(async () => ({ value: 1 }))],
    ['issues that are text', schemaOf(() => ({ issues: 'wrong' }))],
    ['an issue that is null', schemaOf(() => ({ issues: [null] }))],
    ['an echo', schemaOf(() => ({ issues: [{ message: `"${text}" of token-1 is wrong`, path: ['text'] }] }))],
  ])('that returns %s fails a call that was made, and says that the write is most likely done', async (_, output) => {
    const drifts: unknown[] = [];
    for (const responseValidation of ['throw', 'report'] as const) {
      const { sellerClient, sent } = stubbed([Response.json({ text })], {
        responseValidation,
        onDrift: ({ expected }) => void drifts.push(expected),
      });
      const found = await outcomeOf(() => sellerClient.call({ ...own, output: output as StandardSchema }, {}));
      expect(sent).toHaveLength(1);
      expect(JSON.stringify(drifts)).not.toContain(text);
      if (!(found instanceof Error)) continue;
      expect(found).toBeInstanceOf(UnexpectedResponseError);
      expect(found.message).toContain('most likely carried out');
      expect(JSON.stringify([found.message, 'issues' in found && found.issues])).not.toMatch(/Calle|token-1/);
    }
  });
});

describe('a fetch that misbehaves', () => {
  const body = '{"id":42}';
  const response = (change: object): unknown => ({ ...plain, ...change });
  const plain = {
    status: 200,
    ok: true,
    headers: new Headers(),
    body: null,
    text: async () => body,
    json: async () => ({ id: 42 }),
    clone: () => plain,
  };
  const streaming = (chunk: unknown): Response =>
    new Response(
      new ReadableStream({
        start: (to) => {
          to.enqueue(chunk);
          to.close();
        },
      }),
    );
  const fetches: readonly (readonly [string, () => unknown])[] = [
    ['undefined', () => undefined],
    ['null', () => null],
    ['a number', () => 5],
    ['an empty object', () => ({})],
    ['a status that is text', () => response({ status: '200' })],
    ['a status that is NaN', () => response({ status: Number.NaN })],
    ['no headers', () => response({ headers: undefined })],
    ['headers that are a plain object', () => response({ headers: { 'content-type': 'application/json' } })],
    ['headers that throw', () => response({ headers: hostile })],
    ['no body', () => response({ body: undefined })],
    ['a body that is text', () => response({ body })],
    ['a body that is a number', () => response({ body: 5 })],
    ['a body whose reader is none', () => response({ body: { getReader: () => undefined } })],
    [
      'a body whose read returns nothing',
      () => response({ body: { getReader: () => ({ read: async () => undefined }) } }),
    ],
    ['a body of texts', () => streaming('x')],
    ['a body of numbers', () => streaming(5)],
    ['text() that returns a number', () => response({ text: async () => 5 })],
    ['text() that returns nothing', () => response({ text: async () => undefined })],
    ['text() that rejects', () => response({ text: async () => Promise.reject(new Error('broken')) })],
    ['text() that is none', () => response({ text: undefined })],
    [
      'a body that was read',
      () => {
        const read = new Response(body);
        void read.text();
        return read;
      },
    ],
    [
      'a body that is locked',
      () => {
        const read = new Response(body);
        read.body?.getReader();
        return read;
      },
    ],
    ['a hostile proxy', () => hostile],
    ['a revoked proxy', () => revoked.proxy],
    ['an error', () => new Error('returned')],
  ];

  const clientOf = (fetch: () => unknown) =>
    // real: it ends those that never respond.
    new SellerClient({ baseUrl: 'https://api.test', fetch: fetch as never, maxRetries: 0, timeoutMs: 500 });

  test.each(fetches)('%s: a read fails as an error of the library or is delivered', async (_, fetch) => {
    const found = await outcomeOf(() => clientOf(fetch).questions.get({ question_id: 42 }));
    if (found instanceof Error) expect(found).toBeInstanceOf(SellerError);
    else expect(found).toEqual({ delivered: { id: 42 } });
  });

  test.each(fetches)('%s: a write that was sent says that it may be done', async (_, fetch) => {
    const found = await outcomeOf(() => clientOf(fetch).questions.answer({ question_id: 42, text: 'Yes' }));
    if (!(found instanceof Error)) return;
    const isKnown = found instanceof OutcomeUnknownError || found instanceof UnexpectedResponseError;
    expect([found.name, isKnown]).toEqual([found.name, true]);
  });
});

describe('a file of the user', () => {
  const upload = (client: SellerClient, file: unknown): PromiseLike<unknown> =>
    client.messages.upload({ site_id: 'MLA', file: file as Uint8Array<ArrayBuffer>, filename: 'a.pdf' });
  test.each<readonly [string, unknown]>([
    ['a detached buffer', detached],
    ['bytes of a detached buffer', detachedBytes],
    ['a path with a NUL', '/tmp/a\u0000b'],
    ['a hostile proxy', hostile],
    ['a revoked proxy', revoked.proxy],
    ['a number', 5],
  ])('%s is not sent', async (_, file) => {
    const { sellerClient, sent } = stubbed([Response.json({ id: 'f1' })]);
    expect(await outcomeOf(() => upload(sellerClient, file))).toMatchObject({ name: 'InvalidInputError' });
    expect(sent).toEqual([]);
  });

  test.each([
    ['with a NUL', 'a\u0000b'],
    ['that is a NUL', '\u0000'],
    ['of 5,000 characters', 'a'.repeat(5000)],
  ])('a path %s is no place to save to', async (_, path) => {
    const { sellerClient } = stubbed([new Response('bytes')]);
    const download = await sellerClient.messages.download({ site_id: 'MLA', attachment_id: 'f1' });
    expect(await outcomeOf(() => download.saveTo(path))).toMatchObject({ name: 'InvalidInputError' });
  });
});

test('no input of any values makes an error that is not of the library', async () => {
  const values = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withBoxedValues: true,
    withObjectString: true,
  });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...everyEndpoint), fc.nat(20), values, async ({ endpoint, input }, at, value) => {
      const names = Object.keys(input);
      const given = names.length === 0 ? value : { ...input, [names[at % names.length]!]: value };
      const { sellerClient, sent } = stubbed([new Response('[]')], { maxRetries: 0 });
      expect(problemWith(await outcomeOf(() => sellerClient.call(endpoint, given)), sent)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});
