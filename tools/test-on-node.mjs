// Runs the tests on another Node.js than the development dependency: `npm run test:node -- 22 26`, with paths of tests to run
// only those.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { binOf } from './node-versions.mjs';

// npm runs it in the folder of package.json.
const root = process.cwd();
const args = process.argv.slice(2);
const versions = args.filter(isVersion);
const tests = args.filter((arg) => !isVersion(arg));

const failed = (versions.length > 0 ? versions : ['22', '26']).filter((version) => {
  const bin = binOf(version);
  console.log(`Tests on Node.js ${version}`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    // The first versions of Node.js 22 have SQLite and run TypeScript, but only when they are told to, and warn.
    ...(version.startsWith('22') && {
      NODE_OPTIONS: '--experimental-sqlite --experimental-strip-types --disable-warning=ExperimentalWarning',
    }),
  };
  return spawnSync(join(bin, 'node'), [vitest, 'run', ...tests], { cwd: root, stdio: 'inherit', env }).status !== 0;
});
if (failed.length > 0) console.error(`The tests fail on Node.js ${failed.join(' and ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function isVersion(/** @type {string} */ arg) {
  return /^\d+(?:\.\d+)*$/.test(arg);
}
