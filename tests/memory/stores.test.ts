import { writeFileSync } from 'node:fs';
import { memoryStore, sqliteStore } from 'marketplace-seller-sdk/stores';
import { expect, vi } from 'vitest';
import { OpenCounts } from '../../src/work/sql/store.js';
import type { InnerStore as Store } from '../../src/work/store.js';
import { remembering } from '../support/remembering.ts';
import { newFiles } from '../support/new-files.ts';
import { claim, dead, done, work } from '../support/work.ts';

// What a store remembers is what it has stored: across its end, beside other processes, whatever the clock says.

const newFile = newFiles();

interface Stores {
  /** Several processes. */
  processes: Store[];
  open: () => Store;
  path: string;
  /** What is stored, and for how long by the clock that counts. */
  keys: Map<string, { state: 'waiting' | 'running' | 'dead' | 'done'; owner: string; until: number }>;
  values: Map<string, { value: string; until: number }>;
  /** Values whose time was over once: a clock that is set back may bring the last one again, where it counts. */
  gone: Map<string, string>;
  /** The clock of the ledger; keys go by the one that can be set. */
  now: () => number;
  /** Keys whose time was over once: a clock that is set back does not make them come again, or does. */
  forgotten: Set<string>;
}

const keyMs = 3_600_000;
const most = 3;

function stateOf({ keys, forgotten }: Stores, key: string): string | undefined {
  const known = keys.get(key);
  if (known?.state === 'done' && known.until <= Date.now()) forgotten.add(key);
  return forgotten.has(key) ? undefined : known?.state;
}

async function add(world: Stores, owner: string, choice: number, process = world.processes[0]!): Promise<void> {
  const key = `${owner} ${choice % 6}`;
  const open = [...world.keys].filter(
    ([, each]) => each.owner === owner && ['waiting', 'running'].includes(each.state),
  ).length;
  const expected = stateOf(world, key) !== undefined ? 'known' : open >= most ? 'full' : 'added';
  const result = await process.add(work(key, { owner }), most);
  // A process may have counted before another one has ended some; it never takes one too many.
  const isForgotten = world.forgotten.has(key) && result === 'known';
  if (!isForgotten && (expected === 'full' || result !== 'full')) expect(result).toBe(expected);
  if (result !== 'added') return;
  world.forgotten.delete(key);
  world.keys.set(key, { state: 'waiting', owner, until: Infinity });
}

async function runAll(world: Stores, process: Store, verdict: typeof done): Promise<void> {
  const { leases } = await claim(process, { limit: 2 });
  for (const lease of leases) {
    expect(stateOf(world, lease.key)).toBe('waiting');
    expect(await process.settle(lease, { ...verdict, ...(verdict === done && { inMs: keyMs }) })).toBe(true);
    const { owner } = world.keys.get(lease.key)!;
    if (verdict === done) world.keys.set(lease.key, { state: 'done', owner, until: Date.now() + keyMs });
    else world.keys.set(lease.key, { state: 'dead', owner, until: Infinity });
  }
}

async function replace({ processes, values, gone, now }: Stores, process: number, choice: number): Promise<void> {
  const key = `value ${choice % 3}`;
  const known = values.get(key);
  const { ledger } = processes[process]!;
  const current = await ledger.get(key);
  if (known && known.until > now()) expect(current).toBe(known.value);
  else expect([undefined, gone.get(key)]).toContain(current);
  const value = `${choice}`;
  expect(await ledger.replace(key, 'another one', value, 60_000)).toBe(false);
  expect(await ledger.replace(key, current, value, 60_000)).toBe(true);
  values.set(key, { value, until: now() + 60_000 });
}

