// An application in its own process:
// node inbox.ts <memory | sqlite> <database> <instant | slow | storm | killed> [notes]
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk/notifications';
import { here } from '../measure.ts';

// The built package, as users load it.
const built: unknown = await import(here('../dist/esm/notifications/index.js'));
const { createReceiver, memoryStore, nodeHandler, sqliteStore } = built as typeof Library;

const [kind = '', path = '', mode = '', notes = ''] = process.argv.slice(2);
const handled = new Map<number, number>();

const receiver = createReceiver({
  store: kind === 'sqlite' ? sqliteStore({ path }) : memoryStore(),
  ...(mode === 'storm' && { concurrency: 1_000 }),
  ...(mode === 'killed' && { leaseMs: 300, pollMs: 50 }),
  on: {
    questions: async ({ question_id }) => {
      handled.set(question_id, (handled.get(question_id) ?? 0) + 1);
      if (mode === 'slow' || mode === 'storm') await pause(1_000);
      if (notes) appendFileSync(notes, `${question_id}\n`);
    },
  },
});

const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', (message) => void (message === 'cpu' ? reportCpu() : report()));

/** The microseconds of CPU that this process has used, once everything is handled. */
async function reportCpu(): Promise<void> {
  await receiver.idle();
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
}

async function report(): Promise<void> {
  await receiver.idle();
  const counts = [...handled.values()];
  process.send?.({
    handled: counts.length,
    twice: counts.filter((count) => count > 1).length,
    dead: (await receiver.deadLetters.list({ limit: 1_000 })).map(({ entry }) => entry.notification.question_id),
    // The largest size of the process in MiB, not only of this library's heap.
    memory: process.resourceUsage().maxRSS / 1024,
  });
  await receiver.close();
  process.exit();
}
