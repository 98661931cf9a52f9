import { buildFloor } from '../floor.ts';
import { child, compare, server } from '../measure.ts';
import type { Figure, Row } from '../measure.ts';
import { bare, everyone } from '../peers.mjs';

/** How many processes run per subject, in turns. */
const turns = 3;

/** The library's own share of a call, its CPU over loopback at three concurrencies, and of a page. */
export async function cpu(): Promise<Row[]> {
  await buildFloor();
  const rows: Row[] = [
    {
      title: 'own share of a call (fetch stubbed)',
      unit: 'µs CPU',
      figures: await beside(['', '1', '16', '4000']),
      goal: 'at most 3.0 through ky; below Anthropic, OpenAI and Octokit',
    },
  ];
  const { url, process } = await server();
  for (const concurrency of ['1', '16', '64']) {
    rows.push({
      title: `CPU of a call over loopback, 1 KB, concurrency ${concurrency}`,
      unit: 'µs CPU',
      figures: await beside([url, concurrency, '12', '1024']),
      goal: 'at most 1.30; below MercadoPago, Octokit, Slack, OpenAI and Anthropic',
    });
  }
  rows.push({
    title: 'a page of 50',
    unit: 'µs CPU',
    figures: await beside([url, '4', '16', '400', 'page']),
    goal: 'at most 1.10 of bare fetch',
  });
  process.kill();
  return rows;
}

/** Each subject beside a bare fetch in the same process; who cannot make the call is left out. */
async function beside(how: readonly string[]): Promise<Figure[]> {
  const base: Record<string, number[]> = {};
  const own: Record<string, number[]> = { [bare.name]: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    for (const { name } of everyone.filter((each) => each !== bare)) {
      const pair = await child<{ base: number[]; own: number[] }>('children/cpu.mjs', name, ...how).catch(
        () => undefined,
      );
      if (!pair) continue;
      (own[name] ??= []).push(...pair.own);
      (base[name] ??= []).push(...pair.base);
      own[bare.name]?.push(...pair.base);
    }
  }
  return compare(own, base);
}
