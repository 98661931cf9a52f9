import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const SOURCES = [
  'package-lock.json',
  'src',
  'tools',
  'docs/openapi.json',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsup.config.ts',
];

test('a build of the same sources in another folder, which finds its packages elsewhere, is that of `npm test`', () => {
  const parent = mkdtempSync(join(tmpdir(), 'build-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const folder = join(parent, 'deeper/below');
  mkdirSync(folder, { recursive: true });
  for (const path of SOURCES) cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(parent, 'deeper/node_modules'));
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` };
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: folder, env, stdio: 'pipe' });
  const [first, second] = [filesOfBuild(root), filesOfBuild(folder)];
  expect(Object.keys(first).length).toBeGreaterThan(100);
  expect(Object.keys(second)).toEqual(Object.keys(first));
  expect(Object.keys(first).filter((name) => first[name] !== second[name])).toEqual([]);
});

function filesOfBuild(folder: string): Record<string, string> {
  const names = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}
