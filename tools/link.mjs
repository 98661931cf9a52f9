// The second half of the build: what is always loaded together becomes one file, and CommonJS is made of the result.
//
// esbuild gives a file of its own to whatever a lazily loaded part has in common with the rest, so that an import of the
// client read eleven files. Each costs half a millisecond and is a name without meaning in a stack trace.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/**
 * The files of shared code, by the entries that load it.
 *
 * @type {Readonly<Record<string, string>>}
 */
const shared = {
  'index notifications testing': 'base',
  'index testing': 'client',
  testing: 'marketplace',
};

/**
 * @param {string} from The folder with what esbuild has made.
 * @param {string} to
 * @param {readonly string[]} entries Paths within the folder, without `.js`.
 * @param {import('rollup').OutputPlugin[]} [plugins]
 */
export async function link(from, to, entries, plugins = []) {
  const input = Object.fromEntries(entries.map((entry) => [entry, join(from, `${entry}.js`)]));
  const build = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !id.startsWith(from),
    // esbuild has left out what is not used.
    treeshake: false,
    preserveEntrySignatures: 'strict',
    plugins: [sourceMaps],
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  await build.write({
    dir: to,
    format: 'es',
    sourcemap: true,
    minifyInternalExports: false,
    hoistTransitiveImports: false,
    chunkFileNames: ({ name }) => `chunks/${name.replace(/-[0-9A-Z]{8}$/, '')}.js`,
    manualChunks: (id, { getModuleInfo }) => {
      if (Object.values(input).includes(id)) return undefined;
      const loading = Object.entries(input).filter(([, entry]) => loadedWith(entry, getModuleInfo).has(id));
      const names = loading.map(([entry]) => entry.replace('/index', '')).filter((name) => name !== 'cli/main');
      return shared[names.sort().join(' ')];
    },
    plugins,
  });
  await build.close();
}

/**
 * @param {string} entry
 * @param {import('rollup').GetModuleInfo} getModuleInfo
 */
function loadedWith(entry, getModuleInfo) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/** @type {import('rollup').Plugin} */
const sourceMaps = {
  name: 'source-maps',
  load: (id) =>
    existsSync(`${id}.map`) ? { code: readFileSync(id, 'utf8'), map: readFileSync(`${id}.map`, 'utf8') } : null,
};

/**
 * Turns each finished file into CommonJS. `import()` becomes a lazy `require` here, because Jest runs CommonJS in a
 * context where `import()` fails.
 *
 * @type {import('rollup').OutputPlugin}
 */
export const commonJs = {
  name: 'commonjs',
  renderChunk: (code, { fileName }) =>
    transform(code, {
      format: 'cjs',
      target: 'es2023',
      platform: 'node',
      minifyWhitespace: true,
      supported: { 'dynamic-import': false },
      sourcemap: true,
      sourcefile: fileName,
    }),
};
