import type { SellerClient } from 'marketplace-seller-sdk';
import { endpoints } from 'marketplace-seller-sdk/schemas';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteRecords, withoutUnknown } from '../../src/work/writes.js';
import { runWithWrites, withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, receiving } from '../support/stubs.ts';

const { send } = endpoints.messages;

// The clocks stand still until the test moves them.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A sale whose handler runs again and again, each time in a new process; `stored` is what survives. */
function createSale({ hasBuyerWritten = true } = {}) {
  const { marketplace, seller, buyer_id } = createMarketplace();
  const pack = marketplace.addPack({ seller_id: seller.user_id, buyer_id });
  const buyerWrites = (): unknown => marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  if (hasBuyerWritten) buyerWrites();
  const sale = { pack_id: String(pack.pack_id), user_id: seller.user_id, to: { user_id: buyer_id } };
  const stored: { writes: readonly WriteRecord[]; lost: boolean } = { writes: [], lost: false };
  let last: WriteRecords | undefined;
  return {
    marketplace,
    seller,
    sale,
    stored,
    lastRun: () => last,
    buyerWrites,
    /** From now on, the conversation shows an agent in the buyer's place. */
    agentTakesOver: () => void marketplace.packs.change(pack, { agent_id: 900 }),
    sent: () =>
      marketplace.messages
        .of(pack)
        .filter(({ from }) => from === seller.user_id)
        .map(({ text }) => text)
        .reverse(),
    reply: (client: SellerClient, text: string) => client.messages.send({ ...sale, text }),
    contact: (client: SellerClient, text: string) =>
      client.messages.contact({ pack_id: sale.pack_id, user_id: sale.user_id, text }),
    /** A minute passes, after which the service has given up what it has not carried out. */
    later: () => void vi.advanceTimersByTime(60_000),
    /** One run of the handler. Its records are stored when it ends, unless it is killed. */
    async run(handle: (client: SellerClient) => Promise<unknown>) {
      const records = (last = new WriteRecords({
        writes: JSON.parse(JSON.stringify(stored.writes)) as WriteRecord[],
        note: async (writes) => {
          if (stored.lost) throw new Error('The lease is lost');
          stored.writes = JSON.parse(JSON.stringify(writes)) as WriteRecord[];
        },
      }));
      // A `fetch` of its own stands for another process: it does not know what this one has sent.
      const fetch = receiving((request) => marketplace.fetch(request));
      const client = withWriteHook(marketplace.clientFor(seller, { fetch, maxRetries: 0 }), records);
      const end = (): void => void (stored.writes = JSON.parse(JSON.stringify(records.writes)) as WriteRecord[]);
      return handle(client).finally(end);
    },
  };
}

test('a write that was carried out is not sent again, and the next run gets its output', async () => {
  const { run, reply, sent } = createSale();
  const first = await run((client) => reply(client, 'Today.'));
  const second = await run((client) => reply(client, 'Tomorrow, I think.'));
  expect(second).toEqual(JSON.parse(JSON.stringify(first)));
  expect(sent()).toEqual(['Today.']);
});

