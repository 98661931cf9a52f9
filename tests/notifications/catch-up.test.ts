import { ConfigurationError } from 'marketplace-seller-sdk';
import { createReceiver, fetchHandler, memoryStore, sqliteStore } from 'marketplace-seller-sdk/notifications';
import type { NotificationStore, ReceiverOptions } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { about, patient } from '../support/deliveries.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** A seller with an item, and a receiver that notes what it handles. */
function shop(options: Partial<ReceiverOptions> = {}) {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const client = marketplace.clientFor(seller);
  const handled: number[] = [];
  const receiver = createReceiver({
    clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
    on: { questions: ({ question_id }) => void handled.push(question_id) },
    logger,
    ...patient,
    ...options,
  });
  const ask = () => marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' }).id;
  return { marketplace, seller, client, receiver, handled, ask };
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

describe('catchUp()', () => {
  test('handles the questions that nobody was told of, at the start and on request', async () => {
    const { receiver, handled, ask, seller, client } = shop();
    const before = [ask(), ask(), ask()];
    const asked = shop({});
    expect(await asked.receiver.catchUp({ user_ids: [asked.seller.user_id] })).toEqual({ found: 0, added: 0 });
    await client.questions.answer({ question_id: before[0]!, text: 'Yes.' });
    expect(await receiver.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 2, added: 2 });
    await receiver.idle();
    expect(sorted(handled)).toEqual(before.slice(1));
    expect(await receiver.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 2, added: 0 });
    await receiver.close();
  });

  test('a seller who joins after the questions came gets all of them', async () => {
    const { marketplace, seller, client, ask } = shop();
    const clients = new Map<number, typeof client>();
    const handled: number[] = [];
    const receiver = createReceiver({
      clientFor: (user_id) => clients.get(user_id),
      on: { questions: ({ question_id }) => void handled.push(question_id) },
      logger,
      ...patient,
    });
    marketplace.notifications.subscribe({ callback: fetchHandler(receiver) });
    const ids = [ask(), ask(), ask()];
    await marketplace.notifications.flush();
    await receiver.idle();
    expect(handled).toEqual([]);
    clients.set(seller.user_id, client);
    expect(await receiver.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 3, added: 3 });
    await receiver.idle();
    expect(sorted(handled)).toEqual(ids);
    await receiver.close();
  });

  test('start() looks for the questions of the sellers', async () => {
    const { seller, client, ask } = shop();
    const ids = [ask(), ask(), ask()];
    const handled: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const receiver = createReceiver({
      clientFor: () => client,
      sellers: [seller.user_id],
      on: {
        questions: ({ question_id }) => {
          if (handled.push(question_id) === 3) all.resolve(undefined);
        },
      },
      logger,
    });
    receiver.start();
    await all.promise;
    await receiver.close();
    expect(sorted(handled)).toEqual(ids);
  });

  test('a wrong call is a ConfigurationError', async () => {
    const { receiver } = shop();
    await expect(receiver.catchUp({ user_id: 7 } as never)).rejects.toThrow(ConfigurationError);
    const noClient = createReceiver({ on: { questions: silent } });
    await expect(noClient.catchUp({ user_ids: [7] })).rejects.toThrow('needs `clientFor`');
    expect(() => createReceiver({ on: { questions: silent }, sellers: [7] })).toThrow('`sellers` needs `clientFor`');
  });
});

/** The same numbers for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test.each<[string, () => NotificationStore]>([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore({ path: ':memory:' })],
])('with webhooks racing, 100 seeds handle each question once, with a store in %s', async (_, open) => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const next = random(seed);
    const pauses = (most: number) => Array.from({ length: Math.floor(next() * most) }, () => Promise.resolve());
    const { marketplace, seller, receiver, handled, ask } = shop({ store: open() });
    const callback = fetchHandler(receiver);
    marketplace.notifications.subscribe({
      callback: async (request) => {
        for (const pause of pauses(40)) await pause;
        return callback(request);
      },
      faults: { late: 0.5, twice: 0.5, lateMs: 5, seed },
    });
    const ids: number[] = [];
    const catchingUp: Promise<unknown>[] = [];
    for (let question = 0; question < 3; question += 1) {
      ids.push(ask());
      if (next() < 0.6) catchingUp.push(receiver.catchUp({ user_ids: [seller.user_id] }));
      for (const pause of pauses(20)) await pause;
      if (next() < 0.3) await receiver.idle();
    }
    await marketplace.notifications.flush();
    await Promise.all(catchingUp);
    await receiver.catchUp({ user_ids: [seller.user_id] });
    await receiver.idle();
    await receiver.close();
    expect([seed, ...sorted(handled)]).toEqual([seed, ...ids]);
  }
});

test('add() resolves once a missed notification is stored; a later delivery of it is a duplicate', async () => {
  const { receiver, handled, seller } = shop();
  const { user_id } = seller;
  // As the list of missed notifications has it.
  await receiver.add(about(5, { user_id, attempts: 8, topic: 'Questions' }));
  await receiver.add(JSON.stringify(about(5, { user_id })));
  await receiver.idle();
  expect(handled).toEqual([5]);
  await expect(receiver.add({ topic: 'questions' })).rejects.toThrow('`user_id` is missing');
  await receiver.close();
});

describe('forged notifications of a real seller', () => {
  test('3,000 of them cost at most 100 reads, and do not delay the true one', async () => {
    const { marketplace, seller, client, ask } = shop();
    const answered = Promise.withResolvers<number>();
    let forged = 0;
    const warnings: string[] = [];
    const receiver = createReceiver({
      clientFor: () => client,
      logger: { ...logger, warn: (line) => void warnings.push(line) },
      ...patient,
      on: {
        questions: async (_, { read }) => {
          const { id } = await read();
          answered.resolve(id);
        },
      },
      onFailure: () => void (forged += 1),
    });
    const { user_id } = seller;
    const deliveries = Array.from({ length: 3_000 }, (_, index) =>
      receiver.add(about(900_000_000 + index, { user_id, _id: `forged-${index}` })),
    );
    await Promise.all(deliveries);
    const id = ask();
    await receiver.add(about(id, { user_id, _id: 'true' }));
    expect(await answered.promise).toBe(id);
    await receiver.close();
    expect(forged).toBeGreaterThan(0);
    expect([...marketplace.requests].length).toBeLessThanOrEqual(100);
    expect(warnings.filter((line) => line.includes('resources that do not exist'))).toHaveLength(1);
  });
});
