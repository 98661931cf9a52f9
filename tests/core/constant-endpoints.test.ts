import type { Endpoint, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { documentedResponses } from '../support/documented-responses.ts';
import { everyEndpoint } from '../support/every-endpoint.ts';
import { networkFault, stubbed } from '../support/stubs.ts';

/** The schemas that were made since the last test. Everything in `src` makes its schemas with these functions. */
const made = vi.hoisted((): string[] => []);

vi.mock('../../src/core/schema/define.js', async (load) => {
  const original = await load<object>();
  const counting = Object.entries(original).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'function'
      ? (...args: unknown[]): unknown => {
          made.push(name);
          return (value as (...given: unknown[]) => unknown)(...args);
        }
      : value,
  ]);
  return Object.fromEntries(counting) as object;
});

afterEach(() => void made.splice(0));

type Call = (client: SellerClient) => PromiseLike<unknown>;

const calls: readonly (readonly [string, unknown, Call])[] = [
  ...Object.entries(documentedResponses).map(([name, { body, call }]) => [name, body, call] as const),
  ...everyEndpoint
    .filter(({ endpoint }) => endpoint.supportsAttributes)
    .map(({ name, endpoint, input }): readonly [string, unknown, Call] => [
      `${name} with attributes`,
      documentedResponses[name]?.body ?? { total: 1 },
      (client) => client.call(endpoint, input, { attributes: ['id', 'status'] }),
    ]),
  [
    'questions.get with attributes',
    documentedResponses['questions.get']?.body,
    (client) => client.questions.get({ question_id: 42 }, { attributes: ['id', 'status'] }),
  ],
  [
    'flex.configuration with a selection',
    documentedResponses['flex.configuration']?.body,
    (client) =>
      client.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001, select: { zones: { id: true } } }),
  ],
  [
    'messages.channel',
    documentedResponses['messages.conversation']?.body,
    (client) => client.messages.channel({ pack_id: 2_000_000_012_345_678, user_id: 7 }),
  ],
];

describe('after the first call, an equal one', () => {
  test.each(calls)('of %s creates no schema, and has the same endpoint', async (_, body, call) => {
    const seen: Endpoint[] = [];
    const service = (): Response => Response.json(body);
    const { sellerClient } = stubbed([service], {
      tracing: { observe: (event) => void (event.type === 'start' && seen.push(event.call.endpoint)) },
    });
    await call(sellerClient);
    const first = seen.splice(0);
    expect(first).not.toEqual([]);
    made.splice(0);
    await call(sellerClient);
    await call(sellerClient.withOptions({ accessToken: 'another-token' }));
    expect(made).toEqual([]);
    expect(seen.every((endpoint, index) => endpoint === first[index % first.length])).toBe(true);
  });

  test('that is read back does not either', async () => {
    const service = ({ method, url }: Request): Response => {
      const id = Number(url.split('/').at(-1));
      if (method === 'GET') return Response.json({ id, status: 'ANSWERED', answer: { text: 'Yes.' } });
      throw networkFault('ECONNRESET');
    };
    const { sellerClient } = stubbed([service], { unknownOutcome: 'confirm' });
    const answer = (question_id: number): PromiseLike<unknown> =>
      sellerClient.questions.answer({ question_id, text: 'Yes.' });
    await answer(42);
    made.splice(0);
    await answer(43);
    expect(made).toEqual([]);
  });
});

test('the schemas of modules are counted, so a count of 0 means something', async () => {
  const { object, string } = await import('../../src/core/schema/define.js');
  made.splice(0);
  object({ id: string });
  expect(made).toEqual(['object']);
});
