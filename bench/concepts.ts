// Prints how much of the source a reader meets: `npm run bench:concepts`; with `-- --list`, also which functions run.
import { concepts, ran } from './rows/concepts.ts';
import { linesOfCode } from './rows/lines.ts';

for (const { what, goal, measure } of concepts) console.log(`${what}: ${await measure()} (goal: ${goal})`);
console.log(`lines of code in src: ${linesOfCode()}`);
console.log(`lines of code in src without testing: ${linesOfCode('', (path) => path.startsWith('testing'))}`);

if (process.argv.includes('--list')) {
  for (const [call, files] of Object.entries(await ran())) {
    console.log(`\n${call}`);
    for (const [file, names] of Object.entries(files)) console.log(`  ${file}: ${names.map(nameOf).join(', ')}`);
  }
}

function nameOf(name: string): string {
  return name === '' ? '(no name)' : name;
}
