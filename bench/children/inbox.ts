// An application in its own process. Where is a file of SQLite, or the connection to Redis as JSON.
// node inbox.ts <memory | sqlite | bullmq> <where> <instant | slow | storm | backlog | killed | older | newer> [notes]
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk/notifications';
import { here } from '../measure.ts';
import { bullmq } from './redis-queue.ts';

// The built package, as users load it.
const built: unknown = await import(here('../dist/esm/notifications/index.js'));
const { bullmqProcessor, bullmqQueue, createReceiver, memoryStore, nodeHandler, sqliteStore } = built as typeof Library;

const [kind = '', path = '', mode = '', notes = ''] = process.argv.slice(2);
const handled = new Map<number, number>();

const redis = kind === 'bullmq' ? bullmq(path) : undefined;
const isShort = ['killed', 'older', 'newer'].includes(mode);
const note = (line: string): void => appendFileSync(notes, `${line}\n`);

const receiver = createReceiver({
  ...(redis
    ? { queue: bullmqQueue(redis.queue) }
    : {
        store:
          kind === 'sqlite' ? sqliteStore({ path, maxWaiting: 2_000_000, maxWaitingBytes: 2 ** 32 }) : memoryStore(),
      }),
  ...(mode === 'storm' && { concurrency: 1_000 }),
  ...(mode === 'backlog' && { handle: false }),
  ...(isShort && { leaseMs: 300, pollMs: 50 }),
  on: {
    questions: async ({ question_id }, { attempt }) => {
      handled.set(question_id, (handled.get(question_id) ?? 0) + 1);
      if (mode === 'slow' || mode === 'storm') await pause(1_000);
      if (mode === 'older' || mode === 'newer') await pause(20);
      if (notes) note(`${question_id} ${attempt}`);
    },
  },
  // Only the newer release has a handler for other topics.
  ...(mode === 'newer' && { fallback: ({ resource }) => note(`${resource.split('/').at(-1)} 1`) }),
  ...(mode === 'older' && { logger: { debug: () => {}, info: () => {}, warn: () => {}, error: console.error } }),
});
redis?.work(bullmqProcessor(receiver));
receiver.start();

process.once('disconnect', () => process.exit());
// A deploy.
process.once('SIGTERM', () => {
  server.close();
  void receiver.close().then(() => process.exit());
});

const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (message) => void (message === 'cpu' ? reportCpu() : report()));

/** The microseconds of CPU that this process has used, once everything is handled. */
async function reportCpu(): Promise<void> {
  await receiver.idle();
  await redis?.idle();
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
}

async function report(): Promise<void> {
  await receiver.idle();
  await redis?.idle();
  const counts = [...handled.values()];
  process.send?.({
    handled: counts.length,
    twice: counts.filter((count) => count > 1).length,
    dead: redis
      ? await redis.failed()
      : (await receiver.deadLetters.list({ limit: 1_000 })).map(({ entry }) => entry.notification.question_id),
    // The largest size of the process in MiB, not only of this library's heap.
    memory: process.resourceUsage().maxRSS / 1024,
  });
  await receiver.close();
  process.exit();
}
