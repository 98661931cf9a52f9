// Runs the benchmarks: all, or those named on the command line. Prints their rows and writes them to bench/results.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import type { Row } from './measure.ts';
import { pageWith, section } from './results.ts';
import { calls, pages, parallel, secure, stubbed } from './rows/cpu.ts';
import { heap } from './rows/heap.ts';
import { installedSize } from './rows/installed.ts';
import { nodes } from './rows/nodes.ts';
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
  stubbed,
  calls,
  parallel,
  secure,
  pages,
  nodes,
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

const page = here('results.md');
const origin = `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.version}, ${process.platform} ${process.arch}.`;
// A complete run begins with an empty page, so that no row is left that no benchmark measures.
if (wanted.length === 0) writeFileSync(page, pageWith('', [], origin));
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`measuring ${name} ...`);
  const rows = await run();
  for (const row of rows) console.log(section(row, origin));
  writeFileSync(page, pageWith(readFileSync(page, 'utf8'), rows, origin));
}
