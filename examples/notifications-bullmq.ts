// Notifications in BullMQ: they are acknowledged when Redis has stored them, and handled by workers on
// any number of machines.
//   REDIS_URL=redis://127.0.0.1:6379 node examples/notifications-bullmq.ts
import { Queue, Worker } from 'bullmq';
import { createInbox, fetchHandler } from 'marketplace-seller-sdk/inbox';
import { bullmq } from 'marketplace-seller-sdk/stores';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';
import { needed } from './environment.ts';

const { REDIS_URL: url } = needed('REDIS_URL');

// A fake marketplace. In production, create one client per seller with `new SellerClient()`.
const marketplace = new FakeMarketplace();
const seller = marketplace.addUser();
const client = marketplace.clientFor(seller);

const handled: number[] = [];
const inbox = createInbox({
  // One notification of a question is handled at a time, duplicates are dropped, and a failed one is tried
  // again for hours.
  store: bullmq({ Queue, Worker, connection: { url, maxRetriesPerRequest: null } }),
  clientFor: (user_id) => (user_id === seller.user_id ? client : undefined),
  on: {
    questions: async (notification, { read }) => {
      const question = await read();
      console.log(`question ${question.id}: ${question.text}`);
    },
  },
  onSuccess: ({ entry }) => handled.push(entry.sentAt),
});
// In production, the machines that only receive create theirs with `handle: false`.
inbox.start();

// The rest of this file acts as the service, which delivers every notification twice.
marketplace.notifications.subscribe({
  callback: (request) => fetchHandler(inbox)(request),
  faults: { twice: 1 },
});
const { item_id } = marketplace.addItem({ seller_id: seller.user_id });
const buyer = marketplace.addUser();
for (const text of ['Is there stock?', 'And in blue?']) marketplace.ask({ from: buyer, item_id, text });
await marketplace.notifications.flush();
await inbox.idle();
const { waiting, running } = await inbox.stats();
const { length } = marketplace.notifications.attempts;
console.log(`${handled.length} handled, ${waiting + running} left, for ${length} deliveries`);
await inbox.close();
