// Runs the benchmarks: all, or those named on the command line. Prints their rows and keeps them in bench/results.json, from
// which it writes bench/results.md and the figures on the site's first page and in the guide about
// performance. `-- documents` only does that.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import type { Row } from './measure.ts';
import { merged, page, regions, section, withRegions } from './results.ts';
import type { Result } from './results.ts';
import { backlog } from './rows/backlog.ts';
import { calls, pages, parallel, secure, stubbed } from './rows/cpu.ts';
import { engines } from './rows/engines.ts';
import { heap } from './rows/heap.ts';
import { installedSize } from './rows/installed.ts';
import { nodes } from './rows/nodes.ts';
import { notifications } from './rows/notifications.ts';
import { receiver } from './rows/receiver.ts';
import { simulation } from './rows/simulation.ts';
import { size } from './rows/size.ts';
import { startUp } from './rows/start-up.ts';
import { types } from './rows/types.ts';
import { uploads } from './rows/uploads.ts';
import { validation } from './rows/validation.ts';
import { waiting } from './rows/waiting.ts';

const benchmarks: Readonly<Record<string, () => Row[] | Promise<Row[]>>> = {
  startUp,
  stubbed,
  calls,
  parallel,
  secure,
  pages,
  nodes,
  validation,
  notifications,
  receiver,
  engines,
  backlog,
  size,
  types,
  installed: installedSize,
  heap,
  uploads,
  waiting,
  simulation,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in benchmarks) && name !== 'documents');
if (unknown.length > 0)
  throw new Error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(benchmarks).join(', ')}`);

const kept = here('results.json');
const origin = `Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.version}, ${process.platform} ${process.arch}.`;
// A complete run begins with nothing, so that no row is left that no benchmark measures.
let results: Result[] = [];
if (wanted.length > 0 && existsSync(kept)) results = JSON.parse(readFileSync(kept, 'utf8')) as Result[];
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`measuring ${name} ...`);
  const rows = await run();
  for (const row of rows) console.log(section({ ...row, origin }));
  results = merged(results, rows, origin);
  write(); // a run that is stopped leaves documents that agree
}
write();

function write(): void {
  writeFileSync(kept, `${JSON.stringify(results, undefined, 2)}\n`);
  writeFileSync(here('results.md'), page(results));
  for (const path of ['../docs/index.md', '../docs/guide/performance.md']) {
    const file = here(path);
    writeFileSync(file, withRegions(readFileSync(file, 'utf8'), regions(results)));
  }
  execFileSync('npm', ['run', '--silent', 'format']);
}
