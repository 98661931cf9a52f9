// Looks for faults with other seeds than the tests: the bots of the guides and examples through more simulated days, and the
// property tests with many more cases. `npm run explore -- fuzz` or `-- simulation` runs one of the two.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';

// The nightly workflow sets SEED to an empty text unless somebody gives one.
const { SEED = '', SEEDS: seeds = '20' } = process.env;
const seed = SEED === '' ? new Date().toISOString().slice(0, 10).replaceAll('-', '') : SEED;
const explored = {
  fuzz: {
    // npm runs it in the folder of package.json.
    files: globSync('tests/**/*.test.ts').filter((path) =>
      /support\/(seed|fast-check)\.ts/.test(readFileSync(path, 'utf8')),
    ),
    options: [],
    env: { FUZZ_SHARE: '10', CHAOS_WRITES: '10000', FUZZ_SEED: seed },
  },
  simulation: {
    files: ['tests/simulation/documented-bots.test.ts', 'tests/simulation/example-bots.test.ts'],
    // Many seeds take as long as they take.
    options: ['--testTimeout=0'],
    env: { SIMULATION_SEED: seed, SIMULATION_SEEDS: seeds },
  },
};

const [only = ''] = process.argv.slice(2);
if (only !== '' && !(only in explored))
  throw new Error(`there is no "${only}": run "fuzz", "simulation", or both without a name`);
for (const [name, { files, options, env }] of Object.entries(explored)) {
  if (only !== '' && only !== name) continue;
  console.log(`SEED=${seed} SEEDS=${seeds} npm run explore -- ${name}   # repeats this run`);
  const run = ['node_modules/vitest/vitest.mjs', 'run', ...options, ...files];
  const { status } = spawnSync(process.execPath, run, { stdio: 'inherit', env: { ...env, ...process.env } });
  if (status !== 0) process.exitCode = 1;
}
