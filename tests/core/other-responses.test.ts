import { OutcomeUnknownError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test, vi } from 'vitest';
import { eachTransport, errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import type { Drift, SellerClient } from 'marketplace-seller-sdk';

const reads: readonly (readonly [string, unknown, (client: SellerClient) => PromiseLike<unknown>])[] = [
  ['another question', { ...wireQuestion, id: 666 }, (c) => c.questions.get({ question_id: 1 })],
  ['another message', { message_id: 'b', text: { plain: 'x' } }, (c) => c.messages.get({ message_id: 'a' })],
  ['another message, in a list', { messages: [{ id: 'b', text: 'x' }] }, (c) => c.messages.get({ message_id: 'a' })],
  ['two other messages', { messages: [{ id: 'b' }, { id: 'c' }] }, (c) => c.messages.get({ message_id: 'a' })],
  ['a message whose id has only digits', { id: '12', text: 'x' }, (c) => c.messages.get({ message_id: 'a' })],
  [
    'the questions of another seller',
    { total: 1, questions: [{ ...wireQuestion, seller_id: 77 }] },
    (c) => c.questions.search({ seller_id: 2 }).toArray(),
  ],
  [
    'the Flex subscriptions of another user',
    [{ user_id: 9, service_id: 1 }],
    (c) => c.flex.subscriptions({ site_id: 'MLA', user_id: 7 }),
  ],
  ['the status of another item', [{ id: 'MLA2' }], (c) => c.items.status({ ids: ['MLA1'] })],
  ['the response time of another seller', { user_id: 9 }, (c) => c.questions.responseTime({ user_id: 7 })],
];

const writes: readonly (readonly [string, unknown, (client: SellerClient) => PromiseLike<unknown>, string])[] = [
  [
    'the answer to another question',
    { ...wireQuestion, id: 666 },
    (c) => c.questions.answer({ question_id: 1, text: 'Yes' }),
    '`id` is 666, not the `question_id` of the call',
  ],
  [
    'the question about another item',
    { ...wireQuestion, item_id: 'MLA2' },
    (c) => c.questions.ask({ item_id: 'MLA1', text: 'Is it blue?' }),
    '`item_id` is MLA2, not the `item_id` of the call',
  ],
];

describe.each(eachTransport)('over %s', (_, create) => {
  test.each(reads)('a read that gets %s is rejected', async (_name, body, read) => {
    const { sellerClient, sent } = await create([Response.json(body)]);
    const error = await errorOf<UnexpectedResponseError>(read(sellerClient));
    expect(error).toBeInstanceOf(UnexpectedResponseError);
    expect(error.message).toContain('got the response to another request');
    expect(error.body).toBeUndefined();
    expect(sent).toHaveLength(1);
  });

  test.each(writes)('the outcome of a write that gets %s is unknown', async (_name, body, write, message) => {
    const { sellerClient, sent } = await create([Response.json(body)]);
    const error = await errorOf<OutcomeUnknownError>(write(sellerClient));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error.message).toContain(message);
    expect(sent).toHaveLength(1);
  });

  test('the next call after it succeeds', async () => {
    const { sellerClient } = await create([Response.json({ ...wireQuestion, id: 666 }), Response.json(wireQuestion)]);
    await errorOf(sellerClient.questions.get({ question_id: 42 }));
    expect(await sellerClient.questions.get({ question_id: 42 })).toMatchObject({ id: 42 });
  });
});

test.each([42, '42', '042'])('ids are compared as ids: %j', async (question_id) => {
  for (const id of [42, '42']) {
    const { sellerClient } = stubbed([Response.json({ ...wireQuestion, id })]);
    expect(await sellerClient.questions.get({ question_id })).toMatchObject({ id: 42 });
  }
});

const resources = [
  { id: '2000000000000099', name: 'packs' },
  { id: '8', name: 'sellers' },
  { id: '3000000000000001', name: 'orders' },
];
const message = { id: 'a', from: { user_id: 7 }, to: { user_id: 31 }, text: 'Hi', message_resources: resources };
const page = { messages: [message], paging: { total: 1, offset: 0, limit: 10 } };
const sending = { pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi' };
const configuration = { configuration: { subscription: { user_id: 9, service_id: 8 } } };

describe('what merely names related resources rejects no response', () => {
  test.each<[string, unknown, (client: SellerClient) => PromiseLike<unknown>, unknown]>([
    [
      'a conversation whose messages name another pack, seller and order',
      page,
      (c) => c.messages.conversation({ pack_id: 1, user_id: 7 }).toArray(),
      [{ id: 'a' }],
    ],
    ['a message that was sent', message, (c) => c.messages.send(sending), { id: 'a' }],
    [
      'a message through an option',
      { ...message, from: undefined },
      (c) => c.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hi' }),
      { id: 'a' },
    ],
    [
      'the user and service inside a configuration',
      configuration,
      (c) => {
        const select = { subscription: { user_id: true, service_id: true } } as const;
        return c.flex.configuration({ site_id: 'MLA', user_id: 7, service_id: 1001, select });
      },
      configuration.configuration,
    ],
  ])('%s', async (_, body, call, expected) => {
    const onDrift = vi.fn<(drift: Drift) => void>();
    const { sellerClient } = stubbed([Response.json(body)], { onDrift });
    expect(await call(sellerClient)).toMatchObject(expected as object);
    expect(onDrift).not.toHaveBeenCalled();
  });

  test.each<[string, unknown, (client: SellerClient) => PromiseLike<unknown>, string]>([
    [
      'another receiver of a message that was sent: an agent',
      { ...message, to: { user_id: 3_037_675_074 } },
      (c) => c.messages.send(sending),
      'to.user_id',
    ],
    [
      'the only question of a search by item is about another item',
      { total: 1, questions: [{ ...wireQuestion, item_id: 'MLA2' }] },
      (c) => c.questions.search({ item: 'MLA1' }).first(),
      'questions.0.item_id',
    ],
    [
      'one question among those of a seller is to another seller',
      {
        total: 2,
        questions: [
          { ...wireQuestion, seller_id: 2 },
          { ...wireQuestion, id: 43, seller_id: 77 },
        ],
      },
      (c) => c.questions.search({ seller_id: 2 }).first(),
      'questions.1.seller_id',
    ],
  ])('%s: that is drift', async (_, body, call, path) => {
    const onDrift = vi.fn<(drift: Drift) => void>();
    const { sellerClient } = stubbed([Response.json(body)], { onDrift });
    await call(sellerClient);
    expect(onDrift.mock.calls.map(([drift]) => drift.path.join('.'))).toEqual([path]);
    expect(onDrift.mock.calls[0]?.[0].expected).toMatch(/^`[\w.]+` takes the `[\w.]+` of the call$/);
  });
});
