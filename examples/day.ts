// A seller's day: `npm start`, or `npm start -- --wire` to see what travels.
// The program is in day/program.ts, a chapter of the day in each of the other files there.

// A reader that has seen enough (`npm start | head`) closes the pipe: that is no failure.
process.stdout.on('error', () => process.exit(0));

try {
  const { main } = await import('./day/program.ts');
  process.exitCode = await main(process.argv.slice(2), process.env, process.stdout, process.stderr);
} catch (error) {
  const isUnbuilt = (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND';
  if (!isUnbuilt) throw error;
  process.stderr.write('The package is not built yet: `npm start` builds and then runs this.\n');
  process.exitCode = 1;
}
