import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

const FILE_OF_PACKAGE = /^(.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+))[\\/](.+)/;

/**
 * Names the files of packages after the package, its version and their path in it: `zod@4.6.7/v4/core/api.js`. By itself,
 * esbuild uses the path of `node_modules`, and with it the names of chunks and the source maps would depend on the folder
 * that packages are installed in.
 */
export const packagePaths: Plugin = {
  name: 'package-paths',
  setup(build) {
    build.onResolve({ filter: /.*/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      // The second time, esbuild itself is to find the file.
      if (pluginData === build || kind === 'entry-point') return undefined;
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: build });
      const [, folder, name = '', file = ''] = FILE_OF_PACKAGE.exec(found.path) ?? [];
      if (found.external || found.namespace !== 'file' || folder === undefined) return undefined;
      return {
        path: `${name}@${versionIn(folder)}/${file}`.replaceAll('\\', '/'),
        namespace: 'package',
        pluginData: found.path,
        sideEffects: found.sideEffects,
      };
    });
    build.onLoad({ filter: /.*/, namespace: 'package' }, async ({ pluginData }) => ({
      contents: await readFile(String(pluginData), 'utf8'),
      resolveDir: dirname(String(pluginData)),
    }));
  },
};

/** A package in the inputs of a build with this plugin. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
}

/** Finds the packages that are named in the inputs of esbuild's metafile, by name. */
export function packagesIn(inputs: readonly string[]): BundledPackage[] {
  const found = inputs.flatMap((input) => /^package:((?:@[^/]+\/)?[^/@]+@[^/]+)/.exec(input)?.[1] ?? []);
  return [...new Set(found)].sort().map((each) => {
    const [, name = '', version = ''] = /^(.+)@(.+)$/.exec(each) ?? [];
    return { name, version };
  });
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
