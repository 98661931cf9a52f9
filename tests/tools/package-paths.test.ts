import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { packagePaths, packagesIn } from '../../tools/package-paths.ts';

/** Where packages may be installed, seen from a project in `a/b`. */
const places = ['a/b', 'a', '.'];

test.each(places)('a build does not depend on where packages are installed: node_modules in %s', async (place) => {
  expect(await built(place)).toEqual(await built('a/b'));
});

test('the packages that are bundled are known with their versions', async () => {
  const { inputs } = await built('a');
  expect(packagesIn(inputs)).toEqual([
    { name: '@scope/two', version: '3.0.0' },
    { name: 'one', version: '1.2.0' },
    { name: 'two', version: '2.0.0-beta.1' },
  ]);
});

test('two versions of a package stay two', async () => {
  const { inputs } = await built('a', '1.9.0');
  expect(packagesIn(inputs).filter(({ name }) => name === 'two')).toEqual([
    { name: 'two', version: '1.9.0' },
    { name: 'two', version: '2.0.0-beta.1' },
  ]);
});

/** Builds a project with packages that are installed in a folder, one of them twice if `nested` is the other version. */
async function built(place: string, nested?: string): Promise<{ files: Record<string, string>; inputs: string[] }> {
  const root = mkdtempSync(join(tmpdir(), 'paths-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const project = join(root, 'a/b');
  const modules = join(root, place, 'node_modules');
  install(
    join(modules, 'one'),
    '1.2.0',
    `import { two } from 'two'; import { four } from './lib/four.js'; export const one = two + four;`,
  );
  write(join(modules, 'one/lib/four.js'), `export const four = 'four';`);
  install(join(modules, 'two'), '2.0.0-beta.1', `export const two = 'two';`);
  install(join(modules, '@scope/two'), '3.0.0', `export * from 'two'; export const three = 'three';`);
  if (nested !== undefined) install(join(modules, 'one/node_modules/two'), nested, `export const two = 'old';`);
  write(
    join(project, 'src/a.js'),
    `import { one } from 'one'; import { local } from './local.js'; console.log(one, local);`,
  );
  write(
    join(project, 'src/b.js'),
    `import { two, three } from '@scope/two'; import { one } from 'one'; console.log(two, three, one);`,
  );
  write(join(project, 'src/local.js'), `export const local = 'local';`);
  const { outputFiles, metafile } = await build({
    absWorkingDir: project,
    entryPoints: ['src/a.js', 'src/b.js'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    sourcemap: true,
    metafile: true,
    write: false,
    plugins: [packagePaths],
  });
  const files = Object.fromEntries(outputFiles.map(({ path, text }) => [path.slice(project.length), text]));
  return { files, inputs: Object.keys(metafile.inputs) };
}

function install(folder: string, version: string, code: string): void {
  write(join(folder, 'package.json'), JSON.stringify({ version, type: 'module', main: 'index.js' }));
  write(join(folder, 'index.js'), code);
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
