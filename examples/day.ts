// A seller's day: `npm start`, `npm start -- --short` for three chapters, `--wire` to see the requests, or `--stay` to keep the address alive.
// The program is in day/program.ts. The other files in that folder are the chapters of the day.

// `npm start | head` closes the pipe before the program ends. This is not a failure.
process.stdout.on('error', () => process.exit(0));

try {
  const { main } = await import('./day/program.ts');
  process.exitCode = await main(process.argv.slice(2), process.env, process.stdout, process.stderr);
} catch (error) {
  const isUnbuilt = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!isUnbuilt) throw error;
  process.stderr.write('The package is not built yet. `npm start` builds it and then runs this program.\n');
  process.exitCode = 1;
}
