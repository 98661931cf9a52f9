// An application in its own process. Where is a file of SQLite, a connection string of PostgreSQL,
// or the connection to Redis as JSON.
// node inbox.ts <memory | sqlite | postgres | bullmq> <where> <instant | slow | storm | steady | backlog | killed | older | newer> [notes]
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk/inbox';
import type * as Stores from 'marketplace-seller-sdk/stores';
import { Queue, Worker } from 'bullmq';
import { Pool } from 'pg';
import { here } from '../measure.ts';
import { HandledOrder } from './handled-order.ts';
import { redisOf } from './redis-queue.ts';

// The built package, as users load it.
const built: unknown = await import(here('../dist/esm/notifications/index.js'));
const { createInbox, nodeHandler } = built as typeof Library;
const stores: unknown = await import(here('../dist/esm/stores.js'));
const { bullmq, memoryStore, postgresStore, sqliteStore } = stores as typeof Stores;

const [kind = '', path = '', mode = '', notes = ''] = process.argv.slice(2);
const handled = new Map<number, number>();

const isShort = ['killed', 'older', 'newer'].includes(mode);
const note = (line: string): void => appendFileSync(notes, `${line}\n`);

const lags: number[] = [];
const order = new HandledOrder();

function storeOf(): Library.InboxOptions['store'] {
  if (kind === 'memory') return memoryStore();
  if (kind === 'sqlite') return sqliteStore(path);
  if (kind === 'bullmq') return bullmq({ Queue, Worker, connection: redisOf(path), name: '{seller}' });
  const pool = new Pool({ connectionString: path });
  pool.on('error', () => {});
  return postgresStore({ pool });
}

const inbox = createInbox({
  store: storeOf(),
  maxWaiting: 2_000_000,
  ...(mode === 'storm' && { concurrency: 1_000 }),
  ...(mode === 'backlog' && { handle: false }),
  ...(isShort && { leaseMs: kind === 'bullmq' ? 1_000 : 300 }),
  on: {
    questions: async ({ question_id, sent }, { attempt }) => {
      handled.set(question_id, (handled.get(question_id) ?? 0) + 1);
      if (mode === 'slow' || mode === 'storm') await pause(1_000);
      if (mode === 'older' || mode === 'newer') await pause(20);
      if (mode === 'steady') await pause(50);
      if (mode === 'steady') lags.push(Date.now() - Date.parse(sent ?? ''));
      if (notes) note(`${question_id} ${attempt}`);
      order.note(String(question_id), Date.parse(sent ?? ''));
    },
  },
  // Only the newer release has a handler for other topics.
  ...(mode === 'newer' && { fallback: ({ resource }) => note(`${resource.split('/').at(-1)} 1`) }),
  ...(mode === 'older' && { logger: { debug: () => {}, info: () => {}, warn: () => {}, error: console.error } }),
});
inbox.start();

process.once('disconnect', () => process.exit());
// A deploy.
process.once('SIGTERM', () => {
  server.close();
  void inbox.close().then(() => process.exit());
});

const server = createServer(nodeHandler(inbox)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

const reports: Readonly<Record<string, () => Promise<void>>> = {
  cpu: reportCpu,
  steady: reportSteady,
  order: reportOrder,
  report,
};
process.on('message', (message) => void reports[String(message)]?.());

/** How long each notification took, and the CPU time. */
async function reportSteady(): Promise<void> {
  await inbox.idle();
  const { user, system } = process.cpuUsage();
  process.send?.({ lags, cpu: user + system });
}

async function reportOrder(): Promise<void> {
  await inbox.idle();
  process.send?.(order.report());
}

/** The microseconds of CPU that this process has used, once everything is handled. */
async function reportCpu(): Promise<void> {
  await inbox.idle();
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
}

async function report(): Promise<void> {
  await inbox.idle();
  const counts = [...handled.values()];
  process.send?.({
    handled: counts.length,
    twice: counts.filter((count) => count > 1).length,
    dead: (await inbox.deadLetters.list({ limit: 1_000 })).map(({ entry }) => entry.notification.question_id),
    // The largest size of the process in MiB, not only of this library's heap.
    memory: process.resourceUsage().maxRSS / 1024,
  });
  await inbox.close();
  process.exit();
}
