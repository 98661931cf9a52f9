import { Session } from 'node:inspector/promises';
import { memoryStore } from 'marketplace-seller-sdk/stores';
import type { Work } from '../../src/work/store.js';

/*
 * Prints how many more steps a store in memory takes for each notification when eight times as many wait. Steps are blocks of
 * code that ran, as V8 counts them for coverage: they are the same on every machine.
 */
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** The steps since the last call. */
async function stepsTaken(): Promise<number> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const own = result.filter(({ url }) => url === import.meta.url);
  const ranges = own.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

type EntryOf = (index: number, count: number) => Work;

async function stepsFor(count: number, entryOf: EntryOf): Promise<number> {
  const store = memoryStore();
  await stepsTaken();
  for (let index = 0; index < count; index += 1) await store.add(entryOf(index, count));
  for (let index = 0; index < count; index += 1) {
    const { leases } = await store.claim({ kinds: ['*'], limit: 1, leaseMs: 60_000, alone: false });
    for (const lease of leases) await store.settle(lease, { state: 'done', inMs: 1, failed: false });
  }
  return (await stepsTaken()) / count;
}

function entry(index: number, owner: number, group: string, sentAt: number): Work {
  return { key: `k${index}`, kind: 'questions', group, owner: String(owner), sentAt, data: {} };
}

const places: Readonly<Record<string, EntryOf>> = {
  'of one user each': (index) => entry(index, index, `g${index}`, 1),
  'of one user': (index) => entry(index, 7, `g${index}`, 1),
  'of one resource, each later': (index) => entry(index, 7, 'g', index),
  'of one resource, each earlier': (index, count) => entry(index, 7, 'g', count - index),
};

const growth: Record<string, number> = {};
for (const [place, entryOf] of Object.entries(places)) {
  const few = await stepsFor(1_000, entryOf);
  growth[place] = (await stepsFor(8_000, entryOf)) / few;
}
console.log(JSON.stringify(growth));
