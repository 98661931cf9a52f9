import { AccessTokenError, ServerError } from 'marketplace-seller-sdk';
import type { SellerClient } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler, openInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import type { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test, vi } from 'vitest';
import { advanceUntilSettled, fakeTimersOfInbox, loadClientFirst } from '../support/fake-time.ts';
import { storeKinds } from '../support/inbox-stores.ts';
import { createSale } from '../support/marketplace.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

loadClientFirst();
fakeTimersOfInbox();

type WriteEnd = 'carried out' | 'response lost' | 'request lost';

/** A seller with a buyer, whose writes meet these ends, one after the other. */
function shop(ends: WriteEnd[] = []) {
  const { marketplace, seller, pack, ...sale } = createSale();
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: receiving(async (request) => {
      const isWrite = request.method === 'POST' && request.url.includes('/messages/packs/');
      const end = isWrite ? (ends.shift() ?? 'carried out') : 'carried out';
      if (end === 'request lost') throw new TypeError('fetch failed');
      const response = await marketplace.fetch(request);
      if (end === 'response lost') throw new TypeError('fetch failed');
      return response;
    }),
  });
  const replies = async () => sale.sent().map(({ text }) => text);
  const notify = (id: string, event: string) => ({
    user_id: seller.user_id,
    topic: 'messages',
    resource: id,
    _id: event,
  });
  return { marketplace, seller, pack, client, replies, notify };
}

/** The guide's handler of messages. */
const guide: NonNullable<InboxOptions['on']> = {
  messages: async ({ user_id }, { read, reply }) => {
    const message = await read();
    if (message.from?.user_id === user_id) return; // the seller's own
    await reply('Thank you, we will look into it.');
  },
};
const theReply = 'Thank you, we will look into it.';

describe.for(storeKinds())("the guide's handler of messages, with a store in $name", ({ create }) => {
  test.each<[WriteEnd[]]>([
    [['carried out']],
    [['response lost']],
    [['request lost']],
    [['request lost', 'request lost']],
    [['request lost', 'response lost']],
    [['response lost', 'response lost']],
  ])('answers once when writes are %j', async (ends) => {
    const { marketplace, pack, client, replies, notify } = shop([...ends]);
    const inbox = createInbox({ store: create()(), clientFor: () => client, logger: silentLogger, on: guide });
    const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    await inbox.add(notify(id, 'one'));
    await advanceUntilSettled(untilEnded(inbox));
    expect(await replies()).toEqual([theReply]);
    expect(await inbox.deadLetters.list()).toEqual([]);
    // A second notification of the same message is no reason for a second answer.
    await inbox.add(notify(id, 'two'));
    await advanceUntilSettled(untilEnded(inbox));
    expect(await replies()).toEqual([theReply]);
    await advanceUntilSettled(inbox.close());
  });

  test('answers two messages of one buyer with the same text twice, whose responses are lost', async () => {
    const { marketplace, pack, client, replies, notify } = shop(['response lost', 'response lost']);
    const inbox = createInbox({ store: create()(), clientFor: () => client, logger: silentLogger, on: guide });
    const first = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    await vi.advanceTimersByTimeAsync(400);
    const second = marketplace.buyerWrites({ pack, text: 'Hello?' });
    await Promise.all([inbox.add(notify(first.id, 'one')), inbox.add(notify(second.id, 'two'))]);
    await advanceUntilSettled(untilEnded(inbox));
    expect(await replies()).toEqual([theReply, theReply]);
    expect(await inbox.deadLetters.list()).toEqual([]);
    await advanceUntilSettled(inbox.close());
  });
});

