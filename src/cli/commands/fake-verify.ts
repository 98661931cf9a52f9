import { reportOf } from '../../testing/tape/report.js';
import { isSame, verifyTape } from '../../testing/tape/replay.js';
import type { Command } from '../command.js';
import { readTape } from '../load-tape.js';
import { fake, marketplaceOf } from './fake.js';

const { seed, follow, settings, now } = fake.options;

/** `fake verify`: replays a tape on the fake, and reports how they differ. */
export const fakeVerify: Command = {
  name: 'fake verify',
  summary: `Replays a tape on the fake marketplace, with its ids replaced by those of the fake, and reports per
endpoint where the responses differ: status, fields, types, values, entries and their order.
The exit code is 0 when all responses are the same, otherwise 1.`,
  argument: 'TAPE',
  options: {
    ...(seed && { seed }),
    ...(follow && { follow }),
    ...(settings && { settings }),
    ...(now && { now }),
    'types-only': { text: 'compare only status, fields and types, not values' },
    json: { text: 'print the results as JSON' },
  },
  run: async (values, io) => {
    const tape = await readTape(values.argument);
    const { marketplace } = await marketplaceOf(values);
    const results = await verifyTape(tape, marketplace, { typesOnly: values.has('types-only') });
    io.out(values.has('json') ? JSON.stringify(results, null, 2) : reportOf(results));
    return results.every(isSame) ? 0 : 1;
  },
};
