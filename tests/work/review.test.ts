import { ConfigurationError, GrantRevokedError } from 'marketplace-seller-sdk';
import { createInbox, openInbox, toReview } from 'marketplace-seller-sdk/inbox';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import type { ReviewItem, ReviewOptions } from 'marketplace-seller-sdk/inbox';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { engines } from '../support/inbox-engines.ts';
import { silentLogger } from '../support/silent.ts';
import { dead, lease, work } from '../support/work.ts';

// What a person has to look at, over an inbox, an outbox and sellers, in one list.

const brief = (items: readonly ReviewItem[]): string[] =>
  items.map(({ state, of, about, reason }) => `${state} ${of} ${about}: ${reason.slice(0, 60)}`);

describe.for([...engines()])('a day in $name', ({ isThere, open }) => {
  /** A shop where something of each kind has happened. */
  async function shop() {
    const marketplace = new FakeMarketplace();
    const [account, buyer] = [marketplace.addUser({ user_id: 7 }), marketplace.addUser()];
    const { user_id } = account;
    const pack = marketplace.addPack({ seller_id: user_id, buyer_id: buyer.user_id });
    const pack_id = pack.pack_id!;
    marketplace.buyerWrites({ pack, text: 'Could I have an invoice?' });
    const client = marketplace.clientFor(account, { maxRetries: 0 });
    const store = await open();
    const logger = silentLogger;
    const outbox = createOutbox({ store, clientFor: () => client, logger, concurrency: 1, retry: { maxRetries: 0 } });
    const inbox = createInbox({
      store,
      logger,
      clientFor: () => client,
      retry: { firstDelayMs: 600_000 },
      on: {
        questions: ({ question_id }) => {
          if (question_id === 1) throw new RangeError('no answer fits');
        },
      },
    });
    onTestFinished(async () => {
      await inbox.close();
      await outbox.close();
    });
    const { send } = endpoints.messages;
    const add = async (key: string, text: string): Promise<void> => {
      const input = { pack_id, user_id, to: { user_id: buyer.user_id }, text };
      await outbox.add({ key, user_id, endpoint: send, input });
      await outbox.idle();
    };
    return { marketplace, client, store, inbox, outbox, add, send };
  }

  test.runIf(isThere)('lists who is revoked, what failed, may have been sent, was rejected and is held', async () => {
    const { marketplace, client, inbox, outbox, add, send, store } = await shop();
    outbox.start();
    const tokens = sqliteTokens(':memory:');
    onTestFinished(() => tokens.close?.());
    const revoked = (): never => {
      throw new GrantRevokedError('The refresh token is not valid any more');
    };
    const sellers = createSellers({ client, tokens, refresh: revoked });
    for (const user_id of [7, 8]) await sellers.add({ user_id, accessToken: 'a', refreshToken: 'r' });
    await tokens.revoke(8, { accessToken: 'a', refreshToken: 'r' });
    expect(brief(await toReview({ inbox, outbox, sellers: { list: async () => [] } }))).toEqual([]);

    await add('accepted', 'Thank you!');
    await add('rejected', 'Call me at +54 11 4321-5678');
    marketplace.faults.inject({ endpoint: send, status: 403, times: 1 });
    await add('failed', 'It leaves today.');
    marketplace.messages.moderation = 'later';
    await add('pending', 'It leaves tomorrow.');
    marketplace.faults.inject({ endpoint: send, reset: 'after', times: 1 });
    marketplace.faults.inject({ endpoint: endpoints.messages.conversation, status: 500 });
    await add('unsure', 'It leaves now.');
    for (const id of [1, 2]) await inbox.add({ user_id: 7, topic: 'questions', resource: `/questions/${id}` });
    await inbox.idle();

    // Another process that only looks sees the same, whole and in pages of each size.
    const stored = { inbox: openInbox(store), outbox: openOutbox(store), sellers: tokens };
    // A job whose next look at moderation has begun is not listed, so on a slow machine the list is made again.
    await vi.waitFor(async () => {
      const items = await toReview({ inbox, outbox, sellers });
      expect(brief(items)).toEqual([
        'revoked sellers authorisation: the grant has ended: the seller has to authorise the applica',
        expect.stringMatching(/^failed outbox messages\.send: ForbiddenError/),
        expect.stringMatching(/^unsure outbox messages\.send: OutcomeUnknownError/),
        'rejected outbox messages.send: PERSONAL_DATA',
        'held inbox /questions/1: RangeError: no answer fits',
        'held outbox messages.send: moderation has not decided',
      ]);
      expect(items.map(({ key }) => key)).toEqual(['8', 'failed', 'unsure', 'rejected', expect.any(String), 'pending']);
      expect(items.map(({ user_id }) => user_id)).toEqual([8, 7, 7, 7, 7, 7]);
      for (const { since } of items) expect(Math.abs(Date.now() - since!)).toBeLessThan(60_000);
      expect(items[4]?.nextInMs).toBeGreaterThan(200_000);
      for (const limit of [1, 2, 4]) expect(brief(await inPages(stored, limit))).toEqual(brief(items));
      for (const { state } of items) {
        const alike = items.filter((each) => each.state === state).map(({ id }) => ({ id }));
        expect(await toReview({ inbox, outbox, sellers, state })).toMatchObject(alike);
      }
    });
    await stored.inbox.close();
    await stored.outbox.close();

    // What a person has done is gone from the list, and comes back if it fails again.
    marketplace.faults.clear();
    expect(await outbox.deadLetters.replay('failed')).toBe(true);
    await outbox.deadLetters.remove('unsure');
    await outbox.rejected.remove('rejected');
    await sellers.add({ user_id: 8, accessToken: 'b', refreshToken: 's' });
    marketplace.messages.moderation = 'atOnce';
    marketplace.messages.moderate();
    await outbox.waiting.retryAll();
    await outbox.idle();
    expect(brief(await toReview({ inbox, outbox, sellers }))).toEqual(['held inbox /questions/1: RangeError: no answer fits']); // prettier-ignore
  });
});

