import { ConversationBlockedError, ItemNotActiveError, NoChannelError } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { createInbox } from 'marketplace-seller-sdk/inbox';
import type { HandlingFailure, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { listEndpoints } from '../../src/endpoints.js';
import { advanceUntilSettled, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { createSale } from '../support/marketplace.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

loadClientFirst();
fakeTimersOfInbox();

type Handler = NonNullable<NonNullable<InboxOptions['on']>['messages']>;

/** A sale whose conversation is blocked, or whose service responds to each write as it is told. */
function sale({ responses = [], blockedBy = null }: { responses?: number[]; blockedBy?: string | null } = {}) {
  const { marketplace, seller, pack, message } = createSale();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  marketplace.packs.change(pack, { blockedBy });
  const writes: string[] = [];
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: receiving(async (request) => {
      if (request.method !== 'POST') return marketplace.fetch(request);
      writes.push(new URL(request.url).pathname);
      const status = responses.shift() ?? 200;
      return status === 200 ? marketplace.fetch(request) : Response.json({ status, error: 'no' }, { status });
    }),
  });
  const failures: HandlingFailure[] = [];
  const run = async (messages: Handler, options: Partial<InboxOptions> = {}) => {
    const inbox = createInbox({ clientFor: () => client, logger: silentLogger, onFailure: (each) => failures.push(each), on: { messages }, ...options }); // prettier-ignore
    await inbox.add({ user_id: seller.user_id, topic: 'messages', resource: id, _id: 'one' });
    await advanceUntilSettled(untilEnded(inbox));
    return inbox;
  };
  const contact = { ...message, text: 'Thank you!' };
  return { marketplace, pack, client, contact, writes, failures, run };
}

describe.for(storeKinds())('a write that the service has rejected, with a store in $name', ({ create }) => {
  test.each<[string, Handler]>([
    ['reply', async (_, { reply }) => reply('Thank you!')],
    ['read and reply', async (_, { reply, read }) => reply(`Thank you, ${(await read()).from?.user_id}!`)],
  ])('is sent once by %s and is a dead letter after the second run', async (_, handler) => {
    const { writes, failures, run } = sale({ blockedBy: 'blocked_by_cancelled_order' });
    const inbox = await run(handler, { store: create()() });
    expect(writes).toHaveLength(1);
    expect(failures.map(({ dead }) => dead)).toEqual([false, true]);
    const errors = failures.map(({ error }) => error);
    for (const error of errors)
      expect(error instanceof NoChannelError || error instanceof ConversationBlockedError).toBe(true);
    await inbox.close();
  });

  test('is sent again when a person replays it', async () => {
    const { marketplace, pack, writes, run } = sale({ blockedBy: 'blocked_by_time' });
    const inbox = await run(async (_, { reply }) => reply('Thank you!'), { store: create()() });
    marketplace.packs.change(pack, { blockedBy: null });
    expect(await inbox.deadLetters.replayAll()).toBe(1);
    await advanceUntilSettled(untilEnded(inbox));
    expect(writes).toHaveLength(2);
    expect(await inbox.deadLetters.list()).toEqual([]);
    await inbox.close();
  });
});

test('the second run gets the same error, and may take another way', async () => {
  const { writes, run } = sale({ responses: [400, 500] });
  const caught: unknown[] = [];
  await run(async (_, { reply }) => {
    try {
      await reply('Thank you!');
    } catch (error) {
      caught.push(error);
      await reply('Thanks.');
    }
  });
  expect(caught.length).toBeGreaterThan(1);
  expect(new Set(caught).size).toBe(1);
  expect(writes).toHaveLength(3);
});

test('another text of the second run is sent', async () => {
  const { writes, failures, run } = sale({ responses: [400] });
  await run(async (_, { reply, attempt }) => reply(`Answer ${attempt}`));
  expect(writes).toHaveLength(2);
  expect(failures.map(({ dead }) => dead)).toEqual([false]);
});

test('a handler that has seen to the reason sends it again in the same run', async () => {
  const { writes, failures, run } = sale({ responses: [400] });
  await run(async (_, { reply }) => reply('Thank you!').catch(() => reply('Thank you!')));
  expect(writes).toHaveLength(2);
  expect(failures).toEqual([]);
});

