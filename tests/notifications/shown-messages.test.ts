import { createInbox, handleNow } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { post } from '../support/deliveries.ts';
import { loadClientFirst } from '../support/fake-time.ts';
import { silentLogger } from '../support/silent.ts';
import { receiving } from '../support/stubs.ts';

// A message is announced, its own path stays 404, and its conversation shows it.

loadClientFirst();
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shop() {
  const marketplace = new FakeMarketplace();
  const seller = marketplace.addUser({ user_id: 7 });
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: marketplace.addUser().user_id });
  const calls = { byId: 0, lists: 0, conversations: 0 };
  let failing = 0;
  const client = marketplace.clientFor(seller, {
    maxRetries: 0,
    fetch: receiving(async (request) => {
      const { pathname } = new URL(request.url);
      const isList = pathname === '/messages/unread';
      if (isList) calls.lists += 1;
      else if (request.method === 'GET' && pathname.startsWith('/messages/packs/')) calls.conversations += 1;
      else if (request.method === 'GET') {
        calls.byId += 1;
        return Response.json({ message: 'could not be retrieved from storage', error: 'not_found' }, { status: 404 });
      }
      if (isList && (failing -= 1) >= 0) return Response.json({ message: 'not now' }, { status: 503 });
      return marketplace.fetch(request);
    }),
  });
  const texts: unknown[] = [];
  const warn = vi.fn<(line: string) => void>();
  const options = {
    clientFor: (user_id: number) => (user_id === 7 ? client : undefined),
    logger: { ...silentLogger, warn },
    on: {
      messages: async (_, { read, reply }) => {
        const { text, pack_id } = await read();
        texts.push(text);
        expect(pack_id).toBe(String(pack.pack_id));
        await reply('It leaves today.');
      },
    },
  } satisfies InboxOptions;
  const replies = (): number => marketplace.messages.of(pack).filter(({ from }) => from === 7).length;
  const about = (id: string, _id = id): object => ({ _id, user_id: 7, topic: 'messages', resource: `/messages/${id}` });
  const failLists = (times: number): void => void (failing = times);
  return { marketplace, pack, calls, texts, warn, options, replies, about, failLists };
}

test('it is handed to the handler with what the conversation shows, once, after four reads by its id', async () => {
  const { marketplace, pack, calls, texts, options, replies, about } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const inbox = createInbox({ ...options, sellers: [7], catchUpEveryMs: Infinity });
  await inbox.add(about(id));
  await inbox.add(about(id, 'another notification'));
  await inbox.idle();
  await vi.advanceTimersByTimeAsync(59_000);
  expect(texts).toEqual([]);
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(texts).toEqual(['When does it leave?']);
  expect(replies()).toBe(1);
  expect(calls).toMatchObject({ byId: 4, lists: 1 });
  await inbox.catchUp();
  await inbox.add(about(id, 'a third one'));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(replies()).toBe(1);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, dead: 0, dropped: 0 });
  await inbox.close();
});

test.each(['catchUp()', 'a notification of its conversation'])('what %s shows is handled at once', async (way) => {
  const { marketplace, pack, calls, texts, options, replies } = shop();
  marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const inbox = createInbox(options);
  const resource = `https://api.test/messages/packs/${pack.pack_id}/sellers/7?tag=post_sale`;
  if (way === 'catchUp()') await inbox.catchUp({ user_ids: [7] });
  else await inbox.add({ user_id: 7, topic: 'messages', resource });
  await inbox.idle();
  expect(texts).toEqual(['When does it leave?']);
  expect(replies()).toBe(1);
  expect(calls.byId).toBeLessThanOrEqual(1);
  await inbox.close();
});

