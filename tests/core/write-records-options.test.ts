import { endpoints } from 'marketplace-seller-sdk/schemas';
import type { Fetch, SellerClient } from 'marketplace-seller-sdk';
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

test.each([
  [other, 'before', 0],
  [other, 'after', 0],
  // The clock that noted it was ahead: the cap shows it.
  [other, 'after', 30_000],
  [billing, 'before', 0],
  [billing, 'after', 0],
] as const)(
  'the option %j, reset %s it was carried out, is sent once (noted %i ms later)',
  async (option, reset, laterMs) => {
    const { marketplace, seller, seller_id, buyer_id } = createMarketplace();
    const pack = marketplace.addPack({ seller_id, buyer_id });
    let writes: readonly WriteRecord[] = [];
    const run = (): Promise<unknown> => {
      const note = async (all: readonly WriteRecord[]): Promise<void> => void (writes = structuredClone(all));
      // A `fetch` of its own stands for another process.
      const fetch: Fetch = (url, init) => marketplace.fetch(url, init);
      const client = withWriteHook(
        marketplace.clientFor(seller, { fetch, maxRetries: 0 }),
        new WriteRecords({ writes, note }),
      );
      return client.actionGuide.send({ pack_id: String(pack.pack_id), ...option });
    };
    marketplace.faults.inject({ reset, endpoint: endpoints.actionGuide.send });
    await errorOf(run());
    writes = writes.map((write) => ({ ...write, sentAt: write.sentAt + laterMs }));
    aMinutePasses();
    expect(await run()).toMatchObject({ id: expect.any(String) as string });
    const sent = marketplace.messages.of(pack).filter(({ from }) => from === seller_id);
    expect(sent.map((message) => message.option)).toEqual([option.option_id]);
  },
);

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
