import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { loadPageScript } from './tools/page-script.ts';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const isWholeRun = process.env.COVERAGE === 'true' || process.argv.includes('--coverage');
const isNamed = (path: string): boolean => process.argv.some((arg) => arg.startsWith('tests/') && path.startsWith(arg));

// These start servers or a browser, build, put a load on the machine, or repeat days that failed once: they run where they are
// named, and where coverage is judged. Those in tests/kills wait for real leases to expire: they run only where they are
// named. `.ci/run` runs all.
const outsideOfNpmTest = [
  'tests/browser/dashboard.test.ts',
  'tests/browser/fake-in-a-page.test.ts',
  'tests/examples/reliability.test.ts',
  'tests/resilience/soak.test.ts',
  'tests/simulation/failed-seeds.test.ts',
  'tests/tools/rehearsed-releases.test.ts',
  'tests/tools/reproducible-build.test.ts',
].filter((path) => !isWholeRun && !isNamed(path));
const kills = process.argv.some((arg) => arg.startsWith('tests/kills')) ? [] : ['tests/kills/**'];

// Programs that tests start find here what Node.js has compiled of them once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url));

/** What tools/raw-text.ts does when the package is built. */
const pageScripts: Plugin = {
  name: 'page-scripts',
  enforce: 'pre',
  load: loadPageScript,
  // Vitest keeps modules by their own text, and a page is made of many.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id.endsWith('?script') ? false : undefined)),
};

export default defineConfig({
  plugins: [pageScripts],
  resolve: {
    alias: [
      { find: /^#platform$/, replacement: source('core/transport/platform-node.ts') },
      { find: /^marketplace-seller-sdk$/, replacement: source('index.ts') },
      { find: /^marketplace-seller-sdk\/inbox$/, replacement: source('notifications/index.ts') },
      { find: /^marketplace-seller-sdk\/oauth$/, replacement: source('oauth/index.ts') },
      { find: /^marketplace-seller-sdk\/openapi\.json$/, replacement: source('../docs/openapi.json') },
      { find: /^marketplace-seller-sdk\/otel$/, replacement: source('otel/index.ts') },
      { find: /^marketplace-seller-sdk\/outbox$/, replacement: source('outbox/index.ts') },
      { find: /^marketplace-seller-sdk\/schemas$/, replacement: source('schemas.ts') },
      { find: /^marketplace-seller-sdk\/simulation$/, replacement: source('simulation/index.ts') },
      { find: /^marketplace-seller-sdk\/stores$/, replacement: source('stores.ts') },
      { find: /^marketplace-seller-sdk\/testing$/, replacement: source('testing/index.ts') },
      { find: /^marketplace-seller-sdk\/tools$/, replacement: source('tools/index.ts') },
    ],
  },
  test: {
    include: ['tests/**/*.test.ts'],
    exclude: [...outsideOfNpmTest, ...kills],
    // Files of one worker share the modules, which saves a third of the time.
    isolate: false,
    // Without it every style sheet is empty, also one that is taken in as a text.
    css: true,
    // More than processors: some tests wait for a server, a program or a lease, and those outside of `npm test` for a browser.
    maxWorkers: availableParallelism() + (isWholeRun ? 2 : 1),
    // No test depends on how fast this machine is. These only end what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 10 } },
    // What fails more often has one cause, and a test that hangs takes minutes.
    bail: 20,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    setupFiles: ['tests/support/restore.ts'],
    globalSetup: ['tests/support/temporary-folder.ts'],
    reporters: ['default', './tools/closing-line-reporter.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      // Runs in a browser alone.
      exclude: ['src/testing/dashboard/browser/**'],
      reporter: ['text', 'html', 'json-summary'],
      // Files that are covered in full would push the few that are not out of sight.
      skipFull: true,
      // Judged where everything runs, by `.ci/run`: without Redis and Chromium fewer lines are covered.
      enabled: process.env.COVERAGE === 'true',
      thresholds: {
        lines: 98,
        branches: 93,
        // No room hides behind another.
        'src/core/**': { lines: 99.2, branches: 96.7 },
        'src/resources/**': { lines: 99.2, branches: 97.8 },
        'src/notifications/**': { lines: 98, branches: 93 },
        'src/outbox/**': { lines: 92, branches: 79 },
        'src/work/**': { lines: 98, branches: 93 },
        'src/testing/**': { lines: 98, branches: 91 },
      },
    },
  },
});
