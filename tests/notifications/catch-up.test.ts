import { setTimeout as pause } from 'node:timers/promises';
import { AuthenticationError, ConfigurationError } from 'marketplace-seller-sdk';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { Inbox, InboxOptions } from 'marketplace-seller-sdk/inbox';
import type { InnerStore as Store } from '../../src/work/store.js';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { storeKinds } from '../support/inbox-stores.ts';
import { about } from '../support/deliveries.ts';
import { silent, silentLogger } from '../support/silent.ts';
import { untilEnded } from '../support/until-ended.ts';
import { receiving } from '../support/stubs.ts';

/** A store's methods, for an object of its own. */
function bound(store: Store): Store {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A seller with an item, and an inbox that notes what it handles. */
function shop(options: Partial<InboxOptions> = {}) {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser();
  const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
  const client = marketplace.clientFor(seller);
  const handled: number[] = [];
  const inbox = createInbox({
    clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
    on: { questions: ({ question_id }) => void handled.push(question_id) },
    logger: silentLogger,
    ...options,
  });
  const ask = () => marketplace.ask({ from: marketplace.addUser(), item_id, text: 'Is it new?' }).id;
  return { marketplace, seller, client, inbox, handled, ask };
}

const sorted = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

describe('catchUp()', () => {
  test('handles the questions that nobody was told of, at the start and on request', async () => {
    const { inbox, handled, ask, seller, client } = shop();
    const before = [ask(), ask(), ask()];
    const asked = shop({});
    expect(await asked.inbox.catchUp({ user_ids: [asked.seller.user_id] })).toEqual({
      found: 0,
      added: 0,
      failed: [],
    });
    await client.questions.answer({ question_id: before[0]!, text: 'Yes.' });
    expect(await inbox.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 2, added: 2, failed: [] });
    await untilEnded(inbox);
    expect(sorted(handled)).toEqual(before.slice(1));
    expect(await inbox.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 2, added: 0, failed: [] });
    await inbox.close();
  });

  test('a seller who joins after the questions came gets all of them', async () => {
    const { marketplace, seller, client, ask } = shop();
    const clients = new Map<number, typeof client>();
    const handled: number[] = [];
    const inbox = createInbox({
      clientFor: (user_id) => clients.get(user_id),
      on: { questions: ({ question_id }) => void handled.push(question_id) },
      logger: silentLogger,
    });
    marketplace.notifications.subscribe({ callback: fetchHandler(inbox) });
    const ids = [ask(), ask(), ask()];
    await marketplace.notifications.flush();
    await untilEnded(inbox);
    expect(handled).toEqual([]);
    clients.set(seller.user_id, client);
    expect(await inbox.catchUp({ user_ids: [seller.user_id] })).toEqual({ found: 3, added: 3, failed: [] });
    await untilEnded(inbox);
    expect(sorted(handled)).toEqual(ids);
    await inbox.close();
  });

  test('start() looks for the questions of the sellers', async () => {
    const { seller, client, ask } = shop();
    const ids = [ask(), ask(), ask()];
    const handled: number[] = [];
    const all = Promise.withResolvers<undefined>();
    const inbox = createInbox({
      clientFor: () => client,
      sellers: [seller.user_id],
      on: {
        questions: ({ question_id }) => {
          if (handled.push(question_id) === 3) all.resolve(undefined);
        },
      },
      logger: silentLogger,
    });
    inbox.start();
    await all.promise;
    await inbox.close();
    expect(sorted(handled)).toEqual(ids);
  });

  test('a wrong call is a ConfigurationError', async () => {
    const { inbox } = shop();
    await expect(inbox.catchUp({ user_id: 7 } as never)).rejects.toThrow(ConfigurationError);
    const noClient = createInbox({ on: { questions: silent } });
    await expect(noClient.catchUp({ user_ids: [7] })).rejects.toThrow('needs `clientFor`');
    expect(() => createInbox({ on: { questions: silent }, sellers: [7] })).toThrow('`sellers` needs `clientFor`');
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

test.each<[string, () => Store]>([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqliteStore(':memory:')],
])('with webhooks racing, 30 seeds handle every question, with a store in %s', async (_, open) => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const next = random(seed);
    const pauses = (most: number) => Array.from({ length: Math.floor(next() * most) }, () => Promise.resolve());
    const { marketplace, seller, inbox, handled, ask } = shop({ store: open() });
    const callback = fetchHandler(inbox);
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
      if (next() < 0.6) catchingUp.push(inbox.catchUp({ user_ids: [seller.user_id] }));
      for (const pause of pauses(20)) await pause;
      if (next() < 0.3) await untilEnded(inbox);
    }
    await marketplace.notifications.flush();
    await Promise.all(catchingUp);
    await inbox.catchUp({ user_ids: [seller.user_id] });
    await untilEnded(inbox);
    await inbox.close();
    expect([seed, ...sorted([...new Set(handled)])]).toEqual([seed, ...ids]);
  }
});

