// Runs every test that has a seed with another one, and some of them with many more cases than `npm test`: 100,000 responses,
// paths and values, and 10,000 writes over a faulty network.
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tests = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('tests', path))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => /support\/(?:seed|fast-check)\.ts/.test(readFileSync(join(root, path), 'utf8')));
const seed = process.env.FUZZ_SEED ?? String(Date.now() % 2 ** 31);
console.log(`FUZZ_SEED=${seed} npm run fuzz   # repeats this run`);
const { status } = spawnSync(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...tests], {
  cwd: root,
  stdio: 'inherit',
  env: { FUZZ_CASES: '100000', CHAOS_WRITES: '10000', ...process.env, FUZZ_SEED: seed },
});
process.exitCode = status ?? 1;
