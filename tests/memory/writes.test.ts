import { expect, vi } from 'vitest';
import { MemoryBook, RememberedWrite } from '../../src/core/recover/memory-book.js';
import type { PendingWrite } from '../../src/core/recover/write-hook.js';
import type { WriteRecord } from '../../src/core/recover/write-hook.js';
import { messageEndpoints } from '../../src/resources/messages/endpoints.js';
import { MemoryLedger } from '../../src/work/memory.js';
import { RunWrites } from '../../src/work/writes.js';
import { advanceUntilSettled } from '../support/fake-time.ts';
import { remembering } from '../support/remembering.ts';
import { silent } from '../support/silent.ts';

// What is remembered of writes: each one that a handler asks for is carried out once, whatever failed, and however often it runs.

const { send } = messageEndpoints;
const timeoutMs = 10_000;
/** What a handler sends, in this order, each time that it runs. */
const script = ['A', 'B', 'C', 'B'];

interface Seller {
  readonly name: string;
  /** What the service has carried out. */
  readonly carriedOut: { text: string; id: string }[];
  /** What the entry has. */
  noted: readonly WriteRecord[];
  run: RunWrites;
  /** The place in the script. */
  next: number;
  rejections: Map<string, unknown>;
  /** When a write was looked for first, on the monotonic clock. */
  seenAt: Map<string, number>;
  /** Whether this run has come to the end of the script. */
  isDone: boolean;
}

interface Handlers {
  readonly ledger: MemoryLedger;
  sellers: Seller[];
  /** What fails next. */
  fails: Set<'request' | 'response' | 'reading back' | 'note' | 'rejection'>;
  isTaken: boolean;
}

function begin(world: Handlers, seller: Omit<Seller, 'run'>): RunWrites {
  let isOver = false;
  const run = new RunWrites({
    writes: structuredClone(seller.noted) as WriteRecord[],
    note: async (writes) => {
      if (isOver) return false;
      if (world.fails.delete('note')) throw new Error('the store is away');
      seller.noted = structuredClone(writes) as WriteRecord[];
      return true;
    },
    ledger: world.ledger,
    failed: silent,
    signal: new AbortController().signal,
    rejections: seller.rejections,
  });
  ends.set(run, () => (isOver = true));
  return run;
}
/** Ends the lease of a run. */
const ends = new WeakMap<RunWrites, () => void>();

function anew(world: Handlers, seller: Seller): void {
  ends.get(seller.run)?.();
  Object.assign(seller, { run: begin(world, seller), next: 0, isDone: false });
}

function pendingOf(world: Handlers, seller: Seller, text: string): PendingWrite {
  const input = { pack_id: 1, user_id: 7, to: { user_id: 9 }, text };
  return {
    endpoint: send,
    input,
    target: `messages.send ${seller.name}`,
    timeoutMs,
    memory: {
      timesNow: () => ({ sentAt: Date.now() }),
      ageMs: ({ id, sentAt }) => Math.max(Date.now() - sentAt, performance.now() - (seller.seenAt.get(id) ?? Infinity)),
    },
    readBefore: () => Promise.resolve(undefined),
    confirm: (earlier) => {
      // A clock that is set back does not keep it from being sent for longer than the service needs.
      if (!seller.seenAt.has(earlier.id)) seller.seenAt.set(earlier.id, performance.now());
      if (world.fails.delete('reading back')) return Promise.reject(new Error('the service is away'));
      const found = seller.carriedOut.find(({ id }) => id === earlier.id);
      return Promise.resolve(found ? { done: true, output: { text: found.text } } : { done: false });
    },
  };
}

