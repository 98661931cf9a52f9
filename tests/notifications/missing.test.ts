import { InvalidInputError } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, readNotification } from 'marketplace-seller-sdk/inbox';
import type { Notification, InboxOptions } from 'marketplace-seller-sdk/inbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { about, deliver } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { receiving } from '../support/stubs.ts';

loadClientFirst();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Client = SellerClient;
interface Context {
  readonly client: Client;
  readonly read: () => Promise<unknown>;
}

const currencies = { endpoint: endpoints.currencies.get, idOf: (resource: string) => resource.split('/').at(-1) ?? '' };

const read = ({ read: readIt }: Context): Promise<unknown> => readIt();
const ofQuestion = ({ question_id = 0 }: Notification, { client }: Context) => client.questions.get({ question_id });
const ofMessage = ({ message_id = '' }: Notification, { client }: Context) => client.messages.get({ message_id });

/** Ways in which a handler reads what its notification is about. */
const ways: [string, string, (notification: Notification, context: Context) => Promise<unknown>][] = [
  ['read()', 'questions', (_, context) => read(context)],
  ['its client', 'questions', (notification, context) => ofQuestion(notification, context)],
  ['readNotification()', 'questions', (notification, { client }) => readNotification(client, notification, { notFoundTimeoutMs: 0 })], // prettier-ignore
  ['read(), with an error of its own', 'questions', (_, context) => read(context).catch(wrapped)],
  ['its client, with an error of its own', 'questions', (notification, context) => ofQuestion(notification, context).catch(wrapped)], // prettier-ignore
  ['read()', 'messages', (_, context) => read(context)],
  ['its client', 'messages', (notification, context) => ofMessage(notification, context)],
  ['read()', 'currencies', (_, context) => read(context)],
  ['its client', 'currencies', ({ resource }, { client }) => client.currencies.get({ id: currencies.idOf(resource) })], // prettier-ignore
];

function wrapped(cause: unknown): never {
  throw new Error('my own words', { cause });
}

function reading(handler: (notification: Notification, context: Context) => Promise<unknown>) {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const reads: number[] = [];
  const startedAt = Date.now();
  const client = marketplace.clientFor(seller, {
    fetch: receiving((request) => {
      if (/\/(?:9000000\d+|5)\b/.test(request.url)) reads.push(Math.round((Date.now() - startedAt) / 1_000));
      return marketplace.fetch(request);
    }),
  });
  const inbox = createInbox({
    clientFor: () => client,
    topics: { currencies },
    on: { questions: handler, messages: handler, currencies: handler },
    onFailure: silent,
    logger: silentLogger,
  } as unknown as InboxOptions);
  return { marketplace, inbox, reads };
}

describe('what a notification is about, and the service does not show', () => {
  test.each(ways)(
    "is read by %s for %s four times in a minute, and dropped then; of a topic of one's own it is a dead letter",
    async (_, topic, handler) => {
      const { inbox, reads } = reading(handler);
      await deliver(inbox, { user_id: 7, topic, resource: `/${topic}/900000001` });
      await vi.advanceTimersByTimeAsync(59_000);
      expect(await inbox.deadLetters.list()).toEqual([]);
      await vi.advanceTimersByTimeAsync(10 * 3_600_000);
      expect(reads).toEqual([0, 5, 20, 60]);
      const isOwn = topic === 'currencies';
      expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: isOwn ? 1 : 0, dropped: isOwn ? 0 : 1 });
      await inbox.close();
    },
  );

  // What each way shows of a failed read is in the table above.
  test.each(ways.filter(([way]) => way === 'read()'))(
    'by %s for %s is read about once each where there are many',
    async (_, topic, handler) => {
      const { inbox, reads } = reading(handler);
      for (let id = 900_000_001; id < 900_000_101; id += 1)
        await inbox.add({ user_id: 7, topic, resource: `/${topic}/${id}` });
      await vi.advanceTimersByTimeAsync(10 * 60_000);
      expect(reads.length).toBeLessThanOrEqual(100 + 30);
      expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, dead: topic === 'currencies' ? 100 : 0 });
      await inbox.close({ graceMs: 0 });
    },
  );
});

test.each([1, 7, 19])('each of %i resources that are missing counts once, however often it is read', async (count) => {
  const { marketplace, inbox, reads } = reading((_, context) => read(context));
  for (let id = 900_000_001; id <= 900_000_000 + count; id += 1)
    await inbox.add({ user_id: 7, topic: 'questions', resource: `/questions/${id}` });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  const times = Map.groupBy(reads, (at) => at);
  expect([...times].map(([at, each]) => [at, each.length])).toEqual([0, 5, 20, 60].map((at) => [at, count]));
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dropped: count });
  // One that is there ends the row.
  const { id } = marketplace.ask({
    from: marketplace.addUser(),
    item_id: marketplace.addItem({ seller_id: 7 }).item_id,
    text: 'Is it?',
  });
  for (const each of [id, 900_000_099]) {
    await inbox.add(about(each));
    await inbox.idle();
  }
  vi.setSystemTime(Date.now() - 86_400_000);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(reads.length).toBeGreaterThanOrEqual(4 * count + 4);
  await inbox.close();
});

test.each<[string, (notification: Notification, context: Context) => Promise<unknown>]>([
  ['another resource', (_, { client }) => client.questions.get({ question_id: 5 })],
  ['a conversation', ({ user_id }, { client }) => client.messages.conversation({ pack_id: 5, user_id }).toArray()],
])('the 404 of %s is no reason to read again', async (_, handler) => {
  const { inbox, reads } = reading(handler);
  await deliver(inbox, { user_id: 7, topic: 'questions', resource: '/questions/900000001' });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(reads.length).toBeGreaterThan(1);
  await inbox.close({ graceMs: 0 });
});

test('an error that has another cause than the 404 that the handler got is decided by itself', async () => {
  const { inbox, reads } = reading(async (_, context) => {
    await read(context).catch(silent);
    throw new InvalidInputError([]);
  });
  await deliver(inbox, { user_id: 7, topic: 'questions', resource: '/questions/900000001' });
  await vi.advanceTimersByTimeAsync(4_000);
  expect(reads).toHaveLength(2);
  expect(await inbox.deadLetters.list()).toHaveLength(1);
  await inbox.close();
});