describe('a caught-up question', () => {
  /** An inbox whose handler notes the status that it reads, and then waits. */
  function reading(store: Store, wait: (again: () => Promise<unknown>) => Promise<unknown> = async () => {}) {
    const context = shop();
    const seen: (string | undefined)[] = [];
    const inbox = createInbox({
      store,
      clientFor: () => context.client,
      logger: silentLogger,
      on: {
        questions: async (_, { read }) => {
          seen.push((await read()).status ?? undefined);
          await wait(read);
        },
      },
    });
    return { ...context, inbox, seen };
  }

  test.each(storeKinds())('covers what arrived before it was read, with a store in $name', async ({ create }) => {
    const { inbox, seen, ask, seller } = reading(create()());
    const id = ask();
    // Sent by a clock that is ten minutes ahead, so it is behind the caught-up one.
    const sent = new Date(Date.now() + 600_000).toISOString();
    await inbox.catchUp({ user_ids: [seller.user_id] });
    await untilEnded(inbox);
    expect(seen).toEqual(['UNANSWERED']);
    await inbox.add(about(id, { user_id: seller.user_id, sent, _id: 'a change' }));
    await untilEnded(inbox);
    expect(seen).toEqual(['UNANSWERED', 'UNANSWERED']);
    await inbox.close();
  });

  test('is handled again for a change that arrives while its handler runs, whatever the clocks say', async () => {
    const started = Promise.withResolvers<undefined>();
    const changed = Promise.withResolvers<undefined>();
    const { inbox, seen, ask, seller, client } = reading(memoryStore(), async (again) => {
      started.resolve(undefined);
      await changed.promise;
      await pause(5);
      await again();
    });
    const id = ask();
    await inbox.catchUp({ user_ids: [seller.user_id] });
    await started.promise;
    await pause(5);
    await client.questions.delete({ question_id: id });
    const sent = new Date(Date.now() - 600_000).toISOString();
    await inbox.add(about(id, { user_id: seller.user_id, sent, _id: 'deleted' }));
    changed.resolve(undefined);
    await untilEnded(inbox);
    expect(seen).toEqual(['UNANSWERED', 'DELETED']);
    await inbox.close();
  });
});