test.each([
  ['before', ['Tomorrow, I think.']],
  ['after', ['Today.']],
] as const)('a response that is lost %s the write was carried out: the next run reads back', async (reset, texts) => {
  const { marketplace, run, reply, sent, stored, later } = createSale();
  marketplace.faults.inject({ reset, endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  expect(stored.writes).toMatchObject([{ state: 'sent' }]);
  later();
  await run((client) => reply(client, 'Tomorrow, I think.'));
  expect(sent()).toEqual(texts);
  expect(stored.writes).toMatchObject([{ state: 'done', output: { text: texts[0] } }]);
});

test('what the service may still be processing waits, without an attempt', async () => {
  const { marketplace, run, reply, sent, lastRun } = createSale();
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  const error = await errorOf(run((client) => reply(client, 'Today.')));
  expect(error).toMatchObject({ name: 'EarlierWriteOpenError', isLasting: false });
  expect((error as unknown as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(20_000);
  expect(lastRun()?.stoppedBy).toBe(error);
  expect(sent()).toEqual([]);
});

test('how long it waits is a whole number of milliseconds, also with a timeout that is none', async () => {
  const { marketplace, run, sale } = createSale();
  const message = { ...sale, text: 'Today.' };
  const reply = (client: SellerClient) => client.withOptions({ timeoutMs: 20_000.4 }).messages.send(message);
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  await errorOf(run(reply));
  const error = await errorOf(run(reply));
  expect(error).toMatchObject({ name: 'EarlierWriteOpenError' });
  expect((error as unknown as { retryAfterMs: number }).retryAfterMs).toSatisfy(Number.isInteger);
});

test('what nothing proves is left for a person, who lets it be sent again', async () => {
  const { marketplace, seller, run, reply, sent, stored, later } = createSale();
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  // Somebody else wrote: it may be this text, rewritten.
  await reply(marketplace.clientFor(seller), 'Hello!');
  later();
  const error = await errorOf(run((client) => reply(client, 'Today.')));
  expect(error).toMatchObject({ name: 'EarlierWriteUnknownError', isLasting: true, outcomeUnknown: true });
  stored.writes = withoutUnknown(stored.writes);
  await run((client) => reply(client, 'Today.'));
  expect(sent()).toEqual(['Today.', 'Hello!']);
});

test('without its lease, a handler sends nothing', async () => {
  const { run, reply, sent, stored } = createSale();
  stored.lost = true;
  await expect(run((client) => reply(client, 'Today.'))).rejects.toThrow('The lease is lost');
  expect(sent()).toEqual([]);
});

test('a reading back that fails is no result: the next run reads again', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ reset: 'after', endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  marketplace.faults.inject({ reset: 'before', endpoint: endpoints.messages.conversation });
  const failed = await errorOf(run((client) => reply(client, 'Today.')));
  expect(failed.name).toBe('ConnectionError');
  expect(stored.writes).toMatchObject([{ state: 'sent' }]);
  await run((client) => reply(client, 'Today.'));
  expect(sent()).toEqual(['Today.']);
});

test('a rejected write keeps its place and is sent again', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ status: 400, endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  expect(stored.writes).toMatchObject([{ state: 'rejected' }]);
  await run((client) => reply(client, 'Tomorrow.'));
  expect(stored.writes).toMatchObject([{ state: 'done', input: { text: 'Tomorrow.' } }]);
  expect(sent()).toEqual(['Tomorrow.']);
});

test('a rejected write that could not be noted keeps its place, also in the same run', async () => {
  const { marketplace, run, reply, sent, stored } = createSale();
  marketplace.faults.inject({ status: 400, endpoint: send });
  await errorOf(run((client) => reply(client, 'Today.')));
  await run(async (client) => {
    stored.lost = true;
    await expect(reply(client, 'Today.')).rejects.toThrow('The lease is lost');
    stored.lost = false;
    return reply(client, 'Today.');
  });
  expect(stored.writes).toMatchObject([{ state: 'done', input: { text: 'Today.' } }]);
  expect(stored.writes).toHaveLength(1);
  expect(sent()).toEqual(['Today.']);
});

test.each([
  ['the same text', 'Today.', ['done']],
  ['another text', 'Tomorrow.', ['rejected', 'done']],
])(
  'a second write of one run, with %s as a rejected one, has its place or one of its own: %s, %j',
  async (_, text, states) => {
    const { marketplace, run, reply, sent, stored } = createSale();
    marketplace.faults.inject({ status: 400, endpoint: send });
    await run(async (client) => {
      await errorOf(reply(client, 'Today.'));
      return reply(client, text);
    });
    expect(stored.writes.map(({ state }) => state)).toEqual(states);
    expect(sent()).toEqual([text]);
  },
);

test('two writes of a handler are two, in any order and also if they are equal', async () => {
  const { run, reply, sent } = createSale();
  const both = (texts: readonly string[]) => (client: SellerClient) =>
    Promise.all(texts.map((text) => reply(client, text)));
  await run(both(['Hello!', 'Hello!', 'It leaves today.']));
  await run(both(['It leaves today.', 'Hello!', 'Hi!']));
  expect(sent().sort()).toEqual(['Hello!', 'Hello!', 'It leaves today.']);
});

test('clients that are derived have the hook, and reads and uploads are not noted', async () => {
  const { run, reply, stored } = createSale();
  await run(async (client) => {
    await client.messages.upload({ site_id: 'MLA', file: new Uint8Array([1]), filename: 'a.pdf' });
    await reply(client.withOptions({ timeoutMs: 20_000 }), 'Today.');
  });
  expect(stored.writes.map(({ endpoint }) => endpoint)).toEqual(['messages.send']);
});

test('a client that a handler did not get from its run is bound to it, until the run has ended', async () => {
  const { marketplace, seller, reply, sent } = createSale();
  const client = marketplace.clientFor(seller);
  const noted: string[][] = [];
  const textOf = ({ input }: WriteRecord): string => (input as { text: string }).text;
  const records = new WriteRecords({
    writes: [],
    note: async (writes) => void noted.push(writes.map(textOf)),
  });
  let afterwards: Promise<unknown> | undefined;
  const over = Promise.withResolvers<undefined>();
  await runWithWrites(records, undefined, async () => {
    await reply(client, 'In the run.');
    afterwards = over.promise.then(() => reply(client, 'After it.'));
  });
  over.resolve(undefined);
  await afterwards;
  await reply(client, 'Outside.');
  expect(noted).toEqual([['In the run.']]);
  expect(sent()).toEqual(['Outside.', 'After it.', 'In the run.']);
});

test.each([undefined, 'after'] as const)(
  'a hook knows how a write ended before its call does: reset %s',
  async (reset) => {
    const { marketplace, seller, sale } = createSale();
    if (reset) marketplace.faults.inject({ reset, endpoint: send });
    const steps: string[] = [];
    const end = (): Promise<void> =>
      new Promise((resolve) => setImmediate(resolve)).then(() => void steps.push('hook'));
    const begin = async () => ({ isDone: false as const, id: 'a', beforeSend: async () => undefined, end });
    const client = withWriteHook(marketplace.clientFor(seller, { maxRetries: 0 }), { begin });
    await client.messages.send({ ...sale, text: 'Hello!' }).catch(() => undefined);
    expect([...steps, 'call']).toEqual(['hook', 'call']);
  },
);

test('while an equal write of another entry may still be sent, the run waits: the message may be its own', async () => {
  const { marketplace, seller, run, reply, sent, stored, later } = createSale();
  marketplace.faults.inject({ reset: 'before', endpoint: send });
  await errorOf(run((client) => reply(client, 'Hello!')));
  later();
  await reply(marketplace.clientFor(seller), 'Hello!');
  const other: WriteRecord = { ...stored.writes[0]!, id: 'of-another-entry', sentAt: Date.now() - 10 };
  const book = { look: async () => [other], claim: async () => true };
  const records = new WriteRecords({ writes: stored.writes, note: async () => undefined, book });
  const fetch = receiving((request) => marketplace.fetch(request));
  const client = withWriteHook(marketplace.clientFor(seller, { fetch }), records);
  expect((await errorOf(reply(client, 'Hello!'))).name).toBe('EarlierWriteOpenError');
  expect(sent()).toEqual(['Hello!']);
});

test('an entry that another process takes between the look and the claim is looked for again', async () => {
  const { marketplace, seller, run, reply, sent, stored, later } = createSale();
  marketplace.faults.inject({ reset: 'after', endpoint: send });
  await errorOf(run((client) => reply(client, 'Hello!')));
  await reply(marketplace.clientFor(seller), 'Hello!');
  later();
  const claims: string[] = [];
  const book = { look: async () => [], claim: async (name: string) => claims.push(name) > 1 };
  const records = new WriteRecords({ writes: stored.writes, note: async () => undefined, book });
  await reply(withWriteHook(marketplace.clientFor(seller), records), 'Hello!');
  expect([claims.length, sent()]).toEqual([2, ['Hello!', 'Hello!']]);
});

const option = endpoints.actionGuide.send;
const lost = 'Thank you!';

test.each([
  ['was carried out', undefined, [lost]],
  ['was rejected', { status: 400 }, ['Welcome!']],
  ['was lost before the service got it', { reset: 'before' }, ['Welcome!']],
  ['was carried out, and its response was lost', { reset: 'after' }, [lost]],
] as const)('a first message that %s, then the buyer writes: one message', async (_, fault, texts) => {
  const { marketplace, run, contact, buyerWrites, sent, stored, later } = createSale({ hasBuyerWritten: false });
  if (fault) marketplace.faults.inject({ ...fault, endpoint: option });
  await errorOf(
    run(async (client) => {
      await contact(client, lost);
      throw new Error('The handler fails afterwards');
    }),
  );
  buyerWrites();
  later();
  await run((client) => contact(client, 'Welcome!'));
  await run((client) => contact(client, 'Welcome!'));
  expect(sent()).toEqual(texts);
  expect(stored.writes.every(({ state }) => state !== 'sent')).toBe(true);
});

test('a first message that may still be carried out, then the buyer writes: the run waits', async () => {
  const { marketplace, run, contact, buyerWrites, sent } = createSale({ hasBuyerWritten: false });
  marketplace.faults.inject({ reset: 'before', endpoint: option });
  await errorOf(run((client) => contact(client, lost)));
  buyerWrites();
  expect((await errorOf(run((client) => contact(client, lost)))).name).toBe('EarlierWriteOpenError');
  expect((await errorOf(run((client) => contact(client, lost)))).name).toBe('EarlierWriteOpenError');
  expect(sent()).toEqual([]);
});

test('an option and a message of one handler are two writes', async () => {
  const { run, contact, reply, buyerWrites, sent } = createSale({ hasBuyerWritten: false });
  const both = async (client: SellerClient): Promise<void> => {
    await contact(client, lost);
    buyerWrites();
    await reply(client, 'It leaves today.');
  };
  await run(both);
  expect(sent()).toEqual(['It leaves today.', lost]);
  await run(both);
  expect(sent()).toEqual(['It leaves today.', lost]);
});

test.each([
  [{ reset: 'after' }, ['Today.']],
  [{ reset: 'before' }, ['Tomorrow.']],
  [{ status: 400 }, ['Tomorrow.']],
] as const)('a reply, %o, and the next run finds an agent in place of the buyer: one message', async (fault, texts) => {
  const { marketplace, run, contact, sent, later, agentTakesOver } = createSale();
  marketplace.faults.inject({ ...fault, endpoint: send });
  await errorOf(run((client) => contact(client, 'Today.')));
  agentTakesOver();
  later();
  await run((client) => contact(client, 'Tomorrow.'));
  await run((client) => contact(client, 'On Friday.'));
  expect(sent()).toEqual(texts);
});

test('a message that was rejected because of its receiver is sent to another one', async () => {
  const { run, sale, sent } = createSale();
  const sendTo = (user_id: number) => (client: SellerClient) =>
    client.messages.send({ ...sale, to: { user_id }, text: 'Today.' });
  expect((await errorOf(run(sendTo(999_999)))).name).toBe('ReceiverNotInOrderError');
  await run(sendTo(sale.to.user_id));
  expect(sent()).toEqual(['Today.']);
});
