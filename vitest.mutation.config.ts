import { defineConfig } from 'vitest/config';
import config from './vitest.config.js';

// The tests of one room, for `npm run test:mutation`.
export default defineConfig({
  ...config,
  test: {
    ...config.test,
    include: process.env.MUTATION_TESTS?.split(';') ?? [],
    isolate: process.env.MUTATION_ISOLATE === 'true',
    // Most faults that a test notices by waiting never end. No test of the rooms takes a second by itself, if the machine
    // has nothing else to do.
    testTimeout: Number(process.env.MUTATION_TIMEOUT_MS ?? 10_000),
    hookTimeout: Number(process.env.MUTATION_TIMEOUT_MS ?? 10_000),
    globalSetup: [],
    reporters: [],
  },
});