describe('unread messages', () => {
  function conversations() {
    const context = shop();
    const { marketplace, seller, client } = context;
    const handled: string[] = [];
    const start = (on: 'reply' | 'leave', store = memoryStore()) =>
      createInbox({
        store,
        clientFor: () => client,
        logger: silentLogger,
        on: {
          messages: async (_, { read, reply }) => {
            const { text } = await read();
            handled.push(String(text));
            if (on === 'reply') await reply('Thank you.');
          },
        },
      });
    const pack = () => marketplace.addPack({ seller_id: seller.user_id, buyer_id: marketplace.addUser().user_id });
    const catchUp = async (inbox: Inbox) => {
      const result = await inbox.catchUp({ user_ids: [seller.user_id] });
      await untilEnded(inbox);
      return result;
    };
    return { ...context, handled, start, pack, catchUp };
  }

  test('that nobody was told of are handled, without marking them as read', async () => {
    const { marketplace, client, handled, start, pack, catchUp } = conversations();
    marketplace.buyerWrites({ pack: pack(), text: 'When does it leave?' });
    marketplace.buyerWrites({ pack: pack(), text: 'Which colour?' });
    const inbox = start('leave');
    expect(await catchUp(inbox)).toEqual({ found: 2, added: 2, failed: [] });
    expect(handled.toSorted()).toEqual(['When does it leave?', 'Which colour?']);
    expect((await client.messages.unread()).results).toHaveLength(2);
    expect(await catchUp(inbox)).toMatchObject({ found: 2, added: 0 });
    await inbox.close();
  });

  test('are not handled again a day later, although they stay unread', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { marketplace, handled, start, pack, catchUp } = conversations();
    marketplace.buyerWrites({ pack: pack(), text: 'When does it leave?' });
    const store = memoryStore();
    for (let day = 0; day < 9; day += 1) {
      const inbox = start('leave', store);
      await catchUp(inbox);
      await inbox.close();
      vi.advanceTimersByTime(86_400_000);
    }
    expect(handled).toEqual(['When does it leave?']);
  });

  test('that the seller has answered are left out, and only newer ones are handled', async () => {
    const { marketplace, client, seller, handled, start, pack, catchUp } = conversations();
    const sale = pack();
    const first = marketplace.buyerWrites({ pack: sale, text: 'When does it leave?' });
    await pause(5);
    await client.messages.reply(await client.messages.get({ message_id: first.id }), 'Today.');
    await pause(5);
    const inbox = start('reply');
    expect(await catchUp(inbox)).toEqual({ found: 0, added: 0, failed: [] });
    marketplace.buyerWrites({ pack: sale, text: 'At what time?' });
    expect(await catchUp(inbox)).toEqual({ found: 1, added: 1, failed: [] });
    expect(handled).toEqual(['At what time?']);
    const written = await client.messages
      .conversation({ pack_id: sale.pack_id!, user_id: seller.user_id, mark_as_read: false })
      .toArray();
    expect(written.filter(({ text }) => text === 'Thank you.')).toHaveLength(1);
    await inbox.close();
  });
});

