import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { keptWorker } from './tools/mutation/kept-worker.ts';
import config from './vitest.config.js';

/** Runs the quickest files first: most faults are noticed before the slow ones. */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).reverse();
  }
}

// The tests of one room, for `npm run test:mutation`.
export default defineConfig({
  ...config,
  plugins: [...(config.plugins ?? []), keptWorker],
  test: {
    ...config.test,
    include: process.env.MUTATION_TESTS?.split(';') ?? [],
    isolate: process.env.MUTATION_ISOLATE === 'true',
    sequence: { sequencer: QuickestFirst },
    // Most faults that a test notices by waiting never end. No test of the rooms takes a second by itself, if the machine
    // has nothing else to do.
    testTimeout: Number(process.env.MUTATION_TIMEOUT_MS ?? 10_000),
    hookTimeout: Number(process.env.MUTATION_TIMEOUT_MS ?? 10_000),
    globalSetup: [],
    reporters: [],
  },
});
