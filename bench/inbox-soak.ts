// Many notifications to one inbox, then an inbox that is killed again and again (kill -9). Needs a build; Redis where installed.
// node bench/inbox-soak.ts [notifications] [kills]
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  concurrency,
  deliver,
  hasRedis,
  nextMessage,
  percentile99,
  post,
  range,
  redisSettings,
  withInbox,
} from './inbox-load.ts';
import { here } from './measure.ts';

const [notifications = 50_000, kills = 200] = process.argv.slice(2).map(Number);

for (const store of ['sqlite', ...(hasRedis ? ['redis'] : [])]) {
  console.log(await storm(store));
  console.log(await killed(store));
}

/** Delivers once each, and counts what was handled. */
async function storm(store: string): Promise<string> {
  return withInbox([store, 'instant'], async ({ port, process }) => {
    const { latencies, rejected } = await deliver(port, range(notifications));
    process.send('report');
    const { handled, twice } = await nextMessage<{ handled: number; twice: number }>(process);
    const times = `p99 ${percentile99(latencies).toFixed(0)} ms, longest ${(latencies.at(-1) ?? 0).toFixed(0)} ms`;
    return `${store}: ${notifications} at ${concurrency} at a time: ${times}; rejected ${rejected}, handled ${handled}, twice ${twice}`;
  });
}

/** Kills the process in the middle of deliveries and handlers, and counts what was acknowledged and never handled. */
async function killed(store: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  const [socket, notes] = [join(folder, 'redis.sock'), join(folder, 'notes.txt')];
  const redis =
    store === 'redis' ? spawn('redis-server', redisSettings(folder, socket), { stdio: 'ignore' }) : undefined;
  const start = () => fork(here('children/inbox.ts'), [store, join(folder, 'inbox.db'), socket, 'killed', notes]);
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
    await nextMessage(last);
    last.kill('SIGKILL');
    const handled = readFileSync(notes, 'utf8').trim().split('\n').map(Number);
    const once = new Set(handled);
    const lost = [...acknowledged].filter((id) => !once.has(id)).length;
    const again = handled.length - once.size;
    return `${store}: ${kills} kills, ${acknowledged.size} acknowledged: lost ${lost}, handled again after a kill ${again}`;
  } finally {
    redis?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
