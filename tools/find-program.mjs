// Finds the programs beside Node.js that some tests need. `node tools/find-program.mjs chromium` prints a path, or exits with 1.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The names under which each program is installed. */
const names = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  'redis-server': ['redis-server'],
  postgres: ['postgres'],
  python3: ['python3'],
};

/** The path of a program on the PATH; `undefined` when it is not installed. CHROMIUM_PATH names another Chromium. */
export function findProgram(/** @type {keyof typeof names} */ program) {
  if (program === 'chromium' && process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names[program].flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

/** @returns {program is keyof typeof names} */
function isKnown(/** @type {string | undefined} */ program) {
  return program !== undefined && Object.hasOwn(names, program);
}

function isExecutable(/** @type {string} */ path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , program] = process.argv;
  const found = isKnown(program) ? findProgram(program) : undefined;
  if (found !== undefined) console.log(found);
  process.exitCode = found === undefined ? 1 : 0;
}