for (const kind of ['memory', 'SQLite'] as const) {
  const classes = {
    memory: 'MemoryStore, MemoryGroups, MemoryLine, MemoryLedger, FifoMap, SortedList',
    SQLite: 'SqlStore, SqliteDatabase, OpenCounts',
  };
  remembering<Stores>(classes[kind], {
    numRuns: kind === 'memory' ? 300 : 60,
    create: () => {
      const path = newFile();
      const store = memoryStore();
      const open = (): Store => (kind === 'memory' ? store : sqliteStore(path));
      const now = (): number => (kind === 'memory' ? performance.now() : Date.now());
      return {
        path,
        open,
        processes: [open(), open()],
        keys: new Map(),
        values: new Map(),
        gone: new Map(),
        now,
        forgotten: new Set(),
      };
    },
    passesMs: [1, 1_001, 60_000, 3_600_000],
    steps: {
      use: {
        'an entry is added': (world, choice) => add(world, '7', choice),
        'what is due is done': (world) => runAll(world, world.processes[0]!, done),
        'a value is replaced': (world, choice) => replace(world, 0, choice),
      },
      fail: {
        'what is due fails': (world) => runAll(world, world.processes[0]!, dead),
        'a rule fails': async ({ processes }) => {
          expect(await processes[0]!.settle({ key: '7 0', token: 'lost' }, done)).toBe(false);
          if (kind === 'SQLite')
            await expect(processes[0]!.add(work('x', { data: { toJSON: () => fail() } }))).rejects.toThrow('no');
        },
        'a dead one is tried again': async (world, choice) => {
          const key = `7 ${choice % 6}`;
          const isDead = stateOf(world, key) === 'dead';
          expect(await world.processes[0]!.again(key, 'dead')).toBe(isDead);
          if (isDead) world.keys.set(key, { state: 'waiting', owner: '7', until: Infinity });
        },
      },
      close: kind === 'memory' ? 'it ends with its process' : (world) => world.processes[0]!.close?.(),
      reopen:
        kind === 'memory'
          ? 'it ends with its process'
          : async (world, choice) => {
              await world.processes[choice % 2]!.close?.();
              // The number of a file that is gone is given to another one.
              if (choice % 3 === 0) writeFileSync(`${world.path}-${choice}`, '');
              world.processes[choice % 2] = world.open();
            },
      'another holder': {
        'adds an entry': (world, choice) => add(world, '7', choice, world.processes[1]),
        'does what is due': (world) => runAll(world, world.processes[1]!, done),
        'replaces a value': (world, choice) => replace(world, 1, choice),
      },
      'another seller': (world, choice) => add(world, '8', choice),
    },
    always: async (world) => {
      for (const [key, { value, until }] of world.values) {
        if (until > world.now()) continue;
        if (kind === 'SQLite') world.gone.set(key, value);
        world.values.delete(key);
      }
      for (const key of world.keys.keys())
        if (stateOf(world, key) !== undefined || !world.forgotten.has(key))
          expect((await world.processes[0]!.get(key))?.state, key).toBe(stateOf(world, key));
    },
    finally: async (world) => {
      // Nothing that was counted before keeps anything out.
      await vi.advanceTimersByTimeAsync(1_001);
      for (const owner of ['7', '8']) {
        for (let index = 0; index < 6; index += 1) {
          const key = `${owner} ${index}`;
          for (const state of ['waiting', 'dead', 'done'] as const) await world.processes[1]!.remove(key, [state]);
          world.keys.delete(key);
        }
        for (let index = 0; index < most; index += 1)
          expect(await world.processes[0]!.add(work(`last ${owner} ${index}`, { owner }), most)).toBe('added');
      }
      for (const process of world.processes) await process.close?.();
    },
  });
}

function fail(): never {
  throw new Error('no');
}

interface Counted {
  counts: OpenCounts;
  open: number;
  /** When it was counted, on the monotonic clock, and how many. */
  counted: { at: number; open: number } | undefined;
  /** How many were taken since then without counting. */
  taken: number;
}

const room = 100;
const one = work('a');

remembering<Counted>('OpenCounts', {
  create: () => ({ counts: new OpenCounts(), open: 0, counted: undefined, taken: 0 }),
  passesMs: [1, 251, 1_001],
  steps: {
    use: (world) => {
      const { counts, counted } = world;
      const result = counts.take(one);
      // What was counted is believed for a second, or a quarter of one where all was full.
      const ms = counted && counted.open >= room ? 250 : 1_000;
      if (!counted || performance.now() - counted.at > ms) expect(result).toBe('count');
      if (result === 'full') expect(counted!.open).toBeGreaterThanOrEqual(room);
      if (result === 'free') world.open += 1;
      if (result === 'count') {
        counts.set(one, world.open, room);
        world.counted = { at: performance.now(), open: world.open };
        if (world.open < room) world.open += 1;
      }
      expect(world.open).toBeLessThanOrEqual(room);
    },
    fail: (world, choice) => {
      const ended = Math.min(world.open, choice % 5);
      for (let index = 0; index < ended; index += 1) world.counts.ended(one);
      world.open -= ended;
    },
    close: (world) => world.counts.forgetFull(),
    reopen: (world) => Object.assign(world, { counts: new OpenCounts(), counted: undefined }),
    // They may use seven eighths of the room between two counts, and end what they have at any time.
    'another holder': (world, choice) => {
      const isCounted = world.counted !== undefined && performance.now() - world.counted.at <= 1_000;
      if (isCounted || choice % 2 === 0) world.open -= Math.floor(world.open / 3);
      else world.open += Math.floor((room - world.open) / 2);
    },
    'another seller': ({ counts }) => {
      const other = work('b', { owner: '8' });
      counts.set(other, room, room);
      expect(counts.take(other)).toBe('full');
      counts.forgetFull();
      expect(counts.take(other)).toBe('count');
    },
  },
});
