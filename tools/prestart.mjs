// Makes `npm start` work in a new clone: installs and builds what is missing or outdated.
// It runs before anything is installed, so it is plain JavaScript without dependencies, for Node 20 and later.
import { execSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SOURCES_OF_DIST = ['src', 'package.json', 'tsup.config.ts', 'tsconfig.json', 'tsconfig.build.json'];

/** The commands that are needed before the project can run, in order, each with its reason. */
export function missingSteps(/** @type {string} */ root) {
  const installed = newest(join(root, 'node_modules/.package-lock.json'));
  const built = newest(join(root, 'dist/sbom.cdx.json'));
  const isOld = newest(join(root, 'package-lock.json')) > installed;
  const isChanged = SOURCES_OF_DIST.some((path) => newest(join(root, path)) > built);
  return [
    ...(isOld ? [{ command: 'npm ci', reason: installed === 0 ? 'no node_modules' : 'the lockfile is newer' }] : []),
    ...(isChanged ? [{ command: 'npm run build', reason: built === 0 ? 'no dist' : 'the sources are newer' }] : []),
  ];
}

/** @type {(path: string) => number} The newest modification time under a path, or 0 if it does not exist. */
function newest(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  // npm runs it in the folder of package.json.
  for (const { command, reason } of missingSteps('.')) {
    console.error(`Preparing: ${command} (${reason}). This takes up to a minute, and only once.`);
    // Standard output belongs to the program that `npm start` runs.
    execSync(`${command} --silent`, { stdio: ['ignore', 2, 2] });
  }
}
