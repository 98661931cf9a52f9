import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { createOutbox, openOutbox } from 'marketplace-seller-sdk/outbox';
import type { OutboxOptions } from 'marketplace-seller-sdk/outbox';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/inbox-engines.ts';
import { createSale } from '../support/marketplace.ts';
import { silentLogger } from '../support/silent.ts';

// An outbox on every engine: memory, SQLite, PostgreSQL and BullMQ.

describe.for([...engines()])('an outbox in $name', ({ isThere, open }) => {
  /** A seller whose buyer has written, and an outbox. */
  async function shop(options: Partial<OutboxOptions> = {}) {
    const { marketplace, seller, buyer, user_id, message, ...sale } = createSale('Could I have an invoice?');
    const { pack_id } = message;
    const client = marketplace.clientFor(seller, { maxRetries: 0 });
    const told: unknown[] = [];
    const store = await open();
    const outbox = createOutbox({
      store,
      clientFor: () => client,
      logger: silentLogger,
      retry: { firstDelayMs: 100, maxDelayMs: 100 },
      onSuccess: ({ entry }) => told.push(['accepted', entry.key]),
      onRejection: ({ entry, reason }) => told.push(['rejected', entry.pack_id, reason]),
      onFailure: ({ entry, dead }) => dead && told.push(['dead', entry.key]),
      ...options,
    });
    outbox.start();
    const { send } = endpoints.messages;
    const add = (key: string, text = key) => outbox.add({ key, user_id, endpoint: send, input: { ...message, text } });
    const sent = () => sale.sent().map(({ text }) => text);
    return { marketplace, seller, buyer, client, store, outbox, told, user_id, pack_id, send, add, sent };
  }

  test.runIf(isThere)('sends each job once, also when a response is lost, and keeps what it came to', async () => {
    const { marketplace, outbox, told, send, add, sent } = await shop();
    marketplace.faults.inject({ endpoint: send, reset: 'after', times: 1 });
    for (const key of ['one', 'two', 'one']) await add(key, 'Thank you!');
    await expect(add('one', 'Thanks.')).rejects.toThrow('was added before with another input');
    await expect.poll(() => outbox.stats()).toMatchObject({ waiting: 0, accepted: 2 });
    expect(sent()).toEqual(['Thank you!', 'Thank you!']);
    expect(told.toSorted()).toEqual([
      ['accepted', 'one'],
      ['accepted', 'two'],
    ]);
    expect(await outbox.get('one')).toMatchObject({ state: 'accepted', outputs: [{ text: 'Thank you!' }] });
    expect(await outbox.list({ state: 'accepted' })).toHaveLength(2);
    await add('one', 'Thank you!');
    await outbox.idle();
    expect(sent()).toHaveLength(2);
    await outbox.close();
  });

  test.runIf(isThere)('lists and removes what moderation rejected, and replays what was given up', async () => {
    const { marketplace, store, outbox, told, pack_id, send, add, sent } = await shop({ concurrency: 1 });
    await add('first', 'Call me at +54 11 4321-5678');
    await outbox.idle();
    await add('second', 'Write to a@example.com');
    await outbox.idle();
    marketplace.faults.inject({ endpoint: send, status: 403, times: 1 });
    await add('third', 'It leaves today.');
    await outbox.idle();
    expect(told).toEqual([
      ['rejected', pack_id, 'PERSONAL_DATA'],
      ['rejected', pack_id, 'PERSONAL_DATA'],
      ['dead', 'third'],
    ]);
    const stored = openOutbox(store);
    expect((await stored.rejected.list()).map(({ entry }) => entry.key)).toEqual(['first', 'second']);
    expect(await stored.rejected.list({ limit: 1 })).toMatchObject([{ entry: { pack_id }, reason: 'PERSONAL_DATA' }]);
    expect(await stored.rejected.remove('first')).toBe(true);
    expect(await stored.rejected.remove('first')).toBe(false);
    expect(await stored.stats()).toMatchObject({ rejected: 1, dead: 1, waiting: 0 });
    await stored.close();
    expect(await outbox.deadLetters.list()).toMatchObject([{ entry: { key: 'third', pack_id }, attempts: 1 }]);
    expect(await outbox.deadLetters.replay('third')).toBe(true);
    await outbox.idle();
    expect(await outbox.get('third')).toMatchObject({ state: 'accepted' });
    expect(sent()).toContain('It leaves today.');
    await outbox.close();
  });

  test.runIf(isThere)('removes what has ended, whose key stays known until it is forgotten', async () => {
    const { marketplace, store, outbox, send, add, sent } = await shop();
    await add('accepted', 'Thank you!');
    await add('rejected', 'Call me at +54 11 4321-5678');
    await outbox.idle();
    marketplace.faults.inject({ endpoint: send, status: 403, times: 1 });
    await add('dead', 'It leaves today.');
    await outbox.idle();
    const texts = { accepted: 'Thank you!', rejected: 'Call me at +54 11 4321-5678', dead: 'It leaves today.' };
    const stored = openOutbox(store);
    expect(await stored.accepted.list()).toMatchObject([{ entry: { key: 'accepted' }, outputs: [{}] }]);
    const requests = sent().length;
    for (const [key, text] of Object.entries(texts)) {
      expect(await stored.remove(key)).toBe(true);
      expect(await stored.remove(key)).toBe(false);
      expect(await outbox.deadLetters.replay(key)).toBe(false);
      const status = await add(key, text);
      expect(status).toMatchObject({ entry: { key, steps: [] }, state: key, isReduced: true, outputs: [] });
      expect(JSON.stringify(status)).not.toContain(text);
      await expect(add(key, 'Another text')).rejects.toThrow(`was added before with another input, and is ${key}`);
    }
    await outbox.idle();
    expect(sent()).toHaveLength(requests);
    expect(await outbox.list()).toEqual([]);
    expect(await stored.stats()).toMatchObject({ accepted: 0, rejected: 0, dead: 0, waiting: 0 });
    expect(await stored.forget('accepted')).toBe(true);
    expect(await stored.forget('accepted')).toBe(false);
    expect(await outbox.get('accepted')).toBeUndefined();
    await stored.close();
    expect((await add('accepted', 'Another text')).isReduced).toBeUndefined();
    await outbox.idle();
    expect(sent()).toHaveLength(requests + 1);
    await outbox.close();
  });

  test.runIf(isThere)('takes the data of what ended long ago, and forgets its key later', async () => {
    const { outbox, add, sent, store, client, user_id } = await shop({ keep: { dataMs: 0, keysMs: 60_000 } });
    await add('one', 'Thank you!');
    await outbox.idle();
    await outbox.close();
    const later = createOutbox({ store, clientFor: () => client, logger: silentLogger, keep: { dataMs: 0 } });
    later.start();
    await expect.poll(() => later.get('one')).toMatchObject({ isReduced: true, state: 'accepted', entry: { user_id } });
    expect(await later.list()).toEqual([]);
    expect(sent()).toEqual(['Thank you!']);
    await later.close();
  });

  test.runIf(isThere)('retries now what waits, and removes it', async () => {
    const { marketplace, outbox, send, add, sent } = await shop({ retry: { firstDelayMs: 3_600_000 } });
    marketplace.faults.inject({ endpoint: send, status: 409, times: 2 });
    await add('one');
    await add('two');
    await outbox.idle();
    expect(await outbox.waiting.list()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
    expect(await outbox.waiting.remove('two')).toBe(true);
    expect(await outbox.waiting.retryNow('one')).toBe(true);
    await outbox.idle();
    expect(sent()).toEqual(['one']);
    expect(await outbox.get('two')).toBeUndefined();
    await outbox.close();
  });

  test.runIf(isThere)('shares its store with an inbox, whose notifications are not its jobs', async () => {
    const { marketplace, seller, buyer, client, store, outbox, add, sent } = await shop();
    const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
    const answered: number[] = [];
    const inbox = createInbox({
      store,
      clientFor: () => client,
      logger: silentLogger,
      on: { questions: ({ question_id }) => void answered.push(question_id) },
    });
    marketplace.notifications.subscribe({ callback: fetchHandler(inbox) });
    const { id } = marketplace.ask({ from: buyer, item_id, text: 'Is it new?' });
    await add('one');
    await marketplace.notifications.flush();
    await inbox.idle();
    await inbox.close();
    await outbox.settled('one');
    expect([answered, sent()]).toEqual([[id], ['one']]);
    await outbox.close();
  });
});
