import type { OutcomeUnknownError } from 'marketplace-seller-sdk';
import { UnrecoverableError, createInbox } from 'marketplace-seller-sdk/inbox';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { deliverUntilAccepted } from '../support/deliveries.ts';
import { engines } from '../support/inbox-engines.ts';
import type { Engine } from '../support/inbox-engines.ts';
import { silentLogger } from '../support/silent.ts';

type Handler = NonNullable<NonNullable<InboxOptions['on']>['messages']>;

/** A message that `catchUp` finds, and that is announced besides. `handle` gets what announces it, as one sent before or after. */
async function conversation(
  { name, open }: Engine,
  handle: (announce: () => Promise<void>, marketplace: FakeMarketplace) => Handler,
) {
  const store = await open();
  const marketplace = new FakeMarketplace();
  const [seller, buyer] = [marketplace.addUser(), marketplace.addUser()];
  const { user_id } = seller;
  const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const client = marketplace.clientFor(seller);
  // A queue offers the other job again within a second: before the next run of the first one.
  const retryMs = name.startsWith('BullMQ') ? 2_500 : 1;
  const calls: string[] = [];
  const announce = async (): Promise<void> => {
    const sent = '2020-01-01T00:00:00.000Z';
    expect(await deliverUntilAccepted(inbox, { _id: 'another', user_id, topic: 'messages', resource: id, sent })).toBe(
      200,
    );
  };
  const messages: Handler = async (notification, context) => {
    calls.push(notification.resource);
    await handle(announce, marketplace)(notification, context);
  };
  const inbox: Inbox = createInbox({
    clientFor: () => client,
    retry: { firstDelayMs: retryMs, maxDelayMs: retryMs },
    logger: silentLogger,
    on: { messages },
    store,
  });
  inbox.start();
  onTestFinished(() => inbox.close());
  expect(await inbox.catchUp({ user_ids: [user_id] })).toMatchObject({ added: 1 });
  const ended = (dead: number): Promise<void> =>
    expect.poll(() => inbox.stats()).toMatchObject({ waiting: 0, running: 0, dead });
  const replies = (): string[] => marketplace.messages.of(pack).filter(({ from }) => from === user_id).map(({ text }) => text); // prettier-ignore
  return { marketplace, announce, ended, replies, calls, inbox };
}

describe.each(engines())('a message that comes as two notifications, in $name', (engine) => {
  test.skipIf(!engine.isThere)('is answered once although the response was lost between them', async () => {
    let isFirst = true;
    const { marketplace, ended, replies, calls } = await conversation(engine, (announce) => async (_, { reply }) => {
      if (isFirst) {
        isFirst = false;
        await announce();
        marketplace.faults.inject({ endpoint: 'messages.send', reset: 'after' });
      }
      await reply('It leaves today.');
    });
    await ended(0);
    expect(replies()).toEqual(['It leaves today.']);
    expect(calls).toHaveLength(2);
    expect(new Set(calls).size).toBe(1);
  });

  test.skipIf(!engine.isThere)('is answered once by a handler that reads back what was lost', async () => {
    const { announce, ended, replies, calls } = await conversation(engine, (_, { faults }) => async (_, { reply }) => {
      faults.inject({ endpoint: 'messages.send', reset: 'after' });
      const error: unknown = await reply('It leaves today.').catch((reason: unknown) => reason);
      expect(await (error as OutcomeUnknownError).confirm()).toMatchObject({ done: true });
    });
    await ended(0);
    await announce();
    await ended(0);
    expect(replies()).toEqual(['It leaves today.']);
    expect(calls).toHaveLength(1);
  });

  test.skipIf(!engine.isThere)('is left to the person who has it as a dead letter, until it is replayed', async () => {
    let isFirst = true;
    const { announce, ended, replies, calls, inbox } = await conversation(engine, () => async (_, { reply }) => {
      if (isFirst) {
        isFirst = false;
        throw new UnrecoverableError('a person has to look');
      }
      await reply('It leaves today.');
    });
    await ended(1);
    await announce();
    await ended(1);
    expect(calls).toHaveLength(1);
    expect(await inbox.deadLetters.replayAll()).toBe(1);
    await ended(0);
    expect(replies()).toEqual(['It leaves today.']);
  });
});
