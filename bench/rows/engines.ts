import { readFileSync, readdirSync } from 'node:fs';
import { startPostgres } from '../../tests/support/postgres.ts';
import { deliver, nextMessage, range, withInbox } from '../inbox-load.ts';
import type { Inbox } from '../inbox-load.ts';
import { compare } from '../measure.ts';
import type { Row } from '../measure.ts';
import { RawPoster } from '../raw-poster.ts';
import { startServer } from '../soak/redis-servers.ts';

const deliveries = 4_000;
const rounds = 5;
const bare = 'bare worker of BullMQ';

/** What the inbox costs in each engine, and whether it keeps the order: `node bench/run.ts engines`. */
export async function engines(): Promise<Row[]> {
  const redis = await startServer(['--appendonly', 'yes']);
  const postgres = await startPostgres({ fsync: true });
  const where = JSON.stringify({ port: redis.port });
  const kinds = {
    [bare]: ['work', 'floor', where],
    'inbox in BullMQ': ['bullmq', 'instant', where],
    'inbox in SQLite': ['sqlite', 'instant'],
    'inbox in PostgreSQL': ['postgres', 'instant', postgres.connectionString],
  } as const;
  const cpu: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1)
    for (const [who, kind] of Object.entries(kinds)) (cpu[who] ??= []).push(await withInbox(kind, cpuOf));
  const broken: Record<string, number> = {};
  for (const [who, kind] of Object.entries(kinds)) broken[who] = await withInbox(kind, brokenIn);
  await redis.stop();
  await postgres.stop();
  const limits = { 'inbox in BullMQ': 1.6, 'inbox in SQLite': 1.4, 'inbox in PostgreSQL': 3.5 };
  return [
    {
      title: 'Engines: CPU of one notification, of the process and of the server, from the delivery to the end',
      unit: 'µs',
      goal: 'BullMQ 1.6, SQLite 1.4, PostgreSQL 3.5',
      limits: Object.entries(limits).map(([who, ratio]) => ({ who, ratio })),
      figures: compare(cpu),
    },
    {
      title: `Engines: notifications of a resource that were handled after a later one, of ${resources * perResource}`,
      unit: '',
      goal: '0 in every engine',
      limits: Object.keys(limits).map((who) => ({ who, value: 0 })),
      figures: Object.entries(broken).map(([who, value]) => ({ who, value })),
    },
  ];
}

let first = 0;

async function cpuOf({ port, process }: Inbox): Promise<number> {
  const used = async (): Promise<number> => {
    process.send('cpu');
    return (await nextMessage<number>(process)) + cpuOfServers();
  };
  const ids = (count: number): number[] => range(count).map(() => (first += 1));
  await deliver(port, ids(1_000));
  const before = await used();
  await deliver(port, ids(deliveries));
  return ((await used()) - before) / deliveries;
}

/** The microseconds of CPU that the servers of this process have used. */
export function cpuOfServers(): number {
  const stats = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(name) : []));
  const own = new Set([process.pid]);
  // A process comes after the one that started it.
  for (const { pid, parent } of stats.sort((a, b) => a.pid - b.pid)) if (own.has(parent)) own.add(pid);
  const servers = stats.filter(({ pid, name }) => own.has(pid) && ['redis-server', 'postgres'].includes(name));
  return servers.reduce((sum, { ticks }) => sum + ticks, 0) * 10_000;
}

interface Stat {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** With those of its children that have ended, in hundredths of a second. */
  readonly ticks: number;
}

function statOf(pid: string): Stat | [] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    const fields = stat
      .slice(end + 2)
      .split(' ')
      .map(Number);
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + (fields[index] ?? 0), 0);
    return { pid: Number(pid), name: stat.slice(stat.indexOf('(') + 1, end), parent: fields[1] ?? 0, ticks };
  } catch {
    // It has ended.
    return [];
  }
}

const resources = 1_000;
const perResource = 20;
const connections = 64;

/** Delivers what happens to resources, each in its order, and counts what was handled in another one. */
async function brokenIn({ port, process }: Inbox): Promise<number> {
  const left = range(resources);
  const startedAt = Date.now() - 1_000_000;
  const deliverSome = async (): Promise<void> => {
    const poster = await RawPoster.open(port);
    for (let resource = left.pop(); resource !== undefined; resource = left.pop())
      for (const index of range(perResource)) {
        const id = 1_000_000 + resource;
        const sent = new Date(startedAt + index).toISOString();
        const body = {
          _id: `order-${id}-${index}`,
          user_id: 7,
          resource: `/questions/${id}`,
          topic: 'questions',
          sent,
        };
        // On a busy machine the inbox may not be in time: the service delivers again.
        while ((await poster.post(id, JSON.stringify(body))) !== 200);
      }
    poster.close();
  };
  await Promise.all(range(connections).map(deliverSome));
  process.send('order');
  const { handled, broken } = await nextMessage<{ handled: number; broken: number }>(process);
  return handled === resources * perResource ? broken : Number.NaN;
}
