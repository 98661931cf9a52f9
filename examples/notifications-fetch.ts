// A Fetch API handler: the same for Cloudflare Workers, Deno, Bun, Hono and Next.
//   node examples/notifications-fetch.ts
import { createReceiver, fetchHandler } from 'marketplace-seller-sdk/notifications';
import { FakeMarketplace } from 'marketplace-seller-sdk/testing';

// A fake marketplace. In production: new SellerClient({ baseUrl, accessToken }), one per seller.
const marketplace = new FakeMarketplace();
const sellers = [marketplace.addUser(), marketplace.addUser()];
const clients = new Map(sellers.map((seller) => [seller.user_id, marketplace.clientFor(seller)]));

const receiver = createReceiver({
  // On a platform that stops the program after the response, the handler runs first.
  acknowledge: 'handled',
  // Notifications of users who are not ours are dropped.
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

// From here on this is the service.
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
