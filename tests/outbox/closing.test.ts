import { createInbox } from 'marketplace-seller-sdk/inbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createSellers, sqliteTokens } from 'marketplace-seller-sdk/oauth';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import { expect, test } from 'vitest';
import { createSale } from '../support/marketplace.ts';
import { silentLogger } from '../support/silent.ts';

// A deploy closes the parts of a process in any order, or at once. What one part needs of another that is closed is no failure.

/** A marketplace with a sale, and the processes of a bot that writes to its buyer. */
function shop() {
  const { marketplace, seller, user_id, message, sent } = createSale('When does it leave?');
  const clientFor = (): ReturnType<typeof marketplace.clientFor> => marketplace.clientFor(seller);
  const job = { key: 'sale', user_id, contact: { ...message, text: 'Tomorrow.' } };
  const store = memoryStore();
  const options = { store, clientFor, logger: silentLogger, retry: { maxRetries: 0 } };
  const outboxOf = (more: Partial<OutboxOptions> = {}) => {
    const outbox = createOutbox({ ...options, ...more });
    outbox.start();
    return outbox;
  };
  const inboxOf = (handle: () => unknown, more: Partial<InboxOptions> = {}) =>
    createInbox({ ...options, fallback: handle, ...more });
  const notification = { _id: 'sale', user_id, topic: 'orders_v2', resource: '/orders/1' };
  return { marketplace, seller, user_id, job, sent, store, clientFor, outboxOf, inboxOf, notification };
}

test.each(['thrown as it is', 'thrown as a cause', 'lost in an error of the handler'])(
  'a handler that adds to an outbox that closes first is handled by the next process, after any number of deploys: %s',
  async (how) => {
    const { job, sent, outboxOf, inboxOf, notification } = shop();
    for (let deploy = 0; deploy < 3; deploy += 1) {
      const outbox = outboxOf();
      const { promise: closing, resolve: close } = Promise.withResolvers<undefined>();
      const { promise: handling, resolve: begin } = Promise.withResolvers<undefined>();
      const handle = async (): Promise<void> => {
        begin(undefined);
        await closing;
        try {
          await outbox.add(job);
        } catch (error) {
          if (how === 'thrown as it is') throw error;
          throw new Error('the sale was not told', how === 'thrown as a cause' ? { cause: error } : {});
        }
      };
      const inbox = inboxOf(handle, how.startsWith('lost') ? { retry: { maxRetries: 5 } } : {});
      await inbox.add(notification);
      for (const { entry } of await inbox.waiting.list()) await inbox.waiting.retryNow(entry.key);
      await handling;
      const closed = Promise.all([inbox.close(), outbox.close()]);
      close(undefined);
      await closed;
      expect(await inbox.stats()).toMatchObject({ waiting: 1, dead: 0 });
    }
    const outbox = outboxOf();
    const inbox = inboxOf(() => outbox.add(job));
    for (const { entry } of await inbox.waiting.list()) await inbox.waiting.retryNow(entry.key);
    await inbox.idle();
    await outbox.idle();
    expect(await inbox.stats()).toMatchObject({ waiting: 0, dead: 0 });
    expect(sent()).toHaveLength(1);
    await Promise.all([outbox.close(), inbox.close()]);
  },
);

test('an inbox that is closed is no failure of what adds to it', async () => {
  const { inboxOf, outboxOf, notification, job } = shop();
  const other = inboxOf(() => undefined);
  await other.close();
  await expect(other.add(notification)).rejects.toMatchObject({ name: 'ClosedError', isLasting: false });
  const outbox = outboxOf();
  await outbox.close();
  await expect(outbox.add(job)).rejects.toMatchObject({ name: 'ClosedError', isLasting: false });
  const inbox = inboxOf(() => other.add(notification));
  await inbox.add(notification);
  await inbox.idle();
  expect(await inbox.waiting.list()).toMatchObject([
    { attempts: 0, failure: 'ClosedError: Not added: the inbox is closed' },
  ]);
  await inbox.close();
});

test.each(['the sellers', 'the tokens'])('a job that needs %s, which were closed first, waits', async (part) => {
  const { marketplace, seller, user_id, outboxOf, job, sent } = shop();
  const tokens = sqliteTokens(':memory:');
  const sellers = createSellers({
    client: marketplace.clientFor(seller),
    tokens,
    refresh: () => Promise.reject(new Error('none')),
  });
  // It has ended, so the client asks for another one.
  await sellers.add({ user_id, accessToken: 'old', refreshToken: 'one', expiresAt: Date.now() - 1 });
  const outbox = outboxOf({ clientFor: sellers.for });
  await (part === 'the sellers' ? sellers.close() : tokens.close?.());
  await outbox.add(job);
  await outbox.idle();
  expect(await outbox.get(job.key)).toMatchObject({ state: 'waiting', failures: 0 });
  expect(sent()).toEqual([]);
  await outbox.close();
  await tokens.close?.();
});
