// Makes `npm start` work from a bare clone: installs and builds what is missing or out of date.
// Runs before anything is installed, so: plain JavaScript, no dependency, Node 20 and later.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCES_OF_DIST = ['src', 'package.json', 'tsup.config.ts', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * Says what has to be done before the project can run, in order.
 * @param {string} root
 * @returns {{ reason: string, command: string }[]}
 */
export function missingSteps(root) {
  const installed = newest(join(root, 'node_modules/.package-lock.json'));
  const locked = newest(join(root, 'package-lock.json'));
  const built = newest(join(root, 'dist/cjs/package.json'));
  const written = Math.max(...SOURCES_OF_DIST.map((path) => newest(join(root, path))));
  const steps = [];
  if (installed === 0 || installed < locked) {
    steps.push({ reason: installed === 0 ? 'no node_modules' : 'the lockfile is newer', command: 'npm ci' });
  }
  if (built === 0 || built < written) {
    steps.push({ reason: built === 0 ? 'no dist' : 'the sources are newer', command: 'npm run build' });
  }
  return steps;
}

/**
 * Finds the newest modification time under a path; 0 when there is nothing.
 * @param {string} path
 * @returns {number}
 */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  for (const { reason, command } of missingSteps(root)) {
    console.error(`Setting up: ${command} (${reason})`);
    // Standard output belongs to the program that `npm start` runs.
    execSync(`${command} --silent`, { cwd: root, stdio: ['ignore', 2, 2] });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
