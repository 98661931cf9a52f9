import { buildFloor } from '../floor.ts';
import { child, compare, server } from '../measure.ts';
import type { Row } from '../measure.ts';
import { bare, everyone, limited, ours, portable } from '../peers.mjs';

interface Cost {
  /** Milliseconds on the clock. */
  readonly wall: number;
  /** Milliseconds of CPU, of all threads. */
  readonly cpu: number;
}

interface Start {
  readonly imported: Cost;
  /** Import and first response. */
  readonly responded: Cost;
}

type Starts = Readonly<Record<string, readonly Start[]>>;

/** A fresh process: the import alone, and the import with the first (validated) response. */
export async function startUp(runs = 21): Promise<Row[]> {
  await buildFloor();
  const { url, secureUrl, process } = await server();
  const starts = await measure(url, runs, everyone);
  const secure = await measure(secureUrl, runs, [bare, ours, portable]);
  process.kill();
  // Neither of the bare ones imports anything.
  const { Notion = [], [bare.name]: _, [limited.name]: __, ...others } = starts;
  const imports = { Notion, ...others };
  return [
    {
      title: 'fresh process: import and first response',
      unit: 'ms',
      figures: compare(figures(starts, ({ responded }) => responded.wall)),
      goal: 'at most 0.90 of bare fetch, below Notion, Resend and Octokit',
      limits: [{ who: 'marketplace-seller-sdk', ratio: 0.9, below: ['Notion', 'Resend', 'Octokit'] }],
    },
    {
      title: 'fresh process: CPU of import and first response',
      unit: 'ms CPU',
      figures: compare(figures(starts, ({ responded }) => responded.cpu)),
      goal: 'at most 0.80 of bare fetch',
      limits: [{ who: 'marketplace-seller-sdk', ratio: 0.8 }],
    },
    {
      title: 'fresh process: CPU of import and first response over TLS',
      unit: 'ms CPU',
      figures: compare(figures(secure, ({ responded }) => responded.cpu)),
      goal: 'at most 1.00 of bare fetch',
      limits: [{ who: 'marketplace-seller-sdk', ratio: 1 }],
    },
    {
      title: 'import alone',
      unit: 'ms',
      figures: compare(figures(imports, ({ imported }) => imported.wall)),
      goal: 'stated',
    },
    {
      title: 'CPU of the import alone',
      unit: 'ms CPU',
      figures: compare(figures(imports, ({ imported }) => imported.cpu)),
      goal: 'stated',
    },
  ];
}

/** The subjects in turns. Those that cannot make the call are left out. */
async function measure(url: string, runs: number, subjects: typeof everyone): Promise<Starts> {
  const starts: Record<string, Start[]> = {};
  for (let run = 0; run < runs; run += 1) {
    for (const { name } of subjects) {
      const start = await child<Start>('children/first-answer.mjs', name, url).catch(() => undefined);
      if (start) (starts[name] ??= []).push(start);
    }
  }
  return starts;
}

function figures(starts: Starts, of: (start: Start) => number): Record<string, number[]> {
  return Object.fromEntries(Object.entries(starts).map(([name, each]) => [name, each.map(of)]));
}