test('of 1,000 forged ids each is read about once, the list once a minute, and a true one among them is handled', async () => {
  const { marketplace, pack, calls, texts, warn, options, about } = shop();
  const inbox = createInbox(options);
  for (let number = 0; number < 1_000; number += 1) await inbox.add(about(`forged${number}`));
  await inbox.idle();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  await inbox.add(about(id));
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(texts).toEqual(['When does it leave?']);
  expect(calls.byId).toBeLessThanOrEqual(1_000 + 100);
  expect(calls.lists).toBeLessThanOrEqual(6);
  expect(calls.conversations).toBeLessThanOrEqual(6);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, running: 0, dead: 0, dropped: 1_000 });
  const told = (): number => warn.mock.calls.filter(([line]) => line.includes('user 7 was dropped')).length;
  expect(told()).toBe(1);
  await inbox.add(about('forged-again'));
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(told()).toBe(1);
  vi.setSystemTime(Date.now() - 86_400_000);
  await vi.advanceTimersByTimeAsync(3_600_000);
  await inbox.add(about('forgedlater'));
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(told()).toBe(2);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1_002 });
  await inbox.close();
});

test.each([1, 3])('a list that fails %i times is asked again, and nothing is dropped meanwhile', async (times) => {
  const { marketplace, pack, calls, texts, options, about, failLists } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  failLists(times);
  const inbox = createInbox({ ...options, store: memoryStore() });
  await inbox.add(about(id));
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(texts).toEqual(['When does it leave?']);
  expect(calls.lists).toBe(times + 1);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 0 });
  await inbox.close();
});

test('it is found after the clock was set back by an hour, although the list was asked at a later time', async () => {
  const { marketplace, pack, texts, options, about } = shop();
  const inbox = createInbox(options);
  await inbox.add(about('forged'));
  await inbox.idle();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  vi.setSystemTime(Date.now() - 3_600_000);
  await inbox.add(about(marketplace.buyerWrites({ pack, text: 'When does it leave?' }).id));
  await inbox.idle();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(texts).toEqual(['When does it leave?']);
  await inbox.close();
});

test('it is found although two lists were asked since its conversation was read', async () => {
  const { marketplace, pack, calls, texts, options, about } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const inbox = createInbox(options);
  for (const each of ['forged', 'forged-too', id]) {
    await inbox.add(about(each));
    await inbox.idle();
    await vi.advanceTimersByTimeAsync(5 * 60_000);
  }
  expect(texts).toEqual(['When does it leave?']);
  expect(calls.lists).toBe(2);
  await inbox.close();
});

test('what was found is not looked for again when its handler has failed, nor by another process', async () => {
  const { marketplace, pack, calls, texts, options, about } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const store = memoryStore();
  const on = { messages: () => Promise.reject(new Error('the model is away')) };
  const first = createInbox({ ...options, on: { messages: (_, { read }) => read().then(on.messages) }, store });
  await first.add(about(id));
  await first.idle();
  await vi.advanceTimersByTimeAsync(120_000);
  await first.close();
  const second = createInbox({ ...options, store });
  second.start();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(texts).toEqual(['When does it leave?']);
  expect(calls.lists).toBe(1);
  await second.close();
});

test('a list that fails for hours makes no dead letter', async () => {
  const { options, about, failLists } = shop();
  failLists(Infinity);
  const inbox = createInbox({ ...options, retry: { maxRetries: 5 } });
  await inbox.add(about('gone'));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0, dropped: 1 });
  await inbox.close();
});

test('a process goes on from where another was: what is looked for is not read by its id again', async () => {
  const { marketplace, pack, calls, texts, options, about } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const store = memoryStore();
  const first = createInbox({ ...options, store });
  await first.add(about('forged'));
  await vi.advanceTimersByTimeAsync(61_000);
  await first.add(about(id));
  await vi.advanceTimersByTimeAsync(60_000);
  const { byId } = calls;
  await first.close();
  const second = createInbox({ ...options, store });
  await second.idle();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(texts).toEqual(['When does it leave?']);
  expect(calls.byId).toBe(byId);
  await second.close();
});

test('handleNow() finds it at a later delivery', async () => {
  const { marketplace, pack, texts, options, replies, about } = shop();
  const { id } = marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  const statuses: number[] = [];
  for (let delivery = 1; delivery <= 4; delivery += 1) {
    statuses.push((await handleNow(post(about(id)), options)).status);
    await vi.advanceTimersByTimeAsync(5 * 60_000);
  }
  expect(statuses).toEqual([503, 200, 200, 200]);
  expect(texts).toEqual(['When does it leave?']);
  expect(replies()).toBe(1);
});
