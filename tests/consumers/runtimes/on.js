// Runs programs on another runtime, which came from the registry: `node on.js <program of a package> <file> ...`.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const [program, ...files] = process.argv.slice(2);
const path = `node_modules/${program}`;
if (!existsSync(path)) {
  console.error(`${program} is not among the packages that could be installed on this machine`);
  // What the driver shows as NOT RUN.
  process.exit(77);
}
for (const file of files) {
  const args = program.endsWith('deno') ? ['run', '--quiet', '--allow-all', '--no-lock', file] : [file];
  const { status, error } = spawnSync(path, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(1);
}
