// Makes the commit of a release: `npm run release:prepare 1.2.0`. Sets the version everywhere, dates the changelog, keeps what the
// version declares and weighs, writes the documents, and runs the checks that a new version can break. After a failure,
// the checkout is as before, and what was made is in `git stash`.
import { execFileSync, spawnSync } from 'node:child_process';
import { globSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLater, releasedChangelog } from './release.ts';

const root = join(import.meta.dirname, '..');
const changelog = join(root, 'CHANGELOG.md');
const [, , version = ''] = process.argv;
/** What a new version can break: the tests that read its number, and those that read the changelog's entries. */
const tests = [
  ...['documents', 'package', 'tools/release', 'tools/worsened', 'core/user-agent'].map(
    (name) => `tests/${name}.test.ts`,
  ),
  ...globSync('tests/**/*.test.ts', { cwd: root }).filter(
    (path) => !path.includes('rehearsed-releases') && readFileSync(join(root, path), 'utf8').includes('entriesOf'),
  ),
];

const before = versionIn('package.json');
const obstacle = obstacleTo(version);
if (obstacle !== undefined) {
  console.error(obstacle);
  process.exit(1);
}
try {
  makeRelease();
  run('git', 'add', '--all');
  run('git', 'commit', '--quiet', '--message', `Release ${version}`);
} catch (error) {
  console.error(`${version} is not prepared: ${error instanceof Error ? error.message : String(error)}`);
  run('git', 'stash', 'push', '--quiet', '--include-untracked', '--message', `Release ${version}, which failed`);
  console.error('The checkout is as before. `git stash pop` brings back what was made.');
  process.exit(1);
}
console.log(`Committed as "Release ${version}". Now:
  npm run release:check
  git tag -s v${version} -m ${version} && git push --follow-tags`);

function obstacleTo(wanted: string): string | undefined {
  if (!/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(wanted))
    return `Which version? npm run release:prepare 1.2.0, or a candidate such as 1.2.0-rc.1; it was given "${wanted}"`;
  if (!isLater(wanted, before)) return `${wanted} does not come after ${before}`;
  const changes = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
  if (changes !== '') return `Not everything is committed:\n${changes.trimEnd()}`;
  try {
    releasedChangelog(readFileSync(changelog, 'utf8'), wanted, '');
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

function makeRelease(): void {
  const { atime, mtime } = statSync(join(root, 'package-lock.json'));
  npm('version', version, '--no-git-tag-version', '--ignore-scripts', '--silent');
  // What is installed is still what the lockfile pins: see tools/prestart.mjs.
  utimesSync(join(root, 'package-lock.json'), atime, mtime);
  // The user agent and the OpenAPI document name the version.
  npm('run', '--silent', 'docs:update');
  npm('run', '--silent', 'build');
  // Before the heading is there: what became worse is compared with the version before, and has to stand under Unreleased.
  npm('run', '--silent', 'bench:check', '--', '--keep', version);
  npm('run', '--silent', 'api:keep', version);
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, 'utf8'), version, today));
  npm('run', '--silent', 'checks');
  npm('run', '--silent', 'test:unit', ...tests);
}

function npm(...args: string[]): void {
  // On Windows, `npm` is no program that could be started.
  const { npm_execpath: script } = process.env;
  if (script === undefined) run('npm', ...args);
  else run(process.execPath, script, ...args);
}

function run(command: string, ...args: string[]): void {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0)
    throw new Error(`${args.filter((each) => !/[\\/]npm-cli\.js$|^--silent$/.test(each)).join(' ')} failed`);
}

function versionIn(file: string): string {
  return (JSON.parse(readFileSync(join(root, file), 'utf8')) as { version: string }).version;
}
