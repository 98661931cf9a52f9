import { seedOfTape } from '../../testing/tape/seed-of-tape.js';
import type { Command } from '../command.js';
import { readTape } from '../load-tape.js';

/** `fake seed-from`: prints the seed of a marketplace in which a tape can be replayed. */
export const fakeSeedFrom: Command = {
  name: 'fake seed-from',
  summary: `Prints a seed file with the users, items, questions, packs and conversations that a tape shows, as they were
before it, so that fake verify can replay the tape.`,
  argument: 'TAPE',
  options: {},
  run: async (values, io) => {
    io.out(JSON.stringify(seedOfTape(await readTape(values.argument)), null, 2));
    return 0;
  },
};