/** Sends the next text of the script, as a client does. */
async function send1(world: Handlers, seller: Seller): Promise<void> {
  const text = script[seller.next];
  if (text === undefined) return void (seller.isDone = true);
  const decision = await seller.run.records.begin(pendingOf(world, seller, text));
  if (!decision.isDone) {
    await decision.beforeSend();
    if (world.fails.delete('rejection')) {
      await decision.end({ state: 'rejected', error: new Error('the service is busy') });
      throw new Error('the service is busy');
    }
    const isLost = world.fails.delete('request');
    if (!isLost) seller.carriedOut.push({ text, id: decision.id });
    if (isLost || world.fails.delete('response')) {
      await decision.end({ state: 'sent' });
      throw new Error('no response');
    }
    await decision.end({ state: 'done', output: { text } });
  }
  seller.next += 1;
  if (seller.next === script.length) seller.isDone = true;
}

const use = (seller: Seller) => (world: Handlers) =>
  advanceUntilSettled(
    send1(
      world,
      world.sellers.find(({ name }) => name === seller.name)!,
    ).catch(expected),
  );
/** Errors that a handler may catch. */
function expected(error: unknown): void {
  const isOurs = /is away|is busy|no response|may still be carried out|the run has ended/.test(String(error));
  if (!isOurs) throw error;
}
const named = (name: string): Seller => ({ name }) as Seller;

const count = (texts: readonly string[], text: string): number => texts.filter((each) => each === text).length;

remembering<Handlers>('RunWrites, WriteRecords, LedgerBook', {
  numRuns: 400,
  passesMs: [1, 1_000, timeoutMs + 1],
  create: () => {
    const world: Handlers = { ledger: new MemoryLedger(), sellers: [], fails: new Set(), isTaken: false };
    for (const name of ['7', '8']) {
      const seller = {
        name,
        carriedOut: [],
        noted: [],
        next: 0,
        rejections: new Map<string, unknown>(),
        seenAt: new Map<string, number>(),
        isDone: false,
      };
      world.sellers.push(Object.assign(seller, { run: begin(world, seller) }));
      // The run notes in the object that the world has.
      anew(world, world.sellers.at(-1)!);
    }
    return world;
  },
  steps: {
    use: use(named('7')),
    fail: {
      'the request is lost': ({ fails }) => fails.add('request'),
      'the response is lost': ({ fails }) => fails.add('response'),
      'it is read back in vain': ({ fails }) => fails.add('reading back'),
      'the store is away': ({ fails }) => fails.add('note'),
      'the service is busy': ({ fails }) => fails.add('rejection'),
    },
    close: async (world) => {
      const [seller] = world.sellers as [Seller];
      await seller.run.end().catch(silent);
      seller.next = script.length;
    },
    reopen: async (world) => {
      const [seller] = world.sellers as [Seller];
      seller.noted = structuredClone(await seller.run.end()) as WriteRecord[];
      anew(world, seller);
    },
    // A process that was killed, or has lost its lease: only what it has noted is known, and it sends nothing more.
    'another holder': async (world) => {
      const [seller] = world.sellers as [Seller];
      const before = { ...seller, next: 0, run: seller.run };
      anew(world, seller);
      const carriedOut = seller.carriedOut.length;
      await advanceUntilSettled(send1({ ...world, fails: new Set() }, before).catch(expected));
      expect(seller.carriedOut.length).toBe(carriedOut);
    },
    'another seller': use(named('8')),
  },
  always: ({ sellers }) => {
    for (const { carriedOut } of sellers)
      for (const text of script)
        expect(count(carriedOut.map((each) => each.text), text)).toBeLessThanOrEqual(count(script, text)); // prettier-ignore
  },
  finally: async (world) => {
    world.fails.clear();
    for (const seller of world.sellers) {
      seller.noted = structuredClone(await seller.run.end()) as WriteRecord[];
      for (let runs = 0; runs < 5 && !(seller.isDone && seller.next === script.length && runs > 0); runs += 1) {
        await vi.advanceTimersByTimeAsync(timeoutMs + 1_000);
        anew(world, seller);
        for (let step = 0; step <= script.length; step += 1) await use(seller)(world);
        seller.noted = structuredClone(await seller.run.end()) as WriteRecord[];
      }
      expect(seller.carriedOut.map(({ text }) => text).toSorted()).toEqual(script.toSorted());
    }
  },
});