describe('a conversation that stays unread', () => {
  const minuteMs = 60_000;

  /** Rounds of a seller whose bot answers no message and marks none as read. */
  function rounds(change: (count: number) => number | undefined = (count) => count) {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const marketplace = new FakeMarketplace();
    const seller = marketplace.addUser();
    const client = marketplace.clientFor(seller, {
      fetch: receiving(async (request) => {
        const response = await marketplace.fetch(request);
        if (!request.url.includes('/messages/unread')) return response;
        const { results, ...rest } = (await response.json()) as { results: readonly { count: number }[] };
        return Response.json({ ...rest, results: results.map((each) => ({ ...each, count: change(each.count) })) });
      }),
    });
    const handled: string[] = [];
    const store = memoryStore();
    const inbox = createInbox({
      store,
      clientFor: () => client,
      logger: silentLogger,
      on: { messages: async (_, { read }) => void handled.push((await read()).text ?? '') },
    });
    const pack = () => marketplace.addPack({ seller_id: seller.user_id, buyer_id: marketplace.addUser().user_id });
    const reads = () => [...marketplace.requests.filter({ endpoint: 'messages.conversation' })].length;
    /** One round: how often it reads a conversation, and what is handled. */
    const round = async () => {
      const [before, handledBefore] = [reads(), handled.length];
      const result = await inbox.catchUp({ user_ids: [seller.user_id] });
      await untilEnded(inbox);
      vi.advanceTimersByTime(15 * minuteMs);
      return { ...result, reads: reads() - before, handled: handled.slice(handledBefore).toSorted() };
    };
    onTestFinished(() => inbox.close());
    return { marketplace, seller, client, store, pack, reads, round };
  }

  test('is read once as long as nothing is new in it, and counts as found', async () => {
    const { marketplace, pack, round } = rounds();
    for (const text of ['a', 'b', 'c']) marketplace.buyerWrites({ pack: pack(), text });
    expect(await round()).toMatchObject({ reads: 3, found: 3, added: 3, handled: ['a', 'b', 'c'] });
    for (let again = 0; again < 3; again += 1)
      expect(await round()).toMatchObject({ reads: 0, found: 3, added: 0, handled: [] });
  });

  test('is read in the next round after a new message, and no other one is', async () => {
    const { marketplace, pack, round } = rounds();
    const [sale, other] = [pack(), pack()];
    marketplace.buyerWrites({ pack: sale, text: 'a' });
    marketplace.buyerWrites({ pack: other, text: 'b' });
    await round();
    for (const text of ['c', 'd', 'e']) {
      marketplace.buyerWrites({ pack: sale, text });
      expect(await round()).toMatchObject({ reads: 1, added: 1, handled: [text] });
    }
  });

  test('is read again once it was read and answered, and the buyer writes once more', async () => {
    const { marketplace, seller, pack, round } = rounds();
    const sale = pack();
    marketplace.buyerWrites({ pack: sale, text: 'a' });
    await round();
    marketplace.messages.markAsRead(seller.user_id, sale);
    expect(await round()).toMatchObject({ reads: 0, found: 0 });
    marketplace.buyerWrites({ pack: sale, text: 'b' });
    expect(await round()).toMatchObject({ reads: 1, handled: ['b'] });
  });

  test.each<[string, (count: number) => number | undefined]>([
    ['the count is the same, because the seller has read as many', (count) => count],
    ['the service sends no count', () => undefined],
  ])('is read within hours where %s', async (_, change) => {
    const { marketplace, seller, pack, round } = rounds(change);
    const sale = pack();
    marketplace.buyerWrites({ pack: sale, text: 'a' });
    await round();
    marketplace.messages.markAsRead(seller.user_id, sale);
    marketplace.buyerWrites({ pack: sale, text: 'b' });
    const handled: string[] = [];
    for (let quarter = 0; quarter < 4; quarter += 1) handled.push(...(await round()).handled);
    expect(handled).toEqual(['b']);
  });

  test('is read in the next round too where it has shown fewer messages than are counted', async () => {
    const { marketplace, pack, round } = rounds(() => 2);
    const sale = pack();
    marketplace.buyerWrites({ pack: sale, text: 'a' });
    expect(await round()).toMatchObject({ reads: 1, handled: ['a'] });
    // It was counted before moderation showed it.
    marketplace.buyerWrites({ pack: sale, text: 'b' });
    expect(await round()).toMatchObject({ reads: 1, handled: ['b'] });
  });

  test.each<[string, (count: number) => number]>([
    ['right', (count) => count],
    ['with messages that moderation hides', (count) => count + 1],
  ])('is read at most nine times in a day, instead of 96, with a count that is %s', async (_, change) => {
    const { marketplace, pack, reads, round } = rounds(change);
    marketplace.buyerWrites({ pack: pack(), text: 'a' });
    for (let quarter = 0; quarter < 96; quarter += 1) await round();
    expect(reads()).toBeGreaterThan(3);
    expect(reads()).toBeLessThanOrEqual(9);
  });

  test('is read again in the next round when its messages could not be stored', async () => {
    const { marketplace, store, pack, round } = rounds();
    marketplace.buyerWrites({ pack: pack(), text: 'a' });
    vi.spyOn(store, 'add').mockRejectedValueOnce(new Error('disk full'));
    expect(await round()).toMatchObject({ reads: 1, handled: [], failed: [{}] });
    expect(await round()).toMatchObject({ reads: 1, handled: ['a'] });
  });
});

