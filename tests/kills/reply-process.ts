// The handlers of the guide in a process of their own, with an inbox in SQLite or PostgreSQL, or a queue of BullMQ.
// node reply-process.js <sqlite | postgres | bullmq> <where it is> <URL of the marketplace> <token> <user id>
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Queue, Worker } from 'bullmq';
import { SellerClient } from 'marketplace-seller-sdk';
import {
  bullmqProcessor,
  bullmqQueue,
  createReceiver,
  nodeHandler,
  postgresStore,
  sqliteStore,
} from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification } from 'marketplace-seller-sdk/notifications';
import { Pool } from 'pg';
import { guideHandlers } from './guide-handlers.ts';

const [kind = '', where = '', baseUrl = '', accessToken = '', user = ''] = process.argv.slice(2);
const client = new SellerClient({ baseUrl, accessToken, allowInsecure: true, timeoutMs: 2_000 });
const connection = { path: where, maxRetriesPerRequest: null };

function place(): Pick<Parameters<typeof createReceiver>[0], 'store' | 'queue'> {
  if (kind === 'sqlite') return { store: sqliteStore({ path: where }) };
  if (kind === 'postgres') return { store: postgresStore({ pool: new Pool({ connectionString: where }) }) };
  return { queue: bullmqQueue(new Queue<QueuedNotification>('notifications', { connection })) };
}

const receiver = createReceiver<SellerClient>({
  ...place(),
  clientFor: (user_id) => (user_id === Number(user) ? client : undefined),
  concurrency: 8,
  // A busy machine does not lose them.
  leaseMs: 3_000,
  pollMs: 50,
  acceptTimeoutMs: 5_000,
  retry: { baseMs: 50, capMs: 500 },
  onFailure: () => {},
  on: guideHandlers,
});
receiver.start();
if (kind === 'bullmq') {
  const worker = new Worker<QueuedNotification>('notifications', bullmqProcessor(receiver), {
    connection,
    concurrency: 8,
    maxStalledCount: 1_000_000,
    lockDuration: 3_000,
    stalledInterval: 500,
  });
  worker.on('error', () => {});
}
// Its log would be mistaken for the port.
console.log = () => {};
const server = createServer(nodeHandler(receiver)).listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
