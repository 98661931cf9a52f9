import { defineConfig } from 'tsup';
import type { Options } from 'tsup';
import { commonJs } from './tools/common-js.js';
import { rawText } from './tools/raw-text.js';

const libraries = {
  index: 'src/index.ts',
  schemas: 'src/schemas.ts',
  'notifications/index': 'src/notifications/index.ts',
  'oauth/index': 'src/oauth/index.ts',
  'otel/index': 'src/otel/index.ts',
  'testing/index': 'src/testing/index.ts',
  // Users cannot import it. It puts questions, which can be used without the others, into files of their own: bundlers
  // drop the other files.
  questions: 'src/resources/questions/endpoints.ts',
  // The two from which `imports` of package.json chooses.
  'platform/node': 'src/core/transport/platform-node.ts',
  'platform/portable': 'src/core/transport/platform-portable.ts',
};

const options: Options = {
  target: 'es2023',
  platform: 'neutral',
  // `node:http` cannot be mistaken for a package, and runtimes that are not Node know only that spelling.
  removeNodeProtocol: false,
  // Files loaded with `import()` stay files of their own, so what a caller does not use is never read.
  splitting: true,
  // See docs/decisions/bundled-packages.md.
  noExternal: ['ky', 'oauth4webapi', /^zod(\/|$)/],
  external: [/^node:/, '#platform', 'marketplace-seller-sdk/openapi.json'],
  esbuildPlugins: [rawText],
  // Every supported Node.js needs them to import JSON, but no edition of the language has them yet.
  esbuildOptions: (each) => {
    each.supported = { 'import-attributes': true };
  },
};

export default defineConfig([
  {
    ...options,
    format: 'esm',
    outExtension: () => ({ js: '.js' }),
    outDir: 'dist/esm',
    entry: { ...libraries, 'cli/main': 'src/cli/main.ts' },
    sourcemap: true,
    metafile: true,
  },
  {
    ...options,
    // Split as ES modules first: esbuild splits nothing else.
    format: 'esm',
    outExtension: () => ({ js: '.cjs' }),
    outDir: 'dist/cjs',
    entry: libraries,
    plugins: [commonJs],
  },
]);