describe('many sellers', () => {
  test('one whose search fails does not end it, and is named', async () => {
    const { marketplace, seller, client, ask } = shop();
    const ids = [ask(), ask()];
    const revoked = new Error('revoked');
    const handled: number[] = [];
    const inbox = createInbox({
      clientFor: (user_id) => {
        if (user_id === 1) throw revoked;
        return user_id === 2 ? marketplace.clientFor(seller, { accessToken: 'wrong' }) : client;
      },
      on: { questions: ({ question_id }) => void handled.push(question_id) },
      logger: silentLogger,
    });
    const { found, added, failed } = await inbox.catchUp({ user_ids: [1, 2, seller.user_id] });
    await untilEnded(inbox);
    expect([found, added, sorted(handled)]).toEqual([2, 2, ids]);
    expect(failed.toSorted((a, b) => a.user_id - b.user_id)).toEqual([
      { user_id: 1, error: revoked },
      { user_id: 2, error: expect.any(AuthenticationError) as Error },
    ]);
    await inbox.close();
  });

  test('a store that is full does not end it', async () => {
    const { seller, client, ask } = shop();
    const ids = [ask(), ask(), ask()];
    const store = memoryStore();
    const front = createInbox({ store, maxWaiting: 1, handle: false, clientFor: () => client, logger: silentLogger });
    const { failed } = await front.catchUp({ user_ids: [seller.user_id] });
    expect(failed).toMatchObject([{ user_id: seller.user_id, error: { name: 'StoreFullError' } }]);
    const handled: number[] = [];
    const inbox = createInbox({
      store,
      maxWaiting: 1,
      clientFor: () => client,
      on: { questions: ({ question_id }) => void handled.push(question_id) },
    });
    while ((await inbox.catchUp({ user_ids: [seller.user_id] })).failed.length > 0) await untilEnded(inbox);
    await untilEnded(inbox);
    expect(sorted(handled)).toEqual(ids);
    await inbox.close();
  });

  test('eight at a time', async () => {
    let running = 0;
    let most = 0;
    const inbox = createInbox({
      clientFor: async () => {
        most = Math.max(most, ++running);
        await pause(1);
        running -= 1;
        return undefined;
      },
      on: { questions: silent },
    });
    const result = await inbox.catchUp({ user_ids: Array.from({ length: 100 }, (_, id) => id) });
    expect([most, result]).toEqual([8, { found: 0, added: 0, failed: [] }]);
    await inbox.close();
  });
});

