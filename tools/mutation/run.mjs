// Puts faults into the source, one at a time, and counts how many the tests notice: `npm run test:mutation -- core`, with
// the names of folders or files of `src` (`core/retry`). What has not changed since the last run is not tested
// again; `--recheck` tests again what was noticed only because a test took too long. Prints the survivors and writes
// bench/mutation.md. On a busy machine, MUTATION_TIMEOUT_MS gives each test more than ten seconds, and MUTATION_CONCURRENCY=1
// runs one process.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { keepsWhatItCreates, parts } from './parts.mjs';
import { isIncomplete, isTimeout, listedScores, replaceSection, score, section, survivors } from './report.mjs';

const cache = 'node_modules/.cache/mutation';
const report = 'bench/mutation.md';
const tester = 'tools/mutation/node_modules/@stryker-mutator';

const names = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));

const unknown = names.filter((name) => !sources.some((file) => partOf(file) && isWithin(file, pathOf(name))));
if (unknown.length > 0) {
  console.error(`No tests are listed in tools/mutation/parts.mjs for ${unknown.join(' and ')}`);
  process.exit(1);
}

mkdirSync(cache, { recursive: true });
for (const part of Object.keys(parts)) {
  const files = sources.filter((file) => partOf(file) === part && isNamed(file));
  if (files.length > 0) test(part, files);
}
for (const room of new Set(Object.keys(parts).map(roomOf))) describe(room);

/** @param {string} file */
function isNamed(file) {
  return names.length === 0 || names.some((name) => isWithin(file, pathOf(name)));
}

/** @param {string} name a file or folder, with or without `src/` */
function pathOf(name) {
  return name.replace(/^src\//, '').replace(/\/$/, '');
}

/**
 * The most specific part that a file belongs to.
 *
 * @param {string} file
 */
function partOf(file) {
  return Object.keys(parts)
    .filter((part) => isWithin(file, part))
    .sort((a, b) => b.length - a.length)[0];
}

/**
 * @param {string} path
 * @param {string} folder
 */
function isWithin(path, folder) {
  return `${path}/`.startsWith(`${folder}/`);
}

/** @param {string} part */
function roomOf(part) {
  return part.split('/')[0] ?? part;
}

/** @param {string} part */
function resultsOf(part) {
  return `${cache}/${part.replaceAll('/', '-')}.json`;
}

/**
 * @param {string} part
 * @param {string[]} files
 */
function test(part, files) {
  if (process.argv.includes('--recheck')) forgetTimeouts(part);
  const others = Object.fromEntries(Object.entries(completeFiles(part)).filter(([file]) => !files.includes(file)));
  writeFileSync(listOf(part), JSON.stringify(others));
  const config = resultsOf(part).replace(/json$/, 'config.json');
  writeFileSync(config, JSON.stringify(optionsFor(part, files)));
  const { status } = spawnSync(process.execPath, [`${tester}/core/bin/stryker.js`, 'run', config], {
    stdio: 'inherit',
    env: {
      // A few cases of each property notice most faults, and a survivor runs all of them.
      FUZZ_CASES: '400',
      ...process.env,
      MUTATION_TESTS: parts[part]?.join(';'),
      ...(keepsWhatItCreates.has(part) && { MUTATION_ISOLATE: 'true' }),
    },
  });
  if (status !== 0) process.exit(status ?? 1);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(listOf(part), JSON.stringify({ ...others, ...Object.fromEntries(files.map((file) => [file, today])) }));
  const tested = Object.entries(readResults(part)).filter(([name]) => files.includes(name.replace(/^src\//, '')));
  const incomplete = tested.filter(([, { mutants }]) => mutants.some(isIncomplete)).map(([name]) => name);
  if (incomplete.length > 0) {
    console.error(`Not all tests ran for each fault in ${incomplete.join(', ')}: does a test change its name?`);
    process.exitCode = 1;
  }
  console.log(survivors(Object.fromEntries(tested)).join('\n'));
}

/**
 * @param {string} part
 * @param {string[]} files
 */
function optionsFor(part, files) {
  return {
    testRunner: 'vitest',
    plugins: [`./${tester}/vitest-runner/dist/src/index.js`, './tools/mutation/method-names.mjs'],
    ignorers: ['method-names'],
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    mutate: files.map((file) => `src/${file}`),
    ignorePatterns: ['.git', '.site', 'bench', 'coverage', 'dist', 'examples'],
    // A fault in a constant of a module would need each test in a thread of its own.
    ignoreStatic: true,
    incremental: true,
    incrementalFile: resultsOf(part),
    reporters: ['progress-append-only'],
    tempDirName: 'tools/mutation/.sandbox',
    // On a busy machine a test may take several times as long as in the first run.
    timeoutMS: 10_000,
    timeoutFactor: 3,
    dryRunTimeoutMinutes: 30,
    concurrency: Number(process.env.MUTATION_CONCURRENCY ?? availableParallelism()),
    // What a fault leaves behind in a thread must not reach many others.
    maxTestRunnerReuse: 100,
    allowEmpty: true,
  };
}

/** @param {string} part */
function listOf(part) {
  return resultsOf(part).replace(/json$/, 'files.json');
}

/**
 * The files that were tested to the end, with the day: a run that is stopped leaves some of their faults out.
 *
 * @param {string} part
 * @returns {Record<string, string>}
 */
function completeFiles(part) {
  if (!existsSync(listOf(part))) return {};
  /** @type {Record<string, string>} */
  const files = JSON.parse(readFileSync(listOf(part), 'utf8'));
  return files;
}

/**
 * @param {string} part
 * @returns {import('./report.mjs').MutatedFiles}
 */
function readResults(part) {
  const path = resultsOf(part);
  if (!existsSync(path)) return {};
  /** @type {{ files: import('./report.mjs').MutatedFiles }} */
  const { files } = JSON.parse(readFileSync(path, 'utf8'));
  return files;
}

/** @param {string} part */
function forgetTimeouts(part) {
  const path = resultsOf(part);
  if (!existsSync(path)) return;
  /** @type {{ files: import('./report.mjs').MutatedFiles }} */
  const known = JSON.parse(readFileSync(path, 'utf8'));
  for (const file of Object.values(known.files)) {
    file.mutants = file.mutants.filter((mutant) => !isTimeout(mutant));
  }
  writeFileSync(path, JSON.stringify(known));
}

/**
 * Replaces what bench/mutation.md says of one room; the rest of it is written by hand. A file without results keeps its line,
 * and a room without results stays as it is.
 *
 * @param {string} room
 */
function describe(room) {
  const scores = Object.keys(parts)
    .filter((part) => roomOf(part) === room)
    .flatMap(scoresOf);
  if (scores.length === 0) return;
  const { version } = JSON.parse(readFileSync(`${tester}/core/package.json`, 'utf8'));
  const page = readFileSync(report, 'utf8');
  const earlier = listedScores(page, room).filter(({ name }) => !scores.some((score) => score.name === name));
  const existing = [...scores, ...earlier].filter(({ name }) => sources.includes(`${room}/${name}`));
  const text = section(room, existing, `Stryker ${version}, Node ${process.version}.`);
  writeFileSync(report, replaceSection(page, room, text));
}

/** @param {string} part */
function scoresOf(part) {
  const results = readResults(part);
  return Object.entries(completeFiles(part)).map(([file, tested]) =>
    score(file.replace(`${roomOf(part)}/`, ''), results[`src/${file}`]?.mutants ?? [], tested),
  );
}
