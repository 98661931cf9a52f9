// Compiles the program with one version of zod, for each way in which modules are resolved, and runs it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const [zod = 'zod'] = process.argv.slice(2);
const program = `${zod}.ts`;
writeFileSync(program, readFileSync('program.ts', 'utf8').replace("'zod'", `'${zod}'`));
const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2023 --lib es2023,dom';
for (const resolution of ['--module nodenext', '--module esnext --moduleResolution bundler'])
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
