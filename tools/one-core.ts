import { readdirSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const CORE = resolve('src/core');

/** Small parts of resources that most entries need, too: each would be a file of its own. */
const ALSO = ['fields', 'post-sale/legacy', 'post-sale/moderation', 'questions/question-facts'].map(
  (name) => `../resources/${name}`,
);

/** These rooms are loaded on first use, or differ between platforms. */
const APART = /^(?:files|transport)\//;

/**
 * Puts `src/core`, which every import of the package needs, into one file, `#core`. By itself, esbuild would cut it into a file
 * for each set of entries that share a part of it.
 */
export const oneCore: Plugin = {
  name: 'one-core',
  setup(build) {
    build.onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir, kind }) => {
      const to = pathInCore(join(resolveDir, path));
      const comesFromOutside = kind === 'import-statement' && pathInCore(importer) === undefined;
      if (!comesFromOutside || to === undefined || APART.test(to)) return undefined;
      return { path: '#core', external: true, sideEffects: false };
    });
    build.onResolve({ filter: /^src\/core$/ }, () => ({ path: CORE, namespace: 'one-core' }));
    build.onLoad({ filter: /.*/, namespace: 'one-core' }, () => ({ contents: exportsOfCore(), resolveDir: CORE }));
  },
};

function pathInCore(file: string): string | undefined {
  const path = relative(CORE, file).replaceAll('\\', '/');
  return path.startsWith('../') && !ALSO.includes(path.replace(/\.[jt]s$/, '')) ? undefined : path;
}

function exportsOfCore(): string {
  const files = readdirSync(CORE, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'));
  // In this order, gzip makes bundles slightly smaller.
  const always = files
    .filter((path) => path.endsWith('.ts') && !APART.test(path))
    .sort()
    .reverse();
  return [...always.map((path) => `./${path}`), ...ALSO.map((path) => `${path}.ts`)]
    .map((path) => `export * from '${path}';`)
    .join('\n');
}
