// Runs the bots that the guides and examples show through whole bad days, with other seeds than `npm test`.
import { spawnSync } from 'node:child_process';

const first = process.env.SIMULATION_SEED ?? String(Date.now() % 2 ** 31);
const count = process.env.SIMULATION_SEEDS ?? '20';
console.log(`SIMULATION_SEED=${first} SIMULATION_SEEDS=${count} npm run simulate   # repeats this run`);
const args = [
  'node_modules/vitest/vitest.mjs',
  'run',
  // Many seeds take as long as they take.
  '--testTimeout=0',
  'tests/simulation/documented-bots.test.ts',
  'tests/simulation/example-bots.test.ts',
];
const env = { ...process.env, SIMULATION_SEED: first, SIMULATION_SEEDS: count };
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
