// Plays scenarios of misbehaving services with this library and others, and writes what each did: `npm run bench:faults`.
// A text on the command line plays the scenarios whose name contains it.
import { readFileSync, writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import { play, scenarios } from './faults/scenarios.ts';
import type { Verdict } from './faults/scenarios.ts';
import { subjects } from './faults/subjects.mjs';
import { faultsRegion, withRegions } from './results.ts';

const wanted = process.argv[2];
const chosen = scenarios.filter(({ name }) => wanted === undefined || name.includes(wanted));
// Some libraries leave a rejection unhandled when their connection breaks.
process.on('unhandledRejection', () => undefined);

const rows: string[] = [];
const held = new Map<string, { held: number; of: number }>();
for (const scenario of chosen) {
  console.error(`playing: ${scenario.name}`);
  const verdicts = await (scenario.isMeasured ? oneByOne(scenario) : together(scenario));
  rows.push(`| ${scenario.name} | ${scenario.promisedBy} | ${verdicts.map(cell).join(' | ')} |`);
  for (const [index, { holds }] of verdicts.entries()) {
    const name = subjects[index]?.name ?? '';
    const { held: before, of } = held.get(name) ?? { held: 0, of: 0 };
    if (holds !== undefined) held.set(name, { held: before + Number(holds), of: of + 1 });
  }
}
const names = subjects.map(({ name }) => name);
const packages = subjects.map((subject) => nameAndVersion(subject.package));
const table = [
  `| | promised by | ${names.join(' | ')} |`,
  `| --- | --- |${' --- |'.repeat(names.length)}`,
  `| package | | ${packages.join(' | ')} |`,
  ...rows,
  `| **passed, of the scenarios that apply** | | ${names.map(scoreOf).join(' | ')} |`,
].join('\n');
console.log(table);
if (wanted === undefined) {
  const text = `${preface()}\n${table}\n`;
  writeFileSync(here('faults.md'), text);
  const readme = here('../README.md');
  writeFileSync(readme, withRegions(readFileSync(readme, 'utf8'), { faults: faultsRegion(text) }));
}
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
    verdicts.push({ holds: runs.every(({ holds }) => holds === true), seen });
  }
  return verdicts;
}

async function verdictOf(scenario: (typeof scenarios)[number], subject: (typeof subjects)[number]): Promise<Verdict> {
  try {
    const library: unknown = await import(subject.package);
    const { make, makeEach } = subject;
    return await play(
      scenario,
      subject,
      (baseUrl, options) => make(library, baseUrl, options),
      (baseUrl, keys) => makeEach?.(library, baseUrl, keys) ?? keys.map((key) => make(library, baseUrl, { key })),
    );
  } catch (error) {
    return { seen: `could not be played: ${error instanceof Error ? error.message.slice(0, 60) : 'no error'}` };
  }
}

function scoreOf(name: string): string {
  const { held: count, of } = held.get(name) ?? { held: 0, of: 0 };
  return `**${count} of ${of}**`;
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
    '- The last two scenarios are played three times and pass when all runs pass. Their requests per call are shown and not',
    '  judged (our own target is 1.5).',
    '',
    `Written by \`npm run bench:faults\` on Node ${process.version}.`,
    '',
  ].join('\n');
}
