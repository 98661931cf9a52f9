import { platform } from '#platform';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runWithWrites } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { MemoryLedger } from '../../src/work/memory.js';
import { RunWrites } from '../../src/work/writes.js';
import { createMarketplace } from '../support/marketplace.ts';
import { receiving } from '../support/stubs.ts';

// A process is killed while the service still carries out its write. Others take over, with other clocks.

const timeoutMs = 20_000;
const start = Date.UTC(2026, 2, 2, 12);
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'], now: start }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What the service says of its time. */
type Dates = 'right' | 'an hour ahead' | 'none' | 'still';

function createSale(dates: Dates) {
  const { marketplace, seller, seller_id, buyer_id } = createMarketplace();
  const pack = marketplace.addPack({ seller_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const sale = { pack_id: String(pack.pack_id), user_id: seller_id, to: { user_id: buyer_id }, text: 'Today.' };
  const startedAt = performance.now();
  const trueNow = (): number => start + performance.now() - startedAt;
  const dateOf: Record<Dates, () => number | undefined> = {
    right: trueNow,
    'an hour ahead': () => trueNow() + 3_600_000,
    none: () => undefined,
    still: () => start,
  };
  const dated = (response: Response): Response => {
    response.headers.delete('date');
    const date = dateOf[dates]();
    if (date !== undefined) response.headers.set('date', new Date(date).toUTCString());
    return response;
  };
  /** By the job. */
  const stored = new Map<string, readonly WriteRecord[]>();
  const ledger = new MemoryLedger();
  const held: (() => Promise<unknown>)[] = [];
  const signal = new AbortController().signal;
  /** A process whose clock is ahead by so much. Its memory is lost when it ends. All jobs send the same. */
  function createProcess(aheadMs: number, job = 'a') {
    const memory = new Map<object, unknown>();
    const run = async (fetch: (request: Request) => Promise<Response>, reads = true): Promise<unknown> => {
      vi.setSystemTime(trueNow() + aheadMs);
      vi.spyOn(platform, 'memory').mockReturnValue(memory);
      const options = { fetch: receiving(fetch), maxRetries: 0, timeoutMs };
      const client = marketplace.clientFor(seller, options);
      if (reads) await client.messages.conversation({ pack_id: sale.pack_id, user_id: seller_id }).first();
      const note = async (writes: readonly WriteRecord[]): Promise<boolean> =>
        Boolean(stored.set(job, structuredClone(writes) as WriteRecord[]));
      const { records } = new RunWrites({
        writes: stored.get(job) ?? [],
        note,
        ledger,
        failed: () => undefined,
        signal,
      });
      return runWithWrites(records, client, (hooked) => hooked.messages.send(sale)).catch((error: unknown) => error);
    };
    const respond = async (request: Request): Promise<Response> => dated(await marketplace.fetch(request));
    return {
      /** Handles the sale. */
      handle: (reads?: boolean) => run(respond, reads),
      /** Handles the sale until its message has left, and is killed. The service carries it out at `land`, if ever. */
      async isKilled(reads?: boolean): Promise<void> {
        const isSent = new Promise<void>((resolve) => {
          const hold = async (request: Request): Promise<Response> => {
            if (request.method === 'GET') return respond(request);
            held.push(() => marketplace.fetch(request));
            resolve();
            return new Promise<never>(() => undefined);
          };
          void run(hold, reads);
        });
        await isSent;
      },
    };
  }
  return {
    createProcess,
    land: async () => {
      vi.setSystemTime(trueNow());
      await held.pop()?.();
    },
    sent: () => marketplace.messages.of(pack).filter(({ from }) => from === seller_id).length,
  };
}

const open = { name: 'EarlierWriteOpenError' };
const minute = 60_000;

test.each<[string, Dates, number, number]>([
  ['ahead', 'right', 0, 40_000],
  ['an hour ahead', 'right', 0, 60 * minute],
  ['ahead of a process that is behind', 'right', -40_000, 40_000],
  ['right, of a process that was behind', 'right', -40_000, 0],
  ['right, of a process that was an hour ahead', 'right', 60 * minute, 0],
  ['an hour behind', 'right', 0, -60 * minute],
  ['ahead, beside a service that is ahead, too', 'an hour ahead', 0, 40_000],
  ['ahead, without a Date of the service', 'none', 0, 40_000],
  ['an hour behind, without a Date of the service', 'none', 0, -60 * minute],
  ['ahead, with a Date that stands still', 'still', 0, 40_000],
  ['an hour behind, with a Date that stands still', 'still', 0, -60 * minute],
])(
  'what a killed process has sent is not sent again while it may be carried out, by a clock that is %s',
  async (_, dates, writerAheadMs, readerAheadMs) => {
    for (const lands of [true, false]) {
      const { createProcess, land, sent } = createSale(dates);
      await createProcess(writerAheadMs).isKilled();
      const reader = createProcess(readerAheadMs);
      vi.advanceTimersByTime(1_000);
      expect(await reader.handle()).toMatchObject(open);
      vi.advanceTimersByTime(timeoutMs - 2_000);
      expect(await reader.handle()).toMatchObject(open);
      expect(sent()).toBe(0);
      if (lands) await land();
      // The clocks say so at the latest now, or this process itself has watched it for the whole time.
      vi.advanceTimersByTime(2_000);
      // Dates that are far from the clock of a process prove nothing to it: a person decides then.
      const { text, name } = (await reader.handle()) as { text?: string; name?: string };
      expect(lands ? ['Today.', 'EarlierWriteUnknownError'] : ['Today.']).toContain(text ?? name);
      expect(sent()).toBe(1);
    }
  },
);

test.each([0, 40_000, -40_000])(
  'what may still be carried out does not take the entry of an equal write of before, by a clock that is %i ms ahead',
  async (aheadMs) => {
    const { createProcess, land, sent } = createSale('right');
    await createProcess(0, 'first').isKilled();
    await land();
    vi.advanceTimersByTime(timeoutMs + 5_000);
    await createProcess(0, 'second').isKilled();
    vi.advanceTimersByTime(100);
    const [first, second] = [createProcess(aheadMs, 'first'), createProcess(aheadMs, 'second')];
    expect(await second.handle()).toMatchObject(open);
    await first.handle();
    await land();
    vi.advanceTimersByTime(timeoutMs + 5_000);
    // To a process that is behind, dates prove nothing: a person decides.
    const decided = aheadMs < 0 ? ['Today.', 'EarlierWriteUnknownError'] : ['Today.'];
    for (const reader of [second, first]) {
      const { text, name } = (await reader.handle()) as { text?: string; name?: string };
      expect(decided).toContain(text ?? name);
    }
    expect(sent()).toBe(2);
  },
);

test.each<[Dates, object]>([
  ['right', { text: 'Today.' }],
  ['none', open],
  ['still', open],
])(
  'a process that is restarted watches anew, unless the Date of the service shows the age: %s',
  async (dates, shown) => {
    const { createProcess, sent } = createSale(dates);
    await createProcess(0).isKilled();
    expect(await createProcess(0).handle()).toMatchObject(open);
    vi.advanceTimersByTime(timeoutMs + 3_000);
    const restarted = createProcess(0);
    expect(await restarted.handle()).toMatchObject(shown);
    vi.advanceTimersByTime(timeoutMs);
    expect(await restarted.handle()).toMatchObject({ text: 'Today.' });
    expect(sent()).toBe(1);
  },
);

test('a write that is sent again is watched anew, also by who has watched the first one', async () => {
  const { createProcess, land, sent } = createSale('none');
  await createProcess(0).isKilled();
  const [second, third] = [createProcess(0), createProcess(0)];
  for (const each of [second, third]) expect(await each.handle()).toMatchObject(open);
  vi.advanceTimersByTime(timeoutMs);
  await second.isKilled();
  expect(await third.handle()).toMatchObject(open);
  await land();
  vi.advanceTimersByTime(timeoutMs);
  expect(await third.handle()).toMatchObject({ text: 'Today.' });
  expect(sent()).toBe(1);
});

test('what was sent before any response showed the time of the service is watched', async () => {
  const { createProcess, sent } = createSale('right');
  await createProcess(-60 * minute).isKilled(false);
  const reader = createProcess(0);
  vi.advanceTimersByTime(minute);
  expect(await reader.handle()).toMatchObject(open);
  vi.advanceTimersByTime(timeoutMs);
  expect(await reader.handle()).toMatchObject({ text: 'Today.' });
  expect(sent()).toBe(1);
});

test.each<[number, number]>([
  [40_000, 0],
  [10 * minute, 0],
])(
  'what a process that is %i ms ahead has sent is found by one that is %i ms ahead',
  async (aheadMs, readerAheadMs) => {
    const { createProcess, land, sent } = createSale('right');
    // One response was enough to show how far it is ahead.
    await createProcess(aheadMs).isKilled();
    vi.advanceTimersByTime(300);
    await land();
    vi.advanceTimersByTime(10_000);
    expect(await createProcess(readerAheadMs).handle()).toMatchObject({ text: 'Today.' });
    expect(sent()).toBe(1);
  },
);
