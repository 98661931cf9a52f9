// Runs npm scripts, as many at the same time as there are processors: `node tools/run-parallel.mjs lint types`.
// Starts them in the given order, so the longest comes first. Prints one line for each that passes, and the whole output
// of each that fails. Runs all of them even if one fails.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

const scripts = process.argv.slice(2);
/** @type {string[]} */
const failed = [];
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
if (failed.length > 0) {
  console.error(`Failed: ${failed.map((script) => `npm run ${script}`).join(', ')}`);
  process.exitCode = 1;
}

async function runNext() {
  for (let script = scripts.shift(); script !== undefined; script = scripts.shift()) {
    const start = performance.now();
    const { code, output } = await run(script);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    if (code === 0) {
      console.log(`passed: npm run ${script} (${seconds} s)`);
    } else {
      failed.push(script);
      console.error(`failed: npm run ${script} (${seconds} s)\n${output}`);
    }
  }
}

/**
 * @param {string} script
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(script) {
  // `npm_execpath` is the npm that runs this script. On Windows, `npm` is not an executable.
  const npm = process.env.npm_execpath;
  const args = ['run', '--silent', script];
  const child = spawn(npm ? process.execPath : 'npm', npm ? [npm, ...args] : args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (/** @type {string} */ text) => (output += text));
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
