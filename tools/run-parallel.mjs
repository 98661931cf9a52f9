// Runs npm scripts at the same time: `node tools/run-parallel.mjs lint types`. Prints one line for each that passes, and the
// whole output of each that fails. Runs all of them even if one fails.
import { exec } from 'node:child_process';

/** @type {string[]} */
const failed = [];
await Promise.all(process.argv.slice(2).map(run));
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @param {string} script */
function run(script) {
  const start = performance.now();
  return new Promise((resolve) => {
    exec(`npm run --silent ${script}`, { maxBuffer: Infinity }, (error, stdout, stderr) => {
      const line = `npm run ${script} (${((performance.now() - start) / 1000).toFixed(1)} s)`;
      if (error) failed.push(`npm run ${script}`);
      if (error) console.error(`failed: ${line}\n${stdout}${stderr}`);
      else console.log(`passed: ${line}`);
      resolve(undefined);
    });
  });
}
