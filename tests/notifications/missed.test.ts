import type { SellerClient } from 'marketplace-seller-sdk';
import { StoreFullError, createInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadClientFirst } from '../support/fake-time.ts';
import { newFiles } from '../support/new-files.ts';
import { silentLogger } from '../support/silent.ts';
import { receiving } from '../support/stubs.ts';

// What the service could not deliver is in a list of its own for two days: `catchUp` reads it.

loadClientFirst();
const newFile = newFiles();
beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-11-20T10:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const day = 86_400_000;
const orders = {
  endpoint: { ...endpoints.currencies.get, path: '/orders/{id}' } as const,
  idOf: (path: string): string => path.slice(8),
};

function shop({ page = (url: URL) => url, sellers = [7, 8] } = {}) {
  const marketplace = new FakeMarketplace();
  for (const user_id of [...sellers, 9, 31]) marketplace.addUser({ user_id });
  const lists: string[] = [];
  const clients = new Map(
    sellers.map((user_id) => [
      user_id,
      marketplace.clientFor(
        { user_id },
        {
          maxRetries: 0,
          fetch: receiving((request) => {
            const url = new URL(request.url);
            if (url.pathname !== '/missed_feeds') return marketplace.fetch(request);
            lists.push(`${user_id}${url.search}`);
            return marketplace.fetch(new Request(page(url), request));
          }),
        },
      ),
    ]),
  );
  const handled: string[] = [];
  const info = vi.fn<(line: string) => void>();
  const warn = vi.fn<(line: string) => void>();
  const options = {
    clientFor: (user_id: number) => clients.get(user_id),
    sellers,
    topics: { orders_v2: orders },
    logger: { ...silentLogger, info, warn },
    on: { orders_v2: ({ resource }) => void handled.push(resource) },
  } satisfies InboxOptions<SellerClient, { orders_v2: typeof orders }>;
  marketplace.notifications.subscribe({
    topics: ['orders_v2', 'questions', 'messages', 'items'],
    callback: () => new Response(null, { status: 500 }),
    faults: () => ({ lateMs: 0, twice: false, lost: true }),
  });
  /** Sales whose notifications are lost. */
  const sell = (count: number, seller_id = 7): string[] =>
    Array.from({ length: count }, () => {
      const [id] = marketplace.addPack({ seller_id, buyer_id: 31 }).order_ids;
      return `/orders/${id}`;
    });
  return { marketplace, lists, handled, info, warn, options, sell };
}

test('a sale whose notification is lost is handled, once, also when its key is forgotten and the list still has it', async () => {
  const { sell, options, handled } = shop();
  const sold = [...sell(1), ...sell(1, 8)];
  const inbox = createInbox({ ...options, application_id: 500 });
  expect(await inbox.catchUp()).toEqual({ found: 2, added: 2, failed: [] });
  await inbox.idle();
  expect(handled.toSorted()).toEqual(sold.toSorted());
  for (const ms of [900_000, day - 1_000_000, 3_600_000, day / 2]) {
    await vi.advanceTimersByTimeAsync(ms);
    expect(await inbox.catchUp()).toEqual({ found: 0, added: 0, failed: [] });
  }
  await inbox.idle();
  expect(handled).toHaveLength(2);
  await inbox.close();
});

test('what was delivered eight times in vain, and handled meanwhile, is not handled again', async () => {
  const { marketplace, options, handled } = shop();
  const inbox = createInbox({ ...options, application_id: 500 });
  const callback = vi.fn<(request: Request) => Promise<Response>>(async (request) => {
    await inbox.add(await request.text());
    return new Response(null, { status: 503 });
  });
  marketplace.notifications.reset();
  marketplace.notifications.subscribe({ topics: ['orders_v2'], callback });
  marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(callback).toHaveBeenCalledTimes(8);
  expect(await inbox.catchUp()).toMatchObject({ added: 0, failed: [] });
  await vi.advanceTimersByTimeAsync(1.5 * day);
  expect(await inbox.catchUp()).toMatchObject({ added: 0, failed: [] });
  await inbox.idle();
  expect(handled).toHaveLength(1);
  await inbox.close();
});

test.each<[string, (url: URL) => URL, number]>([
  ['in pages of ten', (url) => url, 4],
  ['in pages of three', (url) => (url.searchParams.set('limit', '3'), url), 10],
  ['also of a service that always shows the first page', (url) => (url.searchParams.delete('offset'), url), 2],
])('the list is read to its end, %s', async (_, page, requests) => {
  const { sell, options, handled, lists } = shop({ page });
  const sold = sell(25);
  const inbox = createInbox({ ...options, application_id: 500 });
  const { added } = await inbox.catchUp();
  await inbox.idle();
  expect(lists).toHaveLength(requests);
  expect(lists.every((each) => each.includes('app_id=500') && each.includes('topic=orders_v2'))).toBe(true);
  expect(added).toBe(requests === 2 ? 10 : 25);
  expect(new Set(handled)).toEqual(new Set(sold.slice(0, added)));
  await inbox.close();
});

