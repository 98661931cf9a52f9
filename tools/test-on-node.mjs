// Runs the tests on other versions of Node.js: `npm run test:node -- 22.12 26`, with paths of tests to run only those.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { binOf } from './node-versions.mjs';

const { versions = ['22.12', '26'], tests = [] } = Object.groupBy(process.argv.slice(2), (argument) =>
  /^\d+(?:\.\d+)*$/.test(argument) ? 'versions' : 'tests',
);
const failed = versions.filter((version) => {
  const bin = binOf(version);
  console.log(`Tests on Node.js ${version}`);
  // The first versions of Node.js 22 have SQLite and run TypeScript, but only when they are told to, and warn.
  const options = '--experimental-sqlite --experimental-strip-types --disable-warning=ExperimentalWarning';
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    ...(version.startsWith('22') && { NODE_OPTIONS: options }),
  };
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...tests];
  return spawnSync(join(bin, 'node'), args, { stdio: 'inherit', env }).status !== 0;
});
if (failed.length > 0) console.error(`The tests fail on Node.js ${failed.join(' and ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
