import type { ClientOptions, SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { expect, test } from 'vitest';
import { WriteRecords, withoutUnknown } from '../../src/core/recover/write-records.js';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf } from '../support/stubs.ts';

const { send } = endpoints.messages;

/** A sale whose handler runs again and again, each time in a new process; `stored` is what survives. */
function createSale() {
  const { marketplace, seller, buyer_id } = createMarketplace();
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const sale = { pack_id: String(pack.pack_id), user_id: seller.user_id, to: { user_id: buyer_id } };
  const stored: { writes: readonly WriteRecord[]; lost: boolean } = { writes: [], lost: false };
  return {
    marketplace,
    stored,
    sent: () =>
      marketplace.messages
        .of(pack)
        .filter(({ from }) => from === seller.user_id)
        .map(({ text }) => text)
        .reverse(),
    reply: (client: SellerClient, text: string) => client.messages.send({ ...sale, text }),
    /** One run of the handler. Its records are stored when it ends, unless it is killed. */
    async run(handle: (client: SellerClient) => Promise<unknown>, options: Partial<ClientOptions> = {}) {
      const records = new WriteRecords({
        writes: JSON.parse(JSON.stringify(stored.writes)) as WriteRecord[],
        note: async (writes) => {
          if (stored.lost) throw new Error('The lease is lost');
          stored.writes = JSON.parse(JSON.stringify(writes)) as WriteRecord[];
        },
      });
      // A `fetch` of its own stands for another process: it does not know what this one has sent.
      const fetch = (request: Request): Promise<Response> => marketplace.fetch(request);
      const client = withWriteHook(
        marketplace.clientFor(seller, { fetch, maxRetries: 0, timeoutMs: 1, ...options }),
        records,
      );
      const end = (): void => void (stored.writes = JSON.parse(JSON.stringify(records.writes)) as WriteRecord[]);
      return { records, result: handle(client).finally(end) };
    },
  };
}

const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('a write that was carried out is not sent again, and the next run gets its output', async () => {
  const { run, reply, sent } = createSale();
  const first = await (await run((client) => reply(client, 'Today.'))).result;
  const second = await (await run((client) => reply(client, 'Tomorrow, I think.'))).result;
  expect(second).toEqual(JSON.parse(JSON.stringify(first)));
  expect(sent()).toEqual(['Today.']);
});

test.each([
  ['before', ['Tomorrow, I think.']],
  ['after', ['Today.']],
] as const)('a response that is lost %s the write was carried out: the next run reads back', async (reset, texts) => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ reset, endpoint: send });
  await errorOf((await run((client) => reply(client, 'Today.'), { timeoutMs: 30_000 })).result);
  expect(stored.writes).toMatchObject([{ state: 'sent' }]);
  await later();
  await (
    await run((client) => reply(client, 'Tomorrow, I think.'))
  ).result;
  expect(sent()).toEqual(texts);
  expect(stored.writes).toMatchObject([{ state: 'done', output: { text: texts[0] } }]);
});

test('what the service may still be processing waits, without an attempt', async () => {
  const { marketplace, run, reply, sent } = createSale();
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  const options = { timeoutMs: 30_000 };
  await errorOf((await run((client) => reply(client, 'Today.'), options)).result);
  const { records, result } = await run((client) => reply(client, 'Today.'), options);
  const error = await errorOf(result);
  expect(error).toMatchObject({ name: 'EarlierWriteOpenError', isPermanent: false });
  expect((error as unknown as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(20_000);
  expect(records.stoppedBy).toBe(error);
  expect(sent()).toEqual([]);
});

test('what nothing proves is left for a person, who lets it be sent again', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  await errorOf((await run((client) => reply(client, 'Today.'), { timeoutMs: 30_000 })).result);
  // Somebody else wrote: it may be this text, rewritten.
  await reply(
    marketplace.clientFor({
      user_id: stored.writes.length ? (stored.writes[0]!.input as { user_id: number }).user_id : 0,
    }),
    'Hello!',
  );
  await later();
  const error = await errorOf((await run((client) => reply(client, 'Today.'))).result);
  expect(error).toMatchObject({ name: 'EarlierWriteUnknownError', isPermanent: true, outcomeUnknown: true });
  stored.writes = withoutUnknown(stored.writes);
  await (
    await run((client) => reply(client, 'Today.'))
  ).result;
  expect(sent()).toEqual(['Hello!', 'Today.']);
});

test('without its lease, a handler sends nothing', async () => {
  const { run, reply, sent, stored } = createSale();
  stored.lost = true;
  await expect((await run((client) => reply(client, 'Today.'))).result).rejects.toThrow('The lease is lost');
  expect(sent()).toEqual([]);
});

test('a reading back that fails is no result: the next run reads again', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ reset: 'after', endpoint: send });
  await errorOf((await run((client) => reply(client, 'Today.'), { timeoutMs: 30_000 })).result);
  marketplace.faults.inject({ reset: 'before', endpoint: endpoints.messages.conversation });
  const failed = await errorOf((await run((client) => reply(client, 'Today.'), { timeoutMs: 30_000 })).result);
  expect(failed.name).toBe('ConnectionError');
  expect(stored.writes).toMatchObject([{ state: 'sent' }]);
  await (
    await run((client) => reply(client, 'Today.'))
  ).result;
  expect(sent()).toEqual(['Today.']);
});

test('a rejected write keeps its place and is sent again', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ status: 400, endpoint: send });
  await errorOf((await run((client) => reply(client, 'Today.'))).result);
  expect(stored.writes).toMatchObject([{ state: 'rejected' }]);
  await (
    await run((client) => reply(client, 'Tomorrow.'))
  ).result;
  expect(stored.writes).toMatchObject([{ state: 'done', input: { text: 'Tomorrow.' } }]);
  expect(sent()).toEqual(['Tomorrow.']);
});

test('two writes of a handler are two, in any order and also if they are equal', async () => {
  const { run, reply, sent } = createSale();
  const both = (texts: readonly string[]) => (client: SellerClient) =>
    Promise.all(texts.map((text) => reply(client, text)));
  await (
    await run(both(['Hello!', 'Hello!', 'It leaves today.']))
  ).result;
  await (
    await run(both(['It leaves today.', 'Hello!', 'Hi!']))
  ).result;
  expect(sent().sort()).toEqual(['Hello!', 'Hello!', 'It leaves today.']);
});

test('clients that are derived have the hook, and reads and uploads are not noted', async () => {
  const { run, reply, stored } = createSale();
  const { result } = await run(
    async (client) => {
      await client.messages.upload({ site_id: 'MLA', file: new Uint8Array([1]), filename: 'a.pdf' });
      await reply(client.withOptions({ timeoutMs: 20_000 }), 'Today.');
    },
    { timeoutMs: 30_000 },
  );
  await result;
  expect(stored.writes.map(({ target }) => target.split(' ')[0])).toEqual(['messages.send']);
});
