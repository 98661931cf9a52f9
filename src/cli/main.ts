#!/usr/bin/env node
import { run } from './program.js';

// A closed pipe, e.g. of `| head -1`, does not end the server.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const code = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(`${text}\n`),
  err: (text) => void process.stderr.write(`${text}\n`),
  // Ctrl+C, or the signal of a supervisor.
  ended: () =>
    new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
    }),
});

// A module of the user, such as one with a queue of BullMQ, may have left connections open. What was printed is written first.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
