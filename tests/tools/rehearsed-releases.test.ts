import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entriesOf, releaseComplaints } from '../../tools/release.ts';

// Plays releases one after the other on a clone: a minor version in `.ci/run`, those that RELEASES names in `release:check`.

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const clone = join(folder, 'clone');
const kinds = (process.env.RELEASES ?? 'minor').split(' ') as Kind[];
type Kind = 'candidate' | 'major' | 'minor' | 'patch';

// Of this run: coverage, and which release the clone would rehearse in turn.
const ofThisRun = /^(?:COVERAGE|RELEASES|PASSED_CHECKS|VITEST.*|npm_(?:package|lifecycle|command).*)$/;
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisRun.test(name))),
  PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
  ...{ GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b.test', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b.test' },
};

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', root, clone]);
  // What is not committed yet is rehearsed too.
  const changed = git(root, 'ls-files', '--modified', '--others', '--exclude-standard').trim().split('\n');
  for (const path of changed.filter((each) => each !== '')) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(clone, path));
    else rmSync(join(clone, path), { force: true });
  }
  // The packages are those of the lockfile: see tools/prestart.mjs.
  utimesSync(join(clone, 'package-lock.json'), 0, 0);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
  commit('Begin');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(kinds)('a release: %s', (kind) => {
  let before: string;
  let version: string;
  let output: string;
  beforeAll(() => {
    before = manifestVersion();
    version = nextVersion(kind, before);
    if (!/^- /m.test(entriesOf(read('CHANGELOG.md'))[0]?.text ?? '')) addLine('- A fix.');
    output = npm('run', 'release:prepare', version);
  }, 1_800_000);

  test('is one commit with the version everywhere', () => {
    expect(output).toContain(`git tag -s v${version}`);
    expect(git(clone, 'status', '--porcelain')).toBe('');
    expect(git(clone, 'log', '-1', '--format=%s').trim()).toBe(`Release ${version}`);
    expect(manifestVersion()).toBe(version);
    expect(read('package-lock.json').slice(0, 300).split(`"version": "${version}"`).length).toBe(3);
    for (const file of ['docs/openapi.json', 'dist/sbom.cdx.json', 'dist/esm/core.js'])
      expect(read(file), file).toContain(version);
    expect(Object.keys(JSON.parse(read('bench/versions.json')) as object)).toContain(version);
    expect(read(`api/${version}/index.api.md`)).toBe(read('api/index.api.md'));
  });

  test('leaves the version before in what is history alone', () => {
    const history = /^(?:CHANGELOG\.md|api\/.*|bench\/versions\.json|package-lock\.json|tests\/.*|docs\/upgrade\.md)$/;
    const named = git(clone, 'grep', '-lwF', before).trim().split('\n');
    expect(named.filter((path) => !history.test(path) && read(path).includes(`sdk ${before}`))).toEqual([]);
    for (const file of ['package.json', 'docs/openapi.json'])
      expect(read(file)).not.toContain(`"version": "${before}"`);
  });

  test('lacks nothing', () => {
    const complaints = releaseComplaints({
      version,
      changelog: read('CHANGELOG.md'),
      changes: git(clone, 'status', '--porcelain'),
      repository: 'https://git.example/shop/sdk',
    });
    expect(complaints).toEqual([]);
  });

  test('is followed by work whose tests pass', () => {
    addLine('- A bug is fixed, which no declaration shows.');
    const tests = ['api', 'documents', 'silent-changes', 'upgrade', 'tools/worsened', 'tools/release.test.ts'];
    expect(npm('run', '--silent', 'test:unit', ...tests.map((name) => `tests/${name}`))).toMatch(
      /^\d+ passed, 0 failed/m,
    );
  }, 600_000);
});

test('a release that fails leaves the checkout as it was, and keeps what it made', () => {
  const head = git(clone, 'rev-parse', 'HEAD');
  addLine('- A text.');
  writeFileSync(join(clone, 'src/index.ts'), `${read('src/index.ts')}export const text: number = 'a text';\n`);
  commit('Add what does not build');
  const version = nextVersion('major', manifestVersion());
  const failed = spawnSync('npm', ['run', 'release:prepare', version], { cwd: clone, env, encoding: 'utf8' });
  expect(failed.status).toBe(1);
  expect(failed.stdout + failed.stderr).toContain(`${version} is not prepared`);
  expect(git(clone, 'status', '--porcelain')).toBe('');
  expect(manifestVersion()).not.toBe(version);
  expect(git(clone, 'stash', 'show', '--include-untracked', '--name-only')).toContain('package.json');
  expect(git(clone, 'rev-list', '--count', `${head.trim()}..HEAD`).trim()).toBe('2');
}, 1_800_000);

test.each([
  ['no version', ''],
  ['a word', 'minor'],
  ['an earlier version', '0.0.1'],
])('%s is rejected before anything changes', (_, wanted) => {
  const rejected = spawnSync('npm', ['run', 'release:prepare', wanted], { cwd: clone, env, encoding: 'utf8' });
  expect(rejected.status).toBe(1);
  expect(rejected.stderr).toMatch(/^(?:Which version|0\.0\.1 does not come after)/m);
  expect(git(clone, 'status', '--porcelain')).toBe('');
});

/** A minor version may break nothing from 1.0.0 on: then what is unreleased decides. */
function nextVersion(kind: Kind, before: string): string {
  const [major = 0, minor = 0, patch = 0] = before.split('-')[0]!.split('.').map(Number);
  const isBreaking = (entriesOf(read('CHANGELOG.md'))[0]?.text ?? '').includes('### Breaking changes');
  if (kind === 'candidate') return `${major + 1}.0.0-rc.1`;
  if (kind === 'major' || (kind === 'minor' && isBreaking && major > 0))
    return before.includes('-') ? `${major}.0.0` : `${major + 1}.0.0`;
  return kind === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`;
}

function addLine(line: string): void {
  const changelog = read('CHANGELOG.md').replace('## [Unreleased]\n', `## [Unreleased]\n\n${line}\n`);
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
  commit('Go on');
}

function commit(message: string): void {
  git(clone, 'add', '--all');
  git(clone, 'commit', '--quiet', '--allow-empty', '--message', message);
}

function manifestVersion(): string {
  return (JSON.parse(read('package.json')) as { version: string }).version;
}

function read(path: string): string {
  return readFileSync(join(clone, path), 'utf8');
}

function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' });
}

/** The output of npm, which is the message of the error where it fails. */
function npm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: clone, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout.slice(-5000)}${stderr.slice(-5000)}`);
  return stdout;
}
