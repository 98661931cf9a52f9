import { buildFloor } from '../floor.ts';
import { child, compare, server } from '../measure.ts';
import type { Row } from '../measure.ts';
import { bare, everyone, limited } from '../peers.mjs';
import { modulesOfMainEntry } from './size.ts';

interface Start {
  readonly imported: number;
  readonly answered: number;
  readonly cpu: number;
}

/** A fresh process: the import alone, and the import with the first (validated) answer. */
export async function startUp(runs = 21): Promise<Row[]> {
  await buildFloor();
  const { url, process } = await server();
  const imports: Record<string, number[]> = {};
  const answers: Record<string, number[]> = {};
  for (let run = 0; run < runs; run += 1) {
    for (const { name } of everyone) {
      const start = await child<Start>('children/first-answer.mjs', name, url).catch(() => undefined);
      if (!start) continue;
      (imports[name] ??= []).push(start.imported);
      (answers[name] ??= []).push(start.answered);
    }
  }
  process.kill();
  // Neither of the bare ones imports anything.
  const { Notion = [], [bare.name]: _, [limited.name]: __, ...others } = imports;
  return [
    {
      title: 'fresh process: import and first answer',
      unit: 'ms',
      figures: compare(answers),
      goal: 'at most 0.70 of bare fetch, below Notion, Resend and Octokit',
    },
    {
      title: 'import alone',
      unit: 'ms',
      figures: compare({ Notion, ...others }),
      goal: 'at most 2 ms more than Notion',
    },
    {
      title: 'files that the import reads',
      unit: '',
      figures: [{ who: 'marketplace-seller-sdk', value: modulesOfMainEntry() }],
      goal: 'at most 5',
    },
  ];
}
