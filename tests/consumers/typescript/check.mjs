// Compiles the program with one TypeScript under each kind of module, declarations of libraries included, and runs it.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { misreported, program as mistakes } from './mistakes.mjs';

// How modules are resolved is left to each compiler's default, except where there is none.
const kinds = [
  { options: ['--module', 'commonjs'], programs: ['program.ts'] },
  { options: ['--module', 'node16'], programs: ['program.ts', 'program.mts'] },
  { options: ['--module', 'nodenext'], programs: ['program.ts', 'program.mts'] },
  { options: ['--module', 'esnext', '--moduleResolution', 'bundler'], programs: ['program.mts'] },
];
// Neither Node's types nor the newest library: what the declarations of the package need, they bring.
const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --rootDir .'.split(
  ' ',
);
const library = ['--lib', 'es2022,dom,dom.iterable', '--skipLibCheck', 'false'];

const [compiler] = process.argv.slice(2);
copyFileSync('program.ts', 'program.mts');
for (const { options, programs } of kinds) {
  const folder = `out/${compiler}/${options.at(-1)}`;
  run(`node_modules/${compiler}/bin/tsc`, ...options, ...strict, ...library, '--outDir', folder, ...programs);
  for (const program of programs) run(join(folder, program.replace('ts', 'js')));
}

// An application that writes declarations may export what it has made.
run(
  `node_modules/${compiler}/bin/tsc`,
  ...['--module', 'nodenext', ...strict, ...library, '--declaration', '--outDir', `out/${compiler}/declared`],
  'exported.ts',
);

// Mistakes are reported where they are. TypeScript 5.4 is only held to compile.
if (compiler !== 'typescript-5.4') {
  writeFileSync('mistakes.ts', mistakes);
  const wrong = misreported(errorsIn('mistakes.ts'));
  if (wrong.length > 0) {
    console.error(`${compiler} reports mistakes elsewhere:\n${wrong.join('\n')}`);
    process.exit(1);
  }
}

/** What the compiler reports for a program, without details in further lines. */
function errorsIn(program) {
  const args = ['--module', 'nodenext', ...strict, ...library, '--noEmit', '--pretty', 'false', program];
  const { stdout } = spawnSync(process.execPath, [`node_modules/${compiler}/bin/tsc`, ...args], { encoding: 'utf8' });
  return Array.from(
    stdout.matchAll(/^\S+\((\d+),(\d+)\): error TS\d+: (.*(?:\n .*)*)/gm),
    ([, line, column, text]) => ({
      line: Number(line),
      column: Number(column),
      text,
    }),
  );
}

function run(...args) {
  try {
    execFileSync(process.execPath, args, { encoding: 'utf8' });
  } catch (error) {
    console.error(`node ${args.join(' ')}\n${error.stdout}${error.stderr}`);
    process.exit(1);
  }
}
