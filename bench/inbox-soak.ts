// Many notifications to one inbox, then an inbox that is killed again and again (kill -9). Needs a build.
// node bench/inbox-soak.ts [notifications] [kills]
import { fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { concurrency, deliver, nextMessage, percentile99, post, range, withInbox } from './inbox-load.ts';
import { here } from './measure.ts';
import { writePart } from './soak/page.ts';

const [notifications = 50_000, kills = 200] = process.argv.slice(2).map(Number);

/** The figures of one store. All of `faults` have to be 0. */
interface Figures {
  readonly figures: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
}

const stores = { SQLite: 'sqlite' };
const results = new Map<string, Figures>();
for (const [name, store] of Object.entries(stores)) {
  const [all, kill] = [await storm(store), await killed(store)];
  results.set(name, { figures: { ...all.figures, ...kill.figures }, faults: { ...all.faults, ...kill.faults } });
  console.error(name, JSON.stringify(results.get(name)));
}
console.log(page());
// Smaller runs are for trying it out.
if (process.argv.length === 2) writePart(page());
process.exitCode = [...results.values()].some(({ faults }) => Object.values(faults).some(Boolean)) ? 1 : 0;

function page(): string {
  const all = [...results.values()].map(({ figures, faults }) => ({ ...figures, ...faults }));
  const rows = Object.keys(all[0] ?? {}).map((what) => `| ${what} | ${all.map((each) => each[what]).join(' | ')} |`);
  return [
    '## Results of `npm run soak:inbox`',
    '',
    `Written by \`npm run soak:inbox\` on ${new Date().toISOString().slice(0, 10)}, Node ${process.version},`,
    `${process.platform} ${process.arch}, with a load of ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} cores.`,
    '',
    `First, ${notifications} notifications are delivered, ${concurrency} at a time. Then an inbox is killed with SIGKILL ${kills} times,`,
    'each time in the middle of deliveries and handlers. A handler that was running then runs again.',
    '',
    `| | ${[...results.keys()].join(' | ')} |`,
    `| --- |${' ---: |'.repeat(results.size)}`,
    ...rows,
  ].join('\n');
}

/** Delivers once each, and counts what was handled. */
async function storm(store: string): Promise<Figures> {
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

/** Kills the process in the middle of deliveries and handlers, and counts what was acknowledged and never handled. */
async function killed(store: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const notes = join(folder, 'notes.txt');
  const start = () => fork(here('children/inbox.ts'), [store, join(folder, 'inbox.db'), 'killed', notes]);
  const acknowledged = new Set<number>();
  let next = 0;
  const deliverUntilKilled = async (port: number, agent: Agent): Promise<void> => {
    for (;;) {
      const id = next++;
      const status = await post(port, agent, id).catch(() => undefined);
      if (status === undefined) return;
      if (status === 200) acknowledged.add(id);
    }
  };
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const process = start();
      const { port } = await nextMessage<{ port: number }>(process);
      const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
      const delivering = range(concurrency).map(() => deliverUntilKilled(port, agent));
      await pause(20 + Math.random() * 200);
      process.kill('SIGKILL');
      await Promise.all(delivering);
      agent.destroy();
    }
    const last = start();
    await nextMessage(last);
    await pause(1_000);
    last.send('report');
    const { dead } = await nextMessage<{ dead: readonly number[] }>(last);
    last.kill('SIGKILL');
    const handled = readFileSync(notes, 'utf8').trim().split('\n').map(Number);
    const once = new Set(handled);
    const kept = new Set([...once, ...dead]);
    const lost = [...acknowledged].filter((id) => !kept.has(id)).length;
    const again = handled.length - once.size;
    return {
      figures: {
        kills,
        '... notifications acknowledged': acknowledged.size,
        '... handled again after a kill': again,
        '... dead letters, as their process was killed five times': dead.length,
      },
      faults: { 'notifications acknowledged and lost': lost },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
