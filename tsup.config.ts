import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import { markPure } from './tools/pure.ts';
import type { Chunk } from './tools/pure.ts';
import { specializedKy } from './tools/specialize-ky.js';
import { rawText } from './tools/raw-text.js';

/** Lets bundlers leave out, name by name, what a caller does not use. */
const pure: NonNullable<Options['plugins']>[number] = {
  name: 'pure',
  renderChunk: (code, { map }) => {
    const { mappings, ...rest } = (typeof map === 'string' ? JSON.parse(map) : map) as Chunk['map'];
    return markPure({ code, map: { ...rest, mappings } });
  },
};

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    schemas: 'src/schemas.ts',
    'notifications/index': 'src/notifications/index.ts',
    'otel/index': 'src/otel/index.ts',
    'testing/index': 'src/testing/index.ts',
    'cli/main': 'src/cli/main.ts',
    // The two that tools/link.mjs puts in the place of `#platform`.
    'core/platform/node': 'src/core/platform/node.ts',
    'core/platform/portable': 'src/core/platform/portable.ts',
  },
  // tools/link.mjs goes on from here.
  outDir: 'node_modules/.cache/bundled',
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
  external: [/^node:/, '#platform'],
  esbuildPlugins: [specializedKy, rawText],
  // Half the bytes to read at start-up; names stay, so that stack traces can be read.
  esbuildOptions: (options) => {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    // Node prints the line that throws before the message of an uncaught error: it must be short.
    options.lineLimit = 120;
  },
  plugins: [pure],
});
