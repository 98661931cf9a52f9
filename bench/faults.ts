// Plays hostile scenarios with this library and its peers, and writes what each did: `npm run bench:faults`.
// A name on the command line plays the scenarios or libraries that hold it.
import { writeFileSync } from 'node:fs';
import { here } from './measure.ts';
import { play, scenarios } from './faults/scenarios.ts';
import type { Verdict } from './faults/scenarios.ts';
import { subjects } from './faults/subjects.mjs';

const wanted = process.argv[2];
const chosen = scenarios.filter(({ name }) => wanted === undefined || name.includes(wanted));
// Some of them leave a rejection unhandled when their connection breaks; that ends no scenario.
process.on('unhandledRejection', () => undefined);

const rows: string[] = [];
const held = new Map<string, { held: number; of: number }>();
for (const scenario of chosen) {
  console.error(`playing: ${scenario.name}`);
  // At the same time: most of a scenario is waiting. What counts requests has a service of its own.
  const verdicts = await Promise.all(subjects.map((subject) => verdictOf(scenario, subject)));
  rows.push(`| ${scenario.name} | ${verdicts.map(cell).join(' | ')} |`);
  for (const [index, { holds }] of verdicts.entries()) {
    const name = subjects[index]?.name ?? '';
    const { held: before, of } = held.get(name) ?? { held: 0, of: 0 };
    if (holds !== undefined) held.set(name, { held: before + Number(holds), of: of + 1 });
  }
}
const names = subjects.map(({ name }) => name);
const table = [
  `| | ${names.join(' | ')} |`,
  `| --- |${' --- |'.repeat(names.length)}`,
  ...rows,
  `| **held, of those it has** | ${names.map(scoreOf).join(' | ')} |`,
].join('\n');
console.log(table);
if (wanted === undefined) writeFileSync(here('faults.md'), `${preface()}\n${table}\n`);
process.exit();

async function verdictOf(scenario: (typeof scenarios)[number], subject: (typeof subjects)[number]): Promise<Verdict> {
  try {
    const library: unknown = await import(subject.package);
    return await play(scenario, (baseUrl) => subject.make(library, baseUrl));
  } catch (error) {
    return { seen: `could not be played: ${error instanceof Error ? error.message.slice(0, 60) : 'no error'}` };
  }
}

function scoreOf(name: string): string {
  const { held: count, of } = held.get(name) ?? { held: 0, of: 0 };
  return `**${count} of ${of}**`;
}

function cell({ holds, seen }: Verdict): string {
  return holds === undefined ? seen : `${holds ? '✓' : '✗'} ${seen}`;
}

function preface(): string {
  return [
    '# What hostile scenarios do to libraries',
    '',
    `Written by \`npm run bench:faults\` on Node ${process.version}: each library is called once a scenario, against a local service that`,
    'misbehaves, with a timeout of a second where it takes one and all else as it comes. ✓ holds, ✗ does not.',
    '',
  ].join('\n');
}
