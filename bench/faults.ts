// Plays scenarios of misbehaving services with this library and others, and writes what each did: `npm run bench:faults`.
// A text on the command line plays the scenarios whose name contains it, and keeps the other rows.
import { readFileSync, writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import { play, scenarios } from './faults/scenarios.ts';
import type { Verdict } from './faults/scenarios.ts';
import { subjects } from './faults/subjects.mjs';
import { faultRows, faultsRegion, scoresOf, withRegions } from './results.ts';

const wanted = process.argv[2] ?? '';
// Some libraries leave a rejection unhandled when their connection breaks.
process.on('unhandledRejection', () => undefined);

const known = new Map(faultRows(readFileSync(here('faults.md'), 'utf8')).map((row) => [row[0], row]));
const rows: string[][] = [];
for (const scenario of scenarios) {
  const { name, promisedBy, isMeasured } = scenario;
  const before = wanted === '' || name.includes(wanted) ? undefined : known.get(name);
  if (!before) console.error(`playing: ${name}`);
  const verdicts = before ? [] : await (isMeasured ? oneByOne(scenario) : together(scenario));
  rows.push(before ?? [name, promisedBy, ...verdicts.map(cell)]);
}
const scores = scoresOf(rows).map((score) => `**${score}**`);
const table = [
  ['', 'promised by', ...subjects.map(({ name }) => name)],
  ['---', '---', ...subjects.map(() => '---')],
  ['package', '', ...subjects.map((subject) => nameAndVersion(subject.package))],
  ...rows,
  ['**passed, of the scenarios that apply**', '', ...scores],
].map((row) => `| ${row.join(' | ')} |`);
const text = `${preface()}\n${table.join('\n')}\n`.replaceAll('|  |', '| |');
console.log(text);
writeFileSync(here('faults.md'), text);
const guide = here('../docs/guide/performance.md');
writeFileSync(guide, withRegions(readFileSync(guide, 'utf8'), { faults: faultsRegion(text) }));
process.exit();

/** At the same time, because most of a scenario is waiting. Each library has its own service. */
function together(scenario: (typeof scenarios)[number]): Promise<Verdict[]> {
  return Promise.all(subjects.map((subject) => verdictOf(scenario, subject)));
}

/** Each library alone and three times. It passes when all runs pass. */
async function oneByOne(scenario: (typeof scenarios)[number]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const subject of subjects) {
    const runs: Verdict[] = [];
    for (let run = 0; run < 3; run += 1) runs.push(await verdictOf(scenario, subject));
    const seen = [...new Set(runs.map((each) => each.seen))].join('; ');
    const applies = runs.some(({ holds }) => holds !== undefined);
    verdicts.push({ ...(applies && { holds: runs.every(({ holds }) => holds === true) }), seen });
  }
  return verdicts;
}

async function verdictOf(scenario: (typeof scenarios)[number], subject: (typeof subjects)[number]): Promise<Verdict> {
  const library: unknown = await import(subject.package);
  const { make, makeEach } = subject;
  return play(
    scenario,
    subject,
    (baseUrl, options) => make(library, baseUrl, options),
    (baseUrl, keys) => makeEach?.(library, baseUrl, keys) ?? keys.map((key) => make(library, baseUrl, { key })),
  );
}

function cell({ holds, seen }: Verdict): string {
  return `${holds === undefined ? '–' : holds ? '✓' : '✗'} ${seen}`;
}

/** The name and version of an installed package; this library has neither. */
function nameAndVersion(name: string): string {
  if (name.startsWith('file:')) return 'this repository';
  const manifest = readFileSync(here(`node_modules/${name}/package.json`), 'utf8');
  return `\`${name}\` ${(JSON.parse(manifest) as { version: string }).version}`;
}

function preface(): string {
  return [
    '# What libraries do when a service misbehaves',
    '',
    'Each library calls a local service that misbehaves. It has its defaults and, as its vendor recommends, a timeout, here of',
    'one second (Octokit and Resend have no such option). ✓ passes, ✗ fails, – does not apply: a library without a feature',
    'has not failed. A verdict is about this one scenario, with the package and version named here.',
    '',
    '- **What is in the table**: one row per promise about faults in the documentation of one of these libraries, also where',
    '  this library does not make it. Some rows contradict each other: who repeats a write after a 503 sends it twice.',
    '- All services are plain HTTP on loopback; nothing is played over TLS.',
    '- The service sends errors in the form, and a 429 with the headers, that the vendor documents.',
    '- Octokit has its retry and throttling plugins, as in the package `octokit`. The telemetry of Stripe and all loggers are off.',
    '- Resend reports errors as results, which count as errors. MercadoPago has no option for the address, so its internal',
    '  configuration is changed.',
    '- Where retries would hide what a scenario asks, its name says that they are off.',
    '- What is tried again has one row for each failure, played with a write, because most of the documentation makes no',
    '  difference there. Two rows are played with a read.',
    '- The last two scenarios are played three times and pass when all runs pass. Their requests per call are shown and not',
    '  judged (our own target is 1.5).',
    '',
    `Written by \`npm run bench:faults\` on Node ${process.version}.`,
    '',
  ].join('\n');
}
