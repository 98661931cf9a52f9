// Other versions of Node.js than the development dependency, for tests and benchmarks.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with the binary of a version (`22`), which is installed from the npm registry once and kept. */
export function binOf(/** @type {string} */ version) {
  // npm runs its scripts in the folder of package.json.
  const folder = join(process.cwd(), 'node_modules/.cache', `node-${version}`);
  const bin = join(folder, 'node_modules/.bin');
  if (existsSync(join(bin, 'node'))) return bin;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', ...options, `node@${version}`], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`Node.js ${version} could not be installed`);
  return bin;
}
