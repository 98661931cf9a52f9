// The second half of the build: merges files that are always loaded together, and creates CommonJS from the result.
//
// esbuild creates a separate file for everything that a lazily loaded part shares with the rest. An import of the client
// read eleven such files. Each takes half a millisecond, and its name means nothing in a stack trace.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { rollup } from 'rollup';

/**
 * The files with shared code, and the entries that load them.
 *
 * @type {Readonly<Record<string, string>>}
 */
const shared = {
  'index notifications schemas testing': 'client',
  'index notifications': 'client',
  'index schemas testing': 'client',
  'index testing': 'client',
  'schemas testing': 'endpoints',
  testing: 'marketplace',
};

/**
 * @param {string} from The folder with the output of esbuild.
 * @param {string} to
 * @param {readonly string[]} entries Paths within the folder, without `.js`.
 * @param {{ commonJs?: boolean, platform: 'node' | 'portable' }} options
 */
export async function link(from, to, entries, { commonJs = false, platform }) {
  const input = Object.fromEntries(entries.map((entry) => [entry, join(from, `${entry}.js`)]));
  const build = await rollup({
    input,
    external: (id) => !id.startsWith('.') && !id.startsWith(from) && id !== '#platform',
    // esbuild has already removed unused code.
    treeshake: false,
    preserveEntrySignatures: 'strict',
    plugins: [sourceMaps, platformOf(join(from, `core/platform/${platform}.js`))],
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
      const names = loading
        .map(([entry]) => entry.replace('/index', ''))
        .filter((name) => !['cli/main', 'otel'].includes(name));
      return shared[names.sort().join(' ')];
    },
    plugins: [...(commonJs ? [toCommonJs] : []), withoutOwnSources],
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
 * Resolves `#platform`. A condition in the package's manifest could do it as well, but then an import on Node would read one
 * more file.
 *
 * @param {string} file
 * @returns {import('rollup').Plugin}
 */
const platformOf = (file) => ({ name: 'platform', resolveId: (id) => (id === '#platform' ? file : null) });

/**
 * Converts each file to CommonJS. `import()` becomes a lazy `require`, because Jest runs CommonJS in a context where
 * `import()` fails.
 *
 * @type {import('rollup').OutputPlugin}
 */
const toCommonJs = {
  name: 'commonjs',
  renderChunk: (code, { fileName }) =>
    transform(code, {
      format: 'cjs',
      target: 'es2023',
      platform: 'node',
      minifyWhitespace: true,
      lineLimit: 120,
      supported: { 'dynamic-import': false },
      sourcemap: true,
      sourcefile: fileName,
    }),
};

/**
 * Removes from the maps the text of the sources that are in the package as well, under `src`.
 *
 * @type {import('rollup').OutputPlugin}
 */
const withoutOwnSources = {
  name: 'without-own-sources',
  generateBundle: (_, files) => {
    for (const file of Object.values(files)) {
      if (file.type !== 'asset' || !file.fileName.endsWith('.map')) continue;
      /** @type {{ sources: string[], sourcesContent: string[] }} */
      const map = JSON.parse(String(file.source));
      const texts = map.sourcesContent.map((text, index) =>
        map.sources[index]?.includes('node_modules') ? text : null,
      );
      file.source = JSON.stringify({ ...map, sourcesContent: texts });
    }
  },
};
