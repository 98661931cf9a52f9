import { join } from 'node:path';
import { binOf } from '../../tools/node-versions.mjs';
import { childOn, compare, server } from '../measure.ts';
import type { Row } from '../measure.ts';
import { bare } from '../peers.mjs';

/** How many pairs of processes are measured on each Node.js. */
const turns = 5;
const own = 'marketplace-seller-sdk';
const subjects = [bare.name, own, `${own} over fetch`];

/** The CPU of a call on each Node.js that the library supports. */
export async function nodes(): Promise<Row[]> {
  const { url, process } = await server();
  const rows: Row[] = [];
  for (const version of ['22', '24', '26']) {
    const node = join(binOf(version), 'node');
    const costs: Record<string, number[]> = {};
    for (let turn = 0; turn < turns; turn += 1) {
      for (const name of turn % 2 === 0 ? subjects : subjects.toReversed())
        (costs[name] ??= []).push(await childOn<number>(node, 'children/cpu.mjs', name, url, '16'));
    }
    rows.push({
      title: `CPU of a call over loopback on Node ${version}, 16 at a time`,
      unit: 'µs CPU',
      figures: compare(costs),
      goal: 'at most 0.90 of bare fetch',
      limits: [{ who: 'marketplace-seller-sdk', ratio: 0.9 }],
    });
  }
  process.kill();
  return rows;
}
