// An application in its own process, whose handler takes a second: node inbox.ts <memory | sqlite> <database>
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Library from 'marketplace-seller-sdk/notifications';
import { here } from '../measure.ts';

// The built package, as users load it.
const built: unknown = await import(here('../dist/esm/notifications/index.js'));
const { createReceiver, memoryStore, nodeHandler, sqliteStore } = built as typeof Library;

const [store, path = ''] = process.argv.slice(2);
const handled = new Map<number, number>();
const receiver = createReceiver({
  store: store === 'sqlite' ? sqliteStore({ path }) : memoryStore(),
  concurrency: 1_000,
  on: {
    questions: async ({ question_id }) => {
      handled.set(question_id, (handled.get(question_id) ?? 0) + 1);
      await pause(1_000);
    },
  },
});
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', () => void report());

async function report(): Promise<void> {
  await receiver.idle();
  const counts = [...handled.values()];
  process.send?.({
    handled: counts.length,
    twice: counts.filter((count) => count > 1).length,
    // The largest size of the process in MiB, not only of this library's heap.
    memory: process.resourceUsage().maxRSS / 1024,
  });
  await receiver.close();
  process.exit();
}
