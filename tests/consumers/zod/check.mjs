// Compiles the program with one version of zod, and runs it. The newest shows each way in which modules are resolved.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [zod = 'zod'] = process.argv.slice(2);
const program = `${zod}.ts`;
writeFileSync(program, readFileSync('program.ts', 'utf8').replace("'zod'", `'${zod}'`));
const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2023 --lib es2023,dom';
const resolutions = ['--module esnext --moduleResolution bundler', '--module nodenext'];
for (const resolution of zod === 'zod' ? resolutions : resolutions.slice(1))
  run('node_modules/typescript/bin/tsc', ...strict.split(' '), ...resolution.split(' '), program);
run(program.replace('.ts', '.js'));

function run(...args) {
  try {
    execFileSync(process.execPath, args, { encoding: 'utf8' });
  } catch (error) {
    console.error(`node ${args.join(' ')}\n${error.stdout}${error.stderr}`);
    process.exit(1);
  }
}
