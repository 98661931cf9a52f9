import { transform } from 'esbuild';
import { defineConfig, type Options } from 'tsup';
import { markPure } from './tools/pure.ts';
import type { Chunk } from './tools/pure.ts';
import { quietKy } from './tools/quiet-ky.js';
import { rawText } from './tools/raw-text.js';

const libraries = {
  index: 'src/index.ts',
  'notifications/index': 'src/notifications/index.ts',
  'otel/index': 'src/otel/index.ts',
  'testing/index': 'src/testing/index.ts',
};

const shared: Options = {
  entry: libraries,
  format: 'esm',
  outExtension: () => ({ js: '.js' }),
  target: 'es2023',
  platform: 'neutral',
  sourcemap: true,
  metafile: true,
  // `node:http` cannot be mistaken for a package, and runtimes that are not Node know only that spelling.
  removeNodeProtocol: false,
  // Files loaded with `import()` stay chunks of their own, so what a caller does not use is never read.
  splitting: true,
  // Bundled and tree-shaken, these two start in half the time, and CommonJS callers can load ky at all.
  noExternal: ['ky', /^zod(\/|$)/],
  external: [/^node:/],
  esbuildPlugins: [quietKy, rawText],
  // Half the bytes to read at start-up; names stay, so that stack traces can be read.
  esbuildOptions: (options) => {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
};

/**
 * Turns each finished ES chunk into CommonJS.
 *
 * tsup's own way to split CommonJS rewrites every `?.` into a function call. And `import()` becomes a lazy `require`
 * here, because Jest runs CommonJS in a context where `import()` fails.
 */
const commonJs: NonNullable<Options['plugins']>[number] = {
  name: 'commonjs',
  renderChunk: async (code, { map }) => {
    const text = typeof map === 'string' ? map : JSON.stringify(map);
    // esbuild carries a map that it finds inside the code on into its own.
    const inline = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(text).toString('base64')}`;
    return transform(code + inline, {
      format: 'cjs',
      target: 'es2023',
      platform: 'node',
      minifyWhitespace: true,
      supported: { 'dynamic-import': false },
      sourcemap: true,
    });
  },
};

/** Lets bundlers leave out, name by name, what a caller does not use. */
const pure: NonNullable<Options['plugins']>[number] = {
  name: 'pure',
  renderChunk: (code, { map }) => {
    const { mappings, ...rest } = (typeof map === 'string' ? JSON.parse(map) : map) as Chunk['map'];
    return markPure({ code, map: { ...rest, mappings } });
  },
};

export default defineConfig([
  // The program is run by Node itself, which takes ES modules.
  { ...shared, entry: { ...libraries, 'cli/main': 'src/cli/main.ts' }, outDir: 'dist/esm', plugins: [pure] },
  { ...shared, outDir: 'dist/cjs', plugins: [commonJs] },
]);
