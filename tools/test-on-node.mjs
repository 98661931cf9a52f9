// Runs the tests on another Node.js than the development dependency: `npm run test:node -- 22 26`, with paths of tests to run
// only those. Each version is installed from the npm registry into a folder of its own, which is kept.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// npm runs it in the folder of package.json.
const root = process.cwd();
const args = process.argv.slice(2);
const versions = args.filter(isVersion);
const tests = args.filter((arg) => !isVersion(arg));

const failed = (versions.length > 0 ? versions : ['22', '26']).filter((version) => {
  const bin = join(installed(version), 'node_modules/.bin');
  console.log(`Tests on Node.js ${version}`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  return spawnSync(join(bin, 'node'), [vitest, 'run', ...tests], { cwd: root, stdio: 'inherit', env }).status !== 0;
});
if (failed.length > 0) console.error(`The tests fail on Node.js ${failed.join(' and ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function isVersion(/** @type {string} */ arg) {
  return /^\d+(?:\.\d+)*$/.test(arg);
}

/** The folder that holds one version of Node.js. */
function installed(/** @type {string} */ version) {
  const folder = join(root, 'node_modules/.cache', `node-${version}`);
  if (existsSync(join(folder, 'node_modules/.bin/node'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options, `node@${version}`], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Node.js ${version} could not be installed`);
  return folder;
}
