// Builds dist: bundled by tsup, linked into ES modules (for Node, and for the rest) and CommonJS, declarations with maps by tsc.
// dist/cjs/package.json is written last. Its date stands for the date of the whole build in prestart.mjs.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { link } from './link.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');

const bundled = join(root, 'node_modules/.cache/bundled');
const libraries = ['index', 'schemas', 'notifications/index', 'otel/index', 'testing/index'];

for (const folder of [dist, bundled]) rmSync(folder, { recursive: true, force: true });
run('tsup/dist/cli-default.js', '--silent');
// Node runs the program itself, and it supports ES modules.
await link(bundled, join(dist, 'esm'), [...libraries, 'cli/main'], { platform: 'node' });
await link(bundled, join(dist, 'cjs'), libraries, { platform: 'node', commonJs: true });
// For browsers and Workers. The tracing is the same everywhere.
const portable = libraries.filter((name) => name !== 'otel/index');
await link(bundled, join(dist, 'portable'), portable, { platform: 'portable' });
run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
keepReachedDeclarations();
copyDeclarations();
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), licencesOf(bundledPackages()));
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

/**
 * @param {string} script
 * @param {...string} args
 */
function run(script, ...args) {
  execFileSync(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, stdio: 'inherit' });
}

/** Removes declarations that no entry imports: users cannot import them, and some of them import bundled packages. */
function keepReachedDeclarations() {
  const esm = join(dist, 'esm');
  const entries = libraries.map((name) => join(esm, `${name}.d.ts`));
  const reached = new Set(entries);
  for (const file of reached) {
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      reached.add(join(dirname(file), `${target}.d.ts`));
    }
  }
  for (const name of readdirSync(esm, { recursive: true, encoding: 'utf8' })) {
    const file = join(esm, name);
    if (/\.d\.ts(\.map)?$/.test(file) && !reached.has(file.replace(/\.map$/, ''))) rmSync(file);
  }
}

/** Copies the declarations for CommonJS: those in dist/esm describe ES modules. */
function copyDeclarations() {
  const files = readdirSync(join(dist, 'esm'), { recursive: true, encoding: 'utf8' });
  for (const file of files.filter((name) => /\.d\.ts(\.map)?$/.test(name))) {
    cpSync(join(dist, 'esm', file), join(dist, 'cjs', file));
  }
}

/** Returns every package whose code is in dist, according to esbuild's metafile. */
function bundledPackages() {
  /** @type {{ outputs: Record<string, { inputs: object }> }} */
  const { outputs } = JSON.parse(readFileSync(join(bundled, 'metafile-esm.json'), 'utf8'));
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  const names = inputs.map((input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]);
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

/** @param {string[]} names */
function licencesOf(names) {
  const texts = names.map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = ['LICENSE', 'license', 'LICENSE.md'].map((each) => join(folder, each)).find(existsSync);
    if (file === undefined) throw new Error(`${name} is bundled, but there is no licence in ${folder}`);
    return `${name}\n${'='.repeat(name.length)}\n\n${readFileSync(file, 'utf8').trim()}\n`;
  });
  return ['The files of this package contain code of the packages below.\n', ...texts].join('\n');
}
