// A Fetch API handler for notifications. The same code works on Cloudflare Workers, Deno, Bun, Hono and
// Next.
//   node examples/notifications-fetch.ts
import { createReceiver, fetchHandler } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace. In production, create one client per seller with `new SellerClient()`.
const marketplace = new FakeMarketplace();
const sellers = [marketplace.addUser(), marketplace.addUser()];
const clients = new Map(sellers.map((seller) => [seller.user_id, marketplace.clientFor(seller)]));

const receiver = createReceiver({
  // Respond after the handler has run. This is needed on a platform that stops the program after the
  // response.
  acknowledge: 'handled',
  // For a user without a client, this returns `undefined`, and the notification is dropped.
  clientFor: (user_id) => clients.get(user_id),
  on: {
    questions: async ({ user_id }, { read }) => {
      const { id, text } = await read();
      console.log(`seller ${user_id} was asked question ${id}: ${text}`);
    },
  },
});

const handle = fetchHandler(receiver);
// On Workers: export default { fetch: (request, env, ctx) => handle(request, ctx) };
// With Hono: (c) => handle(c.req.raw)

// The rest of this file acts as the service.
marketplace.notifications.subscribe({
  callback: (request) => handle(request),
  faults: { late: 0.5, lateMs: 100, odd: 0.5 },
});
const buyer = marketplace.addUser();
for (const { user_id } of sellers) {
  const { item_id } = marketplace.addItem({ seller_id: user_id });
  marketplace.ask({ from: buyer, item_id, text: 'Do you ship to Salta?' });
}
await marketplace.notifications.flush();
await receiver.close();
