import { createInbox, fetchHandler, parseNotification } from 'marketplace-seller-sdk/inbox';
import type { MessageNotification, NotifiedMessage } from 'marketplace-seller-sdk/inbox';
import { InvalidInputError, SellerClient } from 'marketplace-seller-sdk';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { deliver } from '../support/deliveries.ts';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { stubbed } from '../support/stubs.ts';
import { createSale } from '../support/marketplace.ts';
import { silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';

test.each([
  ...['5f1b', '/messages/5f1b', 'messages/5f1b', '/messages/5f1b?role=seller', '/messages/5f1b/'],
  ...['https://api.test/messages/5f1b?x=1', '//api.test/messages/5f1b', '//messages//5f1b'],
])('the message of %s is 5f1b, in any case of the topic', (resource) => {
  for (const topic of ['messages', 'Messages', 'MESSAGES']) {
    const notification = parseNotification({ user_id: 7, topic, resource });
    expect(notification).toMatchObject({ known: true, topic: 'messages', message_id: '5f1b' });
  }
});

test.each([
  '',
  '/',
  '..',
  '/messages/',
  '/messages/a/b',
  '/orders/5',
  'https://api.test/orders/5',
  'https://a.test/messages/%2E',
])('%j names no message', (resource) => {
  expect(() => parseNotification({ user_id: 7, topic: 'messages', resource })).toThrow('The notification is invalid');
});

test('bare ids, paths and redeliveries are one message; `fallback` gets every other topic', async () => {
  const messages = vi.fn();
  const fallback = vi.fn();
  const inbox = createInbox({ on: { messages }, fallback });
  const body = { user_id: 7, topic: 'messages', _id: 'one', attempts: 1 };
  for (const resource of ['5f1b', '/messages/5f1b', 'messages/5f1b?x=1'])
    await deliver(inbox, { ...body, resource, attempts: 2 });
  await deliver(inbox, { user_id: 7, topic: 'items', resource: '/items/1', _id: 'two' });
  await untilEnded(inbox);
  expect(messages).toHaveBeenCalledOnce();
  expect(fallback).toHaveBeenCalledOnce();
  await inbox.close();
});

test('read() returns the message with its pack, and reply() answers it', async () => {
  const { marketplace, seller, pack } = createSale();
  const packId = String(pack.pack_id ?? pack.order_ids[0]);
  const read: NotifiedMessage[] = [];
  const inbox = createInbox({
    clientFor: (user_id) => (user_id === seller.user_id ? marketplace.clientFor(seller) : undefined),
    logger: silentLogger,
    on: {
      messages: async (notification, context) => {
        expectTypeOf(notification).toEqualTypeOf<MessageNotification>();
        read.push(await context.read());
        await context.reply('It leaves today.');
      },
    },
  });
  marketplace.notifications.subscribe({ callback: fetchHandler(inbox), topics: ['messages'] });
  marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await marketplace.notifications.flush();
  await untilEnded(inbox);
  await inbox.close();
  expect(read).toMatchObject([{ text: 'When does it leave?', pack_id: packId }]);
  const { messages } = marketplace.clientFor(seller);
  const texts = await messages.conversation({ pack_id: packId, user_id: seller.user_id }).toArray();
  expect(texts.map(({ text }) => text)).toContain('It leaves today.');
});

/** Delivers a message to a handler that replies, and returns how that ended and what was written. */
async function replied(from: number, to: number, shown: object): Promise<{ outcome: unknown; written: unknown[] }> {
  const message = { id: 'b', text: 'Hi', from: { user_id: from }, to: { user_id: to }, message_resources: inPack };
  const written: unknown[] = [];
  const { sellerClient } = stubbed([
    async (request) => {
      if (request.method === 'POST') written.push(await request.json());
      return Response.json(request.url.includes('/packs/') ? { messages: [shown] } : message);
    },
  ]);
  let outcome: unknown;
  const inbox = createInbox({
    clientFor: () => sellerClient,
    logger: silentLogger,
    on: {
      messages: async (_, context) => {
        outcome = await context.reply('It leaves today.').catch((error: unknown) => error);
      },
    },
  });
  await deliver(inbox, { user_id: 7, topic: 'messages', resource: '/messages/b', _id: 'one' });
  await inbox.idle();
  await inbox.close();
  return { outcome, written };
}
const inPack = [{ id: '1', name: 'packs' }];

test('reply() writes to the counterpart that the conversation shows', async () => {
  const { written } = await replied(31, 7, { id: 'b', text: 'Hi', from: { user_id: 900 }, to: { user_id: 7 } });
  expect(written).toEqual([{ from: { user_id: 7 }, to: { user_id: 900 }, text: 'It leaves today.' }]);
});

test("reply() to the seller's own message sends nothing", async () => {
  const { outcome, written } = await replied(7, 31, { id: 'b', text: 'Hi', from: { user_id: 7 }, to: { user_id: 31 } });
  expect(outcome).toBeInstanceOf(InvalidInputError);
  expect(written).toEqual([]);
});

test.each([404, 400])(
  'a message that the service answers with %i at first is read again after 5, 20 and 60 seconds',
  async (status) => {
    vi.useFakeTimers();
    const unknown = { message: 'message_not_found', error: 'not_found', status };
    const found = { id: '5f1b', text: 'Hello', message_resources: [{ id: '9', name: 'packs' }] };
    const reads: number[] = [];
    const seller = new SellerClient({
      baseUrl: 'https://api.example.com',
      accessToken: 'token',
      maxRetries: 0,
      fetch: async () => {
        reads.push(Date.now());
        return reads.length === 6 ? Response.json(found) : Response.json(unknown, { status });
      },
    });
    const handled: (string | undefined)[] = [];
    const inbox = createInbox({
      clientFor: () => seller,
      logger: silentLogger,
      on: { messages: async (_, { read }) => void handled.push((await read()).pack_id) },
    });
    const notification = { user_id: 7, topic: 'messages', resource: '/messages/5f1b' };
    await inbox.add({ ...notification, _id: 'one' });
    await advanceUntilSettled(untilEnded(inbox));
    expect(reads.map((at) => Math.round((at - reads[0]!) / 1_000))).toEqual([0, 5, 20, 60, 60]);
    // The last one was the unread list.
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1 });
    await inbox.add({ ...notification, _id: 'two' });
    await advanceUntilSettled(untilEnded(inbox));
    expect(handled).toEqual(['9']);
    vi.useRealTimers();
  },
);
