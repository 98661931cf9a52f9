import { buildFloor } from '../floor.ts';
import { child, childBeside, compare, server } from '../measure.ts';
import type { Figure, Limit, Row } from '../measure.ts';
import { bare, everyone } from '../peers.mjs';

/** How many pairs of processes are measured for each subject. */
const turns = 7;

const own = 'marketplace-seller-sdk';
const goal = 'at most 0.90 of bare fetch, below Stripe; over fetch within 1.15 of ky and zod';
const limits: readonly Limit[] = [
  { who: own, ratio: 0.9, below: ['Stripe'] },
  { who: `${own} over fetch`, ratio: 1.15, of: 'ky and zod, nothing else' },
];

/** The own share of a call: what is left of its CPU with a `fetch` that only returns a response. */
export async function stubbed(): Promise<Row[]> {
  await buildFloor();
  const most = [{ who: `${own} over fetch`, ratio: 1.1, of: 'ky and zod, nothing else' }];
  return [await row('own share of a call over fetch, stubbed', child, ['', '1'], 'at most 1.1 of ky and zod', most)];
}

/** The CPU of a call over loopback, one after the other. */
export async function calls(): Promise<Row[]> {
  return withServer(async ({ url, run }) => [
    await row('CPU of a call over loopback, 1 KB, 1 at a time', run, [url, '1'], goal, limits),
  ]);
}

/**
 * The CPU of a call over loopback, some at a time, as in a busy worker: V8 compiles a large library for longer, so 20,000 calls
 * go before.
 */
export async function parallel(): Promise<Row[]> {
  return withServer(async ({ url, run }) => {
    const rows: Row[] = [];
    for (const concurrency of ['16', '64']) {
      const title = `CPU of a call over loopback, 1 KB, ${concurrency} at a time`;
      rows.push(await row(title, run, [url, concurrency, '8', '512', 'one', '20000'], goal, limits));
    }
    return rows;
  });
}

/** The CPU of a call over TLS. */
export async function secure(): Promise<Row[]> {
  return withServer(async ({ secureUrl, run }) => [
    await row('CPU of a call over TLS, 1 KB, 16 at a time', run, [secureUrl, '16'], 'at most 1.00', atMost(1)),
  ]);
}

/** The CPU of a page of 50 questions. */
export async function pages(): Promise<Row[]> {
  return withServer(async ({ url, run }) => [
    await row('a page of 50, 4 at a time', run, [url, '4', '8', '256', 'page'], 'at most 1.00', atMost(1)),
    await row(
      'a page of 50 in gzip, 4 at a time',
      run,
      [`${url}/gzip`, '4', '8', '256', 'page'],
      'at most 0.75',
      atMost(0.75),
    ),
  ]);
}

interface Started {
  readonly url: string;
  readonly secureUrl: string;
  /** Runs a subject that calls the server. */
  readonly run: typeof child;
}

async function withServer(measure: (started: Started) => Promise<Row[]>): Promise<Row[]> {
  await buildFloor();
  const { process, ...urls } = await server();
  try {
    return await measure({ ...urls, run: childBeside(process) });
  } finally {
    process.kill();
  }
}

function atMost(ratio: number): readonly Limit[] {
  return [{ who: own, ratio }];
}

async function row(
  title: string,
  run: typeof child,
  how: readonly string[],
  toReach: string,
  most: readonly Limit[],
): Promise<Row> {
  return { title, unit: 'µs CPU', figures: await inPairs(run, how), goal: toReach, limits: most };
}

/**
 * Each subject in a process of its own, beside one with a bare fetch: in one process, each would collect the garbage of the
 * other, and a slow minute of the machine hits both. The cost of a bare fetch differs from process to process more than it
 * drifts, so each ratio is to the median of its processes in the same turn. Subjects that cannot make the call are left out.
 */
async function inPairs(run: typeof child, how: readonly string[]): Promise<Figure[]> {
  const costs: Record<string, number[]> = { [bare.name]: [] };
  const failed = new Set<string>();
  const measure = async (name: string): Promise<void> => {
    const cost = await run<number>('children/cpu.mjs', name, ...how);
    (costs[name] ??= []).push(cost);
  };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { name } of everyone.filter((each) => each !== bare && !failed.has(each.name))) {
      if (turn % 2 === 0) await measure(bare.name);
      await measure(name).catch(() => failed.add(name));
      if (turn % 2 === 1) await measure(bare.name);
    }
  }
  return compare(costs);
}
