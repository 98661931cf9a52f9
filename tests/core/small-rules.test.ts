import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { ConfigurationError, SellerClient, SellerError } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { nearest } from '../../src/core/options/rules.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { errorOf, stubbed, wireQuestion } from '../support/stubs.ts';

describe('an agent', () => {
  const create = (baseUrl: string, agent: object): unknown =>
    new SellerClient({ baseUrl, agent: agent as SecureAgent, accessToken: 't' });

  test('of node:http is rejected for an https: base URL', () => {
    expect(() => create('https://api.example.com', new Agent())).toThrow(ConfigurationError);
  });

  test('of node:https, of node:http for http:, and one that inherits are accepted', () => {
    class ProxyAgent extends Agent {}
    expect(create('https://api.example.com', new SecureAgent())).toBeDefined();
    expect(create('https://api.example.com', new ProxyAgent())).toBeDefined();
    expect(create('http://127.0.0.1:1', new Agent())).toBeDefined();
  });
});

const deep = '['.repeat(50_000) + ']'.repeat(50_000);
test.each([deep, `{"id":1,"answer":${deep}}`, `{"questions":${deep}}`, `{"error":"x","cause":${deep}}`])(
  'a body of 50,000 nested lists ends in a result or an error of this library',
  async (body) => {
    for (const status of [200, 400, 500]) {
      const { sellerClient } = stubbed([() => new Response(body, { status })], { maxRetries: 0 });
      const { questions } = sellerClient;
      const calls = [questions.get({ question_id: 1 }), questions.search({ seller_id: 1 }).toArray()];
      for (const result of await Promise.allSettled([...calls, questions.answer({ question_id: 1, text: 'Yes' })]))
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(SellerError);
    }
  },
);

test.each([[], undefined])('a message with %j as its attachments has no such field', async (attachments) => {
  const { sellerClient, sent } = stubbed([Response.json({ id: 'a' })]);
  await sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi', attachments });
  expect(await sent[0]!.json()).not.toHaveProperty('attachments');
});

describe('the statuses of many items', () => {
  /** A service that responds in another order, and rejects what the real one does. */
  const service = ({ url }: Request): Response => {
    const ids = new URL(url).searchParams.get('ids')!.split(',');
    if (ids.length > 20 || new Set(ids).size < ids.length) return Response.json({ status: 400 }, { status: 400 });
    return Response.json(ids.map((id) => ({ code: 200, body: { id, status: 'active' } })).reverse());
  };

  test.each([1, 19, 20, 21, 40, 41])(
    'are asked for 20 at a time and delivered in the order of %i ids',
    async (count) => {
      const { sellerClient, sent } = stubbed([service]);
      const ids = Array.from({ length: count }, (_, index) => `MLA${index}`);
      const repeated = [...ids, 'MLA0'];
      const found = await sellerClient.items.status({ ids: repeated });
      expect(found.map(({ id }) => id)).toEqual(repeated);
      expect(sent).toHaveLength(Math.ceil(count / 20));
    },
  );
});

test('the signal of the function of forEach aborts at the deadline of the list', async () => {
  vi.useFakeTimers();
  const page = Response.json({ total: 2, limit: 1, questions: [wireQuestion] });
  const { sellerClient } = stubbed([page, () => new Promise<Response>(() => undefined)], { maxRetries: 0 });
  const reasons: unknown[] = [];
  const list = sellerClient.questions.search({ seller_id: 7, limit: 1 }, { deadlineMs: 1000 });
  const work = (_: unknown, { signal }: { signal: AbortSignal }): Promise<void> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        resolve();
      });
    });
  const error = await advanceUntilSettled(errorOf(list.forEach(work, { concurrency: 2 })));
  expect(error.name).toBe('TimeoutError');
  expect(reasons).toEqual([error]);
  vi.useRealTimers();
});

describe('the name that was probably meant', () => {
  test.each<[string, string[], string | undefined]>([
    ['limit', ['limit'], 'limit'],
    ['limt', ['offset', 'limit'], 'limit'],
    ['limitt', ['limit'], 'limit'],
    ['lmiit', ['limit'], 'limit'],
    ['lmitt', ['limit'], 'limit'],
    ['lmttt', ['limit'], undefined],
    // Half of a short name would be another one.
    ['q', ['id'], undefined],
    ['q', ['p'], undefined],
    ['ad', ['id'], 'id'],
    ['xy', ['id'], undefined],
    ['ite', ['item'], 'item'],
    ['abc', ['ade'], undefined],
    ['abcd', ['abef'], 'abef'],
    ['abcd', ['axyz'], undefined],
    ['abcdefgh', ['abcdexyz'], undefined],
    // The first of two that are equally near, and the nearer one wherever it stands.
    ['items', ['item', 'itema'], 'item'],
    ['texts', ['tests', 'text', 'texts2'], 'tests'],
    ['offst', ['offs', 'offset'], 'offs'],
    ['ofset', ['of', 'offset'], 'offset'],
    ['ofset', ['offset', 'of'], 'offset'],
    ['', ['id'], undefined],
    ['limit', [], undefined],
  ])('by "%s", of %j, is %s', (name, names, expected) => {
    expect(nearest(name, names)).toBe(expected);
  });
});
