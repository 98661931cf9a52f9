import { callersOf, startIds } from '../../testing/tape/start-ids.js';
import { reportOf } from '../../testing/tape/report.js';
import { isSame, verifyTape } from '../../testing/tape/verify.js';
import type { Command } from '../command.js';
import { readTape } from '../load-tape.js';
import { fake, marketplaceOf } from './fake.js';

const { seed, follow, settings, now } = fake.options;

/** `fake verify`: replays a tape on the fake, and reports how they differ. */
export const fakeVerify: Command = {
  name: 'fake verify',
  summary: `Replays a tape on the fake marketplace, with its ids replaced by those of the fake, and reports per
endpoint the status, the error code, and missing, extra and retyped fields.
The exit code is 0 when all responses are the same, otherwise 1.`,
  argument: 'TAPE',
  options: {
    ...(seed && { seed }),
    ...(follow && { follow }),
    ...(settings && { settings }),
    ...(now && { now }),
    json: { text: 'print the results as JSON' },
  },
  run: async (values, io) => {
    const tape = await readTape(values.argument);
    const { marketplace } = await marketplaceOf(values);
    const ids = startIds(tape, marketplace);
    const callers = callersOf(
      tape,
      ids,
      marketplace.accounts.all.map(({ user_id }) => user_id),
    );
    const tokens = new Map([...callers].map(([caller, user_id]) => [caller, marketplace.tokenFor({ user_id })]));
    const results = await verifyTape(tape, {
      fetch: marketplace.fetch,
      tokenOf: (caller) => tokens.get(caller) ?? '',
      ids,
    });
    io.out(values.has('json') ? JSON.stringify(results, null, 2) : reportOf(results));
    return results.every(isSame) ? 0 : 1;
  },
};
