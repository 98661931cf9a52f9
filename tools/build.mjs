// Completes dist after tsup and tsc: the declarations of CommonJS, and the licences of the bundled packages.
// dist/cjs/types/package.json is written last. Its date stands for the date of the whole build in prestart.mjs.
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);
const [esm, types] = [join(root, 'dist/esm'), join(root, 'dist/cjs/types')];

keepReachedDeclarations();
// The nearest package.json says what a declaration describes: those in dist/esm describe ES modules.
for (const name of declarations()) cpSync(join(esm, name), join(types, name));
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licencesOf(bundledPackages()));
rmSync(join(esm, 'metafile-esm.json'));
writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n');

function declarations() {
  return readdirSync(esm, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
}

/** Removes declarations that no entry imports: users cannot import them, and some of them import bundled packages. */
function keepReachedDeclarations() {
  /** @type {{ exports: Record<string, { import?: { types: string } }> }} */
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values(manifest.exports).flatMap((target) => target.import?.types ?? []);
  const reached = new Set(entries.map((path) => join(root, path)));
  for (const file of reached) {
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      reached.add(join(dirname(file), `${target}.d.ts`));
    }
  }
  for (const name of declarations()) if (!reached.has(join(esm, name))) rmSync(join(esm, name));
}

/** Returns every package whose code is in dist, according to esbuild's metafile. */
function bundledPackages() {
  /** @type {{ outputs: Record<string, { inputs: object }> }} */
  const { outputs } = JSON.parse(readFileSync(join(esm, 'metafile-esm.json'), 'utf8'));
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
