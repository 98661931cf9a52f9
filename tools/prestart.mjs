// Makes `npm start` work in a new clone: installs and builds what is missing or outdated.
// It runs before anything is installed, so it is plain JavaScript without dependencies, for Node 20 and later.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCES_OF_DIST = ['src', 'package.json', 'tsup.config.ts', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * Returns the commands that are needed before the project can run, in order, each with its reason.
 * @param {string} root
 */
export function missingSteps(root) {
  const installed = newest(join(root, 'node_modules/.package-lock.json'));
  const built = newest(join(root, 'dist/cjs/types/package.json'));
  const written = Math.max(...SOURCES_OF_DIST.map((path) => newest(join(root, path))));
  const steps = [];
  if (installed < newest(join(root, 'package-lock.json')))
    steps.push({ command: 'npm ci', reason: installed === 0 ? 'no node_modules' : 'the lockfile is newer' });
  if (built < written)
    steps.push({ command: 'npm run build', reason: built === 0 ? 'no dist' : 'the sources are newer' });
  return steps;
}

/**
 * Finds the newest modification time under a path, or 0 if it does not exist.
 * @param {string} path
 * @returns {number}
 */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  for (const { command, reason } of missingSteps(root)) {
    console.error(`Preparing: ${command} (${reason}). This takes up to a minute, and only once.`);
    // Standard output belongs to the program that `npm start` runs.
    execSync(`${command} --silent`, { cwd: root, stdio: ['ignore', 2, 2] });
  }
}
