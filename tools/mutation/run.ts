// Runs the mutation tester Stryker on folders and files of `src`: `npm run test:mutation -- core/recover core/limits/bucket.ts`.
// Prints the faults that no test noticed, and writes the scores of the files to bench/mutation.md. Options such as `--force`
// and `--concurrency=1` are passed to Stryker.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The tests that run for each room of `src`: quick ones that aim at it. A test that starts programs, a browser or Redis takes
 * too long to run for each of thousands of faults.
 */
const testsOf: Readonly<Record<string, readonly string[]>> = {
  core: [
    'tests/{client,contract,golden-requests,retry-classes}.test.ts',
    'tests/core/!(process-end|proxies-and-certificates).test.ts',
    'tests/{limits,promises,reading-back}/*.test.ts',
    'tests/resilience/{connections,deadlines,known-failures,never-sent,odd-responses,wrong-entries}.test.ts',
    'tests/resources/*.test.ts',
  ],
  work: [
    'tests/work/!(bullmq|postgres-store).test.ts',
    'tests/notifications/!(bullmq|examples|full-disk|hostile).test.ts',
  ],
  notifications: ['tests/notifications/!(bullmq|examples|full-disk|hostile).test.ts', 'tests/promises/inbox.test.ts'],
  resources: [
    'tests/{contract,golden-requests,retry-classes}.test.ts',
    'tests/core/{documented-errors,echoes,input-messages,misuse}.test.ts',
    'tests/{promises,reading-back}/*.test.ts',
    'tests/resources/*.test.ts',
  ],
  testing: [
    'tests/{client,contract}.test.ts',
    'tests/{oauth,resources}/*.test.ts',
    'tests/testing/!(agents|python-example).test.ts',
  ],
  cli: ['tests/cli/{call,check,program,stored-work}.test.ts'],
  tools: [
    'tests/{choice-of,data-in,hosts-of,operations-as,previews-of,small-results-of,words-of}-tools.test.ts',
    'tests/sent-writes.test.ts',
  ],
  oauth: ['tests/oauth/*.test.ts'],
  outbox: ['tests/outbox/!(engines|lives|told).test.ts'],
  otel: ['tests/core/{misuse,observability}.test.ts', 'tests/notifications/tracing.test.ts'],
};

const cache = 'node_modules/.cache/mutation';
const page = 'bench/mutation.md';
const stryker = 'tools/mutation/node_modules/@stryker-mutator/core';

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const paths = named.length > 0 ? named.map((path) => path.replace(/^src\/|\/$/g, '')) : Object.keys(testsOf);

const unknown = paths.filter((path) => !existsSync(`src/${path}`) || !testsOf[roomOf(path)]);
if (unknown.length > 0) throw new Error(`No tests are listed in tools/mutation/run.ts for ${unknown.join(' and ')}`);
mkdirSync(cache, { recursive: true });
for (const room of new Set(paths.map(roomOf))) {
  const own = paths.filter((path) => roomOf(path) === room);
  test(room, own);
  writeFileSync(page, withScores(readFileSync(page, 'utf8'), room, scoresOf(room, own)));
}

function roomOf(path: string): string {
  return path.split('/')[0] ?? path;
}

function test(room: string, own: readonly string[]): void {
  const mutate = own.map((path) => (path.endsWith('.ts') ? `src/${path}` : `src/${path}/**/*.ts`)).join(',');
  const args = ['tools/mutation/stryker.config.json', '--mutate', mutate, '--incrementalFile', `${cache}/${room}.json`];
  const { status } = spawnSync(process.execPath, [`${stryker}/bin/stryker.js`, 'run', ...args, ...options], {
    stdio: 'inherit',
    // A few cases of each property notice most faults, and a survivor runs all of them.
    env: { FUZZ_SHARE: '0.1', ...process.env, MUTATION_TESTS: testsOf[room]?.join(';') },
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** The cells of a row for each tested file with faults. "Timed out" counts what was noticed only by a limit of time. */
function scoresOf(room: string, own: readonly string[]): string[][] {
  const { files } = JSON.parse(readFileSync(`${cache}/${room}.json`, 'utf8')) as {
    files: Record<string, { mutants: { status: string; statusReason?: string }[] }>;
  };
  const tested = Object.entries(files).filter(([name]) => own.some((path) => `${name}/`.startsWith(`src/${path}/`)));
  const rows = tested.map(([name, { mutants }]) => {
    const count = (pattern: RegExp): number =>
      mutants.filter(({ status, statusReason = '' }) => pattern.test(`${status} ${statusReason}`)).length;
    const survived = count(/^(Survived|NoCoverage)/);
    const faults = count(/^(Killed|Timeout)/) + survived;
    const scores = figures(faults, survived, count(/^Timeout|^Killed.*timed out/s));
    return [`\`${name.replace(`src/${room}/`, '')}\``, ...scores, new Date().toISOString().slice(0, 10)];
  });
  return rows.filter(([, , faults]) => faults !== '0');
}

function figures(faults: number, survived: number, timedOut: number): string[] {
  return [`${Math.floor((100 * (faults - survived)) / faults)} %`, ...[faults, survived, timedOut].map(String)];
}

/** The page with these rows in the table of the room, worst file first. Other files that still exist keep their rows. */
function withScores(text: string, room: string, tested: readonly string[][]): string {
  const sections = text.trimEnd().split(/\n+(?=## )/);
  const found = sections.findIndex((section) => section.startsWith(`## ${room}\n`));
  const at = found < 0 ? sections.length : found;
  const listed = [...(sections[at] ?? '').matchAll(/^\| (`.*) \|$/gm)].map(([, cells = '']) => cells.split(' | '));
  const rows = [...new Map([...listed, ...tested].map((row) => [row[0], row])).values()]
    .filter(([file = '']) => existsSync(`src/${room}/${file.replaceAll('`', '')}`))
    .sort((a, b) => Number.parseInt(a[1] ?? '') - Number.parseInt(b[1] ?? ''));
  const sum = (column: number): number => rows.reduce((total, row) => total + Number(row[column]), 0);
  const { version } = JSON.parse(readFileSync(`${stryker}/package.json`, 'utf8')) as { version: string };
  const total = [`**${rows.length} files**`, ...figures(sum(2), sum(3), sum(4)), ''];
  sections[at] = [
    `## ${room}\n\nStryker ${version}, Node ${process.version}.\n`,
    '| File | Noticed | Faults | Survived | Timed out | Tested |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...[total, ...rows].map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
  return `${sections.join('\n\n')}\n`;
}
