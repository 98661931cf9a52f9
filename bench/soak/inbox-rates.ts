import { deliver, percentile99, range, withInbox } from '../inbox-load.ts';
import { compare } from '../measure.ts';
import { startServer } from './redis-servers.ts';

const deliveries = 5_000;
const rounds = 5;

/** Rows of a table: what a delivery costs, beside a bare server and beside a server that only calls BullMQ's `add`. */
export async function ratios(): Promise<string[]> {
  const redis = await startServer(['--appendonly', 'yes']);
  const where = JSON.stringify({ port: redis.port });
  const kinds = {
    'bare server': ['bare', 'floor'],
    '`add` of BullMQ in a bare server': ['add', 'floor', where],
    'inbox in memory': ['memory', 'instant'],
    'inbox in SQLite': ['sqlite', 'instant'],
    'inbox in BullMQ': ['bullmq', 'instant', where],
  } as const;
  const measured: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [who, kind] of Object.entries(kinds)) (measured[who] ??= []).push(await perSecond(kind));
  }
  await redis.stop();
  const figures = compare(measured);
  const [bare, add] = figures.map(({ value }) => value);
  return figures.map(
    ({ who, value }) =>
      `| ${who} | ${Math.round(value)} | ${(value / (bare ?? 1)).toFixed(2)} | ${(value / (add ?? 1)).toFixed(2)} |`,
  );
}

let first = 1_000_000_000;

async function perSecond(kind: readonly [string, string, string?]): Promise<number> {
  return withInbox(kind, async ({ port }) => {
    const ids = (count: number): number[] => range(count).map(() => first++);
    await deliver(port, ids(1_000));
    const started = performance.now();
    await deliver(port, ids(deliveries));
    return deliveries / ((performance.now() - started) / 1000);
  });
}

/** The response time while a backlog grows that nothing handles. */
export async function backlog(count: number): Promise<Record<string, number>> {
  return withInbox(['sqlite', 'backlog'], async ({ port }) => {
    await deliver(port, range(count));
    const { latencies, rejected } = await deliver(
      port,
      range(2_000).map((id) => id + count),
    );
    return {
      [`99th percentile until the response while ${count} wait, in ms`]: Math.round(percentile99(latencies)),
      [`... rejected, of ${latencies.length}`]: rejected,
    };
  });
}
