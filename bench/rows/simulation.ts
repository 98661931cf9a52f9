import { bundled } from '../../tests/support/program.ts';
import { childOn, compare } from '../measure.ts';
import type { Row } from '../measure.ts';

const turns = 5;
const stores = { memory: 'with its notifications in memory', sqlite: 'with SQLite' };

/** The CPU of a simulated bad day of the guide's bot for two sellers, of all threads. */
export async function simulation(): Promise<Row[]> {
  const program = await bundled('bench/children/simulation.ts');
  const measured: Record<string, number[]> = {};
  for (let turn = 0; turn < turns; turn += 1)
    for (const [store, who] of Object.entries(stores))
      (measured[who] ??= []).push(await childOn<number>(process.execPath, program, store));
  return [
    {
      title: 'a simulated day of a bot',
      unit: 'ms CPU',
      figures: compare(measured),
      goal: 'at most 200 in memory and 333 with SQLite, which is 5 and 3 days a second',
      limits: [
        { who: stores.memory, value: 200 },
        { who: stores.sqlite, value: 333 },
      ],
    },
  ];
}