describe('a handler that catches the error of a failed reading back, and tries again in the same run', () => {
  type Shop = ReturnType<typeof shop>;

  /** Ways in which it may fail: once, from now on. */
  const failures: Readonly<Record<string, (shop: Shop, store: Store) => void>> = {
    'a broken connection': ({ marketplace }) => inject(marketplace, { reset: 'before' }),
    'a lost response': ({ marketplace }) => inject(marketplace, { reset: 'after' }),
    'an error of the service': ({ marketplace }) => inject(marketplace, { status: 500 }),
    'a limit of the service': ({ marketplace }) => inject(marketplace, { status: 429 }),
    'a page of a proxy': ({ marketplace }) => inject(marketplace, { status: 502, body: '<html>' }),
    'a response that is none': ({ marketplace }) => inject(marketplace, { status: 200, body: '[' }),
    'a token that is rejected': ({ marketplace }) => inject(marketplace, { status: 401 }),
    'a place that is forbidden': ({ marketplace }) => inject(marketplace, { status: 403 }),
    'a book that cannot be read': (_, { ledger }) =>
      void vi.spyOn(ledger, 'get').mockRejectedValueOnce(new Error('the database restarts')),
    'a book that cannot be written to': (_, { ledger }) =>
      void vi.spyOn(ledger, 'replace').mockRejectedValueOnce(new Error('the database restarts')),
  };
  const inject = ({ faults }: FakeMarketplace, fault: object): void =>
    faults.inject({ endpoint: 'messages.conversation', ...fault });

  // Unlike `reply`, it reads nothing before.
  const message = ({ pack, seller: { user_id } }: Shop, text: string) => {
    return { pack_id: pack.pack_id!, user_id, to: { user_id: pack.buyer_id }, text };
  };

  const runs = ['the run that has sent it', 'the next run'] as const;
  const cases = runs.flatMap((run) => Object.keys(failures).map((failure) => [failure, run] as const));

  test.each(cases)('after %s, in %s, sends nothing twice', async (failure, run) => {
    const sale = shop(['response lost']);
    const { marketplace, pack, client, replies, notify } = sale;
    const store = memoryStore();
    const errors: unknown[] = [];
    const attempts: number[] = [];
    const inbox = createInbox({
      store,
      clientFor: () => client,
      logger: silentLogger,
      on: {
        messages: async (_, { attempt, client: own }) => {
          attempts.push(attempt);
          const isFailing = attempts.length === (run === 'the next run' ? 2 : 1);
          const again = async (): Promise<boolean> =>
            own.messages.send(message(sale, theReply)).then(
              () => true,
              (error: unknown) => !errors.push(error),
            );
          // The first one of the first run loses its response.
          if (attempts.length === 1) await again();
          if (!isFailing && attempts.length === 1) throw new Error('not now');
          if (isFailing) failures[failure]!(sale, store);
          for (let time = 0; time < 3; time += 1) if (await again()) return;
          throw new Error('it has failed three times');
        },
      },
    });
    const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    await inbox.add(notify(id, 'one'));
    await advanceUntilSettled(untilEnded(inbox));
    expect(await replies()).toEqual([theReply]);
    // Otherwise nothing has failed.
    expect(errors.length).toBeGreaterThan(failure.startsWith('a book that cannot be written') ? 0 : 1);
    expect(await inbox.deadLetters.list()).toEqual([]);
    await inbox.close();
  });

  test('sends another text beside one whose reading back has failed', async () => {
    const sale = shop(['response lost']);
    const { marketplace, pack, client, replies, notify } = sale;
    const inbox = createInbox({
      clientFor: () => client,
      logger: silentLogger,
      on: {
        messages: async (_, { attempt, client: own }) => {
          if (attempt > 1) return;
          await own.messages.send(message(sale, 'One.')).catch(silent);
          inject(marketplace, { status: 500 });
          await own.messages.send(message(sale, 'One.')).catch(silent);
          await own.messages.send(message(sale, 'Two.'));
        },
      },
    });
    const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
    await inbox.add(notify(id, 'one'));
    await advanceUntilSettled(untilEnded(inbox));
    expect((await replies()).toSorted()).toEqual(['One.', 'Two.']);
    await inbox.close();
  });
});

test('a second run with another text sends nothing new when the first text was sent', async () => {
  const { marketplace, pack, client, replies, notify } = shop(['response lost']);
  let run = 0;
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    on: { messages: async (_, { reply }) => reply(`Answer ${(run += 1)}`) },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(notify(id, 'one'));
  await advanceUntilSettled(untilEnded(inbox));
  expect([run, await replies()]).toEqual([2, ['Answer 1']]);
  await inbox.close();
});

test("a client of the handler's module is bound to the run", async () => {
  const { marketplace, pack, client, replies, notify } = shop(['response lost']);
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    on: {
      messages: async (_, { read }) => client.messages.reply(await read(), theReply),
    },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(notify(id, 'one'));
  await advanceUntilSettled(untilEnded(inbox));
  expect(await replies()).toEqual([theReply]);
  expect(await inbox.deadLetters.list()).toEqual([]);
  await inbox.close();
});

test('a request for a token that may have been carried out is no write: the notification is handled later', async () => {
  const { seller, client } = shop();
  const lost = new ServerError('POST /oauth/token failed with 500', {
    status: 500,
    causes: [],
    body: undefined,
    headers: new Headers(),
    outcomeUnknown: true,
  });
  const attempts: number[] = [];
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    fallback: (_, { attempt }) => {
      attempts.push(attempt);
      if (attempt < 3) throw new AccessTokenError('The function given as accessToken failed', { cause: lost });
    },
  });
  await inbox.add({ user_id: seller.user_id, topic: 'orders_v2', resource: '/orders/1', _id: 'one' });
  await advanceUntilSettled(untilEnded(inbox));
  expect([attempts, await inbox.deadLetters.list()]).toEqual([[1, 2, 3], []]);
  await inbox.close();
});

