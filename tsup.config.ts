import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import { commonJs } from './tools/common-js.js';
import { oneCore } from './tools/one-core.js';
import { packagePaths } from './tools/package-paths.js';
import { rawText } from './tools/raw-text.js';
import { mapsOfClient } from './tools/source-maps.js';

/** What users can import. */
const entries = [
  'src/index.ts',
  'src/schemas.ts',
  'src/notifications/index.ts',
  'src/oauth/index.ts',
  'src/otel/index.ts',
  'src/outbox/index.ts',
  'src/simulation/index.ts',
  'src/stores.ts',
  'src/testing/index.ts',
  'src/tools/index.ts',
];

const libraries = {
  ...Object.fromEntries(entries.map((path) => [nameOf(path), path])),
  // Users cannot import it. It puts questions, which can be used without the others, into files of their own: bundlers
  // drop the other files.
  questions: 'src/resources/questions/endpoints.ts',
  // What `imports` of package.json names: `#core`, and the two from which it chooses `#platform`.
  core: 'src/core',
  'platform/node': 'src/core/transport/platform-node.ts',
  'platform/portable': 'src/core/transport/platform-portable.ts',
};

/** Joins the declarations that tsc wrote for each file of `src`: one file for each entry, and one for what entries share. */
const declarations = Object.fromEntries(
  entries.map((path) => [nameOf(path), `dist/declarations/${nameOf(path)}.d.ts`]),
);

const options: Options = {
  target: 'es2023',
  platform: 'neutral',
  // `node:http` cannot be mistaken for a package, and runtimes that are not Node know only that spelling.
  removeNodeProtocol: false,
  // Files loaded with `import()` stay files of their own, so what a caller does not use is never read.
  splitting: true,
  external: [/^node:/, '#core', '#platform', 'marketplace-seller-sdk/openapi.json'],
  esbuildPlugins: [oneCore, rawText, packagePaths],
  // Leaves out comments, too: those of esbuild name the files that a chunk was made of.
  minifyWhitespace: true,
  minifySyntax: true,
  esbuildOptions: (each) => {
    // Every supported Node.js needs them to import JSON, but no edition of the language has them yet.
    each.supported = { 'import-attributes': true };
    // Node prints the line that throws before the message of an uncaught error: it must be short.
    each.lineLimit = 120;
    // Maps are for stack traces. With the sources, they would be a fifth of the package.
    each.sourcesContent = false;
  },
  metafile: true,
};

export default defineConfig([
  {
    ...options,
    format: 'esm',
    // See docs/decisions/bundled-packages.md.
    noExternal: [/^zod(\/|$)/],
    outExtension: () => ({ js: '.js' }),
    outDir: 'dist/esm',
    entry: { ...libraries, 'cli/main': 'src/cli/main.ts' },
    // The references to parts of the library that the joined files need.
    dts: { entry: declarations, banner: '/// <reference lib="esnext.disposable" />' },
    sourcemap: true,
    plugins: [mapsOfClient],
  },
  {
    ...options,
    // Split as ES modules first: esbuild splits nothing else.
    format: 'esm',
    noExternal: ['ky', 'oauth4webapi', /^zod(\/|$)/],
    outExtension: () => ({ js: '.cjs' }),
    outDir: 'dist/cjs',
    entry: libraries,
    plugins: [commonJs],
  },
]);

function nameOf(path: string): string {
  return path.replace(/^src\/|\.ts$/g, '');
}
