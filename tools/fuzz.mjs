// Runs many more cases than `npm test`: 100,000 responses, paths and values, and 10,000 writes over a faulty network.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const seed = process.env.FUZZ_SEED ?? String(Date.now() % 2 ** 31);
console.log(`FUZZ_SEED=${seed} npm run fuzz   # repeats this run`);
const { status } = spawnSync(
  process.execPath,
  [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    'tests/resilience/fuzz.test.ts',
    'tests/resilience/chaos.test.ts',
    // Aborts, broken connections and damaged bytes over both transports; `npm run soak` does the same to the built package.
    'tests/resilience/soak.test.ts',
    // Good responses with one field changed: the entries that were not touched are always delivered.
    'tests/core/drift.test.ts',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: { FUZZ_CASES: '100000', CHAOS_WRITES: '10000', ...process.env, FUZZ_SEED: seed },
  },
);
process.exitCode = status ?? 1;
