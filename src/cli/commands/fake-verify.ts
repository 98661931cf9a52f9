import { isAsExpected, judge, reportOf } from '../../testing/tape/report.js';
import { verifyTape } from '../../testing/tape/replay.js';
import type { Command } from '../command.js';
import { loadBaseline } from '../load-baseline.js';
import { readTape } from '../load-tape.js';
import { fake, marketplaceOf } from './fake.js';

const { seed, follow, settings, now } = fake.options;

/** `fake verify`: replays a tape on the fake, and reports how they differ. */
export const fakeVerify: Command = {
  name: 'fake verify',
  summary: `Replays a tape on the fake marketplace, with its ids replaced by those of the fake, and reports per
endpoint where the responses differ: status, fields, types, values, entries and their order.
The exit code is 0 when all responses are the same, or no difference is new, otherwise 1.`,
  argument: 'TAPE',
  options: {
    ...(seed && { seed }),
    ...(follow && { follow }),
    ...(settings && { settings }),
    ...(now && { now }),
    'types-only': { text: 'compare only status, fields and types, not values' },
    baseline: { value: 'FILE', text: 'what --json printed before: its differences are known' },
    allow: {
      value: 'PATTERN',
      text: "difference to allow, e.g. 'questions.search total' or 'contacts.*'",
      repeatable: true,
    },
    json: { text: 'print the results as JSON' },
  },
  run: async (values, io) => {
    const tape = await readTape(values.argument);
    const file = values.text('baseline');
    const baseline = file === undefined ? [] : await loadBaseline(file);
    const { marketplace } = await marketplaceOf(values);
    const results = await verifyTape(tape, marketplace, { typesOnly: values.has('types-only') });
    const judged = judge(results, { baseline, allow: values.all('allow') });
    io.out(values.has('json') ? JSON.stringify(judged.results, null, 2) : reportOf(judged));
    if (values.has('json')) for (const key of judged.gone) io.err(`gone: ${key}`);
    return isAsExpected(judged) ? 0 : 1;
  },
};
