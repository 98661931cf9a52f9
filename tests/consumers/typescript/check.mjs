// Compiles the program with one TypeScript under each kind of module, declarations of libraries included, and runs it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { misreported, program as mistakes } from './mistakes.mjs';

const [compiler] = process.argv.slice(2);
const isOldest = compiler === 'typescript-5.4';
copyFileSync('program.ts', 'program.mts');
writeFileSync('mistakes.ts', mistakes);

// How modules are resolved is left to each compiler's default, except where there is none. `node16` finds the files that
// `nodenext` finds: it is shown by the oldest compiler.
const kinds = [
  { options: ['--module', 'commonjs'], programs: ['program.ts'] },
  ...(isOldest ? [{ options: ['--module', 'node16'], programs: ['program.ts', 'program.mts'] }] : []),
  {
    // An application that writes declarations may export what it has made. Mistakes are reported where they are, but by
    // TypeScript 5.4, which is only held to compile.
    options: ['--declaration', '--module', 'nodenext'],
    programs: ['program.ts', 'program.mts'],
    others: isOldest ? ['exported.ts'] : ['exported.ts', 'mistakes.ts'],
  },
  { options: ['--module', 'esnext', '--moduleResolution', 'bundler'], programs: ['program.mts'] },
];

// Neither Node's types nor the newest library: what the declarations of the package need, they bring.
const strict = '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022 --rootDir .'.split(
  ' ',
);
const library = ['--lib', 'es2022,dom,dom.iterable', '--skipLibCheck', 'false'];

for (const { options, programs, others = [] } of kinds) {
  const folder = `out/${compiler}/${options.at(-1)}`;
  const compiled = node(
    `node_modules/${compiler}/bin/tsc`,
    ...[...options, ...strict, ...library, '--pretty', 'false', '--outDir', folder, ...programs, ...others],
  );
  const errors = errorsIn(compiled.stdout);
  const isClean = others.includes('mistakes.ts')
    ? errors.every(({ file }) => file === 'mistakes.ts')
    : compiled.status === 0;
  if (!isClean) fail(`${compiler} ${options.join(' ')}`, compiled.stdout + compiled.stderr);
  if (others.includes('mistakes.ts')) {
    const wrong = misreported(errors);
    if (wrong.length > 0) fail(`${compiler} reports mistakes elsewhere:`, wrong.join('\n'));
  }
  for (const program of programs) {
    const { status, stdout, stderr } = node(join(folder, program.replace('ts', 'js')));
    if (status !== 0) fail(`${folder}/${program}`, stdout + stderr);
  }
}

/** What the compiler reports, without details in further lines. */
function errorsIn(output) {
  return Array.from(
    output.matchAll(/^(\S+)\((\d+),(\d+)\): error TS\d+: (.*(?:\n .*)*)/gm),
    ([, file, line, column, text]) => ({ file, line: Number(line), column: Number(column), text }),
  );
}

function node(...args) {
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

function fail(what, output) {
  console.error(`${what}\n${output}`);
  process.exit(1);
}