describe('rounds', () => {
  /** Receivers of several processes on one store, and how often each seller was looked after. */
  function processes(count: number, options: Partial<InboxOptions> = {}) {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const store = Object.assign(memoryStore(), { shared: true });
    const looked: number[] = [];
    const start = () => {
      const inbox = createInbox({
        store: bound(store),
        clientFor: (user_id) => void looked.push(user_id),
        sellers: [1, 2, 3],
        on: { questions: silent },
        logger: silentLogger,
        ...options,
      });
      inbox.start();
      return inbox;
    };
    return { looked, inboxes: Array.from({ length: count }, start), start, store };
  }

  test('three processes look after each seller once, every 15 minutes', async () => {
    const { looked, inboxes } = processes(3);
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    expect(sorted(looked)).toEqual([1, 2, 3]);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(sorted(looked)).toEqual([1, 1, 2, 2, 3, 3]);
    for (const inbox of inboxes) await inbox.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('when the process that looks after them ends, another one does at once', async () => {
    const { looked, inboxes } = processes(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await inboxes[0]!.close();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(sorted(looked)).toEqual([1, 1, 2, 2, 3, 3]);
    await inboxes[1]!.close();
  });

  test('a process that has lost the lead looks at once when it has it again', async () => {
    const { looked, inboxes, store } = processes(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looked).toHaveLength(3);
    // The first process cannot keep its lead, and the second one takes it: it does not know what the first one has seen.
    const isOfFirst = await store.ledger.get('catch up');
    const { replace } = store.ledger;
    const away = vi.spyOn(store.ledger, 'replace').mockImplementation(async (key, before, after, ms) => {
      if (key === 'catch up' && after === isOfFirst) throw new Error('the database restarts');
      return replace.call(store.ledger, key, before, after, ms);
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looked).toHaveLength(6);
    away.mockRestore();
    // The first one is here again, sees that it follows, and leads once the second one has ended.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(looked).toHaveLength(6);
    await inboxes[1]!.close();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(looked).toHaveLength(9);
    await vi.advanceTimersByTimeAsync(14 * 60_000);
    expect(looked).toHaveLength(9);
    await vi.advanceTimersByTimeAsync(90_000);
    expect(looked).toHaveLength(12);
    await inboxes[0]!.close();
  });

  test('a process that has its store for itself looks every 15 minutes, and has no lead to keep', async () => {
    const store = memoryStore();
    const [get, replace] = [vi.spyOn(store.ledger, 'get'), vi.spyOn(store.ledger, 'replace')];
    const { looked, inboxes } = processes(1, { store });
    // Its timers are early, by a clock that differs from theirs.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() - looked.length);
    for (const rounds of [1, 2, 3]) {
      await vi.advanceTimersByTimeAsync(14 * 60_000);
      expect(looked).toHaveLength(3 * rounds);
      await vi.advanceTimersByTimeAsync(60_000);
    }
    expect([get.mock.calls, replace.mock.calls]).toEqual([[], []]);
    await inboxes[0]!.close();
  });

  test('a round that takes longer than until the next one is not joined by another', async () => {
    const slow = Promise.withResolvers<undefined>();
    let asked = 0;
    const clientFor = () => {
      asked += 1;
      return slow.promise;
    };
    for (const store of [memoryStore(), Object.assign(memoryStore(), { shared: true })]) {
      asked = 0;
      const { inboxes } = processes(1, { clientFor, store });
      await vi.advanceTimersByTimeAsync(60 * 60_000);
      expect(asked).toBe(3);
      await inboxes[0]!.close({ graceMs: 0 });
    }
    slow.resolve(undefined);
  });

  test('a process that is closed while it starts takes no lead, and has no timer', async () => {
    const store = Object.assign(memoryStore(), { shared: true, durable: true });
    const { inboxes } = processes(2, { store });
    await Promise.all(inboxes.map((inbox) => inbox.close()));
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await store.ledger.get('catch up'), vi.getTimerCount()]).toEqual([undefined, 0]);
  });

  test('a process that is restarted looks at once', async () => {
    const { looked, inboxes, start } = processes(1, { catchUpEveryMs: Infinity });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(looked).toHaveLength(3);
    await inboxes[0]!.close();
    const next = start();
    await vi.advanceTimersByTimeAsync(1);
    expect(looked).toHaveLength(6);
    await next.close();
  });

  test('what fails is logged, and looked for again', async () => {
    const error = vi.fn();
    let isAway = true;
    const sellers = () => {
      if (isAway) throw new Error('no list');
      return [1, 2];
    };
    const clientFor = () => Promise.reject(new Error('revoked'));
    const { inboxes } = processes(1, { sellers, clientFor, logger: { ...silentLogger, error } });
    await vi.advanceTimersByTimeAsync(1_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(15 * 60_000 + 10_000);
    expect(error.mock.calls.map(([line]) => String(line))).toEqual([
      expect.stringContaining('catchUp() failed: Error: no list'),
      expect.stringContaining('catchUp() failed for user 1 and 1 more: Error: revoked'),
    ]);
    await inboxes[0]!.close();
  });
});

test('add() resolves once a missed notification is stored; a later delivery of it is a duplicate', async () => {
  const { inbox, handled, seller } = shop();
  const { user_id } = seller;
  // As the list of missed notifications has it.
  await inbox.add(about(5, { user_id, attempts: 8, topic: 'Questions' }));
  await inbox.add(JSON.stringify(about(5, { user_id })));
  await untilEnded(inbox);
  expect(handled).toEqual([5]);
  await expect(inbox.add({ topic: 'questions' })).rejects.toThrow('`user_id` is missing');
  await inbox.close();
});

describe('forged notifications of a real seller', () => {
  test('200 of them cost about one read each and make no dead letter, and the true one is handled', async () => {
    const { marketplace, seller, client, ask } = shop();
    const handled: number[] = [];
    const inbox = createInbox({
      clientFor: () => client,
      logger: silentLogger,
      on: { questions: async (_, { read }) => void handled.push((await read()).id) },
    });
    const { user_id } = seller;
    const forge = (index: number) => about(900_000_000 + index, { user_id, _id: `forged-${index}` });
    await Promise.all(Array.from({ length: 200 }, (_, index) => inbox.add(forge(index))));
    const id = ask();
    await inbox.add(about(id, { user_id, _id: 'true' }));
    await expect.poll(() => handled).toEqual([id]);
    expect([...marketplace.requests].length).toBeLessThanOrEqual(240);
    expect(await inbox.stats()).toMatchObject({ dead: 0 });
    await inbox.close();
  });
});
