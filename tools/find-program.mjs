// Finds the programs beside Node.js that some tests need. `node tools/find-program.mjs chromium` exits with 1 if there is none.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program on the PATH; `undefined` when it is not installed. CHROMIUM_PATH names another Chromium. */
export function findProgram(/** @type {'chromium' | 'postgres' | 'python3' | 'redis-server'} */ program) {
  if (program === 'chromium' && process.env.CHROMIUM_PATH) return process.env.CHROMIUM_PATH;
  const others = program === 'chromium' ? ['chromium-browser', 'google-chrome', 'google-chrome-stable'] : [];
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [program, ...others].flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

if (process.argv[1] === import.meta.filename) {
  process.exitCode = findProgram(/** @type {'chromium'} */ (process.argv[2])) ? 0 : 1;
}
