import { createInbox } from 'marketplace-seller-sdk/inbox';
import type { InboxOptions } from 'marketplace-seller-sdk/inbox';
import { createOutbox } from 'marketplace-seller-sdk/outbox';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { describe, expect, test } from 'vitest';
import { engines } from '../support/inbox-engines.ts';
import { silentLogger } from '../support/silent.ts';

// Two services have equal ids, and one store keeps the work of one of them.

type Place = NonNullable<InboxOptions['store']>;
const [first, second] = ['https://api.one.example', 'https://api.two.example/v1'];

/** An application of a service, with the seller 7 and questions whose ids another service has too. */
function application(baseUrl: string, store: Place, more: Partial<InboxOptions> = {}) {
  const marketplace = new FakeMarketplace();
  const [account, buyer] = [marketplace.addUser({ user_id: 7 }), marketplace.addUser({ user_id: 31 })];
  const pack = marketplace.addPack({ seller_id: 7, buyer_id: 31 });
  const { pack_id } = pack;
  marketplace.buyerWrites({ pack, text: 'When does it leave?' });
  marketplace.addItem({ seller_id: 7, item_id: 'MLA1' });
  const ids = Array.from({ length: 5 }, () => marketplace.ask({ from: buyer, item_id: 'MLA1', text: 'Is it new?' }).id);
  const fetch = async (url: string, init?: RequestInit): Promise<Response> =>
    marketplace.fetch(url.replace(baseUrl, marketplace.baseUrl), init);
  const client = marketplace.clientFor(account, { baseUrl, fetch });
  const clientFor = (user_id: number) => (user_id === 7 ? client : undefined);
  const handled: number[] = [];
  const errors: string[] = [];
  const log = (message: string, fields?: unknown): void => void errors.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { ...silentLogger, error: log };
  const on: InboxOptions['on'] = { questions: async (_, { read }) => void handled.push((await read()).id) };
  const inbox = createInbox({ store, clientFor, on, logger, ...more });
  const deliver = async (): Promise<number[]> => {
    const statuses = ids.map(async (id) => {
      const body = async () => ({ user_id: 7, topic: 'questions', resource: `/questions/${id}` });
      return (await inbox.receive({ method: 'POST', header: () => null, body })).status;
    });
    return Promise.all(statuses);
  };
  const outbox = () => createOutbox({ store, clientFor, logger: silentLogger });
  const job = { key: 'thanks', user_id: 7, contact: { pack_id: pack_id!, user_id: 7, text: 'Thank you.' } };
  return { inbox, outbox, deliver, handled, ids, errors, job };
}

const otherService = {
  name: 'ConfigurationError',
  message: `The store keeps the work of ${first}, and clientFor returned a client of ${second}: equal ids would be taken for one another; use another store, or, if the service has moved, call start({ movedFrom: '${first}' })`,
};

describe.for([...engines()])('in $name', ({ isThere, open }) => {
  test.runIf(isThere)(
    'an inbox of another service does not start, is given no notification, and handles none',
    async () => {
      const store = await open();
      const one = application(first, store);
      const two = application(second, store);
      expect(two.ids).toEqual(one.ids);
      await one.inbox.start();
      expect(await one.deliver()).toEqual(one.ids.map(() => 200));
      await one.inbox.idle();
      expect(one.handled.toSorted()).toEqual(one.ids);
      await expect(two.inbox.start()).rejects.toMatchObject(otherService);
      expect(await two.deliver()).toEqual(two.ids.map(() => 503));
      await two.inbox.idle();
      expect(two.handled).toEqual([]);
      expect(two.errors.join()).toContain('use another store');
      await two.inbox.close();
      await one.inbox.close();
    },
  );

  test.runIf(isThere)(
    'without start(), the first delivery shows it, and what the other stored is not touched',
    async () => {
      const store = await open();
      const one = application(first, store, { handle: false, on: undefined });
      const two = application(second, store);
      // Tables are created: a delivery waits for 400 ms.
      await one.inbox.stats();
      expect(await one.deliver()).toEqual(one.ids.map(() => 200));
      expect(await two.deliver()).toEqual(two.ids.map(() => 503));
      await expect(two.inbox.add({ user_id: 7, topic: 'questions', resource: '/questions/1' })).rejects.toMatchObject(
        otherService,
      );
      expect((await two.inbox.catchUp({ user_ids: [7] })).failed).toMatchObject([{ error: otherService }]);
      expect(await two.inbox.stats()).toMatchObject({ waiting: 5, dead: 0 });
      expect(two.handled).toEqual([]);
      await two.inbox.close();
      await one.inbox.close();
    },
  );

  test.runIf(isThere)(
    'an outbox of another service neither starts nor adds, and one that has moved does both',
    async () => {
      const store = await open();
      const one = application(first, store);
      const two = application(second, store);
      const sending = one.outbox();
      void sending.start();
      await sending.add(one.job);
      expect((await sending.settled('thanks')).state).toBe('accepted');
      const other = two.outbox();
      await expect(other.start()).rejects.toMatchObject(otherService);
      await expect(other.add({ ...two.job, key: 'two' })).rejects.toMatchObject(otherService);
      await other.close();
      const wrong = two.outbox();
      await expect(wrong.start({ movedFrom: 'https://api.three.example' })).rejects.toMatchObject(otherService);
      await wrong.close();
      const moved = two.outbox();
      await moved.start({ movedFrom: `${first}/` });
      expect((await moved.add(two.job)).state).toBe('accepted');
      await moved.add({ ...two.job, key: 'two' });
      expect((await moved.settled('two')).state).toBe('accepted');
      // A deploy goes on for a while with processes of both, and may be undone; the option is needed once.
      for (const again of [one.outbox(), two.outbox()]) {
        await again.start();
        await again.close();
      }
      await moved.close();
      await sending.close();
      await one.inbox.close();
      await two.inbox.close();
    },
  );
});

test('clients of one base URL are of one service, however it is written', async () => {
  const store = memoryStore();
  const all = [first, `${first}/`, 'https://API.one.example:443'].map((url) => application(url, store).outbox());
  for (const outbox of all) await outbox.start();
  for (const outbox of all) await outbox.close();
});

test('of two services that start at once in one store, one does', async () => {
  const store = memoryStore();
  const all = [first, second].map((url) => application(url, store, { sellers: [7] }).inbox);
  const started = await Promise.allSettled(all.map(async (each) => each.start()));
  expect(started).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: otherService }]);
  for (const each of all) await each.close();
});

test.for(['', 'api.one.example', 7, null])('movedFrom is a base URL, not %s', (movedFrom) => {
  const options = { store: memoryStore(), clientFor: () => undefined };
  const message = '`movedFrom` takes the base URL that the service had';
  for (const each of [createOutbox(options), createInbox({ ...options, fallback: () => undefined })])
    expect(() => each.start({ movedFrom } as never)).toThrow(message);
});
