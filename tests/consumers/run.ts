// Installs the packed package into each project of this folder, outside the repository, and runs the project's tests.
// Without arguments all projects; `npm run test:consumers -- jest vite` runs those two. TARBALL names a file that is packed already.
import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm } from './npm.ts';
import type { Run } from './npm.ts';

/** What a test exits with when the machine lacks what it needs; it says what on its last line. */
const NOT_RUN = 77;

const root = join(import.meta.dirname, '../..');
if (!existsSync(join(root, 'dist/sbom.cdx.json'))) throw new Error('There is no dist: run `npm run build` first');
const folder = mkdtempSync(join(tmpdir(), 'consumers-'));
const results = { passed: 0, failed: 0, notRun: 0 };
try {
  const tarball = process.env.TARBALL ?? (await pack());
  const waiting = wanted(process.argv.slice(2));
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await test(name, tarball);
  };
  // Installing waits for the network and the disk, tests for the processor.
  await Promise.all(Array.from({ length: Math.min(3, availableParallelism() + 1) }, worker));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const { passed, failed, notRun } = results;
console.log(`Consumers: ${passed} passed, ${failed} failed, ${notRun} not run`);
process.exitCode = failed === 0 ? 0 : 1;

async function pack(): Promise<string> {
  const { status, output } = await npm(root, 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (status !== 0 || file === undefined) throw new Error(`npm pack failed:\n${output}`);
  return join(folder, file);
}

function wanted(names: readonly string[]): string[] {
  const all = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no consumer ${unknown.join(', ')}; there are ${all.join(', ')}`);
  return names.length > 0 ? [...names] : all;
}

/** Installs a project as its users would, and runs each of its `test:` scripts. */
async function test(name: string, tarball: string): Promise<void> {
  const project = join(folder, name);
  cpSync(join(import.meta.dirname, name), project, { recursive: true });
  const installed = await npm(project, 'install', tarball, '--prefer-offline', '--no-audit', '--no-fund');
  report(`${name} install`, installed);
  if (installed.status !== 0) return;
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const tests = Object.keys(scripts).filter((script) => script.startsWith('test:'));
  if (tests.length === 0) throw new Error(`${name} has no script whose name starts with test:`);
  for (const script of tests) {
    report(`${name} ${script.slice('test:'.length)}`, await npm(project, 'run', '--silent', script));
  }
}

function report(what: string, { status, output, seconds }: Run): void {
  if (status === 0) results.passed += 1;
  else if (status === NOT_RUN) results.notRun += 1;
  else results.failed += 1;
  const word = status === 0 ? 'ok  ' : status === NOT_RUN ? 'NOT RUN' : 'FAILED';
  console.log(`${word} ${what} (${seconds.toFixed(1)} s)${status === NOT_RUN ? `: ${lastLine(output)}` : ''}`);
  if (word === 'FAILED') console.log(output.trimEnd().replaceAll(/^/gm, '     '));
}

function lastLine(output: string): string {
  return output.trimEnd().split('\n').at(-1) ?? '';
}
