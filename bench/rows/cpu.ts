import { child, compare, server } from '../measure.ts';
import type { Row } from '../measure.ts';

type Measured = Record<string, number[]>;

/** The library's own share of a call, and its CPU over loopback at three concurrencies. */
export async function cpu(): Promise<Row[]> {
  const own = await child<Measured>('children/cpu.mjs', '', '1', '20', '500');
  const rows: Row[] = [
    {
      title: 'own share of a call (fetch stubbed)',
      unit: 'µs CPU',
      figures: compare(own),
      goal: 'at most 3.0 through ky; below Anthropic, OpenAI and Octokit',
    },
  ];
  const { url, process } = await server();
  for (const concurrency of ['1', '16', '64']) {
    const measured = await child<Measured>('children/cpu.mjs', url, concurrency, '14', '512');
    rows.push({
      title: `CPU of a call over loopback, 1 KB, concurrency ${concurrency}`,
      unit: 'µs CPU',
      figures: compare(measured),
      goal: 'at most 1.30; below Octokit, Slack, OpenAI and Anthropic',
    });
  }
  const pages = await child<Measured>('children/cpu.mjs', url, '4', '14', '200', 'page');
  rows.push({ title: 'a page of 50', unit: 'µs CPU', figures: compare(pages), goal: 'at most 1.10 of bare fetch' });
  process.kill();
  return rows;
}
