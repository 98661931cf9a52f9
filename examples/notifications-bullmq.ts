// Notifications in BullMQ: they are acknowledged when Redis has stored them, and handled by workers on
// any number of machines.
//   REDIS_URL=redis://127.0.0.1:6379 node examples/notifications-bullmq.ts
import { Queue, Worker } from 'bullmq';
import type { ConnectionOptions } from 'bullmq';
import {
  bullmqProcessor,
  bullmqQueue,
  createReceiver,
  fetchHandler,
} from 'marketplace-seller-sdk/notifications';
import type { QueuedNotification } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { needed } from './environment.ts';

const { REDIS_URL: url } = needed('REDIS_URL');
const connection: ConnectionOptions = { url, maxRetriesPerRequest: null };

// A fake marketplace. In production, create one client per seller with `new SellerClient()`.
const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const client = marketplace.clientFor(seller);

const queue = new Queue<QueuedNotification>('notifications', { connection });
const receiver = createReceiver({
  // One job per question runs at a time, duplicates are dropped, and a failed job is tried again for hours.
  queue: bullmqQueue(queue),
  clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
  on: {
    questions: async (notification, { read }) => {
      const question = await read();
      console.log(`question ${question.id}: ${question.text}`);
    },
  },
});

// In production the worker is a separate program, with the same `on` and `clientFor`.
const worker = new Worker<QueuedNotification>(
  'notifications',
  bullmqProcessor(receiver),
  // BullMQ fails a job whose process was killed more often, by default twice. The processor finds those that end their process.
  { connection, concurrency: 32, maxStalledCount: 1_000_000 },
);

// The rest of this file acts as the service, which delivers every notification twice.
marketplace.notifications.subscribe({
  callback: (request) => fetchHandler(receiver)(request),
  faults: { twice: 1 },
});
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
const buyer = marketplace.addUser();
const texts = ['Is there stock?', 'And in blue?'];
const handled = new Promise<void>((resolve) => {
  let count = 0;
  worker.on('completed', () => ++count === texts.length && resolve());
});
for (const text of texts) marketplace.ask({ from: buyer, item_id, text });
await marketplace.notifications.flush();
await handled;
const { completed, waiting, active } = await queue.getJobCounts();
const { length } = marketplace.notifications.attempts;
console.log(`${completed} jobs done, ${waiting}, ${active} left, for ${length} deliveries`);
await worker.close();
await queue.obliterate({ force: true });
await queue.close();
