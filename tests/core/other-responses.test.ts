import { OutcomeUnknownError, UnexpectedResponseError } from 'marketplace-seller-sdk';
import { describe, expect, test } from 'vitest';
import { eachTransport, errorOf, stubbed, wireQuestion } from '../support/stubs.ts';
import type { SellerClient } from 'marketplace-seller-sdk';

const reads: readonly (readonly [string, unknown, (client: SellerClient) => PromiseLike<unknown>])[] = [
  ['another question', { ...wireQuestion, id: 666 }, (c) => c.questions.get({ question_id: 1 })],
  ['another message', { message_id: 'b', text: { plain: 'x' } }, (c) => c.messages.get({ message_id: 'a' })],
  ['another message, in a list', { messages: [{ id: 'b', text: 'x' }] }, (c) => c.messages.get({ message_id: 'a' })],
  ['two other messages', { messages: [{ id: 'b' }, { id: 'c' }] }, (c) => c.messages.get({ message_id: 'a' })],
  ['a message whose id has only digits', { id: '12', text: 'x' }, (c) => c.messages.get({ message_id: 'a' })],
  [
    'the messages of another pack, in upper case',
    { messages: [{ id: 'a', message_resources: [{ id: '2', name: 'PACKS' }] }] },
    (c) => c.messages.conversation({ pack_id: 1, user_id: 7 }).toArray(),
  ],
  [
    'the questions of another seller',
    { total: 1, questions: [{ ...wireQuestion, seller_id: 77 }] },
    (c) => c.questions.search({ seller_id: 2 }).toArray(),
  ],
  [
    'one question of another item',
    { total: 2, questions: [wireQuestion, { ...wireQuestion, id: 43, item_id: 'MLA2' }] },
    (c) => c.questions.search({ item: 'MLA1' }).toArray(),
  ],
  ['the response time of another seller', { user_id: 9 }, (c) => c.questions.responseTime({ user_id: 7 })],
];

const ofAnotherPack = { id: 'a', status: 'available', message_resources: [{ id: '2', name: 'packs' }] };
const notThePack = '`message_resources.name=packs.id` is 2, not the `pack_id` of the call';
const writes: readonly (readonly [string, unknown, (client: SellerClient) => PromiseLike<unknown>, string])[] = [
  [
    'the answer to another question',
    { ...wireQuestion, id: 666 },
    (c) => c.questions.answer({ question_id: 1, text: 'Yes' }),
    '`id` is 666, not the `question_id` of the call',
  ],
  [
    'a message to another pack',
    ofAnotherPack,
    (c) => c.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi' }),
    notThePack,
  ],
  [
    'an option of another pack',
    ofAnotherPack,
    (c) => c.actionGuide.send({ pack_id: 1, option_id: 'OTHER', text: 'Hi' }),
    notThePack,
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

test('the counterpart of a message is no identity', async () => {
  const message = { id: 'a', from: { user_id: 7 }, to: { user_id: 3_037_675_074 }, text: 'Hi' };
  const { sellerClient } = stubbed([Response.json(message)]);
  const sent = sellerClient.messages.send({ pack_id: 1, user_id: 7, to: { user_id: 31 }, text: 'Hi' });
  expect(await sent).toMatchObject({ id: 'a' });
});
