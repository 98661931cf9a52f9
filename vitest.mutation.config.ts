import { defineConfig } from 'vitest/config';
import { keptWorker } from './tools/mutation/kept-worker.ts';
import config from './vitest.config.js';

// The tests of one room, for `npm run test:mutation`.
export default defineConfig({
  ...config,
  plugins: [...(config.plugins ?? []), keptWorker],
  test: {
    ...config.test,
    include: process.env.MUTATION_TESTS?.split(';') ?? [],
    isolate: false,
    // Most faults that a test notices by waiting never end. No test of the rooms takes a second by itself.
    testTimeout: 10_000,
    hookTimeout: 10_000,
    globalSetup: [],
    reporters: [],
  },
});
