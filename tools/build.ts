// Builds dist with tsup, and completes it: the declarations of CommonJS, and what is known of the packages that it contains or needs.
// The bill of materials is written last. Its date stands for the date of the whole build in prestart.mjs.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { packagesIn } from './package-paths.ts';
import type { BundledPackage } from './package-paths.ts';
import { sbomOf } from './sbom.ts';

interface Manifest extends BundledPackage {
  readonly license: string;
  readonly peerDependenciesMeta?: object;
}

/** A package whose code is in the built files. */
interface Component extends BundledPackage {
  /** As its `package.json` says: an identifier or an expression of SPDX. */
  readonly licence: string;
  /** The folders of the built files that contain it. */
  readonly folders: readonly string[];
}

const root = dirname(import.meta.dirname);
const [esm, types] = [join(root, 'dist/esm'), join(root, 'dist/cjs/types')];

bundle();
const inputs = new Map(['dist/esm', 'dist/cjs'].map((folder) => [folder, inputsOf(folder)]));
const bundled = packagesIn([...inputs.values()].flat()).map(describe);

rmSync(join(root, 'dist/declarations'), { recursive: true });
// The nearest package.json says what a declaration describes: those in dist/esm describe ES modules.
for (const name of readdirSync(esm, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.d.ts'))) {
  ignoreOptionalPeers(join(esm, name));
  cpSync(join(esm, name), join(types, name));
}
writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licencesOf(bundled));
const folders = new Map(bundled.map((each) => [each.name, each.folders]));
writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(sbomOf(root, folders), undefined, 2)}\n`);

/** Runs tsup. Its warnings are errors: an application could not name a type that an entry needs and no entry exports. */
function bundle(): void {
  const tsup = join(dirname(createRequire(import.meta.url).resolve('tsup')), 'cli-default.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsup, '--silent', '--clean'], {
    cwd: root,
    encoding: 'utf8',
  });
  const printed = (stdout + stderr).trim();
  if (status !== 0 || printed !== '') throw new Error(`tsup failed, or warns:\n${printed}`);
}

/** Lets TypeScript compile a declaration for users who have not installed the optional peers that it imports. */
function ignoreOptionalPeers(file: string): void {
  const peers = Object.keys(manifestIn(root).peerDependenciesMeta ?? {}).join('|');
  const imports = new RegExp(`^import (?:.+ from )?'(?:${peers})(?:/[^']*)?';$`, 'gm');
  writeFileSync(file, readFileSync(file, 'utf8').replace(imports, '/** @ts-ignore: an optional peer. */\n$&'));
}

/** The files that a folder of dist was made of, from esbuild's metafiles, which are removed. */
function inputsOf(folder: string): string[] {
  // The page of the fake is a build of its own.
  return ['metafile-esm.json', 'metafile-page.json'].flatMap((name) => {
    const file = join(root, folder, name);
    const { outputs } = JSON.parse(readFileSync(file, 'utf8')) as { outputs: Record<string, { inputs: object }> };
    rmSync(file);
    return Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
  });
}

function describe({ name, version }: BundledPackage): Component {
  const folders = [...inputs].filter(([, files]) => packagesIn(files).some((each) => each.name === name));
  return {
    name,
    version,
    licence: manifestIn(folderOf({ name, version })).license,
    folders: folders.map(([folder]) => folder),
  };
}

function licencesOf(packages: readonly Component[]): string {
  const texts = packages.map((each) => {
    const title = `${each.name}@${each.version} (${each.licence}), in ${each.folders.join(' and ')}`;
    return `${title}\n${'='.repeat(title.length)}\n\n${licenceText(folderOf(each))}\n`;
  });
  return ['The files of this package contain code of the packages below.\n', ...texts].join('\n');
}

function licenceText(folder: string): string {
  const file = readdirSync(folder).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each));
  if (file === undefined) throw new Error(`What ${folder} contains is bundled, but it has no licence`);
  return readFileSync(join(folder, file), 'utf8').trim();
}

/** Finds a package as Node does: in node_modules of this folder, or of one above. */
function folderOf({ name, version }: BundledPackage): string {
  for (let from = root; ; from = dirname(from)) {
    const folder = join(from, 'node_modules', name);
    if (existsSync(folder) && manifestIn(folder).version === version) return folder;
    if (from === dirname(from))
      throw new Error(`${name} ${version} is needed, but is in no node_modules above ${root}`);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
