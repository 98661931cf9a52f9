import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres } from '../../tests/support/postgres.ts';
import { nextMessage, percentile99, post, range, withInboxes } from '../inbox-load.ts';
import { startServer } from './redis-servers.ts';

const sellers = 10_000;
const perSecond = 200;

/** What came of deliveries at a steady rate. */
interface Figures {
  readonly latencies: readonly number[];
  readonly rejected: number;
  /** From the delivery to the end of the handler, in milliseconds. */
  readonly lags: readonly number[];
  /** CPU time of all processes, in microseconds, without that of a server. */
  readonly cpu: number;
}

/** A table of the places that the guide recommends, under the same load. */
export async function steadyLoad(seconds: number): Promise<string[]> {
  const redis = await startServer(['--appendonly', 'yes']);
  const postgres = await startPostgres({ fsync: true });
  const rows = [
    await row('SQLite, on one machine', ['sqlite'], 1, seconds),
    await row('SQLite, on one machine', ['sqlite'], 2, seconds),
    await row('PostgreSQL', ['postgres', postgres.connectionString], 2, seconds),
    await row('BullMQ', ['bullmq', JSON.stringify({ port: redis.port })], 2, seconds),
  ];
  await postgres.stop();
  await redis.stop();
  return [
    `${sellers} sellers, ${perSecond} deliveries a second for ${seconds} seconds, with handlers that take 50 ms. Times are in ms; the CPU`,
    'time is that of the processes, not of the server:',
    '',
    '| | processes | delivered | rejected | response, 99 % within | handled, half within | handled, 99 % within | CPU for each |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    ...rows,
  ];
}

/** A row of a table: 10,000 sellers, 200 deliveries a second, and handlers that take 50 ms. */
async function row(
  name: string,
  [kind, where]: readonly [string, string?],
  processes: number,
  seconds: number,
): Promise<string> {
  const { latencies, rejected, lags, cpu } = await steady([kind, where], processes, seconds);
  const cells = [
    processes,
    latencies.length,
    rejected,
    Math.round(percentile99(latencies)),
    Math.round(lags[Math.floor(lags.length / 2)] ?? Number.NaN),
    Math.round(percentile99(lags)),
    (cpu / 1_000 / latencies.length).toFixed(1),
  ];
  return `| ${name} | ${cells.join(' | ')} |`;
}

async function steady(
  [kind, where]: readonly [string, string | undefined],
  count: number,
  seconds: number,
): Promise<Figures> {
  return withInboxes([kind, 'steady', where], count, async (inboxes) => {
    const agent = new Agent({ keepAlive: true });
    const latencies: number[] = [];
    let rejected = 0;
    const deliver = async (id: number): Promise<void> => {
      const started = performance.now();
      const status = await post(inboxes[id % count]?.port ?? 0, agent, id, bodyOf(id)).catch(() => 0);
      latencies.push(performance.now() - started);
      if (status !== 200) rejected += 1;
    };
    const deliveries: Promise<void>[] = [];
    const startedAt = performance.now();
    for (const id of range(seconds * perSecond)) {
      await pause(Math.max(0, startedAt + (id * 1_000) / perSecond - performance.now()));
      deliveries.push(deliver(id));
    }
    await Promise.all(deliveries);
    const reports = inboxes.map(async ({ process }) => {
      process.send('steady');
      return nextMessage<{ lags: number[]; cpu: number }>(process);
    });
    const found = await Promise.all(reports);
    agent.destroy();
    return {
      latencies: latencies.sort((a, b) => a - b),
      rejected,
      lags: found.flatMap(({ lags }) => lags).sort((a, b) => a - b),
      cpu: found.reduce((sum, { cpu }) => sum + cpu, 0),
    };
  });
}

function bodyOf(id: number): string {
  const user_id = 1 + Math.floor(Math.random() * sellers);
  const sent = new Date().toISOString();
  return JSON.stringify({ _id: `event-${id}`, user_id, resource: `/questions/${id}`, topic: 'questions', sent });
}