async function inPages(sources: ReviewOptions, limit: number): Promise<ReviewItem[]> {
  const items: ReviewItem[] = [];
  for (;;) {
    const page = await toReview({ ...sources, limit, after: items.at(-1)?.id });
    items.push(...page);
    if (page.length < limit) return items;
  }
}

test('pages of any size show each item once, over more than one page of the store', async () => {
  const store = memoryStore();
  const data = (id: number) => ({ notification: { user_id: 7, topic: 'questions', resource: `/questions/${id}` } });
  for (let id = 1; id <= 250; id += 1) {
    await store.add(work(`k${id}`, { data: { key: `k${id}`, ...data(id) } }));
    const { key, token } = await lease(store);
    const writes = id % 3 === 0 ? [{ state: 'sent' }] : [{ state: 'done' }];
    await store.settle({ key, token }, { ...dead, keepsData: true, notes: { writes } });
  }
  const inbox = openInbox(store);
  const whole = await toReview({ inbox, limit: 1_000 });
  expect(whole).toHaveLength(250);
  expect(whole.filter(({ state }) => state === 'unsure')).toHaveLength(83);
  for (const limit of [1, 7, 99, 100, 101, 250]) expect(await inPages({ inbox }, limit)).toEqual(whole);
  expect(await toReview({ inbox, state: 'unsure', limit: 50 })).toHaveLength(50);
  expect(await toReview({ inbox, state: 'unsure', limit: 1_000 })).toHaveLength(83);
  await inbox.close();
});

test('what waits for its turn, or runs, is not listed', async () => {
  const store = sqliteStore(':memory:');
  let finish = (): void => undefined;
  const running = new Promise<void>((resolve) => (finish = resolve));
  const inbox = createInbox({ store, logger: silentLogger, concurrency: 1, on: { questions: () => running } }); // prettier-ignore
  for (const id of [1, 2]) await inbox.add({ user_id: 7, topic: 'questions', resource: `/questions/${id}` });
  await expect.poll(async () => (await inbox.stats()).running).toBe(1);
  expect(await toReview({ inbox })).toEqual([]);
  finish();
  await inbox.close();
});

test.each([
  [{}, 'toReview takes an `inbox`, an `outbox` or `sellers`'],
  [{ sellers: {} }, '`sellers` takes'],
  [{ inbox: 5 }, '`inbox` takes'],
  [{ box: {} }, 'box'],
  [{ sellers: { list: async () => [] }, state: 'dead' }, '`state` takes'],
  [{ sellers: { list: async () => [] }, limit: 0 }, '`limit` takes'],
  [{ sellers: { list: async () => [] }, after: 'inbox dead 5' }, '`after` must be the `id`'],
])('%j is rejected', async (options, message) => {
  const error = await toReview(options as never).catch((each: unknown) => each as Error);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toContain(message);
});
