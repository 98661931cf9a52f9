import { SellerClient } from 'marketplace-seller-sdk';
import type { Endpoint, StandardSchema } from 'marketplace-seller-sdk';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { inspect } from '../../src/core/schema/schema.js';
import { fieldsOf } from '../../src/core/operation/endpoint.js';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { fc } from '../support/fast-check.ts';
import { json, startServer } from '../support/http-server.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf } from '../support/stubs.ts';

type Path = readonly string[];

/** Where an input has ids that are integers. */
function idPaths(schema: StandardSchema | undefined, path: Path = []): Path[] {
  const found = inspect(schema);
  if (found.kind === 'int64') return [path];
  if (found.kind === 'optional' || found.kind === 'nullable') return idPaths(found.of, path);
  if (found.kind === 'array') return idPaths(found.of, [...path, '0']);
  if (found.kind !== 'object') return [];
  return Object.entries(found.shape).flatMap(([name, field]) => idPaths(field, [...path, name]));
}

function isInBody({ method, path, inQuery = [], inHeader = {} }: Endpoint, [name = '']: Path): boolean {
  const isElsewhere = [...fieldsOf(path), ...inQuery, ...Object.keys(inHeader)].includes(name);
  return (method === 'POST' || method === 'PUT') && !isElsewhere;
}

const cases = everyEndpoint.flatMap(({ name, endpoint, input }) =>
  idPaths(endpoint.input)
    .filter((path) => isInBody(endpoint, path))
    .map((path) => [name, path.join('.'), endpoint, input] as const),
);

function withValue(input: object, [name = '', ...rest]: Path, value: unknown): object {
  const inner = (input as Record<string, object>)[name] ?? {};
  return { ...input, [name]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

/** The text of a body whose other texts are plain. */
function literalIn(body: string, path: string): string | undefined {
  const name = path.split('.').at(-1) ?? '';
  const parents = path
    .split('.')
    .slice(0, -1)
    .map((each) => `"${each}":\\{[^{}]*`);
  return new RegExp(`${parents.join('')}"${name}":([^,}]+)`).exec(body)?.[1];
}

/** The users at both ends of a message. */
function endsOf(input: object): readonly string[] {
  const { user_id, to } = input as { readonly user_id?: number; readonly to?: { readonly user_id: number } };
  return [user_id, to?.user_id].map(String);
}

const digits = fc.oneof(
  fc.bigInt({ min: 0n, max: 10n ** 24n }),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.constantFrom(7n, 31n, 2n ** 31n, 2n ** 32n, 9_007_199_254_740_993n, 2_000_000_012_345_678n),
);
const zeros = fc.constantFrom('', '0', '000');

test('the bodies of messages, questions, the blacklist and couriers have ids', () => {
  expect(cases.map(([name, path]) => `${name} ${path}`)).toEqual([
    'messages.send from.user_id',
    'messages.send to.user_id',
    'messages.send to.resource_id',
    'questions.answer question_id',
    'questions.hide question_id',
    'questions.blacklist.add user_id',
    'flexV2.assignCourier shipment_id',
  ]);
});

const { rawJSON } = JSON as { rawJSON?: unknown };
afterEach(() => void Object.assign(JSON, { rawJSON }));

describe.each(['node:http', 'fetch', 'a platform without JSON.rawJSON'])('over %s', (transport) => {
  test('an id of digits goes out as that integer, without quotes, in each body', async () => {
    const { url: baseUrl, received } = await startServer((response) => json(response, 200, {}));
    if (transport.startsWith('a platform')) Reflect.deleteProperty(JSON, 'rawJSON');
    const fetch = transport === 'fetch' ? { fetch: globalThis.fetch } : {};
    const client = new SellerClient({ baseUrl, accessToken: 'token-1', ...fetch });
    for (const [, path, endpoint, input] of cases)
      await fc.assert(
        fc.asyncProperty(digits, zeros, async (id, before) => {
          const sent = received.length;
          await client.call(endpoint, withValue(input, path.split('.'), before + String(id))).catch(() => undefined);
          // A message to oneself is not sent.
          if (received.length === sent) {
            expect(endsOf(input)).toContain(String(id));
            return;
          }
          const body = received.at(-1)!.body;
          expect(literalIn(body, path)).toBe(String(id));
          expect(() => JSON.parse(body) as unknown).not.toThrow();
        }),
        { numRuns: 40 },
      );
  });
});

const long = '9007199254740993';
const place = { pack_id: 1, user_id: 7 };
const writes: readonly (readonly [string, (client: SellerClient) => PromiseLike<unknown>, object])[] = [
  ['an answer', ({ questions }) => questions.answer({ question_id: long, text: 'Yes' }), { question_id: long }],
  ['a question to hide', ({ questions }) => questions.hide({ question_id: long }), { question_id: long }],
  ['a user to block', ({ questions }) => questions.blacklist.add({ seller_id: 7, user_id: long }), { user_id: long }],
  [
    'a receiver',
    ({ messages }) => messages.send({ ...place, to: { user_id: long, resource_id: long }, text: 'Hi' }),
    { from: { user_id: 7 }, to: { user_id: long, resource_id: long } },
  ],
];

describe('the fake marketplace reads an id beyond 2^53 exactly', () => {
  test.each(writes)('%s, over HTTP and without it', async (_, write, recorded) => {
    const { marketplace, seller, sellerClient } = createMarketplace();
    const { url: baseUrl, close } = await marketplace.listen();
    const overHttp = new SellerClient({ baseUrl, accessToken: marketplace.tokenFor(seller) });
    for (const client of [sellerClient, overHttp]) {
      const error = await errorOf(write(client));
      expect(error.message).not.toContain('must be an integer');
      expect(error.message).not.toMatch(/90071992547409(?!93)/);
      expect(marketplace.requests.last?.body).toMatchObject(recorded);
    }
    await close();
  });

  test('but not one in quotes', async () => {
    const { marketplace, seller } = createMarketplace();
    const post = (body: string): Promise<Response> =>
      marketplace.fetch(
        new Request('https://marketplace.test/users/7/questions_blacklist', {
          method: 'POST',
          headers: { authorization: `Bearer ${marketplace.tokenFor(seller)}`, 'content-type': 'application/json' },
          body,
        }),
      );
    expect([await post(`{"user_id":${long}}`), await post(`{"user_id":"${long}"}`)]).toMatchObject([
      { status: 404 },
      { status: 400 },
    ]);
  });
});

test('a curl command and a query of Flex contain the id exactly', async () => {
  const marketplace = new FakeMarketplace();
  const client = marketplace.clientFor(marketplace.addUser({ user_id: 7 }));
  const error = await errorOf(client.questions.answer({ question_id: `0${long}`, text: 'Buyer text' }));
  expect(error.toCurl()).toContain(`--data-raw '{"question_id":${long},"text":"[redacted]"}'`);
  await client.flex.configuration({ site_id: 'MLA', user_id: `00${long}`, service_id: '007' }).catch(() => undefined);
  expect(marketplace.requests.last?.body).toMatchObject({
    query: expect.stringContaining(`(user_id:${long},service_id:7)`) as string,
  });
});
