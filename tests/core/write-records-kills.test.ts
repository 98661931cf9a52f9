import type { SellerClient } from 'marketplace-seller-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { MemoryLedger } from '../../src/work/memory.js';
import { RunWrites } from '../../src/work/writes.js';
import { fc } from '../support/fast-check.ts';
import { createMarketplace } from '../support/marketplace.ts';
import { receiving } from '../support/stubs.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A process that stops at a step: nothing that it does later has an effect, and nothing answers it. */
class Process {
  #steps = 0;
  readonly #stopAt: number;

  constructor(stopAt: number) {
    this.#stopAt = stopAt;
  }

  get isStopped(): boolean {
    return this.#steps >= this.#stopAt;
  }

  /** Does one step. It is the last one if the process stops after it, or is not done if it stops before. */
  async step<T>(act: () => Promise<T>): Promise<T> {
    const done = this.isStopped ? undefined : { value: await act() };
    this.#steps += 1;
    if (done && !this.isStopped) return done.value;
    return new Promise<never>(() => undefined);
  }
}

/** Runs the handlers of two notifications of one buyer in processes that stop, the last one does not. */
async function handleAll(texts: readonly (readonly string[])[], stops: readonly number[], rephrases: boolean) {
  const { marketplace, seller, seller_id, buyer_id } = createMarketplace();
  const pack = marketplace.addPack({ seller_id, buyer_id });
  marketplace.buyerWrites({ pack, text: 'When will it arrive?' });
  const sale = { pack_id: String(pack.pack_id), user_id: seller_id, to: { user_id: buyer_id } };
  // What survives a process: the notes of all entries, and the ledger.
  const notes = new Map<number, readonly WriteRecord[]>();
  const stored = new MemoryLedger();
  const handled = new Set<number>();
  const errors: string[] = [];
  for (const [round, stopAt] of [...stops, Infinity].entries()) {
    const process = new Process(stopAt);
    const client = marketplace.clientFor(seller, {
      fetch: receiving((request) => process.step(() => marketplace.fetch(request))),
      maxRetries: 0,
    });
    const run = async (entry: number): Promise<void> => {
      const writes = new RunWrites({
        writes: notes.get(entry) ?? [],
        note: (noted) => process.step(async () => Boolean(notes.set(entry, structuredClone(noted)))),
        ledger: {
          get: (key) => process.step(() => stored.get(key)),
          replace: (...value) => process.step(() => stored.replace(...value)),
        },
        failed: (message) => void errors.push(message),
        signal: new AbortController().signal,
      });
      const hooked: SellerClient = withWriteHook(client, writes.records);
      for (const text of texts[entry]!) {
        const said = rephrases && round % 2 === 1 ? `Otra vez ${'abcdefgh'[round % 8]!.repeat(9)}` : text;
        await hooked.messages.send({ ...sale, text: said });
      }
      await writes.end();
      await process.step(async () => void handled.add(entry));
    };
    const open = texts.map((_, entry) => entry).filter((entry) => !handled.has(entry));
    const runs = open.map((entry) => run(entry).catch((error: unknown) => void errors.push((error as Error).name)));
    const stopped = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (process.isStopped) end();
      }, 1);
      const end = (): void => {
        clearInterval(timer);
        resolve();
      };
      void Promise.all(runs).then(end);
    });
    await stopped;
    // After this time the service has given up what it has not carried out.
    vi.advanceTimersByTime(40_000);
  }
  const sent = marketplace.messages.of(pack).filter(({ from }) => from === seller_id);
  return { sent: sent.map(({ text }) => text), errors, handled: handled.size };
}

const text = fc.constantFrom('Hello!', 'Gracias por su compra', 'It leaves today.');
const plans = fc.record({
  texts: fc.array(fc.array(text, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  stops: fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 4 }),
});

test('handlers that are killed between any two steps send each of their messages once', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ texts, stops }) => {
      const { sent, errors, handled } = await handleAll(texts, stops, false);
      expect(errors).toEqual([]);
      expect(handled).toBe(texts.length);
      expect(sent.toSorted()).toEqual(texts.flat().toSorted());
    }),
    { numRuns: 60 },
  );
});

test('handlers that say it in other words when they run again send each message once, too', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ texts, stops }) => {
      const { sent, errors, handled } = await handleAll(texts, stops, true);
      expect(errors).toEqual([]);
      expect(handled).toBe(texts.length);
      expect(sent).toHaveLength(texts.flat().length);
    }),
    { numRuns: 60 },
  );
});
