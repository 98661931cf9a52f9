import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Fetch, SendOptionParams, SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WriteRecords } from '../../src/work/writes.js';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { createMarketplace } from '../support/marketplace.ts';
import { errorOf, receiving } from '../support/stubs.ts';

// Both clocks stand still until a minute passes, after which the service has given up what it has not carried out.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());
const aMinutePasses = (): unknown => vi.advanceTimersByTime(60_000);

const billing = { option_id: 'REQUEST_BILLING_INFO', template_id: 'TEMPLATE___REQUEST_BILLING_INFO___1' } as const;
const other = { option_id: 'OTHER', text: 'It leaves today.' } as const;

/** A sale in which the seller writes first, by a handler whose response is lost once. */
async function sendTwice(
  option: typeof billing | typeof other,
  reset: 'before' | 'after',
  between: (client: SellerClient, sale: { pack_id: string; user_id: number; buyer_id: number }) => unknown = () =>
    undefined,
  notedLaterMs = 0,
) {
  const { marketplace, seller, seller_id, buyer_id } = createMarketplace();
  const pack = marketplace.addPack({ seller_id, buyer_id });
  const pack_id = String(pack.pack_id);
  const input: SendOptionParams = { pack_id, ...option };
  const { fetch } = marketplace;
  let writes: readonly WriteRecord[] = [];
  const run = (): Promise<unknown> => {
    const note = async (all: readonly WriteRecord[]): Promise<void> =>
      void (writes = JSON.parse(JSON.stringify(all)) as WriteRecord[]);
    const process: Fetch = (url, init) => fetch(url, init);
    const client = marketplace.clientFor(seller, { fetch: process, maxRetries: 0 });
    return withWriteHook(client, new WriteRecords({ writes, note })).actionGuide.send(input);
  };
  marketplace.faults.inject({ reset, endpoint: endpoints.actionGuide.send });
  await errorOf(run());
  await between(marketplace.clientFor(seller), { pack_id, user_id: seller_id, buyer_id });
  writes = writes.map((write) => ({ ...write, sentAt: write.sentAt + notedLaterMs }));
  aMinutePasses();
  const result = await run().catch((error: unknown) => error);
  const messages = marketplace.messages.of(pack).filter(({ from }) => from === seller_id);
  return { result, options: messages.map((message) => message.option) };
}

test.each(['before', 'after'] as const)(
  'an option with a text, reset %s it was carried out, is sent once',
  async (reset) => {
    const { result, options } = await sendTwice(other, reset);
    expect(result).toMatchObject({ text: other.text });
    expect(options).toEqual(['OTHER']);
  },
);

test.each(['before', 'after'] as const)(
  'a template, reset %s it was carried out, is sent once: the cap shows it',
  async (reset) => {
    const { result, options } = await sendTwice(billing, reset);
    expect(result).toMatchObject({ id: expect.any(String) as string });
    expect(options).toEqual(['REQUEST_BILLING_INFO']);
  },
);

test('an option with a text is found by its cap where the clock that noted it was ahead', async () => {
  const { result, options } = await sendTwice(other, 'after', undefined, 30_000);
  expect(result).toMatchObject({ text: other.text });
  expect(options).toEqual(['OTHER']);
});

test('a template is not taken for sent because of another option', async () => {
  const { options } = await sendTwice(billing, 'before', (client, { pack_id }) =>
    client.actionGuide.send({ pack_id, ...other }),
  );
  expect(options.toSorted()).toEqual(['OTHER', 'REQUEST_BILLING_INFO']);
});

test('where neither the text nor the cap proves anything, a person has to look', async () => {
  const { result, options } = await sendTwice(billing, 'after', (client, { pack_id }) =>
    client.actionGuide.send({ pack_id, ...other }),
  );
  expect(result).toMatchObject({ name: 'EarlierWriteUnknownError' });
  expect(options.toSorted()).toEqual(['OTHER', 'REQUEST_BILLING_INFO']);
});

test.each(['an option', 'a message'])(
  '%s that was not carried out is not taken for an equal one through the other channel, which is being sent',
  async (lost) => {
    const { marketplace, seller, seller_id, buyer_id } = createMarketplace();
    const pack = marketplace.addPack({ seller_id, buyer_id });
    let respond = (): void => undefined;
    const isReceived = new Promise<void>((resolve) => (respond = resolve));
    const fetch = receiving(async (request) => {
      const response = await marketplace.fetch(request);
      if (request.method === 'POST') await isReceived;
      return response;
    });
    const client = marketplace.clientFor(seller, { fetch, maxRetries: 0 });
    const contact = (by: SellerClient): Promise<unknown> =>
      by.messages.contact({ pack_id: String(pack.pack_id), user_id: seller_id, text: other.text });
    const own = (): number => marketplace.messages.of(pack).filter(({ from }) => from === seller_id).length;
    let writes: readonly WriteRecord[] = [];
    const run = (): Promise<unknown> => {
      const records = new WriteRecords({ writes, note: async (all) => void (writes = all) });
      return contact(withWriteHook(client, records));
    };
    const isLost = async (): Promise<void> => {
      const endpoint = lost === 'an option' ? endpoints.actionGuide.send : endpoints.messages.send;
      marketplace.faults.inject({ reset: 'before', endpoint });
      await errorOf(run());
      aMinutePasses();
    };
    const isBeingSent = async (): Promise<{ readonly end: Promise<unknown> }> => {
      const end = contact(client);
      await vi.waitFor(() => expect(own()).toBe(1));
      return { end };
    };

    if (lost === 'an option') await isLost();
    const before = lost === 'a message' ? await isBeingSent() : undefined;
    marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
    if (lost === 'a message') await isLost();
    const { end } = before ?? (await isBeingSent());
    expect((await errorOf(run())).name).toBe('EarlierWriteOpenError');
    respond();
    await end;
    await run();
    expect(own()).toBe(2);
  },
);
