// Completes dist after tsc and tsup: the declarations of CommonJS, and what is known of the packages that it contains or needs.
// The bill of materials is written last. Its date stands for the date of the whole build in prestart.mjs.
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagesIn } from './package-paths.ts';
import type { BundledPackage } from './package-paths.ts';
import { sbomOf } from './sbom.ts';
import type { Component } from './sbom.ts';

interface Manifest extends BundledPackage {
  readonly license: string;
  readonly dependencies?: object;
  readonly peerDependenciesMeta?: object;
}

const root = dirname(import.meta.dirname);
const [esm, types] = [join(root, 'dist/esm'), join(root, 'dist/cjs/types')];

const inputs = new Map(['dist/esm', 'dist/cjs'].map((folder) => [folder, inputsOf(folder)]));
const bundled = packagesIn([...inputs.values()].flat());
const { name, version, license, dependencies = {} } = manifestIn(root);
const installed = Object.keys(dependencies)
  .filter((each) => !bundled.some((one) => one.name === each))
  .map((each) => ({ name: each, version: manifestIn(folderOf({ name: each })).version }));

rmSync(join(root, 'dist/declarations'), { recursive: true });
// The nearest package.json says what a declaration describes: those in dist/esm describe ES modules.
for (const name of readdirSync(esm, { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.d.ts'))) {
  ignoreOptionalPeers(join(esm, name));
  cpSync(join(esm, name), join(types, name));
}
writeFileSync(join(types, 'package.json'), '{ "type": "commonjs" }\n');
writeFileSync(join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licencesOf(bundled.map(describe)));
const needed = [...bundled, ...installed].map(describe).sort((one, other) => (one.name < other.name ? -1 : 1));
writeFileSync(
  join(root, 'dist/sbom.cdx.json'),
  `${JSON.stringify(sbomOf({ name, version, licence: license }, needed), undefined, 2)}\n`,
);

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
function folderOf({ name, version }: { readonly name: string; readonly version?: string }): string {
  for (let from = root; ; from = dirname(from)) {
    const folder = join(from, 'node_modules', name);
    if (existsSync(folder) && (version ?? manifestIn(folder).version) === manifestIn(folder).version) return folder;
    if (from === dirname(from))
      throw new Error(`${name} ${version ?? ''} is needed, but is in no node_modules above ${root}`);
  }
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
