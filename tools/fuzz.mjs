// Runs every test that has a seed with another one, and some of them with many more cases than `npm test`: 100,000 responses,
// paths and values, and 10,000 writes over a faulty network.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

// npm runs it in the folder of package.json.
const tests = globSync('tests/**/*.test.ts').filter((path) =>
  /support\/(seed|fast-check)\.ts/.test(readFileSync(path, 'utf8')),
);
const seed = process.env.FUZZ_SEED ?? String(Date.now() % 2 ** 31);
console.log(`FUZZ_SEED=${seed} npm run fuzz   # repeats this run`);
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...tests], {
  stdio: 'inherit',
  env: { FUZZ_CASES: '100000', CHAOS_WRITES: '10000', ...process.env, FUZZ_SEED: seed },
});
process.exitCode = status ?? 1;
