// Makes `npm start` work in a new clone: installs and builds what is missing or outdated.
// It runs before anything is installed, so it is plain JavaScript without dependencies, for Node 20 and later.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** @typedef {{ reason: string, command: string, effect: string }} Step */

const SOURCES_OF_DIST = ['src', 'package.json', 'tsup.config.ts', 'tsconfig.json', 'tsconfig.build.json'];

/**
 * Returns the steps that are needed before the project can run, in order.
 * @param {string} root
 * @returns {Step[]}
 */
export function missingSteps(root) {
  const installed = newest(join(root, 'node_modules/.package-lock.json'));
  const locked = newest(join(root, 'package-lock.json'));
  const built = newest(join(root, 'dist/cjs/types/package.json'));
  const written = Math.max(...SOURCES_OF_DIST.map((path) => newest(join(root, path))));
  const steps = [];
  if (installed === 0 || installed < locked) {
    const reason = installed === 0 ? 'no node_modules' : 'the lockfile is newer';
    steps.push({ reason, command: 'npm ci', effect: 'Installing the development dependencies' });
  }
  if (built === 0 || built < written) {
    const reason = built === 0 ? 'no dist' : 'the sources are newer';
    steps.push({ reason, command: 'npm run build', effect: 'Building the library' });
  }
  return steps;
}

/**
 * Says what happens before the program starts, and how long it takes; nothing if no step is needed.
 * @param {readonly Step[]} steps
 * @returns {string[]}
 */
export function announcement(steps) {
  const [first] = steps;
  if (first === undefined) return [];
  const duration =
    first.command === 'npm ci' ? 'This takes about a minute, and only once.' : 'This takes some seconds.';
  return [`Preparing: ${steps.map(({ command, reason }) => `${command} (${reason})`).join(', then ')}.`, duration];
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

function main() {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const steps = missingSteps(root);
  for (const line of announcement(steps)) console.error(line);
  for (const { command, effect } of steps) {
    console.error(`${effect} ...`);
    // Standard output belongs to the program that `npm start` runs.
    execSync(`${command} --silent`, { cwd: root, stdio: ['ignore', 2, 2] });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
