// Attacks the built package for a few minutes, over both transports, and writes bench/soak.md: `npm run soak`. Options:
// --aborts, --writes, --responses and --idle set how many calls are made, --seed repeats a run, and --page=false leaves the
// page as it is.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type * as Library from 'marketplace-seller-sdk';
import type * as Testing from 'marketplace-seller-sdk/testing';
import { here } from './measure.ts';
import { abortAtRandom } from './soak/aborts.ts';
import { misbehave } from './soak/bytes.ts';
import { ofFetch, ofLibrary, ofNode, unknownOutcomes } from './soak/idle.ts';
import { writePart } from './soak/page.ts';
import type { Subject } from './soak/workload.ts';
import { writeThroughChaos } from './soak/writes.ts';

const { values } = parseArgs({
  options: {
    aborts: { type: 'string', default: '7000' },
    writes: { type: 'string', default: '10800' },
    responses: { type: 'string', default: '5000' },
    idle: { type: 'string', default: '480' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    page: { type: 'string', default: 'true' },
  },
});
const seed = Number(values.seed);
const scale = (count: string): { count: number; seed: number } => ({ count: Number(count), seed });

const unhandled: unknown[] = [];
process.on('unhandledRejection', (error) => unhandled.push(error));
process.on('uncaughtException', (error) => unhandled.push(error));

const built: unknown = await import(here('../dist/esm/index.js'));
const builtTesting: unknown = await import(here('../dist/esm/testing/index.js'));
const library = built as typeof Library;
const testing = builtTesting as typeof Testing;
const subjects: Record<string, Subject> = {
  'node:http': { library, testing, transport: {} },
  fetch: { library, testing, transport: { fetch: globalThis.fetch } },
};

type Cells = Record<string, string | number>;
const rows = new Map<string, Cells>();
const command = `npm run soak -- --seed=${seed}`;
console.log(command);

for (const [name, subject] of Object.entries(subjects)) {
  // The first calls load code and warm the compiler up.
  await abortAtRandom(subject, scale('500'));
  const heapBefore = await settledHeap();
  const aborts = await timed(`${values.aborts} aborts over ${name}`, () =>
    abortAtRandom(subject, scale(values.aborts)),
  );
  const heapAfter = await settledHeap();
  const writes = await timed(`${values.writes} writes over ${name}`, () =>
    writeThroughChaos(subject, scale(values.writes)),
  );
  const bytes = await timed(`${values.responses} responses over ${name}`, () =>
    misbehave(subject, scale(values.responses)),
  );
  const cells: Cells = {
    'calls with a random abort': aborts.calls,
    '... aborted': aborts.aborted,
    '... completed before': aborts.completed,
    '... ended otherwise': aborts.wrong.length,
    'listeners left on signals': aborts.left.listeners,
    'slots of the limiter left': aborts.left.slots,
    'files left open': aborts.left.sources,
    'requests left open': aborts.left.requests,
    'timers and sockets left': aborts.resources,
    'growth of the heap, in KiB': Math.round((heapAfter - heapBefore) / 1024),
    'writes through the chaos proxy': writes.writes,
    '... faults injected': writes.faults,
    '... done': writes.done,
    '... not carried out': writes.failed,
    '... outcome unknown': writes.unknown,
    '... lost': writes.lost,
    '... doubled': writes.doubled,
    '... carried out, and reported as not': writes.denied,
    'responses of damaged bytes': bytes.responses,
    '... delivered': bytes.delivered,
    '... an error of this library': bytes.failed,
    '... ended otherwise, or with a wrong outcome': bytes.wrong.length,
  };
  for (const wrong of [...aborts.wrong, ...bytes.wrong].slice(0, 5)) console.error(wrong);
  for (const [what, value] of Object.entries(cells)) rows.set(what, { ...rows.get(what), [name]: value });
}

const writers = {
  'this library over node:http': ofLibrary(subjects['node:http']!),
  'this library over fetch': ofLibrary(subjects.fetch!),
  'fetch alone (undici)': ofFetch,
  'node:http alone': ofNode(),
};
const idle: Record<string, Cells> = {};
for (const [name, write] of Object.entries(writers)) {
  const cells: Cells = {};
  for (const how of ['close', 'reset'] as const)
    cells[how] = await timed(`${values.idle} writes, ${how}, ${name}`, () =>
      unknownOutcomes(how, write, scale(values.idle)),
    );
  idle[name] = cells;
}

const report = `${page()}\n`;
console.log(report);
if (values.page !== 'false') writePart(report);
for (const error of unhandled) console.error('unhandled:', error);
process.exit(unhandled.length > 0 ? 1 : 0);

function page(): string {
  const names = Object.keys(subjects);
  const lines = [...rows].map(
    ([what, cells]) => `| ${what} | ${names.map((name) => String(cells[name])).join(' | ')} |`,
  );
  const idleLines = Object.entries(idle).map(([name, { close, reset }]) => `| ${name} | ${close} | ${reset} |`);
  return [
    '# Results of `npm run soak`',
    '',
    `Written by \`${command}\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version} with undici`,
    `${process.versions.undici}, ${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on`,
    `${availableParallelism()} cores. Unhandled rejections and exceptions: ${unhandled.length}.`,
    '',
    'Calls are aborted at a random moment: in the limiter, in the queue, in flight, in an upload or in a download. The proxy',
    "breaks one chunk in twenty, in ten ways; half of the writes use `unknownOutcome: 'confirm'`. Each response of damaged bytes",
    'is a good one with up to four random changes, sent in random pieces.',
    '',
    `| | ${names.join(' | ')} |`,
    `| --- |${' ---: |'.repeat(names.length)}`,
    ...lines,
    '',
    `Writes of unknown outcome, of ${values.idle}, to a service that closes idle connections after 5 ms, where the writes of each`,
    'of eight loops are 4 to 6 ms apart:',
    '',
    '| | closes | resets |',
    '| --- | ---: | ---: |',
    ...idleLines,
  ].join('\n');
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await work();
  console.error(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

async function settledHeap(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return process.memoryUsage().heapUsed;
}