interface Book {
  book: MemoryBook;
  /** What was sent, by id, and for which seller. */
  sent: Map<string, { write: RememberedWrite; seller: number; at: number; isRejected: boolean }>;
  /** Which write an entry proves. */
  proofs: Map<string, string>;
  ids: number;
}

const day = 86_400_000;

function write(world: Book, seller: number, text: string): void {
  const at = Date.now();
  const each = new RememberedWrite({
    id: `write ${(world.ids += 1)}`,
    endpoint: send,
    input: { pack_id: 1, user_id: seller, to: { user_id: 9 }, text },
    token: undefined,
    calledAt: at,
    isInFlight: true,
  });
  world.book.add(each);
  world.sent.set(each.id, { write: each, seller, at, isRejected: false });
}

async function look({ book, sent, proofs }: Book, seller: number): Promise<void> {
  const [one] = [...sent.values()].filter((each) => each.seller === seller);
  if (!one) return;
  const found = await book.look(one.write.target, []);
  const known = found.map(({ id }) => sent.get(id));
  // Nothing of another seller, nothing that was not carried out, and nothing twice.
  expect(known.every((each) => each?.seller === seller && !each.isRejected)).toBe(true);
  expect(new Set(found).size).toBe(found.length);
  for (const { id, entry } of found) if (entry !== undefined) expect(proofs.get(entry)).toBe(id);
}

remembering<Book>('MemoryBook, RememberedWrite', {
  create: () => ({ book: new MemoryBook(), sent: new Map(), proofs: new Map(), ids: 0 }),
  steps: {
    use: {
      'a write is sent': async (world, choice) => {
        write(world, 7, `text ${choice % 3}`);
        await look(world, 7);
      },
      'it is done, and read back': async (world, choice) => {
        const each = [...world.sent.values()][choice % Math.max(1, world.sent.size)];
        if (!each || !world.book.get(each.write.id)) return;
        world.book.end(each.write, { state: 'done', output: {} });
        const entry = `message ${choice % 5}`;
        const isOurs = await world.book.claim(entry, each.write.id);
        const proved = world.proofs.get(entry);
        const isKnown = proved !== undefined && world.book.get(proved) !== undefined;
        if (isKnown) expect(isOurs).toBe(proved === each.write.id);
        else if (proved === undefined) expect(isOurs).toBe(true);
        if (isOurs) world.proofs.set(entry, each.write.id);
        await look(world, 7);
      },
    },
    fail: async (world, choice) => {
      const each = [...world.sent.values()][choice % Math.max(1, world.sent.size)];
      if (each?.write.state !== 'sent') return;
      world.book.end(each.write, { state: 'rejected' });
      each.isRejected = true;
      // What it proved is free again.
      for (const [entry, id] of world.proofs) if (id === each.write.id) world.proofs.delete(entry);
      await look(world, each.seller);
    },
    close: 'it lives as long as its process',
    reopen: (world) => Object.assign(world, { book: new MemoryBook(), sent: new Map(), proofs: new Map() }),
    'another holder': 'each process has its own',
    'another seller': async (world, choice) => {
      write(world, 8, `text ${choice % 3}`);
      await look(world, 8);
      await look(world, 7);
    },
  },
  finally: async (world) => {
    await vi.advanceTimersByTimeAsync(3 * day);
    vi.setSystemTime(Math.max(...[...world.sent.values()].map(({ at }) => at), Date.now()) + day);
    write(world, 7, 'the last one');
    const left = [...world.sent.values()].filter(({ write: each }) => world.book.get(each.id));
    expect(left.map(({ write: each }) => (each.input as { text: string }).text)).toEqual(['the last one']);
  },
});
