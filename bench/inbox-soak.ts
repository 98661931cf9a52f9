// Many notifications to one inbox, a backlog, a steady load for each place that the guide recommends, then inboxes whose processes
// or servers are killed, deployed and moved. Needs a build, `redis-server`, `redis-cli` and `postgres`.
// node bench/inbox-soak.ts [notifications] [kills of SQLite] [deploys] [kills of BullMQ and of PostgreSQL] [failovers]
//   [moves of the slot] [backlog] [seconds of the steady load]
import { availableParallelism, loadavg } from 'node:os';
import { concurrency, deliver, nextMessage, percentile99, range, withInbox } from './inbox-load.ts';
import { bullmqKills, deploys, failovers, kills, postgresKills, resharding } from './soak/inbox-faults.ts';
import type { Counts } from './soak/inbox-faults.ts';
import { backlog, ratios } from './soak/inbox-rates.ts';
import { steadyLoad } from './soak/scale.ts';
import { writePart } from './soak/page.ts';

const counts = process.argv.slice(2).map(Number);
const [
  notifications = 20_000,
  killed = 60,
  rounds = 20,
  killedOfQueue = 20,
  promoted = 5,
  moved = 10,
  waiting = 100_000,
  seconds = 30,
] = counts;

const flood = await storm('sqlite');
const runs: Record<string, Counts> = {
  [`SQLite: kill -9, ${killed} times`]: await kills('sqlite', undefined, killed, 200),
  [`SQLite: ${rounds} deploys and rollbacks, old beside new`]: await deploys(rounds),
  [`BullMQ: kill -9, ${killedOfQueue} times`]: await bullmqKills(killedOfQueue),
  [`PostgreSQL: kill -9, ${killedOfQueue} times`]: await postgresKills(killedOfQueue),
  [`BullMQ: primary killed, replica promoted, ${promoted} times`]: await failovers(promoted),
  [`BullMQ: slot moved in a cluster, ${moved} times`]: await resharding(moved),
};
const grown = await backlog(waiting);
const rates = await ratios();
const steady = await steadyLoad(seconds);
const text = page();
console.log(text);
// Smaller runs are for trying it out.
if (counts.length === 0) writePart(text);
process.exit(Object.values(flood.faults).some(Boolean) || Object.values(runs).some(({ lost }) => lost > 0) ? 1 : 0);

function page(): string {
  const cells = (row: Readonly<Record<string, string | number>>): string[] =>
    Object.entries(row).map(([what, value]) => `| ${what} | ${value} |`);
  const rows = Object.entries(runs).map(
    ([what, { acknowledged, lost, again, attempts, rejected }]) =>
      `| ${what} | ${acknowledged} | ${lost} | ${again} | ${attempts} | ${rejected} |`,
  );
  return [
    '## Results of `npm run soak:inbox`',
    '',
    `Written by \`npm run soak:inbox\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version},`,
    `${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores.`,
    '',
    'Processes or servers are killed, replaced and moved in the middle of deliveries and handlers. A handler that was running in a',
    'killed process runs again. What is rejected gets a 503, and the service delivers it again.',
    '',
    '| | acknowledged | lost | handled again | most attempts | rejected |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
    '',
    `${notifications} notifications to an inbox in SQLite, ${concurrency} at a time, with a handler that does nothing; then ${waiting}`,
    'that nothing handles:',
    '',
    '| | |',
    '| --- | ---: |',
    ...cells({ ...flood.figures, ...flood.faults, ...grown }),
    '',
    `Deliveries per second, ${concurrency} at a time, in one run; medians of rounds in turns. The inboxes also handle what they accept, in the`,
    'same process:',
    '',
    '| | per second | ratio to the bare server | ratio to `add` of BullMQ |',
    '| --- | ---: | ---: | ---: |',
    ...rates,
    '',
    ...steady,
  ].join('\n');
}

/** Delivers once each, and counts what was handled. */
async function storm(store: string) {
  return withInbox([store, 'instant'], async ({ port, process }) => {
    const { latencies, rejected } = await deliver(port, range(notifications));
    process.send('report');
    const { handled, twice } = await nextMessage<{ handled: number; twice: number }>(process);
    return {
      figures: {
        'notifications delivered': notifications,
        '... 99th percentile until the response, in ms': Math.round(percentile99(latencies)),
        '... longest, in ms': Math.round(latencies.at(-1) ?? 0),
      },
      faults: {
        'notifications rejected': rejected,
        'notifications not handled': notifications - rejected - handled,
        'notifications handled twice': twice,
      },
    };
  });
}
