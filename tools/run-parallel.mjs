// Runs npm scripts at the same time: `node tools/run-parallel.mjs lint types`. Prints one line for each that passes, and the
// whole output of each that fails, and every 20 seconds what still runs. Runs all of them even if one fails. `--then test:unit`
// runs one more script after all have passed, which learns from PASSED_CHECKS what did.
import { exec, spawnSync } from 'node:child_process';

const PROGRESS_MS = Number(process.env.PROGRESS_MS ?? 20_000);

/** @type {string[]} */
const failed = [];
const [checks = '', last] = process.argv.slice(2).join(' ').split(' --then ');
const running = new Set(checks.split(' '));
const started = performance.now();
const progress = setInterval(() => {
  console.log(`running: ${[...running].join(', ')} (${secondsSince(started)} s)`);
}, PROGRESS_MS);
await Promise.all([...running].map(run));
clearInterval(progress);
if (failed.length > 0) console.error(`Failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;
if (last !== undefined && failed.length === 0) {
  const env = { ...process.env, PASSED_CHECKS: checks.replaceAll(' ', ', ') };
  process.exitCode = spawnSync(`npm run --silent ${last}`, { shell: true, stdio: 'inherit', env }).status ?? 1;
}

/** @param {string} script */
function run(script) {
  const start = performance.now();
  return new Promise((resolve) => {
    exec(`npm run --silent ${script}`, { maxBuffer: Infinity }, (error, stdout, stderr) => {
      const line = `npm run ${script} (${secondsSince(start)} s)`;
      running.delete(script);
      if (error) failed.push(`npm run ${script}`);
      if (error) console.error(`failed: ${line}\n${stdout}${stderr}`);
      else console.log(`passed: ${line}`);
      resolve(undefined);
    });
  });
}

/** @param {number} start */
function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}