describe('the token', () => {
  test('of one seller after the other is tried until one may read, who is asked first as long as it may', async () => {
    const { marketplace, sell, options, handled, lists, warn } = shop();
    marketplace.settings.missedFeedsOwner = 8;
    sell(12);
    const inbox = createInbox({ ...options, application_id: 500 });
    expect(await inbox.catchUp()).toMatchObject({ added: 12, failed: [] });
    await inbox.catchUp();
    await inbox.idle();
    expect(lists.map((each) => each[0]).join('')).toBe('78888888'.slice(0, lists.length));
    // That one may read no more: the others are tried again.
    marketplace.settings.missedFeedsOwner = 7;
    sell(1);
    expect(await inbox.catchUp()).toMatchObject({ added: 1, failed: [] });
    await inbox.idle();
    expect(handled).toHaveLength(13);
    expect(warn).not.toHaveBeenCalled();
    await inbox.close();
  });

  test('of nobody may read: that is said once, and the rest is caught up', async () => {
    const { marketplace, sell, options, warn } = shop();
    marketplace.settings.missedFeedsOwner = 9;
    sell(1);
    const item = marketplace.addItem({ seller_id: 7 });
    marketplace.ask({ from: { user_id: 31 }, item_id: item.item_id, text: 'Is it new?' });
    const inbox = createInbox({ ...options, application_id: 500, on: { ...options.on, questions: () => {} } });
    expect(await inbox.catchUp()).toEqual({ found: 1, added: 1, failed: [] });
    await inbox.catchUp();
    expect(
      warn.mock.calls.filter(([line]) => line.includes('The list of missed notifications is not read')),
    ).toHaveLength(1);
    await inbox.close();
  });

  test('works, but the service does not: it is told with a seller, and read in the next round', async () => {
    const { marketplace, sell, options, handled } = shop();
    sell(1);
    marketplace.faults.inject({ match: { path: '/missed_feeds' }, status: 503, times: 1 });
    const inbox = createInbox({ ...options, application_id: 500 });
    expect(await inbox.catchUp()).toMatchObject({ added: 0, failed: [{ user_id: 7, error: { status: 503 } }] });
    expect(await inbox.catchUp()).toMatchObject({ added: 1, failed: [] });
    await inbox.idle();
    expect(handled).toHaveLength(1);
    await inbox.close();
  });
});

describe('the application', () => {
  test('is that of the last notification; while it is unknown, that is said once', async () => {
    const { sell, options, info, lists } = shop();
    const [first] = sell(2);
    const inbox = createInbox(options);
    await inbox.catchUp();
    await inbox.catchUp();
    expect(lists).toEqual([]);
    expect(info.mock.calls.filter(([line]) => line.includes('application_id'))).toHaveLength(1);
    await inbox.add({ user_id: 7, topic: 'orders_v2', resource: first, application_id: 500, _id: 'one' });
    expect(await inbox.catchUp()).toMatchObject({ added: 2 });
    await inbox.add({ user_id: 7, topic: 'orders_v2', resource: first, application_id: 501, _id: 'two' });
    await inbox.catchUp();
    expect(lists.at(-1)).toContain('app_id=501');
    await inbox.close();
  });

  test('is known to the next process of a durable store, also the second one', async () => {
    const { sell, options, lists } = shop();
    const path = newFile();
    const [resource] = sell(1);
    const first = createInbox({ ...options, store: sqliteStore(path) });
    for (const application_id of ['499', '500'])
      await first.add({ user_id: 7, topic: 'orders_v2', resource, application_id, _id: application_id });
    await first.close();
    const second = createInbox({ ...options, store: sqliteStore(path) });
    await second.catchUp();
    expect(lists[0]).toContain('app_id=500');
    await second.close();
  });

  test('ends no process where it cannot be kept', async () => {
    const { options, lists } = shop();
    const store = Object.assign(memoryStore(), { durable: true });
    const away = new Error('the database is away');
    for (const name of ['get', 'replace'] as const) vi.spyOn(store.ledger, name).mockRejectedValue(away);
    const inbox = createInbox({ ...options, store });
    await inbox.add({ user_id: 7, topic: 'orders_v2', resource: '/orders/1', application_id: 500, _id: 'one' });
    await vi.advanceTimersByTimeAsync(1);
    vi.restoreAllMocks();
    await inbox.catchUp();
    expect(lists[0]).toContain('app_id=500');
    await inbox.close();
  });

  test.each([0.5, -1, 'app', '', null, {}])('%j is no id', (application_id) => {
    const { options } = shop();
    expect(() => createInbox({ ...options, application_id: application_id as never })).toThrow('`application_id`');
  });
});

describe('the door', () => {
  test('lets in what has a handler here, and is for known sellers', async () => {
    const { marketplace, sell, options, handled } = shop();
    sell(1, 9);
    const item = marketplace.addItem({ seller_id: 7 });
    marketplace.ask({ from: { user_id: 31 }, item_id: item.item_id, text: 'Is it new?' });
    marketplace.items.change(item.item_id, { title: 'Cup' });
    const all: string[] = [];
    const inbox = createInbox({ ...options, application_id: 500, fallback: ({ topic }) => void all.push(topic) });
    expect(await inbox.catchUp()).toMatchObject({ failed: [] });
    await inbox.idle();
    expect([handled, all]).toEqual([[], ['items']]);
    await inbox.close();
  });

  test('is closed for a seller with too much that waits, and open for the others', async () => {
    const { sell, options } = shop();
    sell(3);
    sell(1, 8);
    const inbox = createInbox({ ...options, application_id: 500, maxWaiting: 2, store: memoryStore() });
    const { added, failed } = await inbox.catchUp();
    expect(added).toBe(3);
    expect(failed).toMatchObject([{ user_id: 7, error: expect.any(StoreFullError) as unknown }]);
    await inbox.idle();
    expect(await inbox.catchUp()).toMatchObject({ added: 1, failed: [] });
    await inbox.close();
  });

  test('only of the sellers that catchUp() was asked for', async () => {
    const { sell, options, lists } = shop();
    sell(1);
    sell(1, 8);
    const inbox = createInbox({ ...options, application_id: 500 });
    expect(await inbox.catchUp({ user_ids: [8] })).toMatchObject({ added: 1 });
    expect(await inbox.catchUp()).toMatchObject({ added: 1 });
    await inbox.catchUp({ user_ids: [7] });
    expect(lists.at(-1)).toMatch(/^7/);
    await inbox.close();
  });
});
