// Runs the benchmarks: all rows, or those named on the command line. Prints one table and writes bench/results.md.
import { writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import type { Figure, Row } from './measure.ts';
import { cpu } from './rows/cpu.ts';
import { heap } from './rows/heap.ts';
import { installedSize } from './rows/installed.ts';
import { notifications } from './rows/notifications.ts';
import { prefetch } from './rows/prefetch.ts';
import { receiver } from './rows/receiver.ts';
import { size } from './rows/size.ts';
import { startUp } from './rows/start-up.ts';
import { types } from './rows/types.ts';
import { uploads } from './rows/uploads.ts';
import { validation } from './rows/validation.ts';

const benchmarks: Readonly<Record<string, () => Row[] | Promise<Row[]>>> = {
  startUp,
  cpu,
  validation,
  prefetch,
  notifications,
  receiver,
  size,
  types,
  installed: installedSize,
  heap,
  uploads,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benchmarks));
if (unknown.length > 0)
  throw new Error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`);

const rows: Row[] = [];
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`measuring ${name} ...`);
  rows.push(...(await run()));
}
const table = markdown(rows);
console.log(table);
if (wanted.length === 0) writeFileSync(here('results.md'), `${preface()}\n${table}`);

function preface(): string {
  return [
    '# Results of `npm run bench`',
    '',
    `Node ${process.version}, ${process.platform} ${process.arch}. Medians of interleaved runs, with the middle half of the`,
    'measurements beside them. The ratio is to the first line of each table. Ratios move by about a tenth between runs: compare',
    'two lines only where their middle halves do not touch.',
    '',
  ].join('\n');
}

function markdown(all: readonly Row[]): string {
  return all
    .map(
      (row) =>
        `## ${row.title}\n\nTo reach: ${row.goal}.\n\n${header(row.unit)}\n${row.figures.map(line).join('\n')}\n`,
    )
    .join('\n');
}

function header(unit: string): string {
  return `| | ${unit || 'count'} | middle half | ratio |\n| --- | ---: | ---: | ---: |`;
}

function line({ who, value, spread, ratio }: Figure): string {
  const half = spread ? `${round(spread[0])} to ${round(spread[1])}` : '';
  return `| ${who} | ${round(value)} | ${half} | ${ratio === undefined ? '' : ratio.toFixed(2)} |`;
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
