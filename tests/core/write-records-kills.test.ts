import type { SellerClient } from 'marketplace-seller-sdk';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WriteBook } from '../../src/core/operation/write-book.js';
import { WriteRecords } from '../../src/core/recover/write-records.js';
import { withWriteHook } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { createMarketplace } from '../support/marketplace.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** The notes of all entries, and what proves each write: what survives a process. */
class Store implements WriteBook {
  readonly notes = new Map<string, readonly WriteRecord[]>();
  readonly proofs = new Map<string, string>();

  async look(target: string, entries: readonly string[]): Promise<readonly WriteRecord[]> {
    const proofOf = (id: string): string | undefined => [...this.proofs].find(([, each]) => each === id)?.[0];
    return [...this.notes.values()]
      .flat()
      .map((record) => ({ ...record, entry: proofOf(record.id) }))
      .filter((record) => record.target === target || entries.includes(record.entry ?? ''));
  }

  async claim(entry: string, id: string): Promise<boolean> {
    if (!this.proofs.has(entry)) this.proofs.set(entry, id);
    return this.proofs.get(entry) === id;
  }
}

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
  const store = new Store();
  const handled = new Set<number>();
  const errors: string[] = [];
  for (const [round, stopAt] of [...stops, Infinity].entries()) {
    const process = new Process(stopAt);
    const client = marketplace.clientFor(seller, {
      fetch: (request: Request) => process.step(() => marketplace.fetch(request)),
      maxRetries: 0,
    });
    const run = async (entry: number): Promise<void> => {
      const records = new WriteRecords({
        writes: store.notes.get(String(entry)) ?? [],
        note: (writes) => process.step(async () => void store.notes.set(String(entry), structuredClone(writes))),
        book: {
          look: (target, entries) => process.step(() => store.look(target, entries)),
          claim: (name, id) => process.step(() => store.claim(name, id)),
        },
      });
      const hooked: SellerClient = withWriteHook(client, records);
      for (const text of texts[entry]!) {
        const said = rephrases && round % 2 === 1 ? `Otra vez ${'abcdefgh'[round % 8]!.repeat(9)}` : text;
        await hooked.messages.send({ ...sale, text: said });
      }
      await process.step(async () => {
        store.notes.set(String(entry), structuredClone(records.writes));
        handled.add(entry);
      });
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
    vi.setSystemTime(Date.now() + 40_000);
  }
  const sent = marketplace.messages.of(pack).filter(({ from }) => from === seller_id);
  return { sent: sent.map(({ text }) => text), errors, handled: handled.size };
}

const text = fc.constantFrom('Hello!', 'Gracias por su compra', 'It leaves today.');
const plans = fc.record({
  texts: fc.array(fc.array(text, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
  stops: fc.array(fc.integer({ min: 0, max: 14 }), { maxLength: 4 }),
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
}, 60_000);

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
}, 60_000);