test('a handler that fails after its writes does not repeat them', async () => {
  const { marketplace, pack, client, replies, notify } = shop();
  const outputs: unknown[] = [];
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    on: {
      messages: async (_, { reply, attempt }) => {
        outputs.push((await reply('One.'))?.text, (await reply('Two.'))?.text);
        if (attempt < 3) throw new Error('later');
      },
    },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(notify(id, 'one'));
  await advanceUntilSettled(untilEnded(inbox));
  expect((await replies()).toSorted()).toEqual(['One.', 'Two.']);
  expect(outputs).toEqual(['One.', 'Two.', 'One.', 'Two.', 'One.', 'Two.']);
  await inbox.close();
});

test.each<[string, string, (client: SellerClient, item_id: string) => PromiseLike<unknown>]>([
  ['that nobody sees', 'messages.upload', ({ messages }) => messages.upload({ site_id: 'MLA', file: new Uint8Array([37]), filename: 'a.pdf' })],
  ['that is idempotent', 'flex.items.disable', ({ flex }, item_id) => flex.items.disable({ site_id: 'MLA', item_id, idempotent: true })],
])('a lost response to a write %s is no reason to give up', async (_, endpoint, write) => {
  const { marketplace, seller, pack, client, replies, notify } = shop();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  marketplace.flex.setEnabled({ item_id }, true);
  marketplace.faults.inject({ endpoint, reset: 'after' });
  const inbox = createInbox({
    store: memoryStore(),
    clientFor: () => client,
    logger: silentLogger,
    on: {
      messages: async (_notification, { reply }) => {
        await write(client, item_id);
        await reply(theReply);
      },
    },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(notify(id, 'one'));
  await advanceUntilSettled(untilEnded(inbox));
  expect(await inbox.deadLetters.list()).toEqual([]);
  expect(await replies()).toEqual([theReply]);
  await inbox.close();
}); // prettier-ignore

test('a process that is killed between a write and its result is followed by one that writes nothing new', async () => {
  const { marketplace, pack, client, replies, notify } = shop();
  const store = Object.assign(memoryStore(), { shared: true });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const written = Promise.withResolvers<undefined>();
  const hanging = new Promise<never>(() => {});
  let isKilled = false;
  const ofKilled = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'settle') {
          isKilled = true;
          written.resolve(undefined);
        }
        return isKilled ? hanging : (value.apply(target, args) as unknown);
      };
    },
  });
  const killed = createInbox({ store: ofKilled, clientFor: () => client, logger: silentLogger, on: guide });
  await killed.add(notify(id, 'one'));
  await advanceUntilSettled(written.promise);
  const next = createInbox({ store, clientFor: () => client, logger: silentLogger, on: guide });
  await vi.advanceTimersByTimeAsync(31_000);
  await advanceUntilSettled(untilEnded(next));
  expect(await replies()).toEqual([theReply]);
  expect(await openInbox(store).stats()).toMatchObject({ waiting: 0, running: 0, dead: 0 });
});

test('what a handler sends after it has timed out is not sent', async () => {
  const { marketplace, pack, client, replies, notify } = shop();
  const late = Promise.withResolvers<unknown>();
  let isFirst = true;
  const inbox = createInbox({
    clientFor: () => client,
    logger: silentLogger,
    handlerTimeoutMs: 1_000,
    on: {
      messages: async (_, { read, reply }) => {
        const message = await read();
        if (!isFirst) return;
        isFirst = false;
        await new Promise((resolve) => setTimeout(resolve, 5_000));
        late.resolve(await client.messages.reply(message, 'Too late.').catch((error: unknown) => error));
        await reply('Too late as well.').catch(silent);
      },
    },
  });
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(notify(id, 'one'));
  await advanceUntilSettled(untilEnded(inbox));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await late.promise).toBeInstanceOf(Error);
  expect(await replies()).toEqual([]);
  await inbox.close();
});

test("beside the fake, the guide's handler does not answer itself", async () => {
  const { marketplace, seller, pack, client, replies } = shop();
  const inbox = createInbox({
    clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
    logger: silentLogger,
    on: guide,
  });
  marketplace.notifications.subscribe({ callback: fetchHandler(inbox), topics: ['messages'] });
  marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  for (let round = 0; round < 5; round += 1) {
    await advanceUntilSettled(marketplace.notifications.flush());
    await advanceUntilSettled(untilEnded(inbox));
  }
  expect(await replies()).toEqual([theReply]);
  await inbox.close();
});
