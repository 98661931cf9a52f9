import { child, compare, server } from '../measure.ts';
import type { Row } from '../measure.ts';
import { everyone } from '../peers.mjs';

interface Start {
  readonly imported: number;
  readonly answered: number;
  readonly cpu: number;
}

/** A fresh process: the import alone, and the import with the first (validated) answer. */
export async function startUp(runs = 21): Promise<Row[]> {
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
  const { 'bare fetch': _, ...importing } = imports;
  return [
    {
      title: 'fresh process: import and first answer',
      unit: 'ms',
      figures: compare(answers),
      goal: 'at most 1.15 of bare fetch, below Notion, Resend and Octokit',
    },
    {
      title: 'import alone',
      unit: 'ms',
      figures: compare(importing),
      goal: 'at most 1.0 of Notion; at most 30 modules',
    },
  ];
}