test.each([401, 403, 404, 409, 423, 429, 503])(
  'a response %i that nothing explains may pass: the write is sent again',
  async (status) => {
    const { writes, failures, run } = sale({ responses: [status] });
    await run(async (_, { reply }) => reply('Thank you!'));
    expect(writes.length + failures.length).toBe(3);
    expect(failures[0]?.dead).toBe(false);
  },
);

test.each(['blocked_by_cancelled_order', 'blocked_by_time'])(
  'that no message can be sent (%s) ends the attempts at the second time, also without a write',
  async (blockedBy) => {
    const { client, contact, writes, failures, run } = sale({ blockedBy });
    await run(async () => client.messages.channel({ pack_id: contact.pack_id, user_id: contact.user_id }));
    expect(writes).toEqual([]);
    expect(failures.map(({ dead, error }) => [dead, error instanceof NoChannelError])).toEqual([
      [false, true],
      [true, true],
    ]);
  },
);

describe('an error of a write decides itself whether waiting helps', () => {
  const documented = listEndpoints(endpoints)
    .filter(({ method }) => method !== 'GET')
    .flatMap(({ errors }) => errors)
    .map(({ error, status, didNothing, message }) => {
      const details = { status, didNothing, headers: new Headers(), body: undefined, causes: [] };
      return new error(message, details);
    });
  const errors = [...documented, new NoChannelError('No channel is open', { reason: 'blocked' })];

  test.each(errors.map((error) => ({ name: error.name, isLasting: error.isLasting, error })))(
    '$name ($error.message): $isLasting',
    async ({ isLasting, error }) => {
      const { failures, run } = sale();
      await run(() => Promise.reject(error), { retry: { maxRetries: 2 } });
      expect(failures.map(({ dead }) => dead)).toEqual(isLasting ? [false, true] : [false, false, true]);
    },
  );

  test('as those do that only another state ends', () => {
    const lasting = new Set(errors.filter(({ isLasting }) => isLasting).map(({ name }) => name));
    expect([...lasting]).toEqual(
      expect.arrayContaining([
        'AlreadyInFlexError',
        'CapExhaustedError',
        'ConversationBlockedError',
        'OptionNotOfferedError',
        'ItemDownError',
        'ItemNotActiveError',
        'ItemNotFoundError',
        'MediationInProcessError',
        'NoChannelError',
        'NotInFlexError',
        'NotYetDeliveredError',
        'SubscriptionNotFoundError',
        'UserNotFoundError',
      ]),
    );
  });
});

test('the answer to a question of a paused item is sent once, and after its replay again', async () => {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const item = marketplace.addItem({ seller_id: seller.user_id });
  const { id } = marketplace.ask({ from: marketplace.addUser(), item_id: item.item_id, text: 'In red?' });
  marketplace.items.change(item.item_id, { status: 'paused' });
  const client = marketplace.clientFor(seller);
  const failures: HandlingFailure[] = [];
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    onFailure: (each) => failures.push(each),
    on: {
      questions: async ({ question_id }, { client: own }) => {
        await own.questions.answer({ question_id, text: 'Yes.' });
      },
    },
  });
  const writes = (): number => [...marketplace.requests.filter({ method: 'POST' })].length;
  await inbox.add({ user_id: seller.user_id, topic: 'questions', resource: `/questions/${id}`, _id: 'one' });
  await advanceUntilSettled(untilEnded(inbox));
  expect(failures.map(({ dead, error }) => [dead, error instanceof ItemNotActiveError])).toEqual([
    [false, true],
    [true, true],
  ]);
  expect(writes()).toBe(1);
  // The search for unanswered questions leaves it to the person who has the dead letter.
  for (let round = 0; round < 4; round += 1) {
    await inbox.catchUp({ user_ids: [seller.user_id] });
    await advanceUntilSettled(untilEnded(inbox));
  }
  expect(writes()).toBe(1);
  marketplace.items.change(item.item_id, { status: 'active' });
  await inbox.deadLetters.replayAll();
  await advanceUntilSettled(untilEnded(inbox));
  expect(await client.questions.get({ question_id: id })).toMatchObject({ status: 'ANSWERED' });
  await inbox.close();
});
